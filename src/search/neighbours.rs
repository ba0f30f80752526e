//! Neighbour lists: for each particle, the other particles within a radius, in blocks of eight.

use std::ops::Range;

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    math::{
        Image, Periods,
        lanes::{self, LANES, LaneWork, Lanes, Places},
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

/// Coordinates for distance tests eight at a time, m; padded with infinity.
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
    blocks: Vec<Places>,
    /// Buffers: the particles in the 27 cells around a cell, and the neighbours of one particle.
    candidates: Vec<Candidates>,
    found: Vec<u32>,
}

/// A contiguous range of particles in the cells around a cell, shifted by `shift` (m).
#[derive(Clone, Debug)]
struct Candidates {
    range: Range<usize>,
    image: Image,
    shift: Vec3A,
}

impl NeighbourLists {
    /// Finds, for each of `positions` (sorted in the grid's order), the others closer than the minimum size of the grid's cells.
    pub fn rebuild(&mut self, grid: &CellGrid, positions: &[Vec3A]) {
        self.count = positions.len();
        self.periods = grid.layout().periods();
        self.columns.fill(positions);
        let (columns, batches) = (&self.columns, reuse(&mut self.batches, self.count.div_ceil(TASK)));
        batches.par_iter_mut().enumerate().for_each(|(task, batch)| {
            let first = task * TASK;
            lanes::compute(BatchSearch { batch, grid, columns, particles: first..(first + TASK).min(positions.len()) });
        });
    }

    /// The batches, each of [`TASK`] particles but the last.
    pub fn batches(&self) -> &[NeighbourBatch] {
        &self.batches[..self.count.div_ceil(TASK)]
    }

    /// Neighbours of particle `index`, without itself.
    pub fn of(&self, index: usize) -> impl Iterator<Item = u32> + '_ {
        let blocks = self.batches[index / TASK].of(index % TASK);
        blocks.iter().flat_map(|block| block.0).filter(move |&other| other as usize != index)
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

    /// All blocks, particle by particle. Each holds eight neighbours; the last of a particle is filled up with the particle itself.
    pub fn blocks(&self) -> &[Places] {
        &self.blocks
    }

    /// The blocks of the particle `offset` after the first.
    #[inline]
    pub fn range(&self, offset: usize) -> Range<usize> {
        self.starts[offset] as usize..self.starts[offset + 1] as usize
    }

    /// The blocks of the particle `offset` after the first.
    #[inline]
    pub fn of(&self, offset: usize) -> &[Places] {
        &self.blocks[self.range(offset)]
    }
}

impl Columns {
    fn fill(&mut self, positions: &[Vec3A]) {
        let Self { x, y, z } = self;
        for column in [&mut *x, &mut *y, &mut *z] {
            column.resize(positions.len() + LANES, f32::INFINITY);
            column[positions.len()..].fill(f32::INFINITY);
        }
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
    grid: &'a CellGrid,
    columns: &'a Columns,
    particles: Range<usize>,
}

impl LaneWork for BatchSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { batch, grid, columns, particles } = self;
        let NeighbourBatch { first, starts, blocks, candidates, found } = batch;
        *first = particles.start;
        starts.clear();
        starts.push(0);
        blocks.clear();
        let squared_radius = grid.layout().min_size * grid.layout().min_size;
        let mut rows = grid.rows_around();
        let mut particle = particles.start;
        for cell in grid.cell_of(particles.start).. {
            if particle >= particles.end {
                break;
            }
            list_candidates(grid, &mut rows, cell, candidates);
            let room = candidates.iter().map(|candidates| candidates.range.len().next_multiple_of(LANES)).sum::<usize>() + LANES;
            if found.len() < room {
                found.resize(room, 0);
            }
            while particle < grid.particles(cell).end.min(particles.end) {
                let count = near::<L>(columns, candidates, particle, squared_radius, found);
                let filled = count.next_multiple_of(LANES);
                found[count..count + LANES].fill(particle as u32);
                reserve(blocks, filled / LANES);
                blocks.extend(found[..filled].as_chunks().0.iter().map(|&eight| Places(eight)));
                starts.push(blocks.len() as u32);
                particle += 1;
            }
        }
    }
}

/// Lists the particles around `cell`, image by image.
fn list_candidates(grid: &CellGrid, rows: &mut RowsAround, cell: usize, candidates: &mut Vec<Candidates>) {
    candidates.clear();
    if !grid.layout().is_periodic() {
        rows.move_to(grid, cell);
        let ranges = rows.particles(grid).filter(|range| !range.is_empty());
        candidates.extend(ranges.map(|range| Candidates { range, image: Image::HOME, shift: Vec3A::ZERO }));
        return;
    }
    let (at, periods) = (grid.coordinate(cell), grid.layout().periods());
    for dz in -1..=1 {
        for dy in -1..=1 {
            let row = CellRow { first: at + CellCoordinate::new(-1, dy, dz), length: 3 };
            candidates.extend(grid.particles_in(row).map(|(range, image)| Candidates { range, image, shift: periods.shift(image) }));
        }
    }
    if candidates.iter().any(|candidates| candidates.image != Image::HOME) {
        candidates.sort_unstable_by_key(|candidates| (candidates.image, candidates.range.start, candidates.range.end));
    }
}

/// Writes the candidates closer to particle `own` than the radius into `found`, without itself; returns their number.
#[inline(always)]
fn near<L: Lanes>(columns: &Columns, candidates: &[Candidates], own: usize, squared_radius: f32, found: &mut [u32]) -> usize {
    let Columns { x, y, z } = columns;
    let (cx, cy, cz) = (L::splat(x[own]), L::splat(y[own]), L::splat(z[own]));
    let limit = L::splat(squared_radius);
    let mut count = 0;
    for Candidates { range, shift, .. } in candidates {
        let (sx, sy, sz) = (L::splat(shift.x), L::splat(shift.y), L::splat(shift.z));
        // Whether a candidate is near is unpredictable, so there is no branch per candidate.
        for at in range.clone().step_by(LANES) {
            // The shift comes last: then the difference is exactly the opposite of that in the list of the other particle.
            let (dx, dy, dz) = (L::load_at(x, at) - cx + sx, L::load_at(y, at) - cy + sy, L::load_at(z, at) - cz + sz);
            let near = (dx * dx + dy * dy + dz * dz).bits_less(limit);
            let inside = (1_u32 << (range.end - at).min(LANES)) - 1;
            // Shifts by more than 31 would wrap: 16 is outside the eight bits.
            let itself = 1_u32 << own.wrapping_sub(at).min(16);
            count = L::append(at as u32, near & inside & !itself, found, count);
        }
    }
    count
}
