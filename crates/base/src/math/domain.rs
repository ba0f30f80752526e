//! The box of a simulation, in the plane or in space; each axis is closed, open or periodic.

use glam::{DVec3, I64Vec3, IVec3, Vec3A};
use serde::{Deserialize, Serialize};

use super::{Aabb, lanes::Lanes};

/// Which periodic image: the number of periods along each axis by which a position is shifted; zero along axes that are not periodic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Image(pub [i8; 3]);

impl Image {
    /// The position itself.
    pub const HOME: Self = Self([0; 3]);

    /// The image `periods` away; at most 127 along each axis.
    #[inline]
    pub fn new(periods: IVec3) -> Self {
        Self(periods.to_array().map(|count| count.clamp(-127, 127) as i8))
    }
}

/// A box. Along a periodic axis, positions that leave at one end enter at the other. The simulator decides what happens at the ends of the
/// other axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// Lowest corner, m.
    pub low: DVec3,
    /// Edges, m.
    pub size: DVec3,
    /// Whether each axis is periodic.
    pub periodic: [bool; 3],
    /// 2 or 3. In two dimensions the box has no extent along z and is not periodic there.
    pub dimension: usize,
}

impl Domain {
    /// Unbounded space: no axis is periodic, and the box is a point.
    pub const OPEN: Self = Self { low: DVec3::ZERO, size: DVec3::ZERO, periodic: [false; 3], dimension: 3 };

    /// A cube with edges of `side` (m) and its lowest corner at the origin, periodic along all axes or none.
    #[inline]
    pub fn cube(side: f64, periodic: bool) -> Self {
        Self { low: DVec3::ZERO, size: DVec3::splat(side), periodic: [periodic; 3], dimension: 3 }
    }

    /// A three-dimensional box with edges of `size` (m) and its lowest corner at the origin, periodic along all axes.
    #[inline]
    pub fn periodic(size: DVec3) -> Self {
        Self { low: DVec3::ZERO, size, periodic: [true; 3], dimension: 3 }
    }

    /// The highest corner, m.
    #[inline]
    pub fn high(&self) -> DVec3 {
        self.low + self.size
    }

    /// The axis-aligned box between the corners.
    #[inline]
    pub fn aabb(&self) -> Aabb {
        Aabb { min: self.low, max: self.high() }
    }

    /// Volume, m³; area (m²) in two dimensions.
    #[inline]
    pub fn volume(&self) -> f64 {
        (0..self.dimension).map(|axis| self.size[axis]).product()
    }

    /// Whether any axis is periodic.
    #[inline]
    pub fn is_periodic(&self) -> bool {
        self.periodic.contains(&true)
    }

    /// The shortest periodic image of `offset`, m.
    #[inline]
    pub fn nearest_image(&self, mut offset: DVec3) -> DVec3 {
        for axis in 0..3 {
            if self.periodic[axis] {
                offset[axis] -= self.size[axis] * round(offset[axis] / self.size[axis]);
            }
        }
        offset
    }

    /// The shift of `image`, m.
    #[inline]
    pub fn shift(&self, image: Image) -> DVec3 {
        DVec3::from_array(image.0.map(f64::from)) * self.size
    }

    /// The image that brings `point` closest to `target` (m), and those next to it: three along each periodic axis.
    #[inline]
    pub fn images_toward(&self, point: DVec3, target: DVec3) -> impl Iterator<Item = Image> + use<> {
        let nearest = [0, 1, 2].map(|axis| match self.periodic[axis] {
            true => round((target[axis] - point[axis]) / self.size[axis]) as i32,
            false => 0,
        });
        let span = self.periodic.map(i32::from);
        let along = move |axis: usize| nearest[axis] - span[axis]..=nearest[axis] + span[axis];
        along(0).flat_map(move |x| along(1).flat_map(move |y| along(2).map(move |z| Image::new(IVec3::new(x, y, z)))))
    }

    /// The box itself and its images next to it: three along each periodic axis, the box first.
    #[inline]
    pub fn images(&self) -> impl Iterator<Item = Image> + use<> {
        let around = self.images_toward(DVec3::ZERO, DVec3::ZERO).filter(|&image| image != Image::HOME);
        std::iter::once(Image::HOME).chain(around)
    }

    /// One for each axis about which angular momentum is conserved, otherwise zero: the box must look the same after any rotation, so no
    /// other axis may be periodic.
    #[inline]
    pub fn conserved_rotations(&self) -> DVec3 {
        let [x, y, z] = self.periodic;
        DVec3::from_array([y || z, x || z, x || y].map(|broken| if broken { 0.0 } else { 1.0 }))
    }

    /// The image of `position` (m) within the box along periodic axes, excluding the upper ends.
    #[inline]
    pub fn wrap(&self, mut position: DVec3) -> DVec3 {
        for axis in 0..3 {
            if self.periodic[axis] {
                let (low, size) = (self.low[axis], self.size[axis]);
                if position[axis] < low || position[axis] >= low + size {
                    position[axis] -= ((position[axis] - low) / size).floor() * size;
                    // A position below the lower end by less than the rounding error would become the upper end.
                    if position[axis] >= low + size {
                        position[axis] = low;
                    }
                }
            }
        }
        position
    }
}

/// Shortest differences between positions in single precision.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Periods {
    /// m; zero along axes that are not periodic.
    lengths: Vec3A,
    inverses: Vec3A,
    any: bool,
}

