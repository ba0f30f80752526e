//! Finds the vertices of one block that may touch edges of another in a step.
//!
//! A vertex near an edge and far from its ends rests on that edge. A convex corner near another convex corner may slip past on either side:
//! of the edges that could carry one of the two, the least penetrated one is used (Shi's entrance lines). A convex corner near a reflex one
//! is held by both edges there.

use super::{
    corner::{ANGLE_TOLERANCE, Corner, Edge, Shape},
    memory::ContactMemory,
};
use crate::state::BlocksState;

/// If the depths of two entrance lines differ by less than this share of the cutoff, it is undecided which way a corner goes.
const UNDECIDED: f64 = 1e-7;
/// An edge that carried the corner in the last step is preferred to one that is less deep by up to this share of the cutoff.
const FAITHFUL: f64 = 1e-3;
/// An edge with the projection between its ends is preferred to one that is overshot, by this share of the overshoot.
const OVERSHOOT_WEIGHT: f64 = 0.1;

/// A vertex of block `first` near an edge of block `second`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Vertex and edge by their indices among the vertices of all blocks.
    pub vertex: u32,
    /// First vertex of the edge, as an index among the vertices of all blocks.
    pub edge: u32,
    /// Block of the vertex.
    pub first: u32,
    /// Block of the edge.
    pub second: u32,
    /// Half the length along which the faces at the vertex and the edge touch, meters; zero for a point.
    pub length: f64,
}

impl Candidate {
    /// Vertex and edge as one number.
    pub fn key(&self) -> u64 {
        u64::from(self.vertex) << 32 | u64::from(self.edge)
    }
}

/// Appends the possible contacts of two blocks to `found`, sorted by key, without duplicates.
pub fn detect(state: &BlocksState, [one, other]: [u32; 2], cutoff: f64, memory: &ContactMemory, found: &mut Vec<Candidate>) {
    let shape =
        |block: u32| Shape { vertices: &state.vertices, first: state.offsets[block as usize], end: state.offsets[block as usize + 1] };
    let boxes = [one, other].map(|block| state.boxes[block as usize].inflated(cutoff));
    let shapes = [(one, shape(one)), (other, shape(other))];
    let corners = |own: usize| -> Vec<Corner> {
        let shape = shapes[own].1;
        (shape.first..shape.end).filter(|&index| boxes[1 - own].contains(shape.point(index))).map(|index| shape.corner(index)).collect()
    };
    let sides = [corners(0), corners(1)];
    let start = found.len();
    let pair = Pair { shapes, cutoff, memory };
    for own in [0, 1] {
        for corner in sides[own].iter().filter(|corner| corner.convex) {
            pair.vertex_on_edges(own, corner, found);
        }
    }
    for corner in &sides[0] {
        for opposite in sides[1].iter().filter(|opposite| opposite.point.distance_squared(corner.point) <= cutoff * cutoff) {
            pair.corner_at_corner(corner, opposite, found);
        }
    }
    found[start..].sort_unstable_by_key(Candidate::key);
    let mut kept = start;
    for at in start..found.len() {
        if at == start || found[at].key() != found[kept - 1].key() {
            found[kept] = found[at];
            kept += 1;
        }
    }
    found.truncate(kept);
}

/// An edge that may carry the corner of block `own`.
#[derive(Clone, Copy)]
struct Line {
    score: f64,
    gap: f64,
    overshoot: f64,
    own: usize,
    edge: Edge,
}

