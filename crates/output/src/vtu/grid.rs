//! Unstructured grids before they are written.

use std::ops::Range;

use plimsoll_contract::frame::{Field, FieldValues};

/// Points, cells and the values on them.
#[derive(Clone, Debug)]
pub struct Grid<'a> {
    /// Meters.
    pub points: &'a [[f32; 3]],
    /// How the points are connected.
    pub cells: Cells<'a>,
    /// One value per point.
    pub point_data: Vec<Array<'a>>,
    /// One value per cell.
    pub cell_data: Vec<Array<'a>>,
}

/// The cells of a grid. Unless they list their points, each cell consists of the points that follow those of the cell before.
#[derive(Clone, Copy, Debug)]
pub enum Cells<'a> {
    /// One point each.
    Vertices,
    /// Two points each.
    Lines,
    /// The points of each triangle.
    Triangles(&'a [[u32; 3]]),
    /// The index after that of the last point of each polygon.
    Polygons(&'a [u32]),
    /// One cell without points.
    Placeholder,
}

/// A named array.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    /// The name in the file.
    pub name: &'a str,
    /// One value per point or cell.
    pub values: Values<'a>,
}

/// The values of an array.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Unsigned numbers.
    Integers(&'a [u32]),
    /// Single-precision numbers.
    Scalars(&'a [f32]),
    /// Vectors of three components.
    Vectors(&'a [[f32; 3]]),
}

impl<'a> Grid<'a> {
    /// Grids that are this one together, which has points: vertices and lines with at most `most` points per grid, other cells undivided. All grids but the
    /// last are equally large; their size is chosen so that the last is small.
    pub fn pieces(&self, most: usize) -> Vec<Grid<'a>> {
        let corners = match self.cells {
            Cells::Vertices => 1,
            Cells::Lines => 2,
            Cells::Triangles(_) | Cells::Polygons(_) | Cells::Placeholder => return vec![self.clone()],
        };
        let (count, most) = (self.points.len() / corners, most / corners);
        let size = if count <= most { most } else { (most / 2..=most).rev().min_by_key(|size| count % size).unwrap_or(most) };
        (0..count).step_by(size).map(|start| self.piece(start..count.min(start + size), corners)).collect()
    }

    /// A grid without points as it is written: with one cell, which has no points and zeros as values. VTK opens grids without any cell, but
    /// meshio takes the type of the first one.
    pub fn placeholder(&self) -> Grid<'a> {
        let cell_data = self.cell_data.iter().map(Array::zero).collect();
        Grid { points: &[], cells: Cells::Placeholder, point_data: self.point_data.clone(), cell_data }
    }

    /// The `cells` of `corners` points each.
    fn piece(&self, cells: Range<usize>, corners: usize) -> Grid<'a> {
        let points = corners * cells.start..corners * cells.end;
        let part = |arrays: &[Array<'a>], range: &Range<usize>| arrays.iter().map(|array| array.part(range.clone())).collect();
        Grid {
            points: &self.points[points.clone()],
            cells: self.cells,
            point_data: part(&self.point_data, &points),
            cell_data: part(&self.cell_data, &cells),
        }
    }

    /// Number of cells.
    pub fn cell_count(&self) -> usize {
        match self.cells {
            Cells::Vertices => self.points.len(),
            Cells::Lines => self.points.len() / 2,
            Cells::Triangles(corners) => corners.len(),
            Cells::Polygons(ends) => ends.len(),
            Cells::Placeholder => 1,
        }
    }
}

impl<'a> Array<'a> {
    /// An array of the same kind with one value, zero.
    fn zero(&self) -> Self {
        let values = match self.values {
            Values::Integers(_) => Values::Integers(&[0]),
            Values::Scalars(_) => Values::Scalars(&[0.0]),
            Values::Vectors(_) => Values::Vectors(&[[0.0; 3]]),
        };
        Self { name: self.name, values }
    }

    /// The values in `range`.
    fn part(&self, range: Range<usize>) -> Self {
        let values = match self.values {
            Values::Integers(values) => Values::Integers(&values[range]),
            Values::Scalars(values) => Values::Scalars(&values[range]),
            Values::Vectors(values) => Values::Vectors(&values[range]),
        };
        Self { name: self.name, values }
    }
}

impl<'a> From<&'a Field> for Array<'a> {
    fn from(field: &'a Field) -> Self {
        let values = match &field.values {
            FieldValues::Integer(values) => Values::Integers(values),
            FieldValues::Scalar(values) => Values::Scalars(values),
            FieldValues::Vector(values) => Values::Vectors(values),
        };
        Self { name: &field.name, values }
    }
}
