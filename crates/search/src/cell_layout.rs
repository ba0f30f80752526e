//! How space is divided into cells: cubes in open space; along periodic axes, a whole number of cells per period.

use glam::{DVec3, IVec3, Vec3A};
use plimsoll_base::math::{Domain, Image, Periods};

/// Integer coordinates of a cell: `floor(position / cell size)`.
pub type CellCoordinate = IVec3;

/// Coordinates are limited to 21 bits. Particles farther out share the outermost cells, which costs time but misses no neighbour.
pub(super) const COORDINATE_LIMIT: i32 = (1 << 20) - 2;
/// A period that is shorter than a whole number of cells by at most this share of a cell counts as that number.
const ROUNDING: f64 = 1e-6;

/// Position and size of the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CellLayout {
    /// The size asked for, m: particles closer than this are in the same cell or in neighbouring ones.
    pub min_size: f32,
    /// Edges of a cell, m.
    pub size: DVec3,
    domain: Domain,
    /// A corner of cell 0, m.
    low: Vec3A,
    inverse_size: Vec3A,
    /// Range of the coordinates.
    first: IVec3,
    last: IVec3,
    /// Cells per period; zero along axes that are not periodic.
    counts: IVec3,
}

/// A row of cells along x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRow {
    /// The cell with the lowest coordinate.
    pub first: CellCoordinate,
    /// Number of cells along x.
    pub length: i32,
}

impl CellRow {
    /// The cells of the row.
    #[inline]
    pub fn cells(self) -> impl Iterator<Item = CellCoordinate> {
        (0..self.length).map(move |offset| self.first + CellCoordinate::new(offset, 0, 0))
    }
}

/// Cubes of this edge (m) in open space.
impl From<f32> for CellLayout {
    fn from(size: f32) -> Self {
        Self::new(size, &Domain::OPEN)
    }
}

impl CellLayout {
    /// Cells with edges of at least `min_size` (m). Each period of `domain` must be at least three times as long.
    ///
    /// # Panics
    /// If `min_size` is not positive.
    pub fn new(min_size: f32, domain: &Domain) -> Self {
        assert!(min_size > 0.0, "a cell has a size");
        let mut layout = Self {
            min_size,
            size: DVec3::splat(f64::from(min_size)),
            domain: *domain,
            low: Vec3A::ZERO,
            inverse_size: Vec3A::splat(1.0 / min_size),
            first: IVec3::splat(-COORDINATE_LIMIT),
            last: IVec3::splat(COORDINATE_LIMIT),
            counts: IVec3::ZERO,
        };
        for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
            let count = (domain.size[axis] / f64::from(min_size) + ROUNDING).floor();
            layout.size[axis] = domain.size[axis] / count;
            layout.low[axis] = domain.low[axis] as f32;
            layout.inverse_size[axis] = (count / domain.size[axis]) as f32;
            layout.counts[axis] = count as i32;
            (layout.first[axis], layout.last[axis]) = (0, count as i32 - 1);
        }
        layout
    }

    /// The domain whose periods the cells divide.
    #[inline]
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The shortest differences between particles.
    #[inline]
    pub fn periods(&self) -> Periods {
        Periods::of(&self.domain)
    }

    /// The cell that contains `position` (m), which must be within the domain.
    #[inline]
    pub fn cell(&self, position: Vec3A) -> CellCoordinate {
        let scaled = ((position - self.low) * self.inverse_size).floor();
        // `as` saturates, and turns NaN into 0.
        self.clamp(IVec3::new(scaled.x as i32, scaled.y as i32, scaled.z as i32))
    }

    /// The cells between the corners of a box around `center` (m), not wrapped.
    #[inline]
    pub fn cells_around(&self, center: DVec3, half: f64) -> (CellCoordinate, CellCoordinate) {
        let low = self.low.as_dvec3();
        (((center - half - low) / self.size).floor().as_ivec3(), ((center + half - low) / self.size).floor().as_ivec3())
    }

    /// The center of `cell`, m.
    #[inline]
    pub fn center(&self, cell: CellCoordinate) -> DVec3 {
        self.low.as_dvec3() + (cell.as_dvec3() + 0.5) * self.size
    }

    #[inline]
    pub(super) fn clamp(&self, cell: CellCoordinate) -> CellCoordinate {
        cell.clamp(self.first, self.last)
    }

    /// Whether any axis is periodic.
    #[inline]
    pub fn is_periodic(&self) -> bool {
        self.domain.is_periodic()
    }

    /// The parts of `row` in one period each: as cells of the domain, with the image that a particle of these cells must take to be in
    /// `row`.
    pub fn within(&self, row: CellRow) -> impl Iterator<Item = (CellRow, Image)> {
        let CellRow { first, length } = row;
        let (turns_y, y) = self.wrapped(1, first.y);
        let (turns_z, z) = self.wrapped(2, first.z);
        let (count, end) = (self.counts.x, first.x + length);
        let mut from = first.x;
        std::iter::from_fn(move || {
            if from >= end {
                return None;
            }
            let (turns_x, x) = self.wrapped(0, from);
            let length = if count == 0 { end - from } else { (end - from).min(count - x) };
            from += length;
            Some((CellRow { first: IVec3::new(x, y, z), length }, Image::new(IVec3::new(turns_x, turns_y, turns_z))))
        })
    }

    /// Number of periods and coordinate within the domain.
    fn wrapped(&self, axis: usize, coordinate: i32) -> (i32, i32) {
        match self.counts[axis] {
            0 => (0, coordinate),
            count => (coordinate.div_euclid(count), coordinate.rem_euclid(count)),
        }
    }
}
