//! The films of water in all narrow gaps, and their forces.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_bodies::{Body, Impulse};
use plimsoll_search::CellGrid;
use serde::{Deserialize, Serialize};

use super::{
    facing::{Pair, Surface},
    film::FilmFluid,
};
use crate::{
    coupling::{Cause, Pushed, Wrench},
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
            ledger.push_body(bodies, *one, impulse, Cause::Pressure);
            ledger.push_body(bodies, *other, opposite, Cause::Pressure);
        }
    }

    /// What pairs of bodies with gaps between them lack, on the first body about its center.
    fn missing(&mut self, fluid: &FilmFluid, bodies: &[Body]) -> Vec<([usize; 2], Wrench)> {
        let radius = fluid.settings.particle_radius;
        let fall = (2.0 * fluid.settings.gravity.length() * radius).sqrt();
        if fall == 0.0 {
            return Vec::new();
        }
        let pairs = self.near_pairs(bodies, radius);
        let missing = |pair: [usize; 2]| {
            let surfaces = [self.surfaces[pair[0]].as_ref()?, self.surfaces[pair[1]].as_ref()?];
            let facing = Pair { bodies: pair.map(|index| &bodies[index]), surfaces, radius, fall }.facing();
            let Wrench { force, torque } = (!facing.is_empty()).then(|| fluid.missing(pair, &facing))?;
            Some((pair, Wrench { force, torque: torque - bodies[pair[0]].center().cross(force) }))
        };
        pairs.into_iter().filter_map(missing).collect()
    }

    /// Pairs of bodies whose bounding boxes are near each other; first the one with the smaller surface.
    fn near_pairs(&mut self, bodies: &[Body], radius: f64) -> Vec<[usize; 2]> {
        self.surfaces.resize_with(bodies.len(), || None);
        let takes_part = |body: &Body| body.meets_particles() && body.deformation().is_none();
        let boxes: Vec<Option<Aabb>> = bodies.iter().map(|body| takes_part(body).then(|| body.world_aabb())).collect();
        let mut pairs = Vec::new();
        for (first, second) in (0..bodies.len()).flat_map(|first| (first + 1..bodies.len()).map(move |second| (first, second))) {
            let are_near = boxes[first].zip(boxes[second]).is_some_and(|(one, other)| one.inflated(REACH * radius).overlaps(&other));
            if are_near {
                let [one, other] = [first, second].map(|index| {
                    let surface = self.surfaces[index].get_or_insert_with(|| Surface::of(&bodies[index]));
                    surface.area
                });
                pairs.push(if other < one { [second, first] } else { [first, second] });
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
