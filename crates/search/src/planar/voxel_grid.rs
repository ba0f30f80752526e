//! Voxel-grid search: simple outlines are entered into every cell that their box covers, complex ones only into the cells that their edges
//! cross.
//!
//! A trough around a whole scene overlaps the box of every block but touches few of them. Entered by its edges alone, it is tested only
//! against entries of the same cells, edge by edge and not by its box. Two simple outlines may share several cells; they are tested only in
//! the lowest of these, so no list of pairs already found is needed. The pairs are kept until something has moved so far that others may
//! have come near ([`VerletList`]).

use glam::{DVec2, IVec2};
use plimsoll_base::math::{OffsetLists, Rectangle};
use serde::{Deserialize, Serialize};

use super::{
    cells_of_segment,
    outlines::{Outlines, ordered},
    verlet_list::{Edge, VerletList, segment_meets},
};

/// Number of cell sides per median box side (the longer one), if no size is given: near the measured optimum, which is flat.
const CELLS_PER_MEDIAN: f64 = 1.0;
/// Maximum number of cells per outline; above this, cells are enlarged.
const MAX_CELLS: f64 = 16.0;

/// A voxel grid, with the state kept between calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VoxelGrid {
    cell_size: Option<f64>,
    /// Cell size derived from the first outlines, if none was given.
    chosen: Option<f64>,
    #[serde(skip)]
    simple: CellEntries,
    #[serde(skip)]
    edges: CellEntries,
    /// Data of each entry of `simple`, in the same order.
    #[serde(skip)]
    entered: Vec<Entered>,
    /// Lowest cell of each outline.
    #[serde(skip)]
    lowest: Vec<IVec2>,
    /// Edges of complex outlines.
    #[serde(skip)]
    ends: Vec<Edge>,
    /// The last complex edge tested against each simple outline.
    #[serde(skip)]
    stamp: Vec<u32>,
    list: VerletList,
}

/// A simple outline in a cell.
#[derive(Clone, Copy, Debug)]
struct Entered {
    area: Rectangle,
    lowest: IVec2,
    outline: u32,
}

/// Entries of each cell.
#[derive(Clone, Debug, Default)]
struct CellEntries {
    by_cell: OffsetLists,
    /// Cell and entry, in order of insertion.
    unsorted: Vec<(u32, u32)>,
}

impl CellEntries {
    /// Sorts the entries by cell; entries of a cell keep the order of insertion.
    fn sort(&mut self, cell_count: usize) {
        self.by_cell.rebuild(cell_count, self.unsorted.iter().copied());
    }
}

