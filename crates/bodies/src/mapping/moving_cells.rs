//! The occupied cells of moving bodies, found in each step.

use plimsoll_base::math::{Image, prefix_sum};
use plimsoll_shape::SlabCutBall;

use crate::{
    Body,
    mapping::{
        cell_search::{CellSearch, KeptCells},
        near_segment::BodySegment,
    },
};

/// The segments mapped to each occupied cell.
#[derive(Clone, Debug, Default)]
pub(super) struct MovingCells {
    segments: Vec<BodySegment>,
    /// Index of the first segment of each occupied cell; the number of segments at the end.
    starts: Vec<u32>,
    /// Buffers: cells of the balls of one body, and pairs of an occupied cell and a segment.
    kept: Vec<KeptCells>,
    found: Vec<(u32, BodySegment)>,
}

impl MovingCells {
    /// Finds the occupied cells of all bodies that are not static; returns the number of visited cells.
    pub fn update(&mut self, bodies: &[Body], balls: &[Vec<SlabCutBall>], search: &CellSearch) -> u64 {
        self.found.clear();
        let mut visited = 0;
        for (body, _) in bodies.iter().enumerate().filter(|(_, body)| !body.is_static()) {
            for (segment, kept) in search.find_cells(&balls[body], &mut self.kept).iter().enumerate() {
                visited += kept.visited;
                for (occupied, image) in kept.rows.iter().flat_map(|&row| search.grid.cells_in(row)) {
                    self.found.extend(occupied.map(|cell| (cell as u32, (body as u32, image, segment as u32))));
                }
            }
        }
        self.group(search.grid.cell_count());
        if search.grid.layout().is_periodic() {
            // Those of a cell are in order apart from images.
            for cell in 0..search.grid.cell_count() {
                self.segments[self.starts[cell] as usize..self.starts[cell + 1] as usize].sort_unstable();
            }
        }
        visited
    }

    /// Counting sort by cell. It keeps the order of a cell's segments.
    fn group(&mut self, cell_count: usize) {
        let Self { segments, starts, found, .. } = self;
        // Counts are stored two cells later and summed. Each placed segment then advances its cell's offset by one.
        starts.clear();
        starts.resize(cell_count + 2, 0);
        for &(cell, _) in &*found {
            starts[cell as usize + 2] += 1;
        }
        prefix_sum(starts);
        segments.resize(found.len(), (0, Image::HOME, 0));
        for &(cell, segment) in &*found {
            let place = &mut starts[cell as usize + 1];
            segments[*place as usize] = segment;
            *place += 1;
        }
        starts.pop();
    }

    /// The segments mapped to occupied cell `cell`, in order.
    pub fn of(&self, cell: usize) -> &[BodySegment] {
        &self.segments[self.starts[cell] as usize..self.starts[cell + 1] as usize]
    }

    /// Number of occupied cells; zero before the first update.
    pub fn cell_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }
}
