//! Voxel-grid search: simple outlines are entered in every cell that their box covers, complex ones only in the cells that their edges cross.
//!
//! A trough around a whole scene meets every box in it and touches few of them. Entered by its edges alone, it is tested only against what
//! lies in the same cells, edge by edge and not by its box. Two simple outlines may share several cells; they are tested in the lowest of
//! these, once, without a list of those found before.

use glam::{DVec2, IVec2};

use super::{Outlines, cells_of_segment, ordered};
use crate::{
    math::Rectangle,
    shape::polygon::{Moments, is_convex},
};

/// Sides of a cell for each longer side of the median box, if none is given: about the optimum measured, a flat one.
const CELLS_A_MEDIAN: f64 = 1.0;
/// Most cells for each outline; beyond that cells are made larger.
const MOST_CELLS: f64 = 16.0;

/// An outline is complex if it fills at most this share of its box,
const THIN: f64 = 1.0 / 3.0;
/// or if it is as long as this share of the scene and does not fill its box,
const LONG: f64 = 0.5;
const FULL: f64 = 0.9;
/// or if it is concave and has a box larger than this many median ones.
const LARGE: f64 = 16.0;

#[derive(Clone, Debug)]
pub struct VoxelGrid {
    cell_size: Option<f64>,
    /// The size that followed from the first outlines, if none was given.
    chosen: Option<f64>,
    simple: Cells,
    edges: Cells,
    /// What is needed of each entry of `simple`, in their order.
    entered: Vec<Entered>,
    /// Lowest cell of each outline.
    lowest: Vec<IVec2>,
    /// The last complex outline that met each simple one.
    stamp: Vec<u32>,
    ends: Vec<(u32, [DVec2; 2])>,
    complex_pairs: Vec<[u32; 2]>,
}

/// A simple outline in a cell.
#[derive(Clone, Copy, Debug)]
struct Entered {
    area: Rectangle,
    lowest: IVec2,
    outline: u32,
}

/// What lies in which cell.
#[derive(Clone, Debug, Default)]
struct Cells {
    /// Entries of cell `c` are those from `starts[c]` up to `starts[c + 1]`.
    starts: Vec<u32>,
    entries: Vec<u32>,
    /// Cell and entry as they come, to be sorted.
    unsorted: Vec<(u32, u32)>,
}

impl Cells {
    fn clear(&mut self) {
        self.unsorted.clear();
    }

    /// Sorts the entries by cell, in the order in which they came.
    fn sort(&mut self, cell_count: usize) {
        self.starts.clear();
        self.starts.resize(cell_count + 1, 0);
        for &(cell, _) in &self.unsorted {
            self.starts[cell as usize + 1] += 1;
        }
        for cell in 0..cell_count {
            self.starts[cell + 1] += self.starts[cell];
        }
        self.entries.resize(self.unsorted.len(), 0);
        for &(cell, entry) in self.unsorted.iter().rev() {
            // Filled from the back; afterwards each end stands at the cell's start.
            let end = &mut self.starts[cell as usize + 1];
            *end -= 1;
            self.entries[*end as usize] = entry;
        }
        self.starts.rotate_left(1);
        self.starts[cell_count] = self.unsorted.len() as u32;
    }

    fn range(&self, cell: usize) -> std::ops::Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }
}

/// The cells of one call.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    origin: DVec2,
    size: f64,
    /// One over the size.
    inverse: f64,
    counts: IVec2,
}

impl Lattice {
    fn cell(&self, point: DVec2) -> IVec2 {
        ((point - self.origin) * self.inverse).as_ivec2().clamp(IVec2::ZERO, self.counts - 1)
    }

    fn number(&self, cell: IVec2) -> u32 {
        (cell.y * self.counts.x + cell.x) as u32
    }
}

impl VoxelGrid {
    /// Cells of side `cell_size` (m), or of a size that follows from the median box.
    pub fn new(cell_size: Option<f64>) -> Self {
        Self {
            cell_size,
            chosen: None,
            simple: Cells::default(),
            edges: Cells::default(),
            entered: Vec::new(),
            lowest: Vec::new(),
            stamp: Vec::new(),
            ends: Vec::new(),
            complex_pairs: Vec::new(),
        }
    }

