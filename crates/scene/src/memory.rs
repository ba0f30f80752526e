//! Estimate of the memory that a scene takes, before anything is placed.

use super::load::Definition;

impl Definition {
    /// Peak memory of a run, bytes, without what emitters add. Zero for blocks, whose number is known when rock has been divided and which are too few
    /// to matter.
    pub fn memory_estimate(&self) -> f64 {
        match self {
            Self::Fluid { settings, bodies } => {
                let volume: f64 = settings.fills.iter().map(|fill| fill.shape.volume()).sum();
                let triangles: usize = bodies.iter().map(|body| body.mesh.triangles.len()).sum();
                settings.memory_estimate(volume / (2.0 * settings.particle_radius).powi(3), triangles as f64)
            }
            Self::Gas(settings) => settings.memory_estimate(),
            Self::Grains { settings, .. } => settings.memory_estimate(),
            Self::Aggregates(settings) => settings.memory_estimate(),
            Self::Blocks(_) => 0.0,
        }
    }
}