impl Periods {
    /// The periods of `domain`.
    #[inline]
    pub fn of(domain: &Domain) -> Self {
        let length = |axis: usize| if domain.periodic[axis] { domain.size[axis] as f32 } else { 0.0 };
        let lengths = Vec3A::from_array([0, 1, 2].map(length));
        let inverses = Vec3A::from_array(lengths.to_array().map(|length| if length > 0.0 { 1.0 / length } else { 0.0 }));
        Self { lengths, inverses, any: domain.is_periodic() }
    }

    /// m; zero along axes that are not periodic.
    #[inline]
    pub fn lengths(&self) -> Vec3A {
        self.lengths
    }

    /// The shortest image of `a − b` (m); exactly the opposite of that of `b − a`.
    #[inline]
    pub fn difference(&self, a: Vec3A, b: Vec3A) -> Vec3A {
        let offset = a - b;
        if self.any { offset - self.lengths * (offset * self.inverses).round() } else { offset }
    }

    /// The shortest images of differences (m) in lanes, like [`Periods::difference`].
    #[inline(always)]
    pub fn shortest<L: Lanes>(&self, [x, y, z]: [L; 3]) -> [L; 3] {
        if !self.any {
            return [x, y, z];
        }
        let (lengths, inverses) = (self.lengths, self.inverses);
        [
            x - L::splat(lengths.x) * (x * L::splat(inverses.x)).round(),
            y - L::splat(lengths.y) * (y * L::splat(inverses.y)).round(),
            z - L::splat(lengths.z) * (z * L::splat(inverses.z)).round(),
        ]
    }

    /// The shift of `image`, m.
    #[inline]
    pub fn shift(&self, image: Image) -> Vec3A {
        Vec3A::from_array(image.0.map(f32::from)) * self.lengths
    }
}

/// Rounds to the nearest integer, halves away from zero; same as `f64::round` below 2⁵¹. It avoids the function call that `f64::round`
/// needs if the target CPU is not known to have an instruction for it.
#[inline]
fn round(x: f64) -> f64 {
    // The largest number below one half. One half itself would round up numbers just below one half.
    const HALF: f64 = 0.5 - f64::EPSILON / 4.0;
    (x + HALF.copysign(x)) as i64 as f64
}

/// Floor of each component of `x`, which must be less than 2⁶³; without a function call, like `round`.
#[inline]
pub fn round_down(x: DVec3) -> I64Vec3 {
    let whole = x.as_i64vec3();
    whole - I64Vec3::from(whole.as_dvec3().cmpgt(x))
}

/// Ceiling of each component of `x`.
#[inline]
pub fn round_up(x: DVec3) -> I64Vec3 {
    -round_down(-x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn rounding_is_that_of_the_standard_library() {
        let mut random = Random::new(4);
        let mut values: Vec<f64> =
            (0..10_000).map(|_| (random.uniform() - 0.5) * 10.0_f64.powi((random.uniform() * 15.0) as i32)).collect();
        for whole in -5..=5 {
            let half = f64::from(whole) + 0.5;
            values.extend([half, half.next_up(), half.next_down(), f64::from(whole)]);
        }
        values.extend([-1e-300, 1e-300, 0.999, 255.5]);
        for value in values {
            assert_eq!(round(value), value.round() + 0.0, "{value:e}");
            let vector = DVec3::new(value, -value, 3.0 * value);
            assert_eq!(round_down(vector).as_dvec3(), vector.floor() + 0.0);
            assert_eq!(round_up(vector).as_dvec3(), vector.ceil() + 0.0);
        }
    }

    #[test]
    fn images_are_the_nearest_and_positions_stay_inside() {
        let mut random = Random::new(9);
        let domain =
            Domain { low: DVec3::new(-1.0, 0.3, 2.0), size: DVec3::new(2.0, 0.7, 5.0), periodic: [true, false, true], dimension: 3 };
        for _ in 0..1000 {
            let far = 30.0 * (random.point() - 0.5);
            let nearest = domain.nearest_image(far);
            for axis in 0..3 {
                let (found, size) = (nearest[axis], domain.size[axis]);
                let turns = (far[axis] - found) / size;
                match domain.periodic[axis] {
                    true => assert!(found.abs() <= 0.5 * size * (1.0 + 1e-12) && (turns - turns.round()).abs() < 1e-12),
                    false => assert_eq!(found, far[axis]),
                }
            }
            let inside = domain.wrap(far);
            assert!((domain.nearest_image(inside - far) * DVec3::new(1.0, 0.0, 1.0)).length() < 1e-12 && inside.y == far.y);
            assert!([0, 2].into_iter().all(|axis| domain.low[axis] <= inside[axis] && inside[axis] < domain.high()[axis]));
        }
        let cube = Domain::cube(3.0, true);
        assert_eq!(cube.wrap(DVec3::new(-1e-20, 3.0, 7.5)), DVec3::new(0.0, 0.0, 1.5));
        assert_eq!(Domain::cube(3.0, false).wrap(DVec3::splat(3.1)), DVec3::splat(3.1));
        assert_eq!((cube.volume(), cube.is_periodic()), (27.0, true));
        let plane = Domain { size: DVec3::new(2.0, 4.0, 0.0), periodic: [true, true, false], dimension: 2, ..Domain::default() };
        assert_eq!((plane.volume(), plane.nearest_image(DVec3::new(1.5, 2.5, 0.0))), (8.0, DVec3::new(-0.5, -1.5, 0.0)));
    }
}
