//! When two bounding spheres overlap.
//!
//! Let `ΔC` be the vector between the centers, `Δv` the relative velocity and `σ = R_i + R_j`. The spheres overlap between the roots of
//! `Δv² t² + 2 (ΔC·Δv) t + ΔC² − σ² = 0`. Spheres that overlap from the start, and spheres at rest relative to each other, are included:
//! their window begins at zero (Wang et al. 2019 omit both). SI units.

use glam::DVec3;

/// The interval in which spheres at relative position `r` and relative velocity `v` are within `sigma`, clipped to `[0, limit]`.
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
    // Each root in the form without cancellation.
    let first = if gap > 0.0 { gap / (root - b) } else { 0.0 };
    let last = if b < 0.0 {
        (root - b) / square
    } else if gap < 0.0 {
        -gap / (b + root)
    } else {
        0.0
    };
    // Overlapping and at rest relative to each other: the 0 / 0 above is not used, and −gap / 0 is infinite.
    (first <= limit).then_some((first, last.min(limit)))
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
        // Overlapping from the start, whether they approach, separate or rest.
        assert_eq!(window(0.1 * r, v, 1.0, 10.0), Some((0.0, 0.75)));
        assert_eq!(window(0.1 * r, -v, 1.0, 10.0), Some((0.0, 0.25)));
        assert_eq!(window(0.1 * r, DVec3::ZERO, 1.0, 10.0), Some((0.0, 10.0)));
        assert_eq!(window(r, DVec3::ZERO, 1.0, 10.0), None);
        // Grazing.
        let (first, last) = window(r + DVec3::Y, v, 1.0, 10.0).expect("a graze");
        assert!((first - 2.5).abs() < 1e-12 && (last - 2.5).abs() < 1e-12);
    }
}
