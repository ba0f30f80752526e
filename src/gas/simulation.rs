//! A gas as a run sees it: steps from frame to frame, frames, tables.
//!
//! Temperature `T = 2 E / (d N)` in units of energy (Boltzmann's constant is one); pressure by the virial,
//! `p V = N T + Σ r·J / (d Δt)` over the impacts of the step; compressibility `Z = p V / (N T)`. SI units.

use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{
    container::Dimension,
    fast::Gas,
    placement::GasSettings,
    setup::{GasError, Partner, SphereState},
    tally::Tally,
    theory::Mixture,
};
use crate::{
    frame::{BodyFrame, Field, Frame, ParticleFrame, Row, Value},
    math::{Aabb, Pose, format::grouped},
    shape::TriangleMesh,
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

/// Most events in a step, so that a large gas can be interrupted and saved between frames.
const STEP_EVENTS: u64 = 4_000_000;
const RESTITUTION: &str = "restitution";

/// Hard spheres with what is recorded of them. Serialised, it is a checkpoint.
#[derive(Serialize, Deserialize)]
pub struct GasSimulation {
    gas: Gas,
    time: f64,
    steps: u64,
    /// Spheres whose paths are recorded, by their place in the setup.
    traced: Vec<u32>,
    initial_energy: f64,
    last: Step,
    path: Vec<Turn>,
}

/// What the last step began with, and how long it took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Step {
    before: Tally,
    seconds: f64,
}

/// A traced sphere where it turned, or where it was when a step ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Turn {
    time: f64,
    sphere: u32,
    state: SphereState,
    impacts: u32,
}

impl GasSimulation {
    /// Places the spheres that `settings` describe.
    ///
    /// # Errors
    /// As [`GasSettings::set_up`] and [`Gas::new`].
    pub fn new(settings: &GasSettings) -> Result<Self, GasError> {
        let gas = Gas::new(settings.set_up()?)?;
        let traced = (0..).zip(&settings.placed).filter(|(_, sphere)| sphere.traced).map(|(index, _)| index).collect();
        let mut simulation = Self { gas, time: 0.0, steps: 0, traced, initial_energy: 0.0, last: Step::default(), path: Vec::new() };
        simulation.initial_energy = simulation.totals(&simulation.gas.states()).energy;
        Ok(simulation)
    }

    pub fn gas(&self) -> &Gas {
        &self.gas
    }

    /// As [`Gas::advance`], noting the turns of traced spheres.
    fn advance_traced(&mut self, until: f64) -> Result<bool, GasError> {
        let first = self.gas.tally().pairs;
        while self.gas.tally().pairs - first < STEP_EVENTS / 4 {
            let Some(collision) = self.gas.next_collision(until)? else { return Ok(true) };
            let other = if let Partner::Sphere(other) = collision.partner { other } else { collision.sphere };
            let met: Vec<u32> = self.traced.iter().copied().filter(|&id| id == collision.sphere || id == other).collect();
            met.into_iter().for_each(|sphere| self.note(collision.time, sphere));
        }
        Ok(false)
    }

    fn note(&mut self, time: f64, sphere: u32) {
        let (state, impacts) = self.gas.state(sphere);
        self.path.push(Turn { time, sphere, state, impacts });
    }

    /// The box as it is now; in two dimensions as deep as the largest disc.
    fn room(&self) -> BodyFrame {
        let (container, clock) = self.gas.container();
        let (mut min, extent) = container.extent_at(clock);
        let mut max = min + extent;
        if container.dimension() == Dimension::Two {
            let depth = self.gas.setup().species.iter().map(|species| species.radius).fold(0.0, f64::max);
            (min.z, max.z) = (-depth, depth);
        }
        let center = 0.5 * (min + max);
        let mesh = Arc::new(TriangleMesh::room(&Aabb { min: min - center, max: max - center }));
        BodyFrame {
            name: "box".to_owned(),
            mesh,
            pose: Pose::from_translation(center),
            center,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
        }
    }

