//! Cubic spline kernel (Monaghan & Lattanzio 1985), in three dimensions; zero beyond the support radius.
//!
//! ```text
//! W(r) = σ (6(q³ − q²) + 1)   q ≤ ½
//!        2σ (1 − q)³          ½ ≤ q ≤ 1       q = r/h,  σ = 8/(π h³)
//! ```

use std::f32::consts::PI;

use plimsoll_base::math::lanes::Lanes;

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

    /// The maximum of |∇W|, at r = h/3; 1/m⁴.
    pub fn max_gradient(&self) -> f32 {
        2.0 * self.sigma * self.inverse_support_radius
    }

    /// [`Kernel::value`] for eight distances.
    #[inline(always)]
    pub fn values<L: Lanes>(&self, r: L) -> L {
        let q = r * L::splat(self.inverse_support_radius);
        let far = (L::splat(1.0) - q).max(L::splat(0.0));
        let near = (L::splat(0.5) - q).max(L::splat(0.0));
        L::splat(self.sigma) * (L::splat(2.0) * far * far * far - L::splat(8.0) * near * near * near)
    }

    /// [`Kernel::gradient_factor`] for eight distances.
    #[inline(always)]
    pub fn gradient_factors<L: Lanes>(&self, r: L) -> L {
        let q = r * L::splat(self.inverse_support_radius);
        let far = (L::splat(1.0) - q).max(L::splat(0.0));
        let outer = L::splat(0.0) - far * far / q.max(L::splat(1e-6));
        let inner = L::splat(3.0) * q - L::splat(2.0);
        L::splat(self.gradient_sigma) * q.select_less(L::splat(0.5), inner, outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H: f32 = 0.03;

    /// `∫ f dV` over the support of a function of the distance, by the midpoint rule.
    fn integral(f: impl Fn(f64) -> f64) -> f64 {
        let (h, shells) = (f64::from(H), 20_000);
        let width = h / f64::from(shells);
        let radii = (0..shells).map(|i| (f64::from(i) + 0.5) * width);
        radii.map(|r| 4.0 * std::f64::consts::PI * r * r * width * f(r)).sum()
    }

    #[test]
    fn it_integrates_to_one_and_its_gradient_is_exact_for_linear_fields() {
        let kernel = Kernel::new(H);
        let volume = integral(|r| f64::from(kernel.value(r as f32)));
        assert!((volume - 1.0).abs() < 1e-5, "{volume}");
        // `−∫ x ∂W/∂x dV`, a third of `−∫ r W' dV`.
        let slope = integral(|r| -r * r * f64::from(kernel.gradient_factor(r as f32))) / 3.0;
        assert!((slope - 1.0).abs() < 1e-5, "{slope}");
    }

    #[test]
    fn its_gradient_is_the_derivative_and_both_vanish_at_the_support_radius() {
        let kernel = Kernel::new(H);
        let largest = kernel.value(0.0) / H;
        let steepest = -H / 3.0 * kernel.gradient_factor(H / 3.0);
        assert!((steepest / kernel.max_gradient() - 1.0).abs() < 1e-6, "{steepest}");
        for i in 1..100 {
            let (r, step) = (0.01 * i as f32 * H, 1e-3 * H);
            let difference = (kernel.value(r + step) - kernel.value(r - step)) / (2.0 * step);
            assert!((difference - r * kernel.gradient_factor(r)).abs() < 1e-3 * largest, "r = {r}: {difference}");
        }
        for r in [H, 1.5 * H] {
            assert_eq!((kernel.value(r), kernel.gradient_factor(r)), (0.0, 0.0));
        }
    }
}
