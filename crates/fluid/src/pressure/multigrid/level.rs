//! One level of the grids: linear finite elements on those cubic cells that contain particles.

use glam::IVec3;
use plimsoll_base::math::{
    lanes::{self, LANES, LaneWork, Lanes, Places},
    parallel::InTasks,
};
use rayon::prelude::*;

use super::axes::{Axes, corner_offset};

/// Damping of the Jacobi smoothing. The number of sweeps is the same from 0.5 to 0.9; cells that are filled in part bear less damping badly.
const DAMPING: f32 = 0.5;
/// Smoothing steps on the coarsest level, which has few nodes.
const COARSEST_STEPS: usize = 20;
/// Number of nodes that may remain on the coarsest level.
pub const FEW_NODES: usize = 40;
/// Number of nodes per task.
const NODES: usize = 256;
const ABSENT: u32 = u32::MAX;

/// The matrix of one cell, for its corners.
pub type Element = [[f32; 8]; 8];

/// Up to 32 numbers of other nodes, each with a factor.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    places: [Places; 4],
    factors: [[f32; LANES]; 4],
}

/// A level.
#[derive(Clone, Debug, Default)]
pub struct Level {
    pub axes: Axes,
    /// Keys of the occupied cells, ascending.
    pub cells: Vec<u64>,
    /// Their matrices.
    pub elements: Vec<Element>,
    /// Keys of the cells' corners, ascending.
    nodes: Vec<u64>,
    /// The nodes at the corners of each cell.
    pub corners: Vec<[u32; 8]>,
    /// For each corner, the cell that has the node there.
    cells_around: Vec<[u32; 8]>,
    /// Share of the energy of a constant pressure.
    pub constants: Vec<f32>,
    matrix: Vec<Row>,
    inverse_diagonal: Vec<f32>,
    /// The nodes of the next level that a node is interpolated from, and those of the last level that are interpolated from a node.
    coarser: Vec<Row>,
    finer: Vec<Row>,
    pub load: Vec<f32>,
    pub solution: Vec<f32>,
    last: Vec<f32>,
}