/// The cells of one call.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    origin: DVec2,
    size: f64,
    /// Reciprocal of the size.
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
    /// `cell_size` (m) is the side of a cell; if absent, it is derived from the median box.
    pub fn new(cell_size: Option<f64>) -> Self {
        Self {
            cell_size,
            chosen: None,
            simple: CellEntries::default(),
            edges: CellEntries::default(),
            entered: Vec::new(),
            lowest: Vec::new(),
            ends: Vec::new(),
            stamp: Vec::new(),
            list: VerletList::default(),
        }
    }

    /// Side of a cell in the last call, meters.
    pub fn cell_size(&self) -> Option<f64> {
        self.cell_size.or(self.chosen)
    }

    /// See [`super::PairSearch::find`].
    pub fn find(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let mut checks = 0;
        if !self.list.holds(outlines, cutoff) {
            checks += self.list(outlines, cutoff);
        }
        checks + self.list.pairs(outlines, cutoff, pairs)
    }

    /// Rebuilds the lists of nearby pairs from the cells.
    fn list(&mut self, outlines: &Outlines, cutoff: f64) -> u64 {
        self.list.begin(outlines, cutoff);
        let cutoff = VerletList::listed(cutoff);
        let Some(lattice) = self.lattice(outlines, cutoff) else { return 0 };
        self.enter_simple(outlines, cutoff, &lattice);
        self.enter_edges(outlines, cutoff, &lattice);
        self.simple_pairs(cutoff, &lattice) + self.edge_pairs(outlines, cutoff) + self.complex_pairs(outlines, cutoff)
    }

    fn lattice(&mut self, outlines: &Outlines, cutoff: f64) -> Option<Lattice> {
        let present = || outlines.boxes.iter().filter(|one| !one.is_empty());
        let world = present().fold(Rectangle::EMPTY, |all, &one| all.union(one)).inflated(cutoff);
        let count = present().count();
        if count == 0 {
            return None;
        }
        let wanted = self.cell_size.or(self.chosen).unwrap_or_else(|| median_side(outlines) / CELLS_PER_MEDIAN);
        self.chosen = Some(wanted);
        let most = MAX_CELLS * count as f64 + 64.0;
        // Neither all cells nor those of one row may be more.
        let size = wanted.max((world.area() / most).sqrt()).max(world.extent().max_element() / most);
        let inverse = 1.0 / size;
        let counts = (world.extent() * inverse).as_ivec2() + 1;
        Some(Lattice { origin: world.min, size, inverse, counts })
    }

    fn enter_simple(&mut self, outlines: &Outlines, cutoff: f64, lattice: &Lattice) {
        self.simple.unsorted.clear();
        self.lowest.resize(outlines.boxes.len(), IVec2::ZERO);
        let half = cutoff / 2.0;
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
        self.entered.extend(self.simple.by_cell.values().iter().map(|&outline| Entered {
            area: outlines.boxes[outline as usize],
            lowest: lowest[outline as usize],
            outline,
        }));
    }

    fn enter_edges(&mut self, outlines: &Outlines, cutoff: f64, lattice: &Lattice) {
        self.edges.unsorted.clear();
        self.ends.clear();
        for outline in (0..outlines.boxes.len()).filter(|&outline| outlines.complex[outline] && !outlines.boxes[outline].is_empty()) {
            let (first, end) = (outlines.offsets[outline], outlines.offsets[outline + 1]);
            for index in first..end {
                let edge = Edge { outline: outline as u32, ends: [index, if index + 1 == end { first } else { index + 1 }] };
                let number = self.ends.len() as u32;
                self.ends.push(edge);
                cells_of_segment(edge.points(outlines), cutoff / 2.0, lattice.origin, lattice.size, |cell| {
                    if cell.cmpge(IVec2::ZERO).all() && cell.cmplt(lattice.counts).all() {
                        self.edges.unsorted.push((lattice.number(cell), number));
                    }
                });
            }
        }
    }

    /// Pairs of simple outlines. Two outlines that share cells are tested in the lowest shared cell, which is the maximum of their lowest
    /// cells along each axis.
    fn simple_pairs(&mut self, cutoff: f64, lattice: &Lattice) -> u64 {
        let mut checks = 0;
        for row in 0..lattice.counts.y {
            for column in 0..lattice.counts.x {
                let cell = IVec2::new(column, row);
                let entered = &self.entered[self.simple.by_cell.range(lattice.number(cell) as usize)];
                for (place, one) in entered.iter().enumerate() {
                    let widened = one.area.inflated(cutoff);
                    for other in &entered[place + 1..] {
                        if one.lowest.max(other.lowest) == cell {
                            checks += 1;
                            if widened.overlaps(&other.area) {
                                self.list.simple.push(ordered(one.outline, other.outline));
                            }
                        }
                    }
                }
            }
        }
        checks
    }

    /// Pairs of complex and simple outlines.
    fn edge_pairs(&mut self, outlines: &Outlines, cutoff: f64) -> u64 {
        self.stamp.clear();
        self.stamp.resize(outlines.boxes.len(), u32::MAX);
        let mut checks = 0;
        for &(cell, number) in &self.edges.unsorted {
            let edge = self.ends[number as usize];
            for place in self.simple.by_cell.range(cell as usize) {
                let Entered { area, outline, .. } = self.entered[place];
                if std::mem::replace(&mut self.stamp[outline as usize], number) == number {
                    continue;
                }
                checks += 1;
                if segment_meets(edge.points(outlines), &area.inflated(cutoff)) {
                    self.list.edges.push((edge, outline));
                }
            }
        }
        checks
    }

    /// Pairs of complex outlines.
    fn complex_pairs(&mut self, outlines: &Outlines, cutoff: f64) -> u64 {
        let first = outlines.complex.iter().position(|&complex| complex);
        if first.is_none_or(|first| !outlines.complex[first + 1..].contains(&true)) {
            return 0;
        }
        self.edges.sort(self.simple.by_cell.key_count());
        let mut checks = 0;
        for cell in 0..self.edges.by_cell.key_count() {
            let edges = self.edges.by_cell.of(cell);
            for (place, &number) in edges.iter().enumerate() {
                let one = self.ends[number as usize];
                let own = Rectangle::around(one.points(outlines)).inflated(cutoff);
                for other in edges[place + 1..].iter().map(|&number| self.ends[number as usize]) {
                    if one.outline != other.outline {
                        checks += 1;
                        if own.overlaps(&Rectangle::around(other.points(outlines))) {
                            self.list.complex.push([one, other]);
                        }
                    }
                }
            }
        }
        checks
    }
}

fn median_side(outlines: &Outlines) -> f64 {
    let mut sides: Vec<f64> =
        outlines.boxes.iter().filter(|one| !one.is_empty()).map(|one| one.extent().max_element()).filter(|&side| side > 0.0).collect();
    let middle = sides.len() / 2;
    if sides.is_empty() { 1.0 } else { *sides.select_nth_unstable_by(middle, f64::total_cmp).1 }
}
