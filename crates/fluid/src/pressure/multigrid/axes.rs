//! Coordinates of cells and nodes on one level of the grids.

use glam::{IVec3, Vec3A};
use plimsoll_base::math::Periods;

/// Coordinates are limited to 21 bits. Particles farther out share the outermost cells and get a poor correction.
const COORDINATE_BITS: u32 = 21;
const LIMIT: i32 = (1 << (COORDINATE_BITS - 1)) - 2;

/// Widths of the cells, and how many there are in a period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Axes {
    /// m
    pub widths: Vec3A,
    /// Cells per period, a power of two; zero along axes that are not periodic.
    counts: IVec3,
}

impl Axes {
    /// Cells about `width` (m) wide.
    pub fn new(width: f32, periods: &Periods) -> Self {
        let mut axes = Self { widths: Vec3A::splat(width), counts: IVec3::ZERO };
        for axis in (0..3).filter(|&axis| periods.lengths()[axis] > 0.0) {
            let length = periods.lengths()[axis];
            let halvings = (length / width).log2().round().max(0.0) as u32;
            axes.counts[axis] = 1 << halvings.min(COORDINATE_BITS - 2);
            axes.widths[axis] = length / axes.counts[axis] as f32;
        }
        axes
    }

    /// 1/m
    pub fn inverse_widths(&self) -> Vec3A {
        Vec3A::ONE / self.widths
    }

    /// The next level: cells twice as wide, except along axes with a single cell.
    pub fn coarser(&self) -> Self {
        let halved = self.halved();
        Self { widths: self.widths * (IVec3::ONE + halved).as_vec3a(), counts: self.counts >> halved }
    }

    /// One for each axis along which the next level has half as many cells, otherwise zero.
    pub fn halved(&self) -> IVec3 {
        IVec3::from_array(self.counts.to_array().map(|count| i32::from(count != 1)))
    }

    /// The cell or node within the periods.
    pub fn wrap(&self, coordinate: IVec3) -> IVec3 {
        let wrapped = coordinate & (self.counts - 1);
        let limited = coordinate.clamp(IVec3::splat(-LIMIT), IVec3::splat(LIMIT));
        IVec3::select(self.counts.cmpgt(IVec3::ZERO), wrapped, limited)
    }

    /// A key for each cell or node within the periods.
    pub fn key(&self, coordinate: IVec3) -> u64 {
        let biased = (self.wrap(coordinate) + IVec3::splat(1 << (COORDINATE_BITS - 1))).as_u64vec3();
        biased.z << (2 * COORDINATE_BITS) | biased.y << COORDINATE_BITS | biased.x
    }

    /// The cell or node with this `key`.
    pub fn coordinate(key: u64) -> IVec3 {
        let field = |shift: u32| ((key >> shift) & ((1 << COORDINATE_BITS) - 1)) as i32 - (1 << (COORDINATE_BITS - 1));
        IVec3::new(field(0), field(COORDINATE_BITS), field(2 * COORDINATE_BITS))
    }
}

/// The offset of corner `corner` of a cell from its lowest one: one bit per axis, x first.
pub fn corner_offset(corner: usize) -> IVec3 {
    IVec3::new((corner & 1) as i32, (corner >> 1 & 1) as i32, (corner >> 2 & 1) as i32)
}
