//! Diagnostics of a step: the rows of the tables.

use plimsoll_base::math::Domain;
use plimsoll_bodies::{Body, Impulse, MappingCounters, Momentum};
use plimsoll_contract::frame::{Row, Value, push_vector};
use serde::{Deserialize, Serialize};

use crate::{coupling::Load, path_check::PathReport, pressure::SolveReport};

/// What the stages of a step report.
#[derive(Clone, Copy, Debug)]
pub struct StepReport {
    /// s
    pub dt: f64,
    pub divergence: SolveReport,
    /// With implicit viscosity.
    pub viscosity: Option<SolveReport>,
    pub density: SolveReport,
    pub paths: PathReport,
}

/// Diagnostics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepDiagnostics {
    /// Number of the step, from 1.
    pub step: u64,
    /// Seconds, at the end of the step.
    pub time: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// Sweeps of the constant-density solve.
    pub pressure_iterations: u32,
    /// Sweeps of the divergence solve.
    pub divergence_iterations: u32,
    /// Mean residual error of the constant-density solve, percent of the rest density.
    pub density_error_percent: f64,
    /// Mean residual error of the divergence solve, percent of the rest density per step.
    pub divergence_error_percent: f64,
    /// Sweeps of the implicit viscosity solve and its residual in percent of the first one, if there is one.
    #[serde(default)]
    pub viscosity: Option<(u32, f64)>,
    /// Mean excess of density at the beginning of the step, percent of the rest density.
    pub compression_percent: f64,
    /// J
    pub kinetic_energy: f64,
    /// J, zero at the world origin.
    pub potential_energy: f64,
    /// External work since the start, J (the ledger's `work`).
    pub external_work: f64,
    /// Momentum of fluid and floating bodies.
    pub momentum: Momentum,
    /// Momentum error (not explained by the ledger), relative to the impulse exchanged between fluid and bodies since the start.
    pub momentum_error: f64,
    /// The same for angular momentum.
    pub angular_momentum_error: f64,
    /// Number of particles.
    pub particles: u64,
    /// Particles that emitters have added since the start.
    pub emitted: u64,
    /// Particles that drains have removed since the start.
    pub drained: u64,
    /// Particles outside the domain that were removed since the start, if they are.
    #[serde(default)]
    pub left_domain: Option<u64>,
    /// Particles outside the domain, if they are reported.
    #[serde(default)]
    pub outside_domain: Option<u64>,
    /// Particles that have passed through a mesh since the start.
    pub leaked: u64,
    /// Particles stopped by a collision impulse.
    pub collisions: u64,
    /// Particle–body pairs in which the wall adds to the density.
    pub contacts: u64,
    /// Pairs of a particle and a triangle or cluster of triangles that are tested.
    pub triangle_pairs: u64,
    /// Operation counts of the wall search.
    pub mapping: MappingCounters,
    /// m/s
    pub max_speed: f64,
}

impl StepDiagnostics {
    /// The diagnostics as a row of `diagnostics.csv`.
    pub fn row(&self) -> Row {
        use Value::{Integer, Real};
        let mut row = vec![
            ("step", Integer(self.step)),
            ("time [s]", Real(self.time)),
            ("dt [s]", Real(self.dt)),
            ("pressure_iterations", Integer(self.pressure_iterations.into())),
            ("divergence_iterations", Integer(self.divergence_iterations.into())),
            ("density_error_percent", Real(self.density_error_percent)),
            ("divergence_error_percent", Real(self.divergence_error_percent)),
            ("compression_percent", Real(self.compression_percent)),
            ("kinetic_energy [J]", Real(self.kinetic_energy)),
            ("potential_energy [J]", Real(self.potential_energy)),
            ("external_work [J]", Real(self.external_work)),
        ];
        push_vector(&mut row, ["momentum_x [kg m/s]", "momentum_y [kg m/s]", "momentum_z [kg m/s]"], self.momentum.linear);
        push_vector(
            &mut row,
            ["angular_momentum_x [kg m²/s]", "angular_momentum_y [kg m²/s]", "angular_momentum_z [kg m²/s]"],
            self.momentum.angular,
        );
        row.extend([
            ("momentum_error", Real(self.momentum_error)),
            ("angular_momentum_error", Real(self.angular_momentum_error)),
            ("max_speed [m/s]", Real(self.max_speed)),
            ("particles", Integer(self.particles)),
            ("emitted", Integer(self.emitted)),
            ("drained", Integer(self.drained)),
            ("leaked", Integer(self.leaked)),
            ("collisions", Integer(self.collisions)),
            ("contacts", Integer(self.contacts)),
            ("cells_visited", Integer(self.mapping.cells_visited)),
            ("cells_kept", Integer(self.mapping.cells_kept)),
            ("particles_tested", Integer(self.mapping.particles_tested)),
            ("particles_inside", Integer(self.mapping.particles_inside)),
            ("triangle_pairs", Integer(self.triangle_pairs)),
        ]);
        if let Some((iterations, error)) = self.viscosity {
            row.extend([("viscosity_iterations", Integer(iterations.into())), ("viscosity_error_percent", Real(error))]);
        }
        row.extend(self.left_domain.map(|count| ("left_domain", Integer(count))));
        row.extend(self.outside_domain.map(|count| ("outside_domain", Integer(count))));
        row
    }
}

/// Row of a body at the end of step `step`; forces are means over the step.
pub fn body_row(body: &Body, load: &Load, domain: &Domain, step: u64, time: f64, dt: f64) -> Row {
    let mean = |impulse: Impulse| impulse.mean(dt).0;
    let (force, torque) = load.total().mean(dt);
    let mut row = body.row(step, time, force, torque);
    push_vector(&mut row, ["pressure_force_x [N]", "pressure_force_y [N]", "pressure_force_z [N]"], mean(load.pressure));
    push_vector(&mut row, ["friction_force_x [N]", "friction_force_y [N]", "friction_force_z [N]"], mean(load.friction));
    push_vector(&mut row, ["collision_force_x [N]", "collision_force_y [N]", "collision_force_z [N]"], mean(load.collision));
    push_vector(&mut row, ["contact_force_x [N]", "contact_force_y [N]", "contact_force_z [N]"], mean(body.contact_impulse));
    if domain.is_periodic() {
        push_vector(&mut row, ["wrapped_x [m]", "wrapped_y [m]", "wrapped_z [m]"], body.wrapped);
    }
    row
}
