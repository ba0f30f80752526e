//! Periodic images of a cluster that come near another one.

use glam::DVec3;
use plimsoll_base::math::{Domain, round_down, round_up};

/// Calls `visit` with every shift by whole sides for which a point at `r`, moving at `v`, comes within `sigma` of the origin along each
/// axis within `limit` seconds.
#[inline]
pub fn images(domain: &Domain, r: DVec3, v: DVec3, sigma: f64, limit: f64, mut visit: impl FnMut(DVec3)) {
    let end = r + limit * v;
    let (low, high) = (r.min(end) - sigma, r.max(end) + sigma);
    if lies_between(low, high, domain.size) {
        return;
    }
    if !domain.is_periodic() {
        if low.cmple(DVec3::ZERO).all() && high.cmpge(DVec3::ZERO).all() {
            visit(DVec3::ZERO);
        }
        return;
    }
    let inverse = 1.0 / domain.size;
    let first = -round_down(high * inverse);
    let last = -round_up(low * inverse);
    for x in first.x..=last.x {
        for y in first.y..=last.y {
            for z in first.z..=last.z {
                visit(domain.size * DVec3::new(x as f64, y as f64, z as f64));
            }
        }
    }
}

/// Whether along some axis no multiple of `sides` is between `low` and `high`, because both are between zero and the same adjacent
/// multiple. This excludes most pairs without divisions.
#[inline]
pub fn lies_between(low: DVec3, high: DVec3, sides: DVec3) -> bool {
    let apart = |low: f64, high: f64, side: f64| low > 0.0 && high < side || high < 0.0 && low > -side;
    apart(low.x, high.x, sides.x) || apart(low.y, high.y, sides.y) || apart(low.z, high.z, sides.z)
}

#[cfg(test)]
mod tests {
    use super::{super::window, *};

    #[test]
    fn every_image_that_comes_near_is_visited() {
        let domain = Domain::cube(3.0, true);
        let (r, v, sigma) = (DVec3::new(1.3, -0.4, 2.9), DVec3::new(-5.0, 2.0, 7.0), 0.6);
        let mut found = Vec::new();
        images(&domain, r, v, sigma, 1.0, |shift| found.push(shift / domain.size));
        for x in -4..=4 {
            for y in -4..=4 {
                for z in -4..=4 {
                    let shift = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                    if window(r + domain.size * shift, v, sigma, 1.0).is_some() {
                        assert!(found.contains(&shift), "{shift}");
                    }
                }
            }
        }
        assert!((1..40).contains(&found.len()));
        let walls = Domain::cube(3.0, false);
        let mut shifts = Vec::new();
        images(&walls, DVec3::new(2.9, 0.0, 0.0), DVec3::ZERO, sigma, 1.0, |shift| shifts.push(shift));
        assert!(shifts.is_empty());
        images(&walls, DVec3::new(0.5, 0.0, 0.0), DVec3::ZERO, sigma, 1.0, |shift| shifts.push(shift));
        assert_eq!(shifts, [DVec3::ZERO]);
    }
}
