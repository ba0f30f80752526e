//! Inflow and outflow: emitters, drains, and particles whose velocity is prescribed.
//!
//! Behind its mouth each emitter has a nozzle. A new layer of particles enters at the bottom of the nozzle whenever the last one has
//! advanced by its thickness. It passes through the nozzle at the emitter's velocity with inverse mass zero, like a moving wall: no force
//! acts on it and it has no pressure of its own. The impulse that keeps its velocity counts as external.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{
    Aabb, Domain, Pose,
    parallel::{InTasks, TASK},
};
use plimsoll_bodies::{Body, BodyKind};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{drains::drained, nozzle::Cup};
use crate::{
    FluidSettings,
    coupling::Ledger,
    particles::Particles,
    placement::{Obstacles, overlapping},
    settings::Emitter,
};

/// A place is free if no particle is closer than this many particle radii and no body closer than one radius.
const ROOM: f64 = 1.4;

/// Emitters and drains, and counts of the particles that passed through them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Inflow {
    nozzles: Vec<Nozzle>,
    /// Factor on the speed of all emitters; 1 is the speed of the scene.
    pub rate: f64,
    /// Particles that emitters have added since the start.
    pub emitted: u64,
    /// Particles that drains have removed since the start.
    pub drained: u64,
}

/// An emitter and its nozzle.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Nozzle {
    emitter: Emitter,
    cup: Cup,
    /// Distance between layers, m.
    thickness: f64,
    /// World positions where the particles of a layer enter.
    places: Vec<DVec3>,
    /// How far the last layer has advanced, in layer thicknesses.
    moved: f64,
    /// Index of the body that is the nozzle; unknown in checkpoints of earlier versions, whose nozzles do not move.
    #[serde(default)]
    body: Option<usize>,
}

impl Inflow {
    /// Places inside static ones of the `bodies` of the scene stay empty. The nozzles are the bodies after them.
    pub fn new(settings: &FluidSettings, bodies: &[Body]) -> Self {
        let fixed: Vec<&Body> = bodies.iter().filter(|body| matches!(body.kind, BodyKind::Static)).collect();
        let nozzle = |(index, emitter): (usize, &Emitter)| {
            let particle_radius = settings.particle_radius;
            let places = outside(emitter.places(particle_radius), &fixed, &settings.domain, particle_radius);
            // The first layer enters at once.
            let (cup, thickness) = (Cup::of(emitter, particle_radius), emitter.layer_thickness(particle_radius));
            Nozzle { emitter: emitter.clone(), cup, thickness, places, moved: 1.0, body: Some(bodies.len() + index) }
        };
        Self { nozzles: settings.emitters.iter().enumerate().map(nozzle).collect(), rate: 1.0, emitted: 0, drained: 0 }
    }

    /// Lets emitters at the places of `earlier` ones emit their next layers after the last ones of these.
    pub fn continue_from(&mut self, earlier: &Self) {
        for nozzle in &mut self.nozzles {
            if let Some(before) = earlier.nozzles.iter().find(|before| before.cup.is_at(&nozzle.cup)) {
                nozzle.moved = before.moved;
            }
        }
    }

    /// Speed of the fastest active emitter relative to its mouth at `time` (s), m/s.
    pub fn max_speed(&self, time: f64) -> f64 {
        let active = self.nozzles.iter().filter(|nozzle| nozzle.is_active(time));
        active.map(|nozzle| self.rate * nozzle.emitter.speed_at(time)).fold(0.0, f64::max)
    }

    /// Removes the particles in drains, adds those that emitters release in a step of `dt` from `time` (s), and prescribes the velocity of
    /// those in nozzles.
    pub fn update(&mut self, scene: &InflowScene, particles: &mut Particles, ledger: &mut Ledger) {
        self.drain(scene.settings, particles, ledger);
        self.emit(scene, particles, ledger);
        self.prescribe(scene, particles, ledger);
    }

    fn drain(&mut self, settings: &FluidSettings, particles: &mut Particles, ledger: &mut Ledger) {
        let drained = drained(&settings.drains, particles);
        ledger.remove_particles(settings, particles, &drained);
        self.drained += drained.len() as u64;
    }

    fn emit(&mut self, scene: &InflowScene, particles: &mut Particles, ledger: &mut Ledger) {
        let &InflowScene { settings, bodies, time, dt } = scene;
        let inverse_masses = settings.inverse_masses();
        for nozzle in self.nozzles.iter_mut().filter(|nozzle| nozzle.is_active(time)) {
            let (direction, thickness) = (nozzle.emitter.direction, nozzle.thickness);
            let speed = self.rate * nozzle.emitter.speed_at(time);
            let frame = Frame::of(nozzle, bodies);
            while nozzle.moved >= 1.0 {
                nozzle.moved -= 1.0;
                let layer = nozzle.places.iter().map(|place| frame.place(place + nozzle.moved * thickness * direction)).collect();
                for point in free_places(layer, settings, particles, bodies, nozzle.body) {
                    particles.push(
                        point.as_vec3a(),
                        frame.velocity(point, speed * direction).as_vec3a(),
                        nozzle.emitter.material,
                        &inverse_masses,
                    );
                    ledger.count_particle(settings, particles, particles.len() - 1, 1.0);
                    self.emitted += 1;
                }
            }
            nozzle.moved += speed * dt / thickness;
        }
    }