    fn failure(&self, error: &GasError) -> SimulationError {
        SimulationError {
            time: self.time,
            step: self.steps + 1,
            what: error.to_string(),
            cause: "spheres that are enclosed by walls or other spheres and lose energy in each impact".to_owned(),
            remedy: "leave more room, or raise the restitution".to_owned(),
        }
    }

    /// A traced sphere where it turned, or at the end of the step.
    fn turn_row(&self, turn: &Turn) -> Row {
        use Value::{Integer, Real};
        let SphereState { position, velocity, .. } = turn.state;
        vec![
            ("step", Integer(self.steps)),
            ("time", Real(turn.time)),
            ("sphere", Integer(turn.sphere.into())),
            ("impacts", Integer(turn.impacts.into())),
            ("position_x", Real(position.x)),
            ("position_y", Real(position.y)),
            ("position_z", Real(position.z)),
            ("velocity_x", Real(velocity.x)),
            ("velocity_y", Real(velocity.y)),
            ("velocity_z", Real(velocity.z)),
        ]
    }

    fn parts(&self, states: &[SphereState]) -> Vec<(super::Species, usize)> {
        let mut parts: Vec<_> = self.gas.setup().species.iter().map(|species| (*species, 0)).collect();
        states.iter().for_each(|sphere| parts[sphere.species as usize].1 += 1);
        parts
    }

    fn totals(&self, states: &[SphereState]) -> Totals {
        let (mut totals, mut square, mut fourth) = (Totals::default(), 0.0, 0.0);
        for sphere in states {
            let mass = self.gas.setup().species[sphere.species as usize].mass;
            let speed = sphere.velocity.length();
            totals.energy += 0.5 * mass * speed * speed;
            totals.momentum += mass * sphere.velocity;
            totals.fastest = totals.fastest.max(speed);
            totals.speed += speed / states.len() as f64;
            // By √(m) v, in which all species are alike in equilibrium.
            square += mass * speed * speed;
            fourth += (mass * speed * speed).powi(2);
        }
        totals.moment = states.len() as f64 * fourth / (square * square);
        totals
    }
}

