//! How much memory a fluid takes: the one estimate, for scene checks and descriptions.

/// Peak memory per particle, with its neighbours and a frame being written, as measured in dam breaks of 0.1 to 0.5 million particles; bytes.
const BYTES_PER_PARTICLE: f64 = 1200.0;
/// Memory of a triangle in its segment, with its share of vertices and of the ball, bytes.
const BYTES_PER_TRIANGLE: f64 = 200.0;

/// Peak memory of a simulation of so many particles, and triangles of bodies, bytes.
pub fn memory_estimate(particles: f64, triangles: f64) -> f64 {
    particles * BYTES_PER_PARTICLE + triangles * BYTES_PER_TRIANGLE
}
