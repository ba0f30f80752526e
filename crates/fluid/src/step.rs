//! One step of the fluid and the bodies in it, stage by stage.
//!
//! Every stage reads particles within one support radius and writes only its own particles. Particles could therefore be exchanged with
//! other devices between any two stages (docs/architecture.md).

use glam::Vec3A;
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::SimulationError;
use rayon::prelude::*;

use crate::{
    FluidSimulation,
    cfl_speed::MovingFluid,
    continuation::covered,
    coupling::{BodyResponse, Pushed},
    diagnostics::{Stage, StepReport},
    forces::Predicted,
    gaps::FilmFluid,
    health::{self, StepState},
    inflow::InflowScene,
    path_check::{self, PathReport},
    pressure::SolveReport,
    probes::{FluidSample, GridFrames},
    shifting,
    step_length::Fastest,
    step_scene::StepScene,
};

impl FluidSimulation {
    pub(super) fn step(&mut self, until: f64) -> Result<(), SimulationError> {
        self.times.start();
        let (dt, end) = self.choose_step(until)?;
        self.ledger.begin_step(self.bodies.list.len());
        let appeared = self.bodies.begin_step(self.time, dt, self.settings.gravity);
        self.make_room(&appeared);
        self.wrap();
        self.remove_outside();
        self.update_inflow(dt);
        self.find_neighbours();
        self.find_walls();
        self.compute_densities();
        let divergence = self.remove_divergence(dt);
        self.apply_forces(dt)?;
        let viscosity = self.apply_implicit_viscosity(dt);
        let density = self.keep_density(dt);
        self.measure_films(dt);
        health::check_bodies(&self.bodies.list, self.steps, self.time)?;
        self.move_bodies(end, dt);
        let paths = self.check_paths(dt);
        self.measure_probes(end, dt, until);
        self.shift(dt);
        self.particles.advance(dt as f32);
        self.output_clock.advance(dt, end, until);
        (self.time, self.steps) = (end, self.steps + 1);
        self.record(&StepReport { dt, divergence, viscosity, density, paths });
        self.check_health()
    }

    /// Length of the next step, and the time at its end.
    fn choose_step(&mut self, until: f64) -> Result<(f64, f64), SimulationError> {
        let acceleration = self.max_acceleration()?;
        let Self { settings, particles, bodies, .. } = &*self;
        let body_speed = bodies.max_speed(self.time, settings.time_step.maximum);
        let fluid_speed = MovingFluid { settings, particles, bodies, body_speed, acceleration }.cfl_speed();
        let fluid_speed = fluid_speed.max(self.inflow.max_speed(self.time));
        let left = self.output_clock.left(self.time, until);
        let fastest = Fastest { speed: fluid_speed + body_speed, acceleration };
        let dt = self.step_length.next(&self.settings, fastest, left);
        Ok((dt, if dt < left { self.time + dt } else { until }))
    }

    /// The largest mean acceleration of fluid or a body by gravity and fields over a longest step, m/s².
    fn max_acceleration(&self) -> Result<f64, SimulationError> {
        let gravity = self.settings.gravity;
        let longest = self.settings.longest_step(gravity.length());
        let fields = self.settings.fields_in(self.time, longest);
        if fields.is_empty() {
            return Ok(gravity.length());
        }
        let change = fields.largest_change(&self.particles.positions, &self.bodies, longest * gravity);
        let change = change.map_err(|error| health::invalid_field(&error, self.steps, self.time))?;
        Ok(gravity.length().max(change / longest))
    }

    /// Removes the particles that bodies cover which have just appeared.
    fn make_room(&mut self, appeared: &[usize]) {
        if appeared.is_empty() {
            return;
        }
        let Self { settings, particles, bodies, ledger, totals, .. } = self;
        let bodies: Vec<&Body> = appeared.iter().map(|&index| &bodies.list[index]).collect();
        let covered = covered(particles, &bodies, settings);
        ledger.remove_particles(settings, particles, &covered);
        totals.removed += covered.len() as u64;
    }

    /// Moves what has left the domain back through its periodic ends.
    fn wrap(&mut self) {
        let Self { settings, particles, bodies, ledger, .. } = self;
        particles.wrap(&settings.domain, |particles, i, last| ledger.wrap_particle(settings, particles, i, last));
        bodies.wrap(settings.gravity);
    }

    fn update_inflow(&mut self, dt: f64) {
        let scene = InflowScene { settings: &self.settings, bodies: &self.bodies.list, time: self.time, dt };
        self.inflow.update(&scene, &mut self.particles, &mut self.ledger);
    }

    fn find_neighbours(&mut self) {
        self.neighbourhood.find_pairs(&self.settings, &mut self.particles);
        self.times.finish(Stage::Neighbours);
    }

    fn find_walls(&mut self) {
        self.walls.update(&self.bodies.list, &self.neighbourhood.grid, &self.particles.positions, self.settings.wall_cutoff());
        self.times.finish(Stage::Walls);
    }

    fn compute_densities(&mut self) {
        let Self { settings, neighbourhood, walls, forces, particles, .. } = self;
        neighbourhood.compute_densities(settings, particles, &walls.contacts, forces.corrections());
        self.times.finish(Stage::Densities);
    }

    fn remove_divergence(&mut self, dt: f64) -> SolveReport {
        let Self { settings, neighbourhood, walls, pressure, particles, bodies, ledger, .. } = self;
        let scene = StepScene { settings, pairs: &neighbourhood.pairs, contacts: &walls.contacts, dt };
        let report = pressure.remove_divergence(&scene, &mut Pushed { particles, bodies, ledger });
        self.times.finish(Stage::Divergence);
        report
    }

