//! Memory estimate of a fluid, used by scene checks and descriptions.

use crate::FluidSettings;

/// Peak memory per particle of falling water, with its neighbours (29 on average), as measured with 20,000 to 60,000 particles
/// (`cargo test --release --test memory`); bytes.
const BYTES_PER_PARTICLE: f64 = 800.0;
/// Memory of a triangle in its segment, with its share of vertices and of the ball, bytes.
const BYTES_PER_TRIANGLE: f64 = 200.0;
/// The same of implicit viscosity, in addition: matrices, vectors of the conjugate gradients, coefficients.
const BYTES_OF_IMPLICIT_VISCOSITY: f64 = 200.0;
/// The same of surface tension: three vectors.
const BYTES_OF_SURFACE_TENSION: f64 = 48.0;

/// The same of a spin, and of hyperviscosity: a matrix, a vector and a number.
const BYTES_OF_COPIED_FLOWS: f64 = 68.0;

impl FluidSettings {
    /// Peak memory of a simulation with the given numbers of particles and of body triangles, bytes.
    pub fn memory_estimate(&self, particles: f64, triangles: f64) -> f64 {
        let of_viscosity = if self.is_viscosity_implicit() { BYTES_OF_IMPLICIT_VISCOSITY } else { 0.0 };
        let of_tension = if self.max_tension() > 0.0 { BYTES_OF_SURFACE_TENSION } else { 0.0 };
        let of_flows = if self.micropolar.is_some() || self.viscosity.hyperviscosity { BYTES_OF_COPIED_FLOWS } else { 0.0 };
        particles * (BYTES_PER_PARTICLE + of_viscosity + of_tension + of_flows) + triangles * BYTES_PER_TRIANGLE
    }
}
