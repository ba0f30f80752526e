//! The cells of static bodies, found once per body, and again when fluid leaves the region around it.

use glam::DVec3;
use plimsoll_search::CellLayout;
use plimsoll_shape::SlabCutBall;

use crate::{
    Body,
    mapping::{
        cell_search::{CellBox, CellSearch},
        near_segment::BodySegment,
    },
};

/// The cells near static bodies in a region around the fluid, occupied or not.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticCells {
    /// One layer for all initial bodies, and one for each body added later, so that adding a body leaves the other layers unchanged.
    pub layers: Vec<CellLayer>,
    /// Number of bodies covered by the layers.
    bodies: usize,
    visited: u64,
    /// Cells and distance for which the layers are valid.
    valid_for: Option<(CellLayout, f64)>,
    /// Where the layers are complete.
    region: Option<CellBox>,
    /// Groups of segments of each static body, so that those far from the region are skipped together.
    groups: Vec<Vec<Group>>,
}

/// Number of consecutive segments in a group.
const GROUP: usize = 64;
/// Relative enlargement of a group against rounding.
const ROUNDING: f64 = 1e-9;

/// A sphere around the balls of consecutive segments.
#[derive(Clone, Copy, Debug)]
struct Group {
    center: DVec3,
    radius: f64,
}

impl Group {
    fn around(balls: &[SlabCutBall]) -> Self {
        let center = balls.iter().map(|ball| ball.center).sum::<DVec3>() / balls.len() as f64;
        let radius = balls.iter().map(|ball| ball.center.distance(center) + ball.radius).fold(0.0, f64::max) * (1.0 + ROUNDING);
        Self { center, radius }
    }
}

/// Cells, and the segments mapped to each.
#[derive(Clone, Debug, Default)]
pub(super) struct CellLayer {
    /// Keys of the cells in the grid's order.
    keys: Vec<u64>,
    /// Index of the first segment of each cell; the number of segments at the end.
    starts: Vec<u32>,
    segments: Vec<BodySegment>,
}

impl StaticCells {
    /// Finds the cells of static bodies not yet covered; returns the total number of visited cells of all static bodies.
    pub fn update(&mut self, bodies: &[Body], balls: &[Vec<SlabCutBall>], search: &CellSearch) -> u64 {
        let layout = search.grid.layout();
        let wanted = Some((*layout, search.distance));
        if self.valid_for != wanted || self.region.is_none_or(|region| !region.contains(&search.region)) {
            let groups = std::mem::take(&mut self.groups);
            *self = Self { valid_for: wanted, region: Some(search.region.grown()), groups, ..Self::default() };
        }
        let search = &CellSearch { region: self.region.unwrap_or(search.region), ..*search };
        let (mut keys, mut segments, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (body, _) in bodies.iter().enumerate().skip(self.bodies).filter(|(_, body)| body.is_static()) {
            let near = self.segments_near(body, &balls[body], search);
            let balls: Vec<SlabCutBall> = near.iter().map(|&segment| balls[body][segment as usize]).collect();
            for (&segment, kept) in near.iter().zip(search.find_cells(&balls, &mut kept)) {
                self.visited += kept.visited;
                for (part, image) in kept.rows.iter().flat_map(|&row| layout.within(row)) {
                    keys.extend(part.cells().map(|cell| layout.key(cell)));
                    segments.resize(keys.len(), (body as u32, image, segment));
                }
            }
        }
        self.bodies = bodies.len();
        if !keys.is_empty() {
            self.layers.push(CellLayer::new(&keys, &segments, layout.is_periodic()));
        }
        self.visited
    }

    /// Segments of a body in groups that reach the region of `search`.
    fn segments_near(&mut self, body: usize, balls: &[SlabCutBall], search: &CellSearch) -> Vec<u32> {
        if self.groups.len() <= body {
            self.groups.resize(body + 1, Vec::new());
        }
        let groups = &mut self.groups[body];
        if groups.len() != balls.len().div_ceil(GROUP) {
            *groups = balls.chunks(GROUP).map(Group::around).collect();
        }
        let reaches = |group: &Group| {
            let (first, last) = search.grid.layout().cells_around(group.center, group.radius + search.distance);
            search.region.meets(first, last)
        };
        let near = groups.iter().enumerate().filter(|(_, group)| reaches(group));
        near.flat_map(|(group, _)| (group * GROUP) as u32..((group + 1) * GROUP).min(balls.len()) as u32).collect()
    }

    /// The segments mapped to the cell with this key, in order.
    pub fn of(&self, key: u64) -> impl Iterator<Item = &BodySegment> {
        self.layers.iter().flat_map(move |layer| layer.of(layer.find(0, key), key))
    }
}

impl CellLayer {
    /// Groups `segments` by the key of the cell. They are in order apart from images, of which only periodic cells have several.
    fn new(keys: &[u64], segments: &[BodySegment], periodic: bool) -> Self {
        let mut order: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        order.sort_unstable();
        let segments = order.iter().map(|&(_, place)| segments[place as usize]).collect();
        let mut layer = Self { keys: Vec::new(), starts: vec![0], segments };
        let mut start = 0;
        for of_cell in order.chunk_by(|a, b| a.0 == b.0) {
            let end = start + of_cell.len();
            layer.keys.push(of_cell[0].0);
            layer.starts.push(end as u32);
            if periodic {
                layer.segments[start..end].sort_unstable();
            }
            start = end;
        }
        layer
    }

    /// Index of the first cell from index `from` on whose key is not below `key`.
    pub fn find(&self, from: usize, key: u64) -> usize {
        // The cell is usually close, so the range of the search doubles from there.
        let (mut low, mut step) = (from, 1);
        while low + step < self.keys.len() && self.keys[low + step] < key {
            low += step;
            step *= 2;
        }
        let end = (low + step + 1).min(self.keys.len());
        low + self.keys[low..end].partition_point(|&other| other < key)
    }

    /// The segments of the cell at index `place`, if it has this key.
    pub fn of(&self, place: usize, key: u64) -> &[BodySegment] {
        match self.keys.get(place) {
            Some(&found) if found == key => &self.segments[self.starts[place] as usize..self.starts[place + 1] as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::{Image, Random};

    use super::*;

    #[test]
    fn cells_found_one_after_the_other_are_those_of_a_search() {
        let mut random = Random::new(7);
        for count in [1, 2, 7, 300] {
            let keys: Vec<u64> = (0..count).map(|_| (200.0 * random.uniform()) as u64).collect();
            let segments: Vec<BodySegment> = (0..count).map(|segment| (0, Image::HOME, segment)).collect();
            let layer = CellLayer::new(&keys, &segments, false);
            let mut place = 0;
            for key in 0..201 {
                place = layer.find(place, key);
                let expected: Vec<BodySegment> = keys.iter().zip(&segments).filter(|(of, _)| **of == key).map(|(_, &of)| of).collect();
                assert_eq!(layer.of(place, key), expected, "cell {key}");
                assert_eq!(layer.of(layer.find(0, key), key), expected, "cell {key}");
            }
        }
    }
}
