//! Emitters: fluid that flows in at a given velocity.
//!
//! Behind its mouth each has a nozzle. A layer of particles enters at the nozzle's ground whenever the last has moved on by its thickness, and goes through the nozzle at the emitter's velocity: what is in there is held, answers to no force and has no pressure of
//! its own, as if it were a wall that moves. What holding takes is an impulse from outside.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Carver, nozzle::Cup, overlapping, world_aabb};
use crate::{
    bodies::{Body, BodyKind, Momentum},
    fluid::{FluidSettings, particles::Particles, scratch::particle_mass, settings::Emitter},
    math::Aabb,
};

/// Places closer than this many particle radii to a particle, or less than its own radius from a body, are not free for another.
const ROOM: f64 = 1.4;

/// All emitters, and what of their flow has come so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Emission {
    nozzles: Vec<Nozzle>,
    /// Speed of all emitters, as a share of what the scene says.
    pub rate: f64,
    /// Particles so far.
    pub emitted: u64,
}

/// An emitter and its nozzle.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Nozzle {
    emitter: Emitter,
    cup: Cup,
    /// From layer to layer, m.
    thickness: f64,
    /// Where particles of a layer enter, world.
    places: Vec<DVec3>,
    /// How far the last layer has moved on, in thicknesses of a layer.
    moved: f64,
}

/// A particle in a nozzle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    pub particle: u32,
    /// m/s
    pub velocity: Vec3A,
}

impl Emission {
    /// Places within static bodies, other than the nozzles themselves, stay empty.
    pub fn new(settings: &FluidSettings, bodies: &[Body]) -> Self {
        let fixed: Vec<&Body> = bodies.iter().filter(|body| matches!(body.kind, BodyKind::Static)).collect();
        let nozzle = |&emitter: &Emitter| {
            let particle_radius = settings.particle_radius;
            let places = outside(emitter.places(particle_radius), &fixed, particle_radius);
            // The first layer enters at once.
            let (cup, thickness) = (Cup::of(&emitter, particle_radius), emitter.layer_thickness(particle_radius));
            Nozzle { emitter, cup, thickness, places, moved: 1.0 }
        };
        Self { nozzles: settings.emitters.iter().map(nozzle).collect(), rate: 1.0, emitted: 0 }
    }

    /// Speed of the fastest emitter at work at `time`, m/s.
    pub fn greatest_speed(&self, time: f64) -> f64 {
        self.nozzles.iter().filter(|nozzle| nozzle.works(time)).map(|nozzle| self.rate * nozzle.emitter.speed).fold(0.0, f64::max)
    }

    /// Lets in what is due at the beginning of a step of `dt` at `time`; returns the momentum that it brings.
    pub fn emit(&mut self, time: f64, dt: f64, settings: &FluidSettings, particles: &mut Particles, bodies: &[Body]) -> Momentum {
        let mass = particle_mass(settings);
        let mut momentum = Momentum::default();
        for nozzle in self.nozzles.iter_mut().filter(|nozzle| nozzle.works(time)) {
            let direction = nozzle.emitter.direction;
            let velocity = (self.rate * nozzle.emitter.speed * direction).as_vec3a();
            let thickness = nozzle.thickness;
            while nozzle.moved >= 1.0 {
                nozzle.moved -= 1.0;
                let layer: Vec<DVec3> = nozzle.places.iter().map(|place| place + nozzle.moved * thickness * direction).collect();
                for point in with_room(layer, settings.particle_radius, particles, bodies) {
                    particles.push(point.as_vec3a(), velocity);
                    momentum += Momentum::at(point.as_vec3a().as_dvec3(), mass * velocity.as_dvec3());
                    self.emitted += 1;
                }
            }
            nozzle.moved += self.rate * nozzle.emitter.speed * dt / thickness;
        }
        momentum
    }

    /// Particles that are in a nozzle at `time`, in order, and how each goes.
    pub fn held(&self, time: f64, particles: &Particles) -> Vec<Held> {
        let working: Vec<&Nozzle> = self.nozzles.iter().filter(|nozzle| nozzle.works(time)).collect();
        if working.is_empty() {
            return Vec::new();
        }
        let held = |(particle, position): (usize, &Vec3A)| {
            let nozzle = working.iter().find(|nozzle| nozzle.cup.contains(position.as_dvec3()))?;
            let velocity = (self.rate * nozzle.emitter.speed * nozzle.emitter.direction).as_vec3a();
            Some(Held { particle: particle as u32, velocity })
        };
        particles.positions.par_iter().enumerate().filter_map(held).collect()
    }
}

impl Nozzle {
    fn works(&self, time: f64) -> bool {
        time >= self.emitter.start && self.emitter.end.is_none_or(|end| time < end)
    }
}

/// The points of a layer at which there is neither a particle nor a body.
fn with_room(layer: Vec<DVec3>, particle_radius: f64, particles: &Particles, bodies: &[Body]) -> Vec<DVec3> {
    let free = overlapping(particles, &layer, ROOM * particle_radius);
    let layer = layer.into_iter().zip(free).filter(|(_, overlapping)| !overlapping).map(|(point, _)| point).collect();
    let movable: Vec<&Body> = bodies.iter().filter(|body| !matches!(body.kind, BodyKind::Static)).collect();
    outside(layer, &movable, particle_radius)
}

/// The points that are farther than `distance` from all bodies.
fn outside(points: Vec<DVec3>, bodies: &[&Body], distance: f64) -> Vec<DVec3> {
    let around = Aabb::around(points.iter().copied()).inflated(distance);
    let near = bodies.iter().filter(|body| world_aabb(body).overlaps(&around));
    let carvers: Vec<Carver> = near.map(|body| Carver::new(body)).collect();
    points.into_iter().filter(|&point| !carvers.iter().any(|carver| carver.takes(point, distance))).collect()
}
