//! The cells of static bodies, found once per body, and again when fluid leaves the region around it.

use crate::{
    bodies::{
        Body,
        mapping::{
            cell_search::{CellBox, CellSearch},
            near_segment::BodySegment,
        },
    },
    search::CellLayout,
    shape::SlabCutBall,
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
            *self = Self { valid_for: wanted, region: Some(search.region.grown()), ..Self::default() };
        }
        let search = &CellSearch { region: self.region.unwrap_or(search.region), ..*search };
        let (mut keys, mut segments, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (body, _) in bodies.iter().enumerate().skip(self.bodies).filter(|(_, body)| body.is_static()) {
            for (segment, kept) in search.find_cells(&balls[body], &mut kept).iter().enumerate() {
                self.visited += kept.visited;
                for (part, image) in kept.rows.iter().flat_map(|&row| layout.within(row)) {
                    keys.extend(part.cells().map(|cell| layout.key(cell)));
                    segments.resize(keys.len(), (body as u32, image, segment as u32));
                }
            }
        }
        self.bodies = bodies.len();
        if !keys.is_empty() {
            self.layers.push(CellLayer::new(&keys, &segments, layout.is_periodic()));
        }
        self.visited
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
    use super::*;
    use crate::math::{Image, Random};

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
