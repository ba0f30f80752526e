//! The films of water in all narrow gaps, and their forces.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_bodies::{Bodies, Body, Impulse};
use plimsoll_search::CellGrid;
use serde::{Deserialize, Serialize};

use super::{
    facing::{Pair, Surface},
    film::FilmFluid,
};
use crate::{
    FluidSettings,
    coupling::{Cause, Ledger, Pushed, Wrench},
    step_scene::StepScene,
};

/// Time over which the force of a film is averaged, in reference steps, or since the bodies are near each other, if that is less. Pressures change from
/// step to step, and particles between bodies that collide push them apart, as they should. With 5 and 60 a box of 300 kg/m³ rises alike.
const MEAN_OVER: f64 = 20.0;

/// After this many times the time of the mean, nothing is left of it.
const LASTS: f64 = 20.0;
/// Bodies are near each other up to this distance, in particle radii.
const REACH: f64 = 3.25;

/// The mean force of the film between two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Film {
    /// Indices of the bodies.
    bodies: [usize; 2],
    /// Force (N) and torque (N m) about its center on the first body; the second gets the opposite.
    force: DVec3,
    torque: DVec3,
    /// Time since they came near each other, and since they were, s.
    age: f64,
    idle: f64,
}

impl Film {
    fn between(bodies: [usize; 2]) -> Self {
        Self { bodies, force: DVec3::ZERO, torque: DVec3::ZERO, age: 0.0, idle: 0.0 }
    }

    /// Takes what is `now` missing, after a step of `dt` (s), into the mean over a time (s).
    fn average(&mut self, now: Wrench, dt: f64, time: f64) {
        self.age += dt;
        let share = (dt / self.age).max(-(-dt / time).exp_m1());
        self.force += share * (now.force - self.force);
        self.torque += share * (now.torque - self.torque);
    }
}

/// Gives body `index` an impulse of a film. What moves the water in the film is not computed, so the work counts as external; of what a prescribed motion does
/// against the film, the ledger books the opposite at the end of the step.
fn push(index: usize, impulse: Impulse, bodies: &mut Bodies, ledger: &mut Ledger) {
    let before = bodies.list[index].kinetic_energy();
    ledger.push_body(bodies, index, impulse, Cause::Pressure);
    let body = &bodies.list[index];
    ledger.work += match body.prescribed_motion() {
        Some(_) => impulse.linear.dot(body.velocity) + impulse.angular.dot(body.angular_velocity),
        None => body.kinetic_energy() - before,
    };
}

/// Whether a body sinks. It rests on the particles that it traps when it lands, until they have gone; without their pressure it would compress them, and a
/// block of 5,000 kg/m³ that falls into water would give the water 187 J of 1,772 J.
fn is_heavy(body: &Body, surface: &Surface, density: f64) -> bool {
    body.floating().is_some() && body.mass >= density * surface.volume
}

/// The films of all narrow gaps.
#[derive(Default, Serialize, Deserialize)]
pub struct Films {
    list: Vec<Film>,
    /// Of the bodies that have been near others. Rebuilt after a restart.
    #[serde(skip)]
    surfaces: Vec<Option<Surface>>,
}

impl Films {
    /// Pushes the bodies beside narrow gaps, over a step of `dt` (s), as the water around the gaps would.
    pub fn push(&mut self, scene: &StepScene, grid: &CellGrid, pushed: &mut Pushed) {
        let Pushed { particles, bodies, ledger } = pushed;
        let &StepScene { settings, contacts, dt, .. } = scene;
        let missing = self.missing(&FilmFluid { settings, grid, particles, contacts }, &bodies.list);
        self.average(&missing, dt, MEAN_OVER * settings.reference_step());
        for Film { bodies: [one, other], force, torque, .. } in &self.list {
            let lever = bodies.list[*one].center() - bodies.list[*other].center();
            let impulse = Impulse { linear: dt * *force, angular: dt * *torque };
            let opposite = Impulse { linear: -impulse.linear, angular: -(impulse.angular + lever.cross(impulse.linear)) };
            push(*one, impulse, bodies, ledger);
            push(*other, opposite, bodies, ledger);
        }
    }

    /// What pairs of bodies with gaps between them lack, on the first body about its center.
    fn missing(&mut self, fluid: &FilmFluid, bodies: &[Body]) -> Vec<([usize; 2], Wrench)> {
        let radius = fluid.settings.particle_radius;
        let fall = (2.0 * fluid.settings.gravity.length() * radius).sqrt();
        if fall == 0.0 {
            return Vec::new();
        }
        let pairs = self.near_pairs(bodies, fluid.settings);
        let missing = |pair: [usize; 2]| {
            let surfaces = [self.surfaces[pair[0]].as_ref()?, self.surfaces[pair[1]].as_ref()?];
            let facing = Pair { bodies: pair.map(|index| &bodies[index]), surfaces, radius, fall }.facing();
            let Wrench { force, torque } = (!facing.is_empty()).then(|| fluid.missing(pair, &facing))?;
            Some((pair, Wrench { force, torque: torque - bodies[pair[0]].center().cross(force) }))
        };
        pairs.into_iter().filter_map(missing).collect()
    }

    /// Pairs of bodies whose bounding boxes are near each other; first the one with the smaller surface.
    fn near_pairs(&mut self, bodies: &[Body], settings: &FluidSettings) -> Vec<[usize; 2]> {
        self.surfaces.resize_with(bodies.len(), || None);
        let reach = REACH * settings.particle_radius;
        let takes_part = |body: &Body| body.meets_particles() && body.deformation().is_none();
        let boxes: Vec<Option<Aabb>> = bodies.iter().map(|body| takes_part(body).then(|| body.world_aabb())).collect();
        let mut pairs = Vec::new();
        for (first, second) in (0..bodies.len()).flat_map(|first| (first + 1..bodies.len()).map(move |second| (first, second))) {
            if boxes[first].zip(boxes[second]).is_none_or(|(one, other)| !one.inflated(reach).overlaps(&other)) {
                continue;
            }
            let [one, other] = [first, second].map(|index| {
                let surface = self.surfaces[index].get_or_insert_with(|| Surface::of(&bodies[index]));
                (surface.area, is_heavy(&bodies[index], surface, settings.max_density()))
            });
            if !one.1 && !other.1 {
                pairs.push(if other.0 < one.0 { [second, first] } else { [first, second] });
            }
        }
        pairs
    }

    /// Takes what is `missing` now into the means over a time (s). A film ends when its mean has gone.
    fn average(&mut self, missing: &[([usize; 2], Wrench)], dt: f64, time: f64) {
        for &(bodies, _) in missing {
            if !self.list.iter().any(|film| film.bodies == bodies) {
                self.list.push(Film::between(bodies));
            }
        }
        for film in &mut self.list {
            let now = missing.iter().find(|(bodies, _)| *bodies == film.bodies);
            film.average(now.map_or(Wrench::default(), |&(_, wrench)| wrench), dt, time);
            film.idle = if now.is_some() { 0.0 } else { film.idle + dt };
        }
        self.list.retain(|film| film.idle < LASTS * time);
    }
}