    /// Side of a cell in the last call, metres.
    pub fn cell_size(&self) -> Option<f64> {
        self.cell_size.or(self.chosen)
    }

    /// As [`super::PairSearch::find`].
    pub fn find(&mut self, outlines: &Outlines, reach: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let Some(lattice) = self.lattice(outlines, reach) else { return 0 };
        self.enter_simple(outlines, reach, &lattice);
        self.enter_edges(outlines, reach, &lattice);
        self.simple_pairs(reach, &lattice, pairs) + self.edge_pairs(outlines, reach, pairs) + self.complex_pairs(outlines, reach, pairs)
    }

    fn lattice(&mut self, outlines: &Outlines, reach: f64) -> Option<Lattice> {
        let present = || outlines.boxes.iter().filter(|one| !one.is_empty());
        let world = present().fold(Rectangle::EMPTY, |all, &one| all.union(one)).inflated(reach);
        let count = present().count();
        if count == 0 {
            return None;
        }
        let wanted = self.cell_size.or(self.chosen).unwrap_or_else(|| median_side(outlines) / CELLS_A_MEDIAN);
        self.chosen = Some(wanted);
        let size = wanted.max((world.area() / (MOST_CELLS * count as f64 + 64.0)).sqrt());
        let inverse = 1.0 / size;
        let counts = (world.extent() * inverse).as_ivec2() + 1;
        Some(Lattice { origin: world.min, size, inverse, counts })
    }

    fn enter_simple(&mut self, outlines: &Outlines, reach: f64, lattice: &Lattice) {
        self.simple.clear();
        self.lowest.resize(outlines.boxes.len(), IVec2::ZERO);
        let half = reach / 2.0;
        for (outline, one) in outlines.boxes.iter().enumerate() {
            if outlines.complex[outline] || one.is_empty() {
                continue;
            }
            let (low, high) = (lattice.cell(one.min - half), lattice.cell(one.max + half));
            self.lowest[outline] = low;
            for row in low.y..=high.y {
                let first = lattice.number(IVec2::new(low.x, row));
                self.simple.unsorted.extend((0..=(high.x - low.x) as u32).map(|column| (first + column, outline as u32)));
            }
        }
        self.simple.sort((lattice.counts.x * lattice.counts.y) as usize);
        self.entered.clear();
        let lowest = &self.lowest;
        self.entered.extend(self.simple.entries.iter().map(|&outline| Entered {
            area: outlines.boxes[outline as usize],
            lowest: lowest[outline as usize],
            outline,
        }));
    }

    fn enter_edges(&mut self, outlines: &Outlines, reach: f64, lattice: &Lattice) {
        self.edges.clear();
        self.ends.clear();
        for outline in (0..outlines.boxes.len()).filter(|&outline| outlines.complex[outline] && !outlines.boxes[outline].is_empty()) {
            let polygon = outlines.polygon(outline);
            for (k, &a) in polygon.iter().enumerate() {
                let ends = [a, polygon[(k + 1) % polygon.len()]];
                let edge = self.ends.len() as u32;
                self.ends.push((outline as u32, ends));
                cells_of_segment(ends, reach / 2.0, lattice.origin, lattice.size, |cell| {
                    if cell.cmpge(IVec2::ZERO).all() && cell.cmplt(lattice.counts).all() {
                        self.edges.unsorted.push((lattice.number(cell), edge));
                    }
                });
            }
        }
    }

    /// Two outlines that share cells are tested in the lowest of these, which is the higher of their lowest ones along each axis.
    fn simple_pairs(&self, reach: f64, lattice: &Lattice, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let mut checks = 0;
        for row in 0..lattice.counts.y {
            for column in 0..lattice.counts.x {
                let cell = IVec2::new(column, row);
                let entered = &self.entered[self.simple.range(lattice.number(cell) as usize)];
                for (place, one) in entered.iter().enumerate() {
                    let widened = one.area.inflated(reach);
                    for other in &entered[place + 1..] {
                        if one.lowest.max(other.lowest) == cell {
                            checks += 1;
                            if widened.overlaps(&other.area) {
                                pairs.push(ordered(one.outline, other.outline));
                            }
                        }
                    }
                }
            }
        }
        checks
    }

