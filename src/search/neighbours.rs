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
    search::{CellCoordinate, CellGrid, CellRow, reserve, reuse},
};

/// The neighbours of all particles, in batches of [`TASK`] particles.
#[derive(Clone, Debug, Default)]
pub struct NeighbourLists {
    batches: Vec<NeighbourBatch>,
    count: usize,
    periods: Periods,
}

/// The neighbours of consecutive particles.
#[derive(Clone, Debug, Default)]
pub struct NeighbourBatch {
    first: usize,
    /// Index of the first block of each particle; the number of blocks at the end.
    starts: Vec<u32>,
    blocks: Vec<Places>,
    candidates: Candidates,
}

/// Particles in the 27 cells around a cell, stored for distance tests eight at a time.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Particles of the cells, contiguous ranges with their image.
    ranges: Vec<(Image, [u32; 2])>,
    /// In groups of eight with the same image. Missing candidates in the last group of an image are at infinity.
    groups: Vec<CandidateGroup>,
    /// For each image its shift (m) and the end of its groups.
    images: Vec<(Vec3A, usize)>,
    /// Neighbours of one particle, with room for eight more than there are candidates.
    found: Vec<u32>,
}

/// Eight candidates.
#[derive(Clone, Copy, Debug)]
struct CandidateGroup {
    places: Places,
    x: [f32; LANES],
    y: [f32; LANES],
    z: [f32; LANES],
}

impl CandidateGroup {
    const EMPTY: Self =
        Self { places: Places([u32::MAX; LANES]), x: [f32::INFINITY; LANES], y: [f32::INFINITY; LANES], z: [f32::INFINITY; LANES] };
}

impl NeighbourLists {
    /// Finds, for each of `positions` (sorted in the grid's order), the others closer than the minimum size of the grid's cells.
    pub fn rebuild(&mut self, grid: &CellGrid, positions: &[Vec3A]) {
        self.count = positions.len();
        self.periods = grid.layout().periods();
        let batches = reuse(&mut self.batches, self.count.div_ceil(TASK));
        batches.par_iter_mut().enumerate().for_each(|(task, batch)| {
            let first = task * TASK;
            lanes::compute(BatchSearch { batch, grid, positions, particles: first..(first + TASK).min(positions.len()) });
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

/// Finds the neighbours of a batch of particles.
struct BatchSearch<'a> {
    batch: &'a mut NeighbourBatch,
    grid: &'a CellGrid,
    positions: &'a [Vec3A],
    particles: Range<usize>,
}

impl LaneWork for BatchSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { batch, grid, positions, particles } = self;
        let NeighbourBatch { first, starts, blocks, candidates } = batch;
        *first = particles.start;
        starts.clear();
        starts.push(0);
        blocks.clear();
        let squared_radius = grid.layout().min_size * grid.layout().min_size;
        let mut particle = particles.start;
        for cell in grid.cell_of(particles.start).. {
            if particle >= particles.end {
                break;
            }
            candidates.gather(grid, positions, cell);
            while particle < grid.particles(cell).end.min(particles.end) {
                let found = candidates.near::<L>(positions[particle], squared_radius, particle as u32);
                reserve(blocks, found.div_ceil(LANES));
                for eight in candidates.found[..found].chunks(LANES) {
                    let mut block = Places([particle as u32; LANES]);
                    block.0[..eight.len()].copy_from_slice(eight);
                    blocks.push(block);
                }
                starts.push(blocks.len() as u32);
                particle += 1;
            }
        }
    }
}

impl Candidates {
    fn gather(&mut self, grid: &CellGrid, positions: &[Vec3A], cell: usize) {
        self.list_ranges(grid, cell);
        self.groups.clear();
        self.images.clear();
        let periods = grid.layout().periods();
        for of_image in self.ranges.chunk_by(|one, other| one.0 == other.0) {
            let mut lane = LANES;
            for &(_, [start, end]) in of_image {
                for (place, position) in (start..).zip(&positions[start as usize..end as usize]) {
                    if lane == LANES {
                        self.groups.push(CandidateGroup::EMPTY);
                        lane = 0;
                    }
                    let group = self.groups.last_mut().expect("one was added");
                    (group.places.0[lane], group.x[lane], group.y[lane], group.z[lane]) = (place, position.x, position.y, position.z);
                    lane += 1;
                }
            }
            self.images.push((periods.shift(of_image[0].0), self.groups.len()));
        }
        let room = LANES * (self.groups.len() + 1);
        if self.found.len() < room {
            self.found.resize(room, 0);
        }
    }

    /// Lists the particles around `cell`, image by image.
    fn list_ranges(&mut self, grid: &CellGrid, cell: usize) {
        let at = grid.coordinate(cell);
        self.ranges.clear();
        for dz in -1..=1 {
            for dy in -1..=1 {
                let row = CellRow { first: at + CellCoordinate::new(-1, dy, dz), length: 3 };
                self.ranges.extend(grid.particles_in(row).map(|(range, image)| (image, [range.start as u32, range.end as u32])));
            }
        }
        if self.ranges.iter().any(|&(image, _)| image != Image::HOME) {
            self.ranges.sort_unstable();
        }
    }

    /// Writes the candidates closer to `center` than the radius into `found`, without `own`; returns their number.
    #[inline(always)]
    fn near<L: Lanes>(&mut self, center: Vec3A, squared_radius: f32, own: u32) -> usize {
        let Self { groups, images, found, .. } = self;
        let (cx, cy, cz) = (L::splat(center.x), L::splat(center.y), L::splat(center.z));
        let limit = L::splat(squared_radius);
        let (mut start, mut count) = (0, 0);
        for &(shift, end) in &*images {
            let (sx, sy, sz) = (L::splat(shift.x), L::splat(shift.y), L::splat(shift.z));
            // Whether a candidate is near is unpredictable, so there is no branch per candidate.
            for group in &groups[start..end] {
                // The shift comes last: then the difference is exactly the opposite of that in the list of the other particle.
                let (dx, dy, dz) = (L::load(&group.x) - cx + sx, L::load(&group.y) - cy + sy, L::load(&group.z) - cz + sz);
                let near = (dx * dx + dy * dy + dz * dz).bits_less(limit) & !L::bits_equal(&group.places, own);
                count = L::append(&group.places, near, found, count);
            }
            start = end;
        }
        count
    }
}