impl Level {
    /// Makes the nodes of the cells.
    pub fn place_nodes(&mut self) {
        let Self { axes, cells, nodes, corners, cells_around, .. } = self;
        nodes.clear();
        nodes.extend(
            cells
                .iter()
                .flat_map(|&cell| (0..8).map(move |corner| (cell, corner)))
                .map(|(cell, corner)| axes.key(Axes::coordinate(cell) + corner_offset(corner))),
        );
        nodes.par_sort_unstable();
        nodes.dedup();
        let find = |key: u64| nodes.binary_search(&key).expect("every corner is a node") as u32;
        let corners_of = |&cell: &u64| {
            let corner = |corner: usize| find(axes.key(Axes::coordinate(cell) + corner_offset(corner)));
            std::array::from_fn(corner)
        };
        cells.par_iter().map(corners_of).in_tasks(NODES).collect_into(corners);
        let cells_of = |&node: &u64| {
            let cell = |corner: usize| cells.binary_search(&axes.key(Axes::coordinate(node) - corner_offset(corner)));
            std::array::from_fn(|corner| cell(corner).map_or(ABSENT, |cell| cell as u32))
        };
        nodes.par_iter().map(cells_of).in_tasks(NODES).collect_into(cells_around);
        let count = nodes.len();
        for values in [&mut self.constants, &mut self.load, &mut self.solution, &mut self.last] {
            values.clear();
            values.resize(count, 0.0);
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Sum for each node of what the cells around it have at its corner, into `sums`.
    pub fn gather_corners(cells_around: &[[u32; 8]], values: &[[f32; 8]], sums: &mut [f32]) {
        sums.par_iter_mut().zip(cells_around).in_tasks(NODES).for_each(|(sum, cells)| {
            let present = cells.iter().enumerate().filter(|(_, cell)| **cell != ABSENT);
            *sum = present.map(|(corner, &cell)| values[cell as usize][corner]).sum();
        });
    }

    /// Sets the load to the sums of `values` at the corners of the cells.
    pub fn set_load(&mut self, values: &[[f32; 8]]) {
        Self::gather_corners(&self.cells_around, values, &mut self.load);
    }

    /// Sets the energies of constant pressure to the sums of `values` at the corners of the cells.
    pub fn set_constants(&mut self, values: &[[f32; 8]]) {
        Self::gather_corners(&self.cells_around, values, &mut self.constants);
    }

    /// Makes the matrices of the cells, whose particles have these sums of `V w_i` (m³/kg): `p·K p` is `Σ V w_i (∇p)²`, as if they filled the
    /// cells evenly.
    pub fn fill(&mut self, masses: impl Iterator<Item = f32>) {
        let stiffness = stiffness(&self.axes);
        self.elements.clear();
        self.elements.extend(masses.map(|mass| stiffness.map(|row| row.map(|value| mass * value))));
    }

    /// Assembles the matrix, with the energies of constant pressure.
    pub fn assemble(&mut self) {
        let Self { elements, corners, cells_around, constants, matrix, inverse_diagonal, .. } = self;
        let row = |(node, (cells, constant)): (usize, (&[u32; 8], &f32))| {
            let mut row = Row { places: [Places([node as u32; LANES]); 4], ..Row::default() };
            for (own, &cell) in cells.iter().enumerate().filter(|(_, cell)| **cell != ABSENT) {
                for (other, &place) in corners[cell as usize].iter().enumerate() {
                    let slot = slot(corner_offset(other) - corner_offset(own));
                    row.places[slot / LANES].0[slot % LANES] = place;
                    row.factors[slot / LANES][slot % LANES] += elements[cell as usize][own][other];
                }
            }
            let center = slot(IVec3::ZERO);
            row.factors[center / LANES][center % LANES] += constant;
            row
        };
        let nodes = cells_around.par_iter().zip(&*constants).enumerate();
        nodes.map(row).in_tasks(NODES).collect_into(matrix);
        let rows = matrix.par_iter().enumerate();
        rows.map(|(node, row)| row.inverse_diagonal(node as u32)).in_tasks(NODES).collect_into(inverse_diagonal);
    }

    /// Makes `next`, with cells twice as wide, and the interpolation between the two. The matrix of a cell is that of the cells in it for functions
    /// of its corners (Galerkin): were it smaller, as an evenly filled cell's may be, corrections would be too large and no longer positive.
    pub fn coarsen(&mut self, next: &mut Level) {
        next.axes = self.axes.coarser();
        let halved = self.axes.halved();
        let parent = |cell: u64| next.axes.key(Axes::coordinate(cell) >> halved);
        let mut order: Vec<(u64, u32)> = self.cells.iter().zip(0..).map(|(&cell, index)| (parent(cell), index)).collect();
        order.sort_unstable();
        next.cells.clear();
        next.cells.extend(order.iter().map(|&(parent, _)| parent));
        next.cells.dedup();
        let children: Vec<&[(u64, u32)]> = order.chunk_by(|a, b| a.0 == b.0).collect();
        let interpolations: [Element; 8] = std::array::from_fn(|octant| interpolation(corner_offset(octant) & halved, halved));
        let element = |children: &&[(u64, u32)]| {
            let mut sum = Element::default();
            for &(_, child) in *children {
                let bits = Axes::coordinate(self.cells[child as usize]) & halved;
                let octant = (bits.x + 2 * bits.y + 4 * bits.z) as usize;
                add_product(&mut sum, &interpolations[octant], &self.elements[child as usize]);
            }
            sum
        };
        children.par_iter().map(element).in_tasks(NODES).collect_into(&mut next.elements);
        next.place_nodes();
        self.interpolate(next, halved);
    }

    fn interpolate(&mut self, next: &mut Level, halved: IVec3) {
        let Self { axes, nodes, coarser, constants, .. } = self;
        let find = |nodes: &[u64], key: u64| nodes.binary_search(&key).ok().map(|place| place as u32);
        let (coarse_nodes, coarse_axes) = (&next.nodes, next.axes);
        let upward = |&node: &u64| {
            let at = Axes::coordinate(node);
            let between = at & halved;
            let mut row = Row::default();
            // Half way between two nodes a value is half of each.
            let factor = 0.5_f32.powi(between.element_sum());
            for (corner, offset) in (0..8).map(|corner| (corner, corner_offset(corner))).filter(|(_, offset)| *offset & between == *offset)
            {
                let place = find(coarse_nodes, coarse_axes.key((at >> halved) + offset)).expect("corners of the cell around");
                (row.places[0].0[corner], row.factors[0][corner]) = (place, factor);
            }
            row
        };
        nodes.par_iter().map(upward).in_tasks(NODES).collect_into(coarser);
        let downward = |&node: &u64| {
            let at = Axes::coordinate(node) << halved;
            let mut row = Row::default();
            for index in 0..27 {
                let offset = IVec3::new(index % 3, index / 3 % 3, index / 9) - 1;
                // Along an axis that is not halved, both levels have the same nodes.
                let reached = (offset & !halved & 1) == IVec3::ZERO;
                if let Some(place) = reached.then(|| find(nodes, axes.key(at + offset))).flatten() {
                    let slot = slot(offset);
                    let factor = 0.5_f32.powi(offset.abs().element_sum());
                    (row.places[slot / LANES].0[slot % LANES], row.factors[slot / LANES][slot % LANES]) = (place, factor);
                }
            }
            row
        };
        coarse_nodes.par_iter().map(downward).in_tasks(NODES).collect_into(&mut next.finer);
        multiply(&next.finer, constants, &[], &mut next.constants);
    }

    /// One smoothing step.
    fn smooth(&mut self) {
        let Self { matrix, inverse_diagonal, load, solution, last, .. } = self;
        std::mem::swap(solution, last);
        let last = &*last;
        let values = matrix.par_chunks(NODES).zip(load.par_chunks(NODES)).zip(inverse_diagonal.par_chunks(NODES));
        solution.par_chunks_mut(NODES).zip(values).enumerate().in_tasks(1).for_each(|(task, (solution, ((rows, load), inverse)))| {
            lanes::compute(Products { rows, values: last, results: solution });
            let old = &last[task * NODES..];
            for (node, value) in solution.iter_mut().enumerate() {
                *value = old[node] + DAMPING * inverse[node] * (load[node] - *value);
            }
        });
    }
}

/// One V-cycle for `K solution = load` on the first of `levels`, from zero.
pub fn cycle(levels: &mut [Level]) {
    let Some((level, coarser)) = levels.split_first_mut() else { return };
    level.solution.iter_mut().zip(&level.load).zip(&level.inverse_diagonal).for_each(|((value, load), inverse)| {
        *value = DAMPING * inverse * load;
    });
    let Some(next) = coarser.first_mut() else {
        (1..COARSEST_STEPS).for_each(|_| level.smooth());
        return;
    };
    multiply(&level.matrix, &level.solution, &level.load, &mut level.last);
    multiply(&next.finer, &level.last, &[], &mut next.load);
    cycle(coarser);
    let Level { coarser: rows, solution, last, .. } = level;
    multiply(rows, &coarser[0].solution, &[], last);
    solution.iter_mut().zip(&*last).for_each(|(value, correction)| *value += correction);
    level.smooth();
}

impl Row {
    /// Where periods are short, a node is its own neighbour.
    fn inverse_diagonal(&self, node: u32) -> f32 {
        let own = |(places, factors): (&Places, &[f32; LANES])| -> f32 {
            places.0.iter().zip(factors).filter(|(place, _)| **place == node).map(|(_, factor)| *factor).sum()
        };
        let diagonal: f32 = self.places.iter().zip(&self.factors).map(own).sum();
        if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 }
    }
}

/// The place in a row of the neighbour at `offset`.
fn slot(offset: IVec3) -> usize {
    (offset.x + 1 + 3 * (offset.y + 1) + 9 * (offset.z + 1)) as usize
}

/// `∫ ∇N_a·∇N_b dV`, per volume of the cell, for the linear functions of its corners, 1/m².
fn stiffness(axes: &Axes) -> Element {
    let same = |a: usize, b: usize, axis: usize| (a ^ b) >> axis & 1 == 0;
    let overlap = |a: usize, b: usize, axis: usize| if same(a, b, axis) { 1.0 / 3.0 } else { 1.0 / 6.0 };
    let slope = |a: usize, b: usize, axis: usize| {
        let width = axes.widths[axis];
        if same(a, b, axis) { 1.0 / (width * width) } else { -1.0 / (width * width) }
    };
    let along = |a, b, axis: usize| slope(a, b, axis) * overlap(a, b, (axis + 1) % 3) * overlap(a, b, (axis + 2) % 3);
    std::array::from_fn(|a| std::array::from_fn(|b| (0..3).map(|axis| along(a, b, axis)).sum()))
}

/// The values at the corners of a cell at `octant` within a cell twice as wide along the `halved` axes, from those at the corners of the latter.
fn interpolation(octant: IVec3, halved: IVec3) -> Element {
    let weight = |own: usize, wide: usize| {
        let (place, wide) = (octant + corner_offset(own), corner_offset(wide));
        let along = |axis: usize| {
            let share = place[axis] as f32 / (1 + halved[axis]) as f32;
            if wide[axis] == 1 { share } else { 1.0 - share }
        };
        along(0) * along(1) * along(2)
    };
    std::array::from_fn(|own| std::array::from_fn(|wide| weight(own, wide)))
}

/// Adds `Tᵀ E T`.
fn add_product(sum: &mut Element, t: &Element, e: &Element) {
    let et: Element = std::array::from_fn(|a| std::array::from_fn(|b| (0..8).map(|k| e[a][k] * t[k][b]).sum()));
    for (a, row) in sum.iter_mut().enumerate() {
        for (b, value) in row.iter_mut().enumerate() {
            *value += (0..8).map(|k| t[k][a] * et[k][b]).sum::<f32>();
        }
    }
}

/// `rows · values` into `results`; if there is a `load`, what remains of it.
fn multiply(rows: &[Row], values: &[f32], load: &[f32], results: &mut [f32]) {
    results.par_chunks_mut(NODES).zip(rows.par_chunks(NODES)).enumerate().in_tasks(1).for_each(|(task, (results, rows))| {
        lanes::compute(Products { rows, values, results });
        if !load.is_empty() {
            results.iter_mut().zip(&load[task * NODES..]).for_each(|(result, load)| *result = load - *result);
        }
    });
}

/// The product of each row with `values`.
struct Products<'a> {
    rows: &'a [Row],
    values: &'a [f32],
    results: &'a mut [f32],
}

impl LaneWork for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for (result, row) in self.results.iter_mut().zip(self.rows) {
            let [a, b, c, d] = &row.places;
            let one = L::gather(self.values, a) * L::load(&row.factors[0]) + L::gather(self.values, b) * L::load(&row.factors[1]);
            let other = L::gather(self.values, c) * L::load(&row.factors[2]) + L::gather(self.values, d) * L::load(&row.factors[3]);
            *result = (one + other).sum();
        }
    }
}

#[cfg(test)]
impl Level {
    /// Coordinates of a node.
    pub fn node(&self, node: usize) -> IVec3 {
        Axes::coordinate(self.nodes[node])
    }

    /// The matrix times `values`.
    pub fn image(&self, values: &[f32]) -> Vec<f32> {
        let mut image = vec![0.0; values.len()];
        multiply(&self.matrix, values, &[], &mut image);
        image
    }
}