    /// Complex outlines with simple ones.
    fn edge_pairs(&mut self, outlines: &Outlines, reach: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        self.stamp.clear();
        self.stamp.resize(outlines.boxes.len(), u32::MAX);
        let mut checks = 0;
        for &(cell, edge) in &self.edges.unsorted {
            let (complex, ends) = self.ends[edge as usize];
            for place in self.simple.range(cell as usize) {
                let Entered { area, outline, .. } = self.entered[place];
                if self.stamp[outline as usize] == complex {
                    continue;
                }
                checks += 1;
                if segment_meets(ends, &area.inflated(reach)) {
                    self.stamp[outline as usize] = complex;
                    pairs.push(ordered(complex, outline));
                }
            }
        }
        checks
    }

    /// Complex outlines with one another.
    fn complex_pairs(&mut self, outlines: &Outlines, reach: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let first = outlines.complex.iter().position(|&complex| complex);
        if first.is_none_or(|first| !outlines.complex[first + 1..].contains(&true)) {
            return 0;
        }
        self.edges.sort(self.simple.starts.len() - 1);
        self.complex_pairs.clear();
        let mut checks = 0;
        for cell in 0..self.edges.starts.len() - 1 {
            let edges = &self.edges.entries[self.edges.range(cell)];
            for (place, &edge) in edges.iter().enumerate() {
                let (one, ends) = self.ends[edge as usize];
                let own = Rectangle::around(ends).inflated(reach);
                for &other_edge in &edges[place + 1..] {
                    let (other, other_ends) = self.ends[other_edge as usize];
                    if one != other {
                        checks += 1;
                        if own.overlaps(&Rectangle::around(other_ends)) {
                            self.complex_pairs.push(ordered(one, other));
                        }
                    }
                }
            }
        }
        self.complex_pairs.sort_unstable();
        self.complex_pairs.dedup();
        pairs.extend(&self.complex_pairs);
        checks
    }
}

/// Whether a segment has a point in common with a box: along x, along y and across the segment.
fn segment_meets([a, b]: [DVec2; 2], area: &Rectangle) -> bool {
    if !area.overlaps(&Rectangle { min: a.min(b), max: a.max(b) }) {
        return false;
    }
    // From the corners, not from the middle, so that no rounding parts an upright segment from a box that it touches.
    let normal = (b - a).perp();
    let (low, high) = (normal * (area.min - a), normal * (area.max - a));
    low.min(high).element_sum() <= 0.0 && low.max(high).element_sum() >= 0.0
}

fn median_side(outlines: &Outlines) -> f64 {
    let mut sides: Vec<f64> =
        outlines.boxes.iter().filter(|one| !one.is_empty()).map(|one| one.extent().max_element()).filter(|&side| side > 0.0).collect();
    let middle = sides.len() / 2;
    if sides.is_empty() { 1.0 } else { *sides.select_nth_unstable_by(middle, f64::total_cmp).1 }
}

/// Which outlines are complex: thin in their boxes, or long and not box-like, or large and concave. Asked once, at the beginning.
pub fn is_complex(vertices: &[DVec2], offsets: &[u32]) -> Vec<bool> {
    let polygons: Vec<&[DVec2]> = offsets.windows(2).map(|ends| &vertices[ends[0] as usize..ends[1] as usize]).collect();
    let boxes: Vec<Rectangle> = polygons.iter().map(|polygon| Rectangle::around(polygon.iter().copied())).collect();
    let scene = boxes.iter().fold(Rectangle::EMPTY, |all, &one| all.union(one)).extent();
    let mut areas: Vec<f64> = boxes.iter().map(Rectangle::area).collect();
    areas.sort_by(f64::total_cmp);
    let median = areas.get(areas.len() / 2).copied().unwrap_or(0.0);
    let complex = |(polygon, own): (&&[DVec2], &Rectangle)| {
        let share = Moments::of(polygon).area / own.area();
        let long = (own.extent() / scene).max_element() >= LONG && share < FULL;
        let large = own.area() > LARGE * median && !is_convex(polygon);
        polygons.len() > 2 && (share <= THIN || long || large)
    };
    polygons.iter().zip(&boxes).map(complex).collect()
}
