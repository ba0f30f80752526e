//! A step in figures: rows of the diagnostics tables.

use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, MappingCounters, Momentum},
    frame::{Row, Value},
};

/// What is recorded of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepDiagnostics {
    pub step: u64,
    /// Seconds, at the end of the step.
    pub time: f64,
    pub dt: f64,
    pub pressure_iterations: u32,
    pub divergence_iterations: u32,
    /// Mean error left by the constant-density solve, percent of the rest density.
    pub density_error_percent: f64,
    /// Mean error left by the divergence solve, percent of the rest density a step.
    pub divergence_error_percent: f64,
    /// J
    pub kinetic_energy: f64,
    pub potential_energy: f64,
    /// Of fluid and floating bodies.
    pub momentum: Momentum,
    /// Momentum that the ledger does not explain, relative to the impulse exchanged between fluid and bodies since the start.
    pub momentum_error: f64,
    pub angular_momentum_error: f64,
    pub particles: u64,
    /// Particles that emitters have let in and drains taken away since the start.
    pub emitted: u64,
    pub drained: u64,
    /// Particles that have passed through a mesh since the start.
    pub leaked: u64,
    /// Particles stopped by a collision impulse.
    pub collisions: u64,
    /// Particle–body pairs in which the wall adds to the density.
    pub contacts: u64,
    pub triangle_pairs: u64,
    pub mapping: MappingCounters,
    /// m/s
    pub greatest_speed: f64,
}

impl StepDiagnostics {
    pub fn row(&self) -> Row {
        use Value::{Integer, Real};
        let mut row = vec![
            ("step", Integer(self.step)),
            ("time", Real(self.time)),
            ("dt", Real(self.dt)),
            ("pressure_iterations", Integer(self.pressure_iterations.into())),
            ("divergence_iterations", Integer(self.divergence_iterations.into())),
            ("density_error_percent", Real(self.density_error_percent)),
            ("divergence_error_percent", Real(self.divergence_error_percent)),
            ("kinetic_energy", Real(self.kinetic_energy)),
            ("potential_energy", Real(self.potential_energy)),
        ];
        push_vector(&mut row, ["momentum_x", "momentum_y", "momentum_z"], self.momentum.linear);
        push_vector(&mut row, ["angular_momentum_x", "angular_momentum_y", "angular_momentum_z"], self.momentum.angular);
        row.extend([
            ("momentum_error", Real(self.momentum_error)),
            ("angular_momentum_error", Real(self.angular_momentum_error)),
            ("greatest_speed", Real(self.greatest_speed)),
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
        row
    }
}

/// A body at the end of step `step`; forces are means over the step.
pub fn body_row(body: &Body, step: u64, time: f64, dt: f64) -> Row {
    let mut row: Row = vec![("step", Value::Integer(step)), ("time", Value::Real(time)), ("body", Value::Text(body.name.clone()))];
    let inverse_dt = if dt > 0.0 { 1.0 / dt } else { 0.0 };
    let rotation = body.pose.rotation;
    push_vector(&mut row, ["position_x", "position_y", "position_z"], body.pose.translation);
    let parts = [("rotation_x", rotation.x), ("rotation_y", rotation.y), ("rotation_z", rotation.z), ("rotation_w", rotation.w)];
    row.extend(parts.map(|(name, value)| (name, Value::Real(value))));
    push_vector(&mut row, ["center_x", "center_y", "center_z"], body.center());
    push_vector(&mut row, ["velocity_x", "velocity_y", "velocity_z"], body.velocity);
    push_vector(&mut row, ["angular_velocity_x", "angular_velocity_y", "angular_velocity_z"], body.angular_velocity);
    let (load, total) = (&body.load, body.load.total());
    push_vector(&mut row, ["force_x", "force_y", "force_z"], total.linear * inverse_dt);
    push_vector(&mut row, ["torque_x", "torque_y", "torque_z"], total.angular * inverse_dt);
    push_vector(&mut row, ["pressure_force_x", "pressure_force_y", "pressure_force_z"], load.pressure.linear * inverse_dt);
    push_vector(&mut row, ["friction_force_x", "friction_force_y", "friction_force_z"], load.friction.linear * inverse_dt);
    push_vector(&mut row, ["collision_force_x", "collision_force_y", "collision_force_z"], load.collision.linear * inverse_dt);
    let contact = body.contact_impulse.linear * inverse_dt;
    push_vector(&mut row, ["contact_force_x", "contact_force_y", "contact_force_z"], contact);
    row
}

fn push_vector(row: &mut Row, names: [&'static str; 3], vector: glam::DVec3) {
    row.extend(names.into_iter().zip(vector.to_array().map(Value::Real)));
}