    /// Makes particles in an active nozzle move at its velocity, with neither mobility nor pressure; all others are free.
    fn prescribe(&self, scene: &InflowScene, particles: &mut Particles, ledger: &mut Ledger) {
        if self.nozzles.is_empty() {
            return;
        }
        let (masses, free) = (scene.settings.masses(), scene.settings.inverse_masses());
        let active = self.nozzles.iter().filter(|nozzle| nozzle.is_active(scene.time));
        let active: Vec<(&Nozzle, Frame)> = active.map(|nozzle| (nozzle, Frame::of(nozzle, scene.bodies))).collect();
        let contains = |(nozzle, frame): &(&Nozzle, Frame), position: Vec3A| nozzle.cup.contains(frame.at_zero(position.as_dvec3()));
        let Particles { positions, materials, inverse_masses, .. } = &mut *particles;
        inverse_masses.par_iter_mut().zip(positions).zip(materials).in_tasks(TASK).for_each(|((w, position), &mut material)| {
            let prescribed = active.iter().any(|nozzle| contains(nozzle, *position));
            *w = if prescribed { 0.0 } else { free.of(material) };
        });
        for i in 0..particles.len() {
            if particles.inverse_masses[i] > 0.0 {
                continue;
            }
            let position = particles.positions[i];
            let Some((nozzle, frame)) = active.iter().find(|nozzle| contains(nozzle, position)) else { continue };
            let flow = self.rate * nozzle.emitter.speed_at(scene.time) * nozzle.emitter.direction;
            ledger.prescribe(particles, i, &masses, frame.velocity(position.as_dvec3(), flow).as_vec3a());
            (particles.density_pressures[i], particles.divergence_pressures[i]) = (0.0, 0.0);
        }
    }
}

/// The state that inflow depends on, besides the particles.
#[derive(Clone, Copy)]
pub struct InflowScene<'a> {
    pub settings: &'a FluidSettings,
    pub bodies: &'a [Body],
    /// Start and length of the step, s.
    pub time: f64,
    pub dt: f64,
}

impl Nozzle {
    /// Whether the nozzle releases fluid at `time` (s).
    fn is_active(&self, time: f64) -> bool {
        time >= self.emitter.start && self.emitter.end.is_none_or(|end| time < end)
    }
}

/// Where a nozzle is now, relative to where it is at time zero: the body that it is and its pose then, if it moves.
struct Frame<'a>(Option<(&'a Body, Pose)>);

impl<'a> Frame<'a> {
    fn of(nozzle: &Nozzle, bodies: &'a [Body]) -> Self {
        let body = nozzle.emitter.body.and(nozzle.body).map(|body| &bodies[body]);
        Self(body.map(|body| (body, body.pose_at_zero())))
    }

    /// Where a point of the nozzle is that is at `point` at time zero.
    fn place(&self, point: DVec3) -> DVec3 {
        self.0.map_or(point, |(body, start)| body.pose.transform_point(start.inverse_transform_point(point)))
    }

    /// Where a point of the nozzle that is at `point` is at time zero.
    fn at_zero(&self, point: DVec3) -> DVec3 {
        self.0.map_or(point, |(body, start)| start.transform_point(body.pose.inverse_transform_point(point)))
    }

    /// The velocity at `point` of what flows with `flow` (directions at time zero) through the nozzle, m/s.
    fn velocity(&self, point: DVec3, flow: DVec3) -> DVec3 {
        self.0.map_or(flow, |(body, start)| body.velocity_at(point) + body.pose.rotation * (start.rotation.inverse() * flow))
    }
}

/// The points of a layer that are free of particles and of bodies other than `nozzle`.
fn free_places(layer: Vec<DVec3>, settings: &FluidSettings, particles: &Particles, bodies: &[Body], nozzle: Option<usize>) -> Vec<DVec3> {
    let (domain, particle_radius) = (&settings.domain, settings.particle_radius);
    let free = overlapping(&particles.positions, domain, &layer, ROOM * particle_radius);
    let layer = layer.into_iter().zip(free).filter(|(_, overlapping)| !overlapping).map(|(point, _)| point).collect();
    let others = bodies.iter().enumerate().filter(|(index, body)| Some(*index) != nozzle && body.meets_particles() && !body.is_static());
    outside(layer, &others.map(|(_, body)| body).collect::<Vec<_>>(), domain, particle_radius)
}

/// The points farther than `distance` from all bodies.
fn outside(points: Vec<DVec3>, bodies: &[&Body], domain: &Domain, distance: f64) -> Vec<DVec3> {
    let around = Aabb::around(points.iter().copied()).inflated(distance);
    let near = bodies.iter().filter(|body| domain.is_periodic() || body.world_aabb().overlaps(&around));
    let obstacles = Obstacles::new(&near.copied().collect::<Vec<_>>(), domain, distance);
    points.into_iter().filter(|&point| !obstacles.take(point)).collect()
}
