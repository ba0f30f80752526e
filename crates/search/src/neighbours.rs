//! Neighbour lists: for each particle, the other particles within a radius, in blocks of eight.

use std::ops::Range;

use glam::Vec3A;
use plimsoll_base::math::{
    Image, Periods,
    lanes::{self, BlockLists, LANES, LaneWork, Lanes},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use crate::{CellCoordinate, CellGrid, CellRow, grid::RowsAround, reuse};

/// The neighbours of all particles, in batches of [`TASK`] particles.
#[derive(Clone, Debug, Default)]
pub struct NeighbourLists {
    batches: Vec<BlockLists>,
    buffers: Vec<SearchBuffers>,
    count: usize,
    periods: Periods,
    columns: Columns,
}

/// Coordinates for distance tests eight at a time, m.
#[derive(Clone, Debug, Default)]
struct Columns {
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
}

/// Buffers of the search.
#[derive(Clone, Debug, Default)]
struct SearchBuffers {
    stretches: Vec<Stretch>,
    candidates: Candidates,
    /// The neighbours of one particle.
    found: Vec<u32>,
}

/// A contiguous range of particles in the cells around a cell, shifted by `shift` (m).
#[derive(Clone, Debug)]
struct Stretch {
    range: Range<usize>,
    image: Image,
    shift: Vec3A,
}

/// The particles around a cell, eight by eight; filled up with particles at infinity.
#[derive(Clone, Debug, Default)]
struct Candidates {
    columns: Columns,
    numbers: Vec<u32>,
    /// Shifts across periodic ends, m; unused in open space.
    shifts: Columns,
}

impl NeighbourLists {
    /// Finds, for each of `positions` (sorted in the grid's order), the others closer than the minimum size of the grid's cells.
    pub fn rebuild(&mut self, grid: &CellGrid, positions: &[Vec3A]) {
        self.count = positions.len();
        self.periods = grid.layout().periods();
        self.columns.fill(positions);
        let (columns, batches) = (&self.columns, reuse(&mut self.batches, self.count.div_ceil(TASK)));
        let buffers = reuse(&mut self.buffers, batches.len());
        batches.par_iter_mut().zip(buffers).enumerate().in_tasks(1).for_each(|(task, (batch, buffers))| {
            let first = task * TASK;
            let count = positions.len();
            lanes::compute(BatchSearch { batch, buffers, grid, columns, count, particles: first..(first + TASK).min(count) });
        });
    }

    /// The batches, each of [`TASK`] particles but the last.
    pub fn batches(&self) -> &[BlockLists] {
        &self.batches[..self.count.div_ceil(TASK)]
    }

    /// Neighbours of particle `index`, without itself.
    pub fn of(&self, index: usize) -> impl Iterator<Item = u32> + '_ {
        self.batches[index / TASK].places(index % TASK).filter(move |&other| other as usize != index)
    }

    /// `a − b` between the positions (m) of neighbours, across periodic ends.
    #[inline]
    pub fn difference(&self, a: Vec3A, b: Vec3A) -> Vec3A {
        self.periods.difference(a, b)
    }

    /// The periods across which [`NeighbourLists::difference`] reaches.
    pub fn periods(&self) -> &Periods {
        &self.periods
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Columns {
    fn resize(&mut self, count: usize) {
        let Self { x, y, z } = self;
        [x, y, z].into_iter().for_each(|column| column.resize(count, 0.0));
    }

    fn fill(&mut self, positions: &[Vec3A]) {
        self.resize(positions.len());
        let Self { x, y, z } = self;
        let columns = x.par_chunks_mut(TASK).zip(y.par_chunks_mut(TASK)).zip(z.par_chunks_mut(TASK));
        positions.par_chunks(TASK).zip(columns).in_tasks(1).for_each(|(positions, ((x, y), z))| {
            for (((position, x), y), z) in positions.iter().zip(x).zip(y).zip(z) {
                [*x, *y, *z] = position.to_array();
            }
        });
    }
}

/// Finds the neighbours of a batch of particles.
struct BatchSearch<'a> {
    batch: &'a mut BlockLists,
    buffers: &'a mut SearchBuffers,
    grid: &'a CellGrid,
    columns: &'a Columns,
    /// Number of all particles.
    count: usize,
    particles: Range<usize>,
}

impl LaneWork for BatchSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { batch, buffers, grid, columns, count, particles } = self;
        for far in [false, true] {
            batch.clear(particles.start, count, far);
            if fill::<L>(batch, buffers, grid, columns, particles.clone()) {
                return;
            }
        }
    }
}

