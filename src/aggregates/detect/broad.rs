//! When two bounding spheres overlap, in a box that repeats.
//!
//! With `ΔC` between the centres, `Δv` between the velocities and `σ = R_i + R_j` they overlap between the roots of
//! `Δv² t² + 2 (ΔC·Δv) t + ΔC² − σ² = 0`. Spheres that overlap from the start and spheres at rest to each other are not left out: their
//! window begins at once (Wang et al. 2019 drop both). SI units.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// From when to when spheres at `r` from each other, moving at `v` to each other, are within `sigma`, as far as that is within `[0, limit]`.
#[inline]
pub fn window(r: DVec3, v: DVec3, sigma: f64, limit: f64) -> Option<(f64, f64)> {
    let b = r.dot(v);
    let gap = r.length_squared() - sigma * sigma;
    if gap > 0.0 && b >= 0.0 {
        return None;
    }
    let square = v.length_squared();
    let discriminant = b * b - square * gap;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    // Each root in the form that subtracts nothing of like size.
    let first = if gap > 0.0 { gap / (root - b) } else { 0.0 };
    let last = if b < 0.0 {
        (root - b) / square
    } else if gap < 0.0 {
        -gap / (b + root)
    } else {
        0.0
    };
    // At rest to each other and overlapping: 0 / 0 above is not used, and −gap / 0 is an infinity.
    (first <= limit).then_some((first, last.min(limit)))
}

/// A cube that repeats in all directions, with its lowest corner in the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeriodicBox {
    /// m
    pub side: f64,
}

impl PeriodicBox {
    /// Of all images of a point, the one inside.
    pub fn wrap(self, x: DVec3) -> DVec3 {
        let wrapped = x - self.side * (x / self.side).floor();
        // What lies below zero by less than rounding comes out as the side itself.
        DVec3::select(wrapped.cmplt(DVec3::splat(self.side)), wrapped, DVec3::ZERO)
    }

    /// The shortest of the vectors that differ from `r` by whole sides.
    #[inline]
    pub fn nearest_image(self, r: DVec3) -> DVec3 {
        r - self.side * (r / self.side).round()
    }

    /// Calls `visit` with every shift by whole sides with which something at `r`, moving at `v`, comes within `sigma` of the origin, along
    /// each axis, in `limit` seconds.
    #[inline]
    pub fn images(self, r: DVec3, v: DVec3, sigma: f64, limit: f64, mut visit: impl FnMut(DVec3)) {
        let (low, high) = (r.min(r + limit * v), r.max(r + limit * v));
        let inverse = 1.0 / self.side;
        let first = ((-sigma - high) * inverse).ceil();
        let last = ((sigma - low) * inverse).floor();
        if first.cmpgt(last).any() {
            return;
        }
        let counts = last - first;
        if counts == DVec3::ZERO {
            return visit(self.side * first);
        }
        for x in 0..=counts.x as u32 {
            for y in 0..=counts.y as u32 {
                for z in 0..=counts.z as u32 {
                    visit(self.side * (first + DVec3::new(f64::from(x), f64::from(y), f64::from(z))));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_those_of_closed_forms() {
        let (r, v) = (DVec3::new(5.0, 0.0, 0.0), DVec3::new(-2.0, 0.0, 0.0));
        assert_eq!(window(r, v, 1.0, 10.0), Some((2.0, 3.0)));
        assert_eq!(window(r, v, 1.0, 2.5), Some((2.0, 2.5)));
        assert_eq!(window(r, v, 1.0, 1.9), None);
        assert_eq!(window(r, -v, 1.0, 10.0), None);
        assert_eq!(window(r + DVec3::Y * 1.000_001, v, 1.0, 10.0), None);
        // Overlapping from the start, whether they approach, part or rest.
        assert_eq!(window(0.1 * r, v, 1.0, 10.0), Some((0.0, 0.75)));
        assert_eq!(window(0.1 * r, -v, 1.0, 10.0), Some((0.0, 0.25)));
        assert_eq!(window(0.1 * r, DVec3::ZERO, 1.0, 10.0), Some((0.0, 10.0)));
        assert_eq!(window(r, DVec3::ZERO, 1.0, 10.0), None);
        // Grazing.
        let (first, last) = window(r + DVec3::Y, v, 1.0, 10.0).expect("a graze");
        assert!((first - 2.5).abs() < 1e-12 && (last - 2.5).abs() < 1e-12);
    }

    #[test]
    fn every_image_that_comes_near_is_visited() {
        let space = PeriodicBox { side: 3.0 };
        let (r, v, sigma) = (DVec3::new(1.3, -0.4, 2.9), DVec3::new(-5.0, 2.0, 7.0), 0.6);
        let mut found = Vec::new();
        space.images(r, v, sigma, 1.0, |shift| found.push(shift / space.side));
        for x in -4..=4 {
            for y in -4..=4 {
                for z in -4..=4 {
                    let shift = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    if window(r + space.side * shift, v, sigma, 1.0).is_some() {
                        assert!(found.contains(&shift), "{shift}");
                    }
                }
            }
        }
        assert!((1..40).contains(&found.len()));
        assert_eq!(space.wrap(DVec3::new(-1e-20, 3.0, 7.5)), DVec3::new(0.0, 0.0, 1.5));
    }
}
