//! Neighbour lists: for each particle, the other particles within a radius, as flat offsets and indices.

use glam::{Vec3A, Vec4};
use rayon::prelude::*;

use crate::{
    math::{
        Image, Periods,
        parallel::{self, for_each_part},
    },
    search::{CellCoordinate, CellGrid, CellRow},
};

/// Number of occupied cells per task. It is fixed, so that the lists do not depend on the number of threads.
const CELLS_PER_TASK: usize = 64;

/// Flat lists: the neighbours of particle `i` are `indices[offsets[i] .. offsets[i + 1]]`.
#[derive(Clone, Debug, Default)]
pub struct NeighbourLists {
    offsets: Vec<u32>,
    indices: Vec<u32>,
    periods: Periods,
    tasks: Vec<TaskLists>,
    ends: Vec<usize>,
}

/// Results of one task: a count for each of its particles, and all their neighbours in sequence.
#[derive(Clone, Debug, Default)]
struct TaskLists {
    counts: Vec<u32>,
    indices: Vec<u32>,
    candidates: Candidates,
}

/// Particles in the 27 cells around a cell, stored for distance tests four at a time.
#[derive(Clone, Debug, Default)]
struct Candidates {
    /// Particles of the cells, contiguous ranges with their image.
    ranges: Vec<(Image, [u32; 2])>,
    /// In groups of four with the same image.
    indices: Vec<u32>,
    /// Coordinates in groups of four candidates. Missing candidates in the last group of an image are at infinity.
    x: Vec<Vec4>,
    y: Vec<Vec4>,
    z: Vec<Vec4>,
    /// For each image its shift (m) and the end of its groups.
    images: Vec<(Vec3A, usize)>,
}

impl NeighbourLists {
    /// Finds, for each of `positions` (sorted in the grid's order), the others closer than the minimum size of the grid's cells.
    pub fn rebuild(&mut self, grid: &CellGrid, positions: &[Vec3A]) {
        let tasks = reuse(&mut self.tasks, grid.cell_count().div_ceil(CELLS_PER_TASK));
        tasks.par_iter_mut().enumerate().for_each(|(task, lists)| {
            let first = task * CELLS_PER_TASK;
            lists.fill(grid, positions, first..(first + CELLS_PER_TASK).min(grid.cell_count()));
        });
        self.periods = grid.layout().periods();
        self.offsets.clear();
        self.offsets.reserve(positions.len() + 1);
        let mut total = 0_u32;
        self.offsets.push(0);
        for count in tasks.iter().flat_map(|task| &task.counts) {
            total += count;
            self.offsets.push(total);
        }
        concatenate(tasks, |task| &task.indices, &mut self.ends, &mut self.indices);
    }

