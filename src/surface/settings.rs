//! How a surface is found from particles.

/// Lengths are in particle radii, so that the same settings suit any resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// Of the kernel that spreads a particle, whose support is twice as long; particle radii.
    pub smoothing_length: f32,
    /// Edge of the cubes in which the surface is sought, particle radii. Time and size of the result grow with its inverse square.
    pub cube_size: f32,
    /// Part of the fluid's own density at which the surface lies, between 0 and 1.
    pub threshold: f32,
    /// Times that each vertex moves to the mean of its neighbours, weighted so that lone drops keep their size; 0 for none.
    pub smoothing_iterations: usize,
    /// Times that each normal becomes the mean of its neighbours.
    pub normal_smoothing_iterations: usize,
}

impl Default for SurfaceSettings {
    /// What makes water look smooth and keeps thin sheets and drops.
    fn default() -> Self {
        Self { smoothing_length: 2.0, cube_size: 0.5, threshold: 0.6, smoothing_iterations: 25, normal_smoothing_iterations: 10 }
    }
}
