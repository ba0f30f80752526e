//! Stand-in for the fluid: particles fly ballistically. To be replaced as a whole.

use std::sync::Arc;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FillShape, FluidSettings};
use crate::{
    bodies::BodyDefinition,
    frame::{BodyFrame, Field, FieldValues, Frame, ParticleFrame, Row, Value},
    shape::TriangleMesh,
};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

#[derive(Debug, Serialize, Deserialize)]
pub struct FluidSimulation {
    settings: FluidSettings,
    bodies: Vec<BodyDefinition>,
    time: f64,
    steps: u64,
    dt: f64,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    #[serde(skip)]
    meshes: Vec<Arc<TriangleMesh>>,
}

impl FluidSimulation {
    pub fn new(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Result<Self, SetupError> {
        let spacing = 2.0 * settings.particle_radius;
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for fill in &settings.fills {
            let FillShape::Box { min, max } = fill.shape else { continue };
            let counts = ((max - min) / spacing).round().as_uvec3();
            for z in 0..counts.z {
                for y in 0..counts.y {
                    for x in 0..counts.x {
                        positions.push(min + spacing * (DVec3::new(x.into(), y.into(), z.into()) + 0.5));
                        velocities.push(fill.velocity);
                    }
                }
            }
        }
        if positions.is_empty() {
            return Err(SetupError("found no particle, expected at least one".to_owned()));
        }
        let mut simulation = Self { settings, bodies, time: 0.0, steps: 0, dt: 0.0, positions, velocities, meshes: Vec::new() };
        simulation.restore();
        Ok(simulation)
    }

    pub fn time(&self) -> f64 {
        self.time
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn advance(&mut self, until: f64) {
        let wanted = self.settings.time_step.maximum * (0.6 + 0.4 * (self.steps as f64).sin());
        let left = until - self.time;
        let dt = if wanted >= left { left } else { wanted.min(0.5 * left) };
        self.time = if dt == left { until } else { self.time + dt };
        self.dt = dt;
        self.steps += 1;
        for (position, velocity) in self.positions.iter_mut().zip(&mut self.velocities) {
            *velocity += dt * self.settings.gravity;
            *position += dt * *velocity;
        }
    }

    pub fn frame(&self) -> Frame {
        let single = |vectors: &[DVec3]| vectors.iter().map(|vector| vector.as_vec3().to_array()).collect::<Vec<_>>();
        let count = self.positions.len();
        Frame {
            time: self.time,
            particles: ParticleFrame {
                radius: self.settings.particle_radius as f32,
                positions: single(&self.positions),
                fields: vec![
                    Field { name: "id", values: FieldValues::Integer((0..count as u32).collect()) },
                    Field { name: "velocity", values: FieldValues::Vector(single(&self.velocities)) },
                    Field { name: "density", values: FieldValues::Scalar(vec![self.settings.density as f32; count]) },
                    Field { name: "pressure", values: FieldValues::Scalar(vec![0.0; count]) },
                ],
            },
            bodies: self
                .bodies
                .iter()
                .zip(&self.meshes)
                .map(|(body, mesh)| BodyFrame {
                    name: body.name.clone(),
                    mesh: Arc::clone(mesh),
                    pose: body.pose,
                    center: body.pose.translation,
                    velocity: DVec3::ZERO,
                    angular_velocity: DVec3::ZERO,
                    force: DVec3::ZERO,
                    torque: DVec3::ZERO,
                })
                .collect(),
        }
    }

    pub fn diagnostics(&self) -> Row {
        vec![("step", Value::Integer(self.steps)), ("time", Value::Real(self.time)), ("dt", Value::Real(self.dt))]
    }

    pub fn body_diagnostics(&self) -> Vec<Row> {
        let row = |body: &BodyDefinition| {
            vec![("step", Value::Integer(self.steps)), ("time", Value::Real(self.time)), ("body", Value::Text(body.name.clone()))]
        };
        self.bodies.iter().map(row).collect()
    }

    pub fn particle_count(&self) -> usize {
        self.positions.len()
    }

    pub fn summary(&self) -> Vec<String> {
        vec!["0 particles leaked, 0 steps did not converge".to_owned()]
    }

    pub fn restore(&mut self) {
        self.meshes = self.bodies.iter().map(|body| Arc::new(body.mesh.clone())).collect();
    }
}