impl Simulator for GasSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.gas.len()
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until <= self.time {
            return Ok(());
        }
        let start = self.time;
        self.last.before = *self.gas.tally();
        self.path.clear();
        while self.time <= start {
            let advanced = if self.traced.is_empty() { self.gas.advance(until, STEP_EVENTS) } else { self.advance_traced(until) };
            let arrived = advanced.map_err(|error| self.failure(&error))?;
            self.time = if arrived { until } else { self.gas.time().min(until) };
        }
        self.steps += 1;
        self.last.seconds = self.time - start;
        for sphere in self.traced.clone() {
            self.note(self.time, sphere);
        }
        Ok(())
    }

    fn frame(&self) -> Frame {
        let (states, species) = (self.gas.states(), &self.gas.setup().species);
        let vectors = |value: &dyn Fn(&SphereState) -> DVec3| states.iter().map(|sphere| value(sphere).as_vec3().to_array()).collect();
        let radii: Vec<f32> = states.iter().map(|sphere| species[sphere.species as usize].radius as f32).collect();
        let masses = states.iter().map(|sphere| species[sphere.species as usize].mass as f32).collect();
        let species = states.iter().map(|sphere| u32::from(sphere.species)).collect();
        let fields = vec![
            Field::integers("id", (0..states.len() as u32).collect()),
            Field::vectors("velocity", vectors(&|sphere| sphere.velocity)),
            Field::scalars("radius", radii.clone()),
            Field::scalars("mass", masses),
            Field::integers("species", species),
            Field::integers("impacts", self.gas.impact_counts()),
        ];
        let radius = radii.iter().copied().fold(f32::INFINITY, f32::min);
        let particles = ParticleFrame { radius, positions: vectors(&|sphere| sphere.position), fields };
        Frame { time: self.time, particles, bodies: vec![self.room()], ..Frame::default() }
    }

    fn diagnostics(&self) -> Row {
        use Value::{Integer, Real};
        let states = self.gas.states();
        let Totals { energy, momentum, fastest, speed, moment } = self.totals(&states);
        let (container, clock) = self.gas.container();
        let mixture = Mixture { dimension: container.dimension(), volume: container.volume_at(clock), parts: self.parts(&states) };
        let (axes, count) = (mixture.dimension.count() as f64, states.len() as f64);
        let temperature = 2.0 * energy / (axes * count);
        let (tally, before) = (self.gas.tally(), &self.last.before);
        let seconds = self.last.seconds;
        let pressure = (count * temperature + (tally.virial - before.virial) / (axes * seconds)) / mixture.volume;
        let rate = 2.0 * (tally.pairs - before.pairs) as f64 / (count * seconds);
        let mut row = vec![
            ("step", Integer(self.steps)),
            ("time", Real(self.time)),
            ("dt", Real(seconds)),
            ("temperature", Real(temperature)),
            ("volume", Real(mixture.volume)),
            ("packing", Real(mixture.packing())),
            ("pressure", Real(pressure)),
            ("compressibility", Real(pressure * mixture.volume / (count * temperature))),
            ("compressibility_theory", Real(mixture.compressibility())),
            ("impact_rate", Real(rate)),
            ("impact_rate_theory", Real(2.0 * mixture.impact_rate(temperature) / count)),
            ("mean_free_path", Real(speed / rate)),
            ("kinetic_energy", Real(energy)),
            ("wall_work", Real(tally.work)),
            ("energy_error", Real((energy - self.initial_energy - tally.work) / self.initial_energy)),
            ("momentum_x", Real(momentum.x)),
            ("momentum_y", Real(momentum.y)),
            ("momentum_z", Real(momentum.z)),
        ];
        row.extend([
            ("speed_moment_ratio", Real(moment)),
            ("greatest_speed", Real(fastest)),
            ("impacts", Integer(tally.pairs)),
            ("wall_impacts", Integer(tally.walls)),
            ("particles", Integer(states.len() as u64)),
        ]);
        row
    }

    fn tables(&self) -> Vec<TableRows> {
        if self.traced.is_empty() {
            return Vec::new();
        }
        let template = self.turn_row(&Turn::default());
        vec![TableRows::new("bodies", &template, self.path.iter().map(|turn| self.turn_row(turn)))]
    }

    fn summary(&self) -> Vec<String> {
        let tally = self.gas.tally();
        let states = self.gas.states();
        let energy = self.totals(&states).energy;
        let balance = (energy - self.initial_energy - tally.work) / self.initial_energy;
        let lost = if self.gas.setup().impact.restitution < 1.0 { " (impacts are inelastic)" } else { "" };
        vec![
            format!("{} impacts between spheres, {} on walls", tally.pairs, tally.walls),
            format!("energy beyond the work of the walls: {balance:.1e} of that at first{lost}"),
        ]
    }

    fn describe(&self) -> Vec<Fact> {
        let states = self.gas.states();
        let (container, clock) = self.gas.container();
        let mixture = Mixture { dimension: container.dimension(), volume: container.volume_at(clock), parts: self.parts(&states) };
        let temperature = 2.0 * self.totals(&states).energy / (mixture.dimension.count() as f64 * states.len() as f64);
        let species = |(species, count): &(super::Species, usize)| {
            format!("{} with radius {} m and mass {} kg", grouped(*count as u64), species.radius, species.mass)
        };
        vec![
            Fact::new("spheres", grouped(states.len() as u64)).with_details(mixture.parts.iter().map(species)),
            Fact::new("packing", format!("{:.4} in {} dimensions", mixture.packing(), mixture.dimension.count())),
            Fact::new("impacts", format!("about {:.3e} per simulated second in equilibrium", mixture.impact_rate(temperature))),
        ]
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for GasSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::linear(RESTITUTION, "", self.gas.setup().impact.restitution, [0.0, 1.0])]
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        if name == RESTITUTION {
            self.gas.set_restitution(value.clamp(0.0, 1.0));
        }
    }
}

/// Sums and means over all spheres.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    energy: f64,
    momentum: DVec3,
    fastest: f64,
    /// Mean speed.
    speed: f64,
    /// `<v⁴> / <v²>²`: 5/3 in equilibrium, in two dimensions 2.
    moment: f64,
}
