//! Neighbour lists: for each particle, the other particles within a radius, in blocks of eight.

use std::ops::Range;

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    math::{
        Image, Periods,
        lanes::{self, Eight, LANES, LaneWork, Lanes, Near, Offsets, Places},
        parallel::TASK,
    },
    search::{CellCoordinate, CellGrid, CellRow, grid::RowsAround, reserve, reuse},
};

/// The neighbours of all particles, in batches of [`TASK`] particles.
#[derive(Clone, Debug, Default)]
pub struct NeighbourLists {
    batches: Vec<NeighbourBatch>,
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

/// The neighbours of consecutive particles.
#[derive(Clone, Debug, Default)]
pub struct NeighbourBatch {
    first: usize,
    /// Index of the first block of each particle; the number of blocks at the end.
    starts: Vec<u32>,
    /// Blocks of neighbours, as offsets from their particle.
    blocks: Vec<Offsets>,
    /// The blocks of a batch in which sixteen bits are too few for an offset.
    far_blocks: Vec<Places>,
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
        batches.par_iter_mut().enumerate().for_each_init(SearchBuffers::default, |buffers, (task, batch)| {
            let first = task * TASK;
            lanes::compute(BatchSearch { batch, buffers, grid, columns, particles: first..(first + TASK).min(positions.len()) });
        });
    }

    /// The batches, each of [`TASK`] particles but the last.
    pub fn batches(&self) -> &[NeighbourBatch] {
        &self.batches[..self.count.div_ceil(TASK)]
    }

    /// Neighbours of particle `index`, without itself.
    pub fn of(&self, index: usize) -> impl Iterator<Item = u32> + '_ {
        let (batch, offset) = (&self.batches[index / TASK], index % TASK);
        let places = batch.range(offset).flat_map(move |block| batch.places(offset, block).0);
        places.filter(move |&other| other as usize != index)
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

impl NeighbourBatch {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Index of the first particle.
    pub fn first(&self) -> usize {
        self.first
    }

    /// Number of blocks of eight neighbours of all particles.
    pub fn block_count(&self) -> usize {
        self.blocks.len().max(self.far_blocks.len())
    }

    /// The blocks of the particle `offset` after the first. The last is filled up with the particle itself.
    #[inline]
    pub fn range(&self, offset: usize) -> Range<usize> {
        self.starts[offset] as usize..self.starts[offset + 1] as usize
    }

    /// Runs `work` on the blocks of these particles.
    pub fn compute<W: NeighbourWork>(&self, work: W) -> W::Output {
        lanes::compute(OnBlocks { batch: self, work })
    }

    fn places(&self, offset: usize, block: usize) -> Places {
        match self.far_blocks.is_empty() {
            true => self.near_blocks().eight(offset, block).places(),
            false => self.far_blocks[block],
        }
    }

    #[inline(always)]
    fn near_blocks(&self) -> NearBlocks<'_> {
        NearBlocks { first: self.first as u32, blocks: &self.blocks }
    }
}

/// A loop over the neighbours of a batch of particles, in lanes.
pub trait NeighbourWork {
    /// What the loop returns.
    type Output;
    /// Must be `#[inline(always)]` and must not use lanes in closures, like [`LaneWork::run`].
    fn run<L: Lanes, B: Blocks>(self, blocks: B) -> Self::Output;
}

/// The blocks of a batch, however they are stored.
pub trait Blocks: Copy {
    /// Eight neighbours.
    type Eight: Eight;
    /// The neighbours in `block` of the particle `offset` after the first.
    fn eight(self, offset: usize, block: usize) -> Self::Eight;
    /// Asks for the memory of `block`, which may be beyond the last.
    fn prefetch<L: Lanes>(self, block: usize);
}

#[derive(Clone, Copy)]
struct NearBlocks<'a> {
    first: u32,
    blocks: &'a [Offsets],
}

impl<'a> Blocks for NearBlocks<'a> {
    type Eight = Near<'a>;

    #[inline(always)]
    fn eight(self, offset: usize, block: usize) -> Near<'a> {
        Near { first: self.first + offset as u32, offsets: &self.blocks[block] }
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, block: usize) {
        L::prefetch(self.blocks, block);
    }
}

impl<'a> Blocks for &'a [Places] {
    type Eight = &'a Places;

    #[inline(always)]
    fn eight(self, _: usize, block: usize) -> &'a Places {
        &self[block]
    }

    #[inline(always)]
    fn prefetch<L: Lanes>(self, block: usize) {
        L::prefetch(self, block);
    }
}

struct OnBlocks<'a, W> {
    batch: &'a NeighbourBatch,
    work: W,
}

impl<W: NeighbourWork> LaneWork for OnBlocks<'_, W> {
    type Output = W::Output;

    #[inline(always)]
    fn run<L: Lanes>(self) -> W::Output {
        let Self { batch, work } = self;
        match batch.far_blocks.is_empty() {
            true => work.run::<L, _>(batch.near_blocks()),
            false => work.run::<L, _>(&batch.far_blocks[..]),
        }
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
        positions.par_chunks(TASK).zip(columns).for_each(|(positions, ((x, y), z))| {
            for (((position, x), y), z) in positions.iter().zip(x).zip(y).zip(z) {
                [*x, *y, *z] = position.to_array();
            }
        });
    }
}

/// Finds the neighbours of a batch of particles.
struct BatchSearch<'a> {
    batch: &'a mut NeighbourBatch,
    buffers: &'a mut SearchBuffers,
    grid: &'a CellGrid,
    columns: &'a Columns,
    particles: Range<usize>,
}

impl LaneWork for BatchSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { batch, buffers, grid, columns, particles } = self;
        batch.first = particles.start;
        for far in [false, true] {
            batch.clear();
            if fill::<L>(batch, buffers, grid, columns, particles.clone(), far) {
                return;
            }
        }
    }
}

/// Lists the neighbours of `particles` as offsets or, if `far`, as places; returns whether all offsets fit.
#[inline(always)]
fn fill<L: Lanes>(
    batch: &mut NeighbourBatch,
    buffers: &mut SearchBuffers,
    grid: &CellGrid,
    columns: &Columns,
    particles: Range<usize>,
    far: bool,
) -> bool {
    let SearchBuffers { stretches, candidates, found } = buffers;
    let NeighbourBatch { starts, blocks, far_blocks, .. } = batch;
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
            for eight in found[..count.next_multiple_of(LANES)].as_chunks().0 {
                let places = Places(*eight);
                if far {
                    reserve(far_blocks, 1);
                    far_blocks.push(places);
                } else if let Some(offsets) = L::offsets(particle as u32, &places) {
                    reserve(blocks, 1);
                    blocks.push(offsets);
                } else {
                    return false;
                }
            }
            starts.push(blocks.len().max(far_blocks.len()) as u32);
            particle += 1;
        }
    }
    true
}

impl NeighbourBatch {
    fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.blocks.clear();
        self.far_blocks.clear();
    }
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
