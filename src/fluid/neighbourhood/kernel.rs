//! Cubic spline kernel (Monaghan & Lattanzio 1985), in three dimensions; zero beyond the support radius.
//!
//! ```text
//! W(r) = σ (6(q³ − q²) + 1)   q ≤ ½
//!        2σ (1 − q)³          ½ ≤ q ≤ 1       q = r/h,  σ = 8/(π h³)
//! ```

use std::f32::consts::PI;

/// The kernel for one support radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kernel {
    support_radius: f32,
    inverse_support_radius: f32,
    sigma: f32,
    gradient_sigma: f32,
}

impl Kernel {
    /// `support_radius` h in meters.
    pub fn new(support_radius: f32) -> Self {
        let inverse = 1.0 / support_radius;
        let sigma = 8.0 / PI * inverse.powi(3);
        Self { support_radius, inverse_support_radius: inverse, sigma, gradient_sigma: 6.0 * sigma * inverse * inverse }
    }

    /// h, m.
    pub fn support_radius(&self) -> f32 {
        self.support_radius
    }

    /// W(r), 1/m³.
    #[inline]
    pub fn value(&self, r: f32) -> f32 {
        let q = r * self.inverse_support_radius;
        let far = (1.0 - q).max(0.0);
        let near = (0.5 - q).max(0.0);
        // 2(1−q)³ − 8(½−q)³ is the inner branch written as a correction of the outer one.
        self.sigma * (2.0 * far * far * far - 8.0 * near * near * near)
    }

    /// W'(r)/r, 1/m⁵: multiplied by the vector from j to i it is ∇_i W(x_i − x_j). Negative; −12σ/h² at r = 0.
    #[inline]
    pub fn gradient_factor(&self, r: f32) -> f32 {
        let q = r * self.inverse_support_radius;
        let far = (1.0 - q).max(0.0);
        let outer = -far * far / q.max(1e-6);
        let inner = 3.0 * q - 2.0;
        self.gradient_sigma * if q < 0.5 { inner } else { outer }
    }
}