struct Pair<'a> {
    shapes: [(u32, Shape<'a>); 2],
    cutoff: f64,
    memory: &'a ContactMemory,
}

impl Pair<'_> {
    /// Contacts of a corner of block `own` with the middle parts of the other block's edges.
    fn vertex_on_edges(&self, own: usize, corner: &Corner, found: &mut Vec<Candidate>) {
        let shape = self.shapes[1 - own].1;
        let near = |index: u32| shape.point(index).distance_squared(corner.point) <= self.cutoff * self.cutoff;
        for index in shape.first..shape.end {
            let (a, b) = (shape.point(index), shape.point(shape.next(index)));
            let twice_area = (b - a).perp_dot(corner.point - a);
            let length_squared = a.distance_squared(b);
            if twice_area * twice_area > self.cutoff * self.cutoff * length_squared {
                continue;
            }
            let along = (corner.point - a).dot(b - a);
            if along <= 0.0 || along >= length_squared || near(index) || near(shape.next(index)) {
                continue;
            }
            let edge = shape.edge(index);
            if edge.can_carry(corner) {
                found.push(self.candidate(own, corner, &edge));
            }
        }
    }

    /// Contacts of a corner of the first block near a corner of the second.
    fn corner_at_corner(&self, corner: &Corner, opposite: &Corner, found: &mut Vec<Candidate>) {
        let corners = [corner, opposite];
        match [corner.convex, opposite.convex] {
            [true, true] => found.extend(self.entrance(corners)),
            [false, false] => {}
            [convex, _] => {
                let own = usize::from(!convex);
                let held = self.edges_at(1 - own, corners[1 - own]).into_iter().filter(|edge| {
                    let point = corners[own].point;
                    edge.can_carry(corners[own])
                        && edge.gap(point).abs() <= self.cutoff
                        && edge.overshoot(point) <= ANGLE_TOLERANCE * self.cutoff
                });
                found.extend(held.map(|edge| self.candidate(own, corners[own], &edge)));
            }
        }
    }

    /// The two edges that end at a corner of block `own`.
    fn edges_at(&self, own: usize, corner: &Corner) -> [Edge; 2] {
        [corner.before, corner.index].map(|index| self.shapes[own].1.edge(index))
    }

    /// Contacts of two convex corners: those that rest on an edge of the other block.
    fn entrance(&self, corners: [&Corner; 2]) -> impl Iterator<Item = Candidate> {
        let mut lines: [Option<Line>; 4] = [None; 4];
        for own in [0, 1] {
            for (place, edge) in self.edges_at(1 - own, corners[1 - own]).into_iter().enumerate() {
                if edge.can_carry(corners[own]) {
                    let (gap, overshoot) = (edge.gap(corners[own].point), edge.overshoot(corners[own].point));
                    let key = u64::from(corners[own].index) << 32 | u64::from(edge.index);
                    let faith = if self.memory.get(key).is_some() { FAITHFUL * self.cutoff } else { 0.0 };
                    lines[2 * own + place] = Some(Line { score: gap - OVERSHOOT_WEIGHT * overshoot + faith, gap, overshoot, own, edge });
                }
            }
        }
        let apart = corners[0].point.distance(corners[1].point) > FAITHFUL * self.cutoff;
        let chosen = self.choose(&lines, apart);
        chosen.into_iter().flatten().map(|line| self.candidate(line.own, corners[line.own], &line.edge)).collect::<Vec<_>>().into_iter()
    }

    /// The line that separates two corners, or the two lines of opposite faces if the corners are `apart`; none if it is undecided.
    fn choose(&self, lines: &[Option<Line>; 4], apart: bool) -> [Option<Line>; 2] {
        let lines = || lines.iter().flatten();
        let parallel = |one: &Line, other: &Line| one.edge.normal.perp_dot(other.edge.normal).abs() <= ANGLE_TOLERANCE;
        // Two touching faces act together where their corners are between the ends: the deeper one counts.
        let partner = |line: &Line| {
            let meets = |other: &&Line| other.own != line.own && other.overshoot == 0.0 && line.overshoot == 0.0 && parallel(line, other);
            lines().find(meets).copied()
        };
        let depth = |line: &Line| partner(line).map_or(line.score, |other| line.score.min(other.score));
        let Some(best) = lines().copied().reduce(|best, line| {
            let (one, other) = (depth(&line), depth(&best));
            if one > other || (one == other && line.score > best.score) { line } else { best }
        }) else {
            return [None; 2];
        };
        let undecided = lines().any(|line| depth(line) > depth(&best) - UNDECIDED * self.cutoff && !parallel(line, &best));
        if undecided {
            return [None; 2];
        }
        let partner = partner(&best).filter(|_| apart);
        [Some(best), partner].map(|line| line.filter(|line| line.gap.abs() <= self.cutoff))
    }

    /// The contact of a corner of block `own` with an edge of the other block.
    fn candidate(&self, own: usize, corner: &Corner, edge: &Edge) -> Candidate {
        let shared = corner.rays.iter().zip([corner.before, corner.after]).filter(|(ray, _)| ray.dot(edge.normal).abs() <= ANGLE_TOLERANCE);
        let place = |index: u32| (self.shapes[own].1.point(index) - edge.start).dot(edge.tangent);
        let here = place(corner.index);
        let overlap = |end: f64| (here.max(end).min(edge.length) - here.min(end).max(0.0)).max(0.0);
        let length = 0.5 * shared.map(|(_, index)| overlap(place(index))).fold(0.0, f64::max);
        let [first, second] = [self.shapes[own].0, self.shapes[1 - own].0];
        Candidate { vertex: corner.index, edge: edge.index, first, second, length }
    }
}
