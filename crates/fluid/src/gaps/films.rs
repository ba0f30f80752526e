//! The films of water in all narrow gaps, and their forces.

use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_bodies::{Bodies, Body, Impulse};
use serde::{Deserialize, Serialize};

use super::{
    facing::{Facing, Pair, Surface},
    film::{Film, WIDE},
    rim::FilmFluid,
};
use crate::{
    FluidSettings,
    coupling::{Cause, Ledger, Wrench},
};

/// Time over which the force of a film is averaged, in reference steps, or since there is one, if that is less. Pressures change from step to step, and
/// particles between bodies that collide push them apart, as they should.
const MEAN_OVER: f64 = 20.0;

/// The force of the film between two bodies: in one step, or the mean.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct FilmForce {
    /// Indices of the bodies.
    bodies: [usize; 2],
    /// Force (N) and torque (N m) about its center on the first body; the second gets the opposite.
    force: DVec3,
    torque: DVec3,
    /// Time since there is a film, s.
    age: f64,
}

impl FilmForce {
    /// The impulses on both bodies over a time (s).
    fn impulses(&self, seconds: f64, bodies: &[Body]) -> [Impulse; 2] {
        let [one, other] = self.bodies.map(|index| bodies[index].center());
        let on_first = Impulse { linear: seconds * self.force, angular: seconds * self.torque };
        let angular = on_first.angular + (one - other).cross(on_first.linear);
        [on_first, Impulse { linear: -on_first.linear, angular: -angular }]
    }

    /// The mean over a time (s) after a step of `dt` (s) in which it was this one, and the mean was `earlier` before.
    fn averaged(self, earlier: Option<&Self>, dt: f64, time: f64) -> Self {
        let Some(earlier) = earlier else { return Self { age: dt, ..self } };
        let age = earlier.age + dt;
        let share = (dt / age).max(-(-dt / time).exp_m1());
        Self { bodies: self.bodies, force: earlier.force.lerp(self.force, share), torque: earlier.torque.lerp(self.torque, share), age }
    }
}

/// An impulse that a film has given to a body in this step.
#[derive(Debug)]
struct Push {
    /// Index of the body.
    body: usize,
    impulse: Impulse,
    /// The impulse times the velocity of the body before, J.
    before: f64,
}

impl Push {
    fn of(impulse: Impulse, body: usize, bodies: &[Body]) -> Self {
        Self { body, impulse, before: work_at(&impulse, &bodies[body]) }
    }

    /// Its work over the step, in which all forces change the velocity of the body, J.
    fn work(&self, bodies: &[Body]) -> f64 {
        0.5 * (self.before + work_at(&self.impulse, &bodies[self.body]))
    }
}

/// An impulse (N s) times the velocity of `body`, J.
fn work_at(impulse: &Impulse, body: &Body) -> f64 {
    impulse.linear.dot(body.velocity) + impulse.angular.dot(body.angular_velocity)
}

/// Densities of floating bodies that have films, over that of the fluid. For lighter ones the pressure solve does not converge in 1,000 sweeps: released in
/// water, a block of 0.01 kg/m³ with films reaches 23 m/s, one of 0.1 kg/m³ moves as one of 10 kg/m³. A heavier one rests on the particles that it traps when it
/// lands, until they have gone; with films it would compress them, and a block of 5,000 kg/m³ that falls into water would give the water 187 J of 1,772 J.
const FLOATING: [f64; 2] = [5e-5, 1.0];

/// Whether there may be films at a body in a fluid of this `density` (kg/m³).
pub fn may_have_films(body: &Body, surface: &Surface, density: f64) -> bool {
    let displaced = density * surface.volume;
    body.floating().is_none() || (FLOATING[0] * displaced..FLOATING[1] * displaced).contains(&body.mass)
}

/// The films of all narrow gaps, with their mean forces.
#[derive(Default, Serialize, Deserialize)]
pub struct Films {
    list: Vec<FilmForce>,
    /// Those of this step.
    #[serde(skip)]
    pushes: Vec<Push>,
    /// Of the bodies that have been near others. Rebuilt after a restart, as the next.
    #[serde(skip)]
    surfaces: Vec<Option<Surface>>,
    /// For each pair of the last step, the patches near the other body, kept while neither moves.
    #[serde(skip)]
    near: BTreeMap<[usize; 2], NearPatches>,
}

/// The patches of a body that are near another, in these poses.
#[derive(Debug)]
struct NearPatches {
    poses: [Pose; 2],
    facing: Vec<Facing>,
}

