//! Verlet lists: nearby pairs, kept for many calls until something has moved too far.
//!
//! As in the neighbour lists of molecular dynamics (Verlet 1967), pairs are listed within the cutoff plus a skin on either side. Until a
//! box or a corner has moved by more than the skin, no other pair can come within the cutoff, and only the listed pairs are tested.

use glam::DVec2;
use plimsoll_base::math::Rectangle;
use serde::{Deserialize, Serialize};

use super::outlines::{Outlines, ordered};

/// Width of the skin as a fraction of the cutoff.
const SKIN: f64 = 2.0;

/// Edge of an outline: the index of the outline, and the indices of both end vertices.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Edge {
    pub outline: u32,
    pub ends: [u32; 2],
}

impl Edge {
    pub fn points(&self, outlines: &Outlines) -> [DVec2; 2] {
        self.ends.map(|end| outlines.vertices[end as usize])
    }
}

/// Pair lists, and the positions at which they were built.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct VerletList {
    cutoff: f64,
    boxes: Vec<Rectangle>,
    /// Vertices of complex outlines, with their indices.
    corners: Vec<(u32, DVec2)>,
    /// Pairs of simple outlines.
    pub simple: Vec<[u32; 2]>,
    /// Edges of complex outlines paired with simple outlines; entries of one complex outline are contiguous.
    pub edges: Vec<(Edge, u32)>,
    /// Pairs of edges of complex outlines.
    pub complex: Vec<[Edge; 2]>,
    /// The last complex outline paired with each simple one.
    #[serde(skip)]
    stamp: Vec<u32>,
    #[serde(skip)]
    complex_pairs: Vec<[u32; 2]>,
}

impl VerletList {
    /// Distance (m) up to which pairs must be listed for a cutoff of `cutoff` (m).
    pub fn listed(cutoff: f64) -> f64 {
        cutoff + 2.0 * SKIN * cutoff
    }

    /// Clears the lists and stores the current positions of the outlines.
    pub fn begin(&mut self, outlines: &Outlines, cutoff: f64) {
        self.cutoff = cutoff;
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

    /// Whether the lists still contain all pairs within `cutoff` (m).
    pub fn holds(&self, outlines: &Outlines, cutoff: f64) -> bool {
        let skin = SKIN * cutoff;
        let stays = |(now, then): (&Rectangle, &Rectangle)| {
            let (low, high) = ((now.min - then.min).abs(), (now.max - then.max).abs());
            low.max(high).max_element() < skin || (now.is_empty() && then.is_empty())
        };
        cutoff == self.cutoff
            && outlines.boxes.len() == self.boxes.len()
            && outlines.boxes.iter().zip(&self.boxes).all(stays)
            && self
                .corners
                .iter()
                .all(|&(index, then)| outlines.vertices.get(index as usize).is_some_and(|now| (now - then).abs().max_element() < skin))
    }

    /// Adds to `pairs` the listed pairs whose boxes, or edges and boxes, are within `cutoff` (m); returns the number of tests.
    pub fn pairs(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let boxes = outlines.boxes;
        let near = |pair: &&[u32; 2]| boxes[pair[0] as usize].inflated(cutoff).overlaps(&boxes[pair[1] as usize]);
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
            if segment_meets(edge.points(outlines), &boxes[outline as usize].inflated(cutoff)) {
                *stamp = edge.outline;
                pairs.push(ordered(edge.outline, outline));
            }
        }
        self.complex_pairs.clear();
        for [one, other] in &self.complex {
            checks += 1;
            if Rectangle::around(one.points(outlines)).inflated(cutoff).overlaps(&Rectangle::around(other.points(outlines))) {
                self.complex_pairs.push(ordered(one.outline, other.outline));
            }
        }
        self.complex_pairs.sort_unstable();
        self.complex_pairs.dedup();
        pairs.extend(&self.complex_pairs);
        checks
    }
}

/// Whether a segment intersects a box, by separating axes: x, y and the normal of the segment.
pub fn segment_meets([a, b]: [DVec2; 2], area: &Rectangle) -> bool {
    if !area.overlaps(&Rectangle { min: a.min(b), max: a.max(b) }) {
        return false;
    }
    // Relative to the corners and not to the center, so that rounding cannot separate a vertical segment from a box that it touches.
    let normal = (b - a).perp();
    let (low, high) = (normal * (area.min - a), normal * (area.max - a));
    low.min(high).element_sum() <= 0.0 && low.max(high).element_sum() >= 0.0
}