/// Lists the neighbours of `particles`; returns whether all of them can be stored. The last block of a particle is filled up with the particle itself.
#[inline(always)]
fn fill<L: Lanes>(
    batch: &mut BlockLists,
    buffers: &mut SearchBuffers,
    grid: &CellGrid,
    columns: &Columns,
    particles: Range<usize>,
) -> bool {
    let SearchBuffers { stretches, candidates, found } = buffers;
    let squared_radius = grid.layout().min_size * grid.layout().min_size;
    let (mut rows, mut particle) = (grid.rows_around(), particles.start);
    for cell in grid.cell_of(particles.start).. {
        if particle >= particles.end {
            break;
        }
        list_stretches(grid, &mut rows, cell, stretches);
        candidates.fill(columns, stretches, grid.layout().is_periodic());
        if found.len() < candidates.numbers.len() + LANES {
            found.resize(candidates.numbers.len() + LANES, 0);
        }
        while particle < grid.particles(cell).end.min(particles.end) {
            let at = [columns.x[particle], columns.y[particle], columns.z[particle]];
            let count = match grid.layout().is_periodic() {
                false => candidates.near::<L, false>(particle as u32, at, squared_radius, found),
                true => candidates.near::<L, true>(particle as u32, at, squared_radius, found),
            };
            found[count..count + LANES].fill(particle as u32);
            if !batch.push::<L>(&found[..count.next_multiple_of(LANES)]) {
                return false;
            }
            particle += 1;
        }
    }
    true
}

impl Candidates {
    /// Copies the particles of `stretches`.
    #[inline(always)]
    fn fill(&mut self, columns: &Columns, stretches: &[Stretch], periodic: bool) {
        let Self { columns: own, numbers, shifts } = self;
        let count: usize = stretches.iter().map(|stretch| stretch.range.len()).sum();
        own.resize(count.next_multiple_of(LANES));
        numbers.resize(count.next_multiple_of(LANES), 0);
        let mut start = 0;
        for Stretch { range, shift, .. } in stretches {
            let end = start + range.len();
            own.x[start..end].copy_from_slice(&columns.x[range.clone()]);
            own.y[start..end].copy_from_slice(&columns.y[range.clone()]);
            own.z[start..end].copy_from_slice(&columns.z[range.clone()]);
            numbers[start..end].iter_mut().zip(range.clone()).for_each(|(number, particle)| *number = particle as u32);
            if periodic {
                shifts.resize(own.x.len());
                shifts.x[start..end].fill(shift.x);
                shifts.y[start..end].fill(shift.y);
                shifts.z[start..end].fill(shift.z);
            }
            start = end;
        }
        own.x[start..].fill(f32::INFINITY);
    }

    /// Writes the candidates closer to particle `own`, which is `at` (m), than the radius into `found`, without itself; returns their number.
    #[inline(always)]
    fn near<L: Lanes, const PERIODIC: bool>(&self, own: u32, at: [f32; 3], squared_radius: f32, found: &mut [u32]) -> usize {
        let (cx, cy, cz) = (L::splat(at[0]), L::splat(at[1]), L::splat(at[2]));
        let limit = L::splat(squared_radius);
        let Columns { x, y, z } = &self.columns;
        let blocks = x.as_chunks().0.iter().zip(y.as_chunks().0).zip(z.as_chunks().0).zip(self.numbers.as_chunks().0);
        let mut count = 0;
        // Whether a candidate is near is unpredictable, so there is no branch per candidate.
        for (block, (((x, y), z), numbers)) in blocks.enumerate() {
            let (mut dx, mut dy, mut dz) = (L::load(x) - cx, L::load(y) - cy, L::load(z) - cz);
            if PERIODIC {
                // The shift comes last: then the difference is exactly the opposite of that in the list of the other particle.
                let Columns { x, y, z } = &self.shifts;
                let at = block * LANES;
                (dx, dy, dz) = (dx + L::load_at(x, at), dy + L::load_at(y, at), dz + L::load_at(z, at));
            }
            let near = (dx * dx + dy * dy + dz * dz).bits_less(limit);
            let others = L::others(numbers, own);
            count = L::append(numbers, near & others, found, count);
        }
        count
    }
}

/// Lists the particles around `cell`, image by image.
fn list_stretches(grid: &CellGrid, rows: &mut RowsAround, cell: usize, stretches: &mut Vec<Stretch>) {
    stretches.clear();
    if !grid.layout().is_periodic() {
        rows.move_to(grid, cell);
        let ranges = rows.particles(grid).filter(|range| !range.is_empty());
        stretches.extend(ranges.map(|range| Stretch { range, image: Image::HOME, shift: Vec3A::ZERO }));
        return;
    }
    let (at, periods) = (grid.coordinate(cell), grid.layout().periods());
    for dz in -1..=1 {
        for dy in -1..=1 {
            let row = CellRow { first: at + CellCoordinate::new(-1, dy, dz), length: 3 };
            stretches.extend(grid.particles_in(row).map(|(range, image)| Stretch { range, image, shift: periods.shift(image) }));
        }
    }
    if stretches.iter().any(|stretch| stretch.image != Image::HOME) {
        stretches.sort_unstable_by_key(|stretch| (stretch.image, stretch.range.start, stretch.range.end));
    }
}