    /// Neighbours of particle `index`, without itself.
    pub fn of(&self, index: usize) -> &[u32] {
        &self.indices[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// `a − b` between the positions (m) of neighbours, across periodic ends.
    #[inline]
    pub fn difference(&self, a: Vec3A, b: Vec3A) -> Vec3A {
        self.periods.difference(a, b)
    }

    /// Index of the first neighbour of each particle; the total number of neighbours at the end.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All neighbours, particle by particle.
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The first `count` of `buffers`; missing ones are added. Surplus ones stay, so that their memory is reused when `count` grows again.
pub fn reuse<T: Default>(buffers: &mut Vec<T>, count: usize) -> &mut [T] {
    if buffers.len() < count {
        buffers.resize_with(count, T::default);
    }
    &mut buffers[..count]
}

/// Resizes to `count`; contents are unspecified. Neighbour lists dominate the memory of a run, so this grows by 1/16 instead of doubling
/// and frees the old buffer first.
pub fn make_room<T: Clone + Default>(values: &mut Vec<T>, count: usize) {
    if values.capacity() < count {
        *values = Vec::new();
        values.reserve_exact(count + count / 16);
    }
    values.resize(count, T::default());
}

/// Concatenates `parts` into `whole` and reuses its buffer; `ends` is a buffer for the end of each part.
pub fn concatenate<P: Sync, T: Copy + Default + Send + Sync>(
    parts: &[P],
    values: impl Fn(&P) -> &[T] + Sync,
    ends: &mut Vec<usize>,
    whole: &mut Vec<T>,
) {
    ends.clear();
    ends.extend(parts.iter().scan(0, |end, part| {
        *end += values(part).len();
        Some(*end)
    }));
    make_room(whole, ends.last().copied().unwrap_or(0));
    let end = |part: usize| ends[part];
    for_each_part(parallel::parts(whole, end), 0..parts.len(), &|part, target| target.values.copy_from_slice(values(&parts[part])));
}

impl TaskLists {
    fn fill(&mut self, grid: &CellGrid, positions: &[Vec3A], cells: std::ops::Range<usize>) {
        self.counts.clear();
        self.indices.clear();
        let squared_radius = grid.layout().min_size * grid.layout().min_size;
        for cell in cells {
            self.candidates.gather(grid, positions, cell);
            for particle in grid.particles(cell) {
                let before = self.indices.len();
                self.candidates.append_within(positions[particle], squared_radius, particle as u32, &mut self.indices);
                self.counts.push((self.indices.len() - before) as u32);
            }
        }
    }
}

impl Candidates {
    fn gather(&mut self, grid: &CellGrid, positions: &[Vec3A], cell: usize) {
        self.list_ranges(grid, cell);
        for list in [&mut self.x, &mut self.y, &mut self.z] {
            list.clear();
        }
        self.indices.clear();
        self.images.clear();
        let periods = grid.layout().periods();
        for of_image in self.ranges.chunk_by(|one, other| one.0 == other.0) {
            let first = self.indices.len();
            self.indices.extend(of_image.iter().flat_map(|&(_, [start, end])| start..end));
            for four in self.indices[first..].chunks(4) {
                let mut lanes = [Vec3A::INFINITY; 4];
                for (lane, &index) in lanes.iter_mut().zip(four) {
                    *lane = positions[index as usize];
                }
                self.x.push(Vec4::from_array(lanes.map(|position| position.x)));
                self.y.push(Vec4::from_array(lanes.map(|position| position.y)));
                self.z.push(Vec4::from_array(lanes.map(|position| position.z)));
            }
            self.indices.resize(4 * self.x.len(), u32::MAX);
            self.images.push((periods.shift(of_image[0].0), self.x.len()));
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

    fn append_within(&self, center: Vec3A, squared_radius: f32, own_index: u32, found: &mut Vec<u32>) {
        let mut start = 0;
        for &(shift, end) in &self.images {
            self.append_image(center, shift, start..end, squared_radius, own_index, found);
            start = end;
        }
    }

    /// Appends the candidates of one image, whose `groups` are shifted by `shift`.
    fn append_image(
        &self,
        center: Vec3A,
        shift: Vec3A,
        groups: std::ops::Range<usize>,
        squared_radius: f32,
        own_index: u32,
        found: &mut Vec<u32>,
    ) {
        let [cx, cy, cz] = center.to_array().map(Vec4::splat);
        let [sx, sy, sz] = shift.to_array().map(Vec4::splat);
        let limit = Vec4::splat(squared_radius);
        let indices = &self.indices[4 * groups.start..4 * groups.end];
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|list| &list[groups.clone()]);
        // Sixteen groups of four fill one word with bits. Whether a candidate is near is unpredictable, so there is no branch per
        // candidate.
        let words = x.chunks(16).zip(y.chunks(16)).zip(z.chunks(16));
        for (word_index, ((x, y), z)) in words.enumerate() {
            let mut word = 0_u64;
            for (four, ((&x, &y), &z)) in x.iter().zip(y).zip(z).enumerate() {
                // The shift comes last: then the difference is exactly the opposite of that in the list of the other particle.
                let (dx, dy, dz) = (x - cx + sx, y - cy + sy, z - cz + sz);
                let near = (dx * dx + dy * dy + dz * dz).cmplt(limit);
                word |= u64::from(near.bitmask()) << (4 * four);
            }
            while word != 0 {
                let index = indices[64 * word_index + word.trailing_zeros() as usize];
                word &= word - 1;
                if index != own_index {
                    found.push(index);
                }
            }
        }
    }
}