impl Films {
    /// Pushes the bodies beside narrow gaps for a time `dt` (s) with the mean forces, before the pressure of the fluid is computed, which then responds to
    /// them: bodies much lighter than the fluid would be thrown by forces that come after it.
    pub fn push(&mut self, dt: f64, bodies: &mut Bodies, ledger: &mut Ledger) {
        for film in &self.list {
            // One of them may just have vanished.
            if film.bodies.iter().all(|&index| bodies.list[index].meets_particles()) {
                let impulses = film.impulses(dt, &bodies.list);
                let pushes = film.bodies.into_iter().zip(impulses).map(|(body, impulse)| Push::of(impulse, body, &bodies.list));
                self.pushes.extend(pushes);
            }
        }
        self.pushes.iter().for_each(|push| ledger.push_body(bodies, push.body, push.impulse, Cause::Pressure));
    }

    /// Takes what the bodies beside narrow gaps lack, with the pressures of this step of `dt` (s), into the mean forces, and books the work of the last ones.
    pub fn measure(&mut self, fluid: &FilmFluid, dt: f64, bodies: &[Body], ledger: &mut Ledger) {
        // What moves the water in the films is not computed, so their work counts as external. Of what a prescribed motion does against them, the ledger books
        // the opposite at the end of the step.
        ledger.work += self.pushes.drain(..).map(|push| push.work(bodies)).sum::<f64>();
        let time = MEAN_OVER * fluid.settings.reference_step();
        let found = self.missing(fluid, bodies);
        let earlier = |now: &FilmForce| self.list.iter().find(|film| film.bodies == now.bodies);
        self.list = found.into_iter().map(|now| now.averaged(earlier(&now), dt, time)).collect();
    }

    /// What pairs of bodies with gaps between them lack in this step.
    fn missing(&mut self, fluid: &FilmFluid, bodies: &[Body]) -> Vec<FilmForce> {
        let (radius, gravity) = (fluid.settings.particle_radius, fluid.settings.gravity.length());
        if gravity == 0.0 {
            return Vec::new();
        }
        let pairs = self.near_pairs(bodies, fluid.settings);
        self.find_patches(&pairs, bodies, radius);
        let missing = |(&pair, near): (&[usize; 2], &NearPatches)| {
            let film = Film::between(pair.map(|index| &bodies[index]), &near.facing, radius, gravity)?;
            let Wrench { force, torque } = fluid.missing(pair, &film);
            let torque = torque - bodies[pair[0]].center().cross(force);
            Some(FilmForce { bodies: pair, force, torque, age: 0.0 })
        };
        self.near.iter().filter_map(missing).collect()
    }

    /// Finds the patches of the first body of each pair that are near the second.
    fn find_patches(&mut self, pairs: &BTreeSet<[usize; 2]>, bodies: &[Body], radius: f64) {
        self.near.retain(|pair, near| pairs.contains(pair) && near.poses == pair.map(|index| bodies[index].pose));
        for &pair in pairs {
            let [Some(one), Some(other)] = pair.map(|index| self.surfaces[index].as_ref()) else { continue };
            self.near.entry(pair).or_insert_with(|| {
                let bodies = pair.map(|index| &bodies[index]);
                let facing = Pair { bodies, surfaces: [one, other], radius }.facing(WIDE[1] * radius);
                NearPatches { poses: bodies.map(|body| body.pose), facing }
            });
        }
    }

    /// Pairs of bodies whose bounding boxes are near each other; first the one with the smaller surface.
    fn near_pairs(&mut self, bodies: &[Body], settings: &FluidSettings) -> BTreeSet<[usize; 2]> {
        self.surfaces.resize_with(bodies.len(), || None);
        let reach = WIDE[1] * settings.particle_radius;
        let takes_part = |body: &Body| body.meets_particles() && body.deformation().is_none();
        let boxes: Vec<Option<Aabb>> = bodies.iter().map(|body| takes_part(body).then(|| body.world_aabb())).collect();
        let mut pairs = BTreeSet::new();
        for (first, second) in (0..bodies.len()).flat_map(|first| (first + 1..bodies.len()).map(move |second| (first, second))) {
            if boxes[first].zip(boxes[second]).is_none_or(|(one, other)| !one.inflated(reach).overlaps(&other)) {
                continue;
            }
            let [one, other] = [first, second].map(|index| {
                let surface = self.surfaces[index].get_or_insert_with(|| Surface::of(&bodies[index]));
                (surface.area, may_have_films(&bodies[index], surface, settings.max_density()))
            });
            if one.1 && other.1 {
                pairs.insert(if other.0 < one.0 { [second, first] } else { [first, second] });
            }
        }
        pairs
    }
}
