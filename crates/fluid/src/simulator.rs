//! The contract of [`plimsoll_contract::simulator`] for the fluid.

use std::sync::Arc;

use glam::DVec3;
use plimsoll_base::math::{
    Aabb,
    format::{bytes, grouped, list, significant},
    parallel::{run_awake, sum},
};
use plimsoll_bodies::Body;
use plimsoll_contract::{
    frame::{Field, Frame, ParticleFrame, Row, SearchFrame, SegmentMesh},
    simulator::{Drag, Fact, Instrument, Interaction, NewBody, Parameter, SetupWarning, SimulationError, Simulator, Stirring, TableRows},
};
use rayon::prelude::*;

use crate::{
    AccelerationField, Air, FluidSimulation, Micropolar, Totals,
    coupling::Load,
    diagnostics,
    placement::FillOutcome,
    settings::{DampingZone, Emitter, FluidSettings, PressureSolver},
};

/// Names of the parameters.
const GRAVITY: &str = "gravity";
const VISCOSITY: &str = "viscosity";
const ARTIFICIAL_VISCOSITY: &str = "artificial viscosity";
const WALL_VISCOSITY: &str = "wall viscosity";
const EMISSION: &str = "emitters";
const DENSITY_TOLERANCE: &str = "density tolerance";
/// Fills that a description lists.
const LISTED_FILLS: usize = 10;
const DIVERGENCE_TOLERANCE: &str = "divergence tolerance";

