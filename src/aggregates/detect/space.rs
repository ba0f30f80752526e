//! The cube in which clusters move: it repeats in all directions, or it has walls.

use glam::{DVec3, I64Vec3};
use serde::{Deserialize, Serialize};

/// What is at the faces of the cube.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Boundary {
    /// The opposite face.
    #[default]
    Periodic,
    /// A wall off which clusters bounce, losing nothing.
    Walls,
}

/// A cube with its lowest corner in the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Space {
    /// m
    pub side: f64,
    pub boundary: Boundary,
}

impl Space {
    pub fn periodic(side: f64) -> Self {
        Self { side, boundary: Boundary::Periodic }
    }

    pub fn has_walls(self) -> bool {
        self.boundary == Boundary::Walls
    }

    /// Of all images of a point, the one inside.
    #[inline]
    pub fn wrap(self, x: DVec3) -> DVec3 {
        let inside = x.cmpge(DVec3::ZERO).all() && x.cmplt(DVec3::splat(self.side)).all();
        if inside || self.has_walls() {
            return x;
        }
        let wrapped = x - self.side * (x / self.side).floor();
        // What lies below zero by less than rounding comes out as the side itself.
        DVec3::select(wrapped.cmplt(DVec3::splat(self.side)), wrapped, DVec3::ZERO)
    }

    /// The shortest of the vectors that differ from `r` by whole sides; with walls there is but one.
    #[inline]
    pub fn nearest_image(self, r: DVec3) -> DVec3 {
        if self.has_walls() { r } else { r - self.side * round_down(r / self.side + 0.5).as_dvec3() }
    }

    /// Calls `visit` with every shift by whole sides with which something at `r`, moving at `v`, comes within `sigma` of the origin, along
    /// each axis, in `limit` seconds.
    #[inline]
    pub fn images(self, r: DVec3, v: DVec3, sigma: f64, limit: f64, mut visit: impl FnMut(DVec3)) {
        let end = r + limit * v;
        let (low, high) = (r.min(end) - sigma, r.max(end) + sigma);
        if lies_between(low, high, self.side) {
            return;
        }
        if self.has_walls() {
            if low.cmple(DVec3::ZERO).all() && high.cmpge(DVec3::ZERO).all() {
                visit(DVec3::ZERO);
            }
            return;
        }
        let inverse = 1.0 / self.side;
        let first = -round_down(high * inverse);
        let last = -round_up(low * inverse);
        for x in first.x..=last.x {
            for y in first.y..=last.y {
                for z in first.z..=last.z {
                    visit(self.side * DVec3::new(x as f64, y as f64, z as f64));
                }
            }
        }
    }
}

/// Whether there is no multiple of `side` between `low` and `high` along some axis, because they lie between two next to zero. Most pairs
/// are told apart by this, without quotients.
#[inline]
pub fn lies_between(low: DVec3, high: DVec3, side: f64) -> bool {
    let apart = |low: f64, high: f64| low > 0.0 && high < side || high < 0.0 && low > -side;
    apart(low.x, high.x) || apart(low.y, high.y) || apart(low.z, high.z)
}

/// The greatest whole numbers not above those of `x`, which must be less than 2⁶³; processors without an instruction for it are spared a call.
#[inline]
pub fn round_down(x: DVec3) -> I64Vec3 {
    let whole = x.as_i64vec3();
    whole - I64Vec3::from(whole.as_dvec3().cmpgt(x))
}

/// The least whole numbers not below those of `x`.
#[inline]
pub fn round_up(x: DVec3) -> I64Vec3 {
    -round_down(-x)
}

#[cfg(test)]
mod tests {
    use super::{super::window, *};

    #[test]
    fn every_image_that_comes_near_is_visited() {
        let space = Space::periodic(3.0);
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
        let walls = Space { boundary: Boundary::Walls, ..space };
        assert_eq!(walls.wrap(DVec3::splat(3.1)), DVec3::splat(3.1));
        let mut shifts = Vec::new();
        walls.images(DVec3::new(2.9, 0.0, 0.0), DVec3::ZERO, sigma, 1.0, |shift| shifts.push(shift));
        assert!(shifts.is_empty());
        walls.images(DVec3::new(0.5, 0.0, 0.0), DVec3::ZERO, sigma, 1.0, |shift| shifts.push(shift));
        assert_eq!(shifts, [DVec3::ZERO]);
    }

    #[test]
    fn rounding_is_that_of_floor_and_ceil() {
        for value in [-2.0, -1.5, -1e-300, -0.0, 0.0, 1e-300, 0.999, 1.0, 255.5] {
            let vector = DVec3::new(value, -value, 3.0 * value);
            assert_eq!(round_down(vector).as_dvec3(), vector.floor() + 0.0);
            assert_eq!(round_up(vector).as_dvec3(), vector.ceil() + 0.0);
        }
    }
}
