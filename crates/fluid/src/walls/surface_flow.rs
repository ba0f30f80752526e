//! How a surface that deforms moves near a point.

use glam::DVec3;

/// Share of the squared sum of the triangles' gradients below which their sum has no direction.
const CANCELLED: f64 = 1e-2;

/// How a triangle moves.
#[derive(Clone, Copy, Debug)]
pub struct TriangleMotion {
    /// Velocities of the corners, m/s.
    pub corners: [DVec3; 3],
    /// rad/s
    pub spin: DVec3,
}

/// How a deforming surface moves near a point: sums over its triangles.
#[derive(Clone, Copy, Debug, Default)]
pub struct SurfaceFlow {
    /// `Σ ∇f · v`: how fast the surface changes the integral, 1/s.
    rate: f64,
    /// `Σ |∇f| v`
    flow: DVec3,
    /// `Σ |∇f|`
    weight: f64,
    gradient: DVec3,
}

impl SurfaceFlow {
    /// Adds a triangle whose integral has this `gradient` (1/m) and that would carry the point with this `velocity` (m/s).
    pub fn add(&mut self, gradient: DVec3, velocity: DVec3) {
        self.rate += gradient.dot(velocity);
        self.flow += gradient.length() * velocity;
        self.weight += gradient.length();
        self.gradient += gradient;
    }

    /// The mean velocity, changed along the gradient so that its product with the gradient is the rate, m/s.
    pub fn velocity(&self) -> DVec3 {
        let &Self { rate, flow, weight, gradient } = self;
        if weight == 0.0 {
            return DVec3::ZERO;
        }
        let mean = flow / weight;
        // Between two sides of a thin wall the gradients cancel.
        let size = gradient.length_squared().max(CANCELLED * weight * weight);
        mean + gradient * ((rate - gradient.dot(mean)) / size)
    }
}