impl Simulator for FluidSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.particles.len()
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time {
            // Enters the thread pool once for the whole step instead of once per loop.
            run_awake(|| self.step(until))
        } else {
            Ok(())
        }
    }

    fn frame(&self) -> Frame {
        let particles = &self.particles;
        let mut order: Vec<u32> = (0..particles.len() as u32).collect();
        order.par_sort_unstable_by_key(|&place| particles.ids[place as usize]);
        let vectors = |values: &[glam::Vec3A]| order.iter().map(|&place| values[place as usize].to_array()).collect();
        let scalars = |value: &dyn Fn(usize) -> f32| order.iter().map(|&place| value(place as usize)).collect();
        let (seconds, densities) = (self.interval.seconds as f32, self.settings.densities());
        let rest_density = |place: usize| densities.of(particles.materials[place]) as f32;
        let mean_pressure =
            |place: usize| if seconds > 0.0 { particles.pressure_impulses[place] / seconds } else { particles.pressure(place) };
        let mut fields = vec![
            Field::integers("id", order.iter().map(|&place| particles.ids[place as usize]).collect()),
            Field::vectors("velocity", vectors(&particles.velocities)),
            Field::scalars("density", scalars(&|place| rest_density(place) * particles.relative_densities[place])),
            Field::scalars("pressure", scalars(&mean_pressure)),
        ];
        if self.settings.material_count() > 1 {
            fields.push(Field::integers("material", order.iter().map(|&place| particles.materials[place as usize].into()).collect()));
        }
        if self.settings.micropolar.is_some() {
            fields.push(Field::vectors("spin", vectors(&particles.spins)));
        }
        if self.settings.momentary_pressure {
            fields.push(Field::scalars("momentary_pressure", scalars(&|place| particles.pressure(place))));
        }
        let positions = vectors(&particles.positions);
        let particles = ParticleFrame { radius: self.settings.particle_radius as f32, positions, fields, domain: self.settings.domain };
        let body_frame = |(index, body): (usize, &Body)| {
            let (impulse, seconds) = match self.interval.seconds > 0.0 {
                true => (self.interval.load(index), self.interval.seconds),
                false => (self.ledger.loads[index].total(), self.last.dt),
            };
            let (force, torque) = impulse.mean(seconds);
            body.frame(force, torque)
        };
        let bodies = self.bodies.list.iter().enumerate().map(body_frame).collect();
        Frame { time: self.time, particles, bodies, grids: self.grids.at(self.time), ..Frame::default() }
    }

    fn take_frame(&mut self) -> Frame {
        let frame = self.frame();
        self.interval.clear();
        self.particles.pressure_impulses.fill(0.0);
        frame
    }

    fn diagnostics(&self) -> Row {
        self.last.row()
    }

    fn tables(&self) -> Vec<TableRows> {
        let row =
            |(body, load): (&Body, &Load)| diagnostics::body_row(body, load, &self.settings.domain, self.steps, self.time, self.last.dt);
        let rows: Vec<Row> = self.bodies.list.iter().zip(&self.ledger.loads).map(row).collect();
        let bodies = rows.first().cloned().map(|template| TableRows::new("bodies", &template, rows));
        let mechanism = self.bodies.mechanism_tables(self.steps, self.time, self.last.dt);
        bodies.into_iter().chain(mechanism).chain(self.probes.tables(self.steps)).collect()
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.times.columns()
    }

    fn summary(&self) -> Vec<String> {
        let mut lines = vec![
            format!("leaked through meshes: {} particles", self.totals.leaked),
            format!(
                "momentum error: {:.1e} of the exchanged impulse, angular {:.1e}",
                self.last.momentum_error, self.last.angular_momentum_error
            ),
        ];
        if self.totals.removed > 0 {
            lines.push(format!("removed where bodies appeared: {} particles", self.totals.removed));
        }
        lines.extend(self.domain_summary());
        if matches!(self.settings.pressure, PressureSolver::Dfsph(_)) {
            let Totals { density_not_converged, divergence_not_converged, sweeps, .. } = self.totals;
            lines.push(format!(
                "{:.1} sweeps per step; not converged: density in {density_not_converged} steps, divergence in {divergence_not_converged}",
                sweeps as f64 / self.steps.max(1) as f64
            ));
        }
        if self.settings.is_viscosity_implicit() {
            let Totals { viscosity_sweeps, viscosity_not_converged, .. } = self.totals;
            lines.push(format!(
                "implicit viscosity: {:.1} sweeps per step; not converged in {viscosity_not_converged} steps",
                viscosity_sweeps as f64 / self.steps.max(1) as f64
            ));
        }
        if self.settings.origin != DVec3::ZERO {
            lines.push(format!("positions are relative to origin = {}", list(self.settings.origin)));
        }
        lines.extend(self.relaxation.settling.map(|settling| settling.summary()));
        lines.extend(self.relaxation.warning());
        if self.steps > 0 {
            lines.extend(self.narrow_gaps().iter().map(|gap| self.describe_gap(gap)));
        }
        lines
    }

    fn describe(&self) -> Vec<Fact> {
        let count = self.particle_count() as u64;
        let triangles: u64 = self.bodies.list.iter().map(|body| body.segmentation.mesh.triangles.len() as u64).sum();
        let mut facts = vec![
            Fact::new("particles", format!("{} of radius {} m", grouped(count), significant(self.settings.particle_radius))),
            Fact::new("memory", format!("about {}", bytes(self.settings.memory_estimate(count as f64, triangles as f64) as u64))),
        ];
        if self.settings.origin != DVec3::ZERO {
            facts.push(Fact::new("origin", format!("{}: positions in files and pictures are relative to it", list(self.settings.origin))));
        }
        facts.extend(self.settings.domain_box.map(|limits| limits.describe(self.settings.origin)));
        facts.extend(describe_fills(&self.fills, self.settings.origin, &self.particles.relative_densities));
        facts.extend(self.bodies.describe());
        facts.extend(self.bodies.describe_mechanism());
        facts.extend(self.bodies.describe_waves(2.0 * self.settings.particle_radius));
        let zones = &self.settings.damping_zones;
        if !zones.is_empty() {
            facts.push(Fact::new("damping", grouped(zones.len() as u64)).with_details(zones.iter().enumerate().map(describe_zone)));
        }
        let fields = &self.settings.acceleration_fields;
        if !fields.is_empty() {
            let details = fields.iter().enumerate().map(|(index, field)| describe_field(index, field, self.settings.origin));
            facts.push(Fact::new("acceleration", grouped(fields.len() as u64)).with_details(details));
        }
        facts.extend(self.settings.air.as_ref().map(describe_air));
        facts.extend(self.settings.micropolar.as_ref().map(describe_spin));
        let emitters = &self.settings.emitters;
        if !emitters.is_empty() {
            facts.push(
                Fact::new("emitters", grouped(emitters.len() as u64)).with_details(emitters.iter().enumerate().map(describe_emitter)),
            );
        }
        facts
    }

    fn warnings(&self) -> Vec<SetupWarning> {
        self.setup_warnings()
    }

    fn search_frame(&self) -> Option<SearchFrame> {
        Some(diagnostics::search_frame(&self.bodies.list, &self.neighbourhood, &self.walls))
    }

    fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        self.bodies.segment_meshes()
    }

    fn instruments(&self) -> Vec<Instrument> {
        self.probes.instruments(&self.settings, &self.bodies.list)
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for FluidSimulation {
    fn draggable(&self) -> Vec<bool> {
        self.bodies.list.iter().map(|body| body.floating().is_some()).collect()
    }

    fn drag(&mut self, drag: Option<Drag>) {
        self.bodies.drag(drag);
    }

    fn can_stir(&self) -> bool {
        true
    }

    fn stir(&mut self, stirring: Option<Stirring>) {
        self.stirring = stirring;
    }

    fn accepts_bodies(&self) -> bool {
        true
    }

    fn add_body(&mut self, body: NewBody) {
        self.bodies.push(body.into());
        self.ledger.loads.push(Load::default());
        if let Some(body) = self.bodies.list.last() {
            self.ledger.initial += body.momentum();
            if body.floating().is_some() {
                self.ledger.work += body.kinetic_energy() - body.mass * self.settings.gravity.dot(body.center());
            }
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let FluidSettings { gravity, viscosity, pressure, emitters, .. } = &self.settings;
        let kinematic = self.settings.kinematic_viscosities();
        let mut parameters = vec![Parameter::linear(GRAVITY, "m/s²", gravity.y, [-20.0, 5.0])];
        if self.settings.materials.is_empty() {
            parameters.push(Parameter::logarithmic(VISCOSITY, "m²/s", viscosity.kinematic, [0.0, 0.05], 1e-7));
        }
        parameters.push(Parameter::linear(ARTIFICIAL_VISCOSITY, "", viscosity.artificial, [0.0, 0.5]));
        let wall = viscosity.wall.unwrap_or(kinematic.of(0));
        parameters.push(Parameter::logarithmic(WALL_VISCOSITY, "m²/s", wall, [0.0, 0.05], 1e-7));
        if !emitters.is_empty() {
            parameters.push(Parameter::linear(EMISSION, "× speed", self.inflow.rate, [0.0, 3.0]));
        }
        if let PressureSolver::Dfsph(solve) = pressure {
            parameters.push(Parameter::logarithmic(DENSITY_TOLERANCE, "%", solve.density_tolerance, [0.001, 1.0], 0.001));
            parameters.push(Parameter::logarithmic(DIVERGENCE_TOLERANCE, "%", solve.divergence_tolerance, [0.01, 10.0], 0.01));
        }
        parameters
    }

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        let viscosity = &mut self.settings.viscosity;
        match (name, &mut self.settings.pressure) {
            (GRAVITY, _) => self.change_energy(|fluid| fluid.settings.gravity.y = value),
            (VISCOSITY, _) => viscosity.kinematic = value,
            (ARTIFICIAL_VISCOSITY, _) => viscosity.artificial = value,
            (WALL_VISCOSITY, _) => viscosity.wall = Some(value),
            (EMISSION, _) => self.inflow.rate = value,
            (DENSITY_TOLERANCE, PressureSolver::Dfsph(solve)) => solve.density_tolerance = value,
            (DIVERGENCE_TOLERANCE, PressureSolver::Dfsph(solve)) => solve.divergence_tolerance = value,
            _ => {}
        }
    }
}

/// Volumes and levels of the first fills, in the coordinates of the scene, and the mean density of all.
fn describe_fills(fills: &[FillOutcome], origin: DVec3, relative_densities: &[f32]) -> Option<Fact> {
    let (listed, others) = fills.split_at(fills.len().min(LISTED_FILLS));
    let of_fill = |(index, fill): (usize, &FillOutcome)| format!("fill {}: {}", index + 1, fill.describe(origin));
    let more = (!others.is_empty()).then(|| format!("and {} more", grouped(others.len() as u64)));
    let density = sum(relative_densities.len(), |index| f64::from(relative_densities[index])) / relative_densities.len().max(1) as f64;
    let density = format!("mean density {density:.3} of the rest density, less at surfaces");
    let lines = listed.iter().enumerate().map(of_fill).chain(more).chain([density]);
    (!fills.is_empty()).then(|| Fact::new("fills", grouped(fills.len() as u64)).with_details(lines))
}

fn describe_zone((index, zone): (usize, &DampingZone)) -> String {
    format!("zone {}: {} m long, rate up to {} 1/s", index + 1, significant(zone.length()), significant(zone.rate))
}

/// In the coordinates of the scene, whose origin is at `origin` (m).
fn describe_field(index: usize, field: &AccelerationField, origin: DVec3) -> String {
    let [x, y, z] = field.components.each_ref().map(|component| component.text());
    let place = |Aabb { min, max }: Aabb| format!("from {} to {}", list(min + origin), list(max + origin));
    let place = field.region.map_or("everywhere".to_owned(), place);
    let until = field.end.map_or("on".to_owned(), |end| format!("to {} s", significant(end)));
    let whom = if field.bodies { "fluid and floating bodies" } else { "fluid" };
    format!("field {}: [{x}, {y}, {z}] m/s² on {whom} {place}, from {} s {until}", index + 1, significant(field.start))
}

fn describe_air(air: &Air) -> Fact {
    let Air { density, viscosity, velocity, .. } = air;
    Fact::new("air", format!("{} kg/m³, {} Pa s, wind {} m/s", significant(*density), significant(*viscosity), list(*velocity)))
}

fn describe_spin(micropolar: &Micropolar) -> Fact {
    let Micropolar { rotational_viscosity, inertia, spin_viscosity } = micropolar;
    let [rotational, inertia, spin] = [rotational_viscosity, inertia, spin_viscosity].map(|value| significant(*value));
    Fact::new("spin", format!("rotational viscosity {rotational} m²/s, inertia {inertia} m², spin viscosity {spin} m⁴/s"))
}

fn describe_emitter((index, emitter): (usize, &Emitter)) -> String {
    let most = if emitter.course.is_some() { "up to " } else { "" };
    let until = emitter.end.map_or("on".to_owned(), |end| format!("to {} s", significant(end)));
    format!("emitter {}: {most}{} l/s from {} s {until}", index + 1, significant(1e3 * emitter.flow()), significant(emitter.start))
}