    fn apply_forces(&mut self, dt: f64) -> Result<(), SimulationError> {
        let Self { settings, neighbourhood, walls, forces, films, particles, bodies, ledger, .. } = self;
        let scene = StepScene { settings, pairs: &neighbourhood.pairs, contacts: &walls.contacts, dt };
        let fields = settings.fields_in(self.time, dt);
        let applied = forces.apply(&scene, &fields, self.stirring, &mut Pushed { particles, bodies, ledger });
        bodies.apply_external_forces(settings.gravity, dt);
        films.push(dt, bodies, ledger);
        applied.and_then(|()| fields.push_bodies(bodies)).map_err(|error| health::invalid_field(&error, self.steps, self.time))?;
        bodies.apply_expected_contacts(dt);
        self.times.finish(Stage::Forces);
        Ok(())
    }

    fn apply_implicit_viscosity(&mut self, dt: f64) -> Option<SolveReport> {
        let Self { settings, neighbourhood, walls, pressure, forces, particles, bodies, ledger, .. } = self;
        if !settings.is_viscosity_implicit() {
            return None;
        }
        let scene = StepScene { settings, pairs: &neighbourhood.pairs, contacts: &walls.contacts, dt };
        let response = BodyResponse::of(bodies);
        let (velocities, motions) = pressure.predict(&scene, particles, &response);
        let predicted = Predicted { velocities, motions: &motions };
        let report = forces.resist(&scene, &response, predicted, &mut Pushed { particles, bodies, ledger });
        self.times.finish(Stage::Forces);
        Some(report)
    }

    fn keep_density(&mut self, dt: f64) -> SolveReport {
        let Self { settings, neighbourhood, walls, pressure, particles, bodies, ledger, .. } = self;
        let scene = StepScene { settings, pairs: &neighbourhood.pairs, contacts: &walls.contacts, dt };
        let report = pressure.keep_density(&scene, &mut Pushed { particles, bodies, ledger });
        self.times.finish(Stage::Pressure);
        report
    }

    /// Measures what bodies lack beside gaps that are too narrow for particles.
    fn measure_films(&mut self, dt: f64) {
        let Self { settings, neighbourhood, walls, films, particles, bodies, ledger, .. } = self;
        if settings.gap_pressure {
            let fluid = FilmFluid { settings, grid: &neighbourhood.grid, particles, contacts: &walls.contacts };
            films.measure(&fluid, dt, &bodies.list, ledger);
            self.times.finish(Stage::Pressure);
        }
    }

    fn move_bodies(&mut self, end: f64, dt: f64) {
        self.bodies.step(end, dt);
        self.times.finish(Stage::Bodies);
    }

    fn check_paths(&mut self, dt: f64) -> PathReport {
        let Self { settings, walls, particles, bodies, ledger, .. } = self;
        let report = path_check::check_paths(settings, walls, dt, &mut Pushed { particles, bodies, ledger });
        self.times.finish(Stage::Collisions);
        report
    }

    /// Measures a step of `dt` that ends at `end` (s), before particles move; at time zero an empty one. Grids are measured at the next output at
    /// `until` (s).
    pub(super) fn measure_probes(&mut self, end: f64, dt: f64, until: f64) {
        let Self { settings, particles, bodies, walls, ledger, probes, .. } = self;
        let fills_grids = !settings.grids.is_empty() && end >= until;
        if probes.is_empty() && !fills_grids {
            return;
        }
        let after: Vec<Vec3A> = (0..particles.len()).into_par_iter().map(|i| particles.moved(i, dt as f32).0).collect();
        let pressures: Vec<f32> = (0..particles.len()).into_par_iter().map(|i| particles.pressure(i)).collect();
        let sample = FluidSample {
            settings,
            time: end,
            dt,
            positions: &particles.positions,
            ids: &particles.ids,
            materials: &particles.materials,
            before: &particles.positions,
            after: &after,
            velocities: &particles.velocities,
            pressures: &pressures,
            bodies: &bodies.list,
            loads: &ledger.loads,
            walls,
        };
        probes.measure(&sample);
        if fills_grids {
            let seconds = (self.interval.seconds + dt) as f32;
            let mean = |i: usize| if seconds > 0.0 { particles.pressure_impulses[i] / seconds } else { pressures[i] };
            let means: Vec<f32> = (0..particles.len()).into_par_iter().map(mean).collect();
            self.grids = GridFrames::measure(&settings.grids, &FluidSample { pressures: &means, ..sample });
        }
    }

    /// Evens out the particles of enclosed fluid.
    fn shift(&mut self, dt: f64) {
        let Self { settings, neighbourhood, walls, particles, ledger, .. } = self;
        shifting::shift(settings, neighbourhood, walls, dt, particles, ledger);
    }

    fn record(&mut self, report: &StepReport) {
        self.ledger.end_step(&self.bodies);
        self.interval.add(&self.ledger.loads, report.dt);
        self.totals.add(report);
        self.last = self.figures(report);
        self.times.finish(Stage::Rest);
    }

    fn check_health(&mut self) -> Result<(), SimulationError> {
        self.health.check(&StepState {
            settings: &self.settings,
            particles: &self.particles,
            bodies: &self.bodies.list,
            loads: &self.ledger.loads,
            contacts: &self.walls.contacts,
            last: &self.last,
            wanted_step: self.step_length.wanted,
        })?;
        self.check_domain()
    }
}
