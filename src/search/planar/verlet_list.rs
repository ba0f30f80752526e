//! Verlet lists: pairs near each other, kept for many calls until something has moved too far.
//!
//! As in the neighbour lists of molecular dynamics (Verlet 1967), pairs are listed that come within more than the reach, by a skin on either
//! side. Until a box or a corner has gone by more than the skin, no other pair can come within the reach, and only these are tested.

use glam::DVec2;

use super::outlines::{Outlines, ordered};
use crate::math::Rectangle;

/// Width of the skin as a share of the reach.
const SKIN: f64 = 2.0;

/// Part of an outline: its index, and those of the ends among the vertices.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub outline: u32,
    pub ends: [u32; 2],
}

impl Edge {
    pub fn points(&self, outlines: &Outlines) -> [DVec2; 2] {
        self.ends.map(|end| outlines.vertices[end as usize])
    }
}

/// Lists, and where everything was when they were made.
#[derive(Clone, Debug, Default)]
pub struct VerletList {
    reach: f64,
    boxes: Vec<Rectangle>,
    /// Corners of complex outlines, by their indices.
    corners: Vec<(u32, DVec2)>,
    /// Simple outlines with each other.
    pub simple: Vec<[u32; 2]>,
    /// Edges of complex outlines with simple ones; those of an outline stand together.
    pub edges: Vec<(Edge, u32)>,
    /// Edges of complex outlines with each other.
    pub complex: Vec<[Edge; 2]>,
    /// The last complex outline that met each simple one.
    stamp: Vec<u32>,
    complex_pairs: Vec<[u32; 2]>,
}

impl VerletList {
    /// Distance up to which pairs are to be listed for calls with this reach (m).
    pub fn listed(reach: f64) -> f64 {
        reach + 2.0 * SKIN * reach
    }

    /// Empties the lists for outlines that are where they are now.
    pub fn begin(&mut self, outlines: &Outlines, reach: f64) {
        self.reach = reach;
        self.boxes.clear();
        self.boxes.extend(outlines.boxes);
        self.corners.clear();
        for outline in (0..outlines.boxes.len()).filter(|&outline| outlines.complex[outline]) {
            let range = outlines.offsets[outline]..outlines.offsets[outline + 1];
            self.corners.extend(range.map(|index| (index, outlines.vertices[index as usize])));
        }
        self.simple.clear();
        self.edges.clear();
        self.complex.clear();
    }

    /// Whether the lists still have all pairs within `reach` (m).
    pub fn holds(&self, outlines: &Outlines, reach: f64) -> bool {
        let skin = SKIN * reach;
        let stays = |(now, then): (&Rectangle, &Rectangle)| {
            let (low, high) = ((now.min - then.min).abs(), (now.max - then.max).abs());
            low.max(high).max_element() < skin || (now.is_empty() && then.is_empty())
        };
        reach == self.reach
            && outlines.boxes.len() == self.boxes.len()
            && outlines.boxes.iter().zip(&self.boxes).all(stays)
            && self
                .corners
                .iter()
                .all(|&(index, then)| outlines.vertices.get(index as usize).is_some_and(|now| (now - then).abs().max_element() < skin))
    }

    /// Adds to `pairs` those of the lists that come within `reach` (m) by their boxes, or edges and boxes; returns the number of tests.
    pub fn pairs(&mut self, outlines: &Outlines, reach: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let boxes = outlines.boxes;
        let near = |pair: &&[u32; 2]| boxes[pair[0] as usize].inflated(reach).overlaps(&boxes[pair[1] as usize]);
        pairs.extend(self.simple.iter().filter(near));
        self.stamp.clear();
        self.stamp.resize(boxes.len(), u32::MAX);
        let mut checks = self.simple.len() as u64;
        for &(edge, outline) in &self.edges {
            let stamp = &mut self.stamp[outline as usize];
            if *stamp == edge.outline {
                continue;
            }
            checks += 1;
            if segment_meets(edge.points(outlines), &boxes[outline as usize].inflated(reach)) {
                *stamp = edge.outline;
                pairs.push(ordered(edge.outline, outline));
            }
        }
        self.complex_pairs.clear();
        for [one, other] in &self.complex {
            checks += 1;
            if Rectangle::around(one.points(outlines)).inflated(reach).overlaps(&Rectangle::around(other.points(outlines))) {
                self.complex_pairs.push(ordered(one.outline, other.outline));
            }
        }
        self.complex_pairs.sort_unstable();
        self.complex_pairs.dedup();
        pairs.extend(&self.complex_pairs);
        checks
    }
}

/// Whether a segment has a point in common with a box: along x, along y and across the segment.
pub fn segment_meets([a, b]: [DVec2; 2], area: &Rectangle) -> bool {
    if !area.overlaps(&Rectangle { min: a.min(b), max: a.max(b) }) {
        return false;
    }
    // From the corners, not from the middle, so that no rounding parts an upright segment from a box that it touches.
    let normal = (b - a).perp();
    let (low, high) = (normal * (area.min - a), normal * (area.max - a));
    low.min(high).element_sum() <= 0.0 && low.max(high).element_sum() >= 0.0
}
