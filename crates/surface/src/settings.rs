//! Settings of the surface reconstruction.

/// Lengths are in particle radii, so that the same settings suit any resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// Smoothing length of the kernel that spreads a particle; its support is twice as long; particle radii.
    pub smoothing_length: f32,
    /// Edge length of the marching cubes, particle radii. Time and size of the result increase with its inverse square.
    pub cube_size: f32,
    /// Density of the surface relative to the fluid, between 0 and 1.
    pub threshold: f32,
    /// How many times each vertex moves to the mean of its neighbours, weighted so that isolated drops keep their size; 0 for no smoothing.
    pub smoothing_iterations: usize,
    /// How many times each normal becomes the mean of its neighbours.
    pub normal_smoothing_iterations: usize,
}

impl Default for SurfaceSettings {
    /// Makes water look smooth and keeps thin sheets and drops.
    fn default() -> Self {
        Self { smoothing_length: 2.0, cube_size: 0.5, threshold: 0.6, smoothing_iterations: 25, normal_smoothing_iterations: 10 }
    }
}
