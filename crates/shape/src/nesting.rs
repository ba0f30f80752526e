//! Closed components within each other: cavities, solids in cavities, and parts of a solid within other parts of it.

use std::cell::OnceCell;

use glam::DVec3;
use plimsoll_base::math::Aabb;

use super::{
    InsideTest, MassProperties, TriangleMesh,
    box_tree::BoxTree,
    extract::extract,
    topology::{EdgeTable, is_closed},
};

/// A component counts as enclosed even if it touches the other from inside within this fraction of its size.
const TOUCHING: f64 = 1e-9;

/// A component without boundary, consistently wound.
pub(super) struct ClosedPatch {
    pub triangles: Vec<usize>,
    surface: TriangleMesh,
    aabb: Aabb,
    pub volume: f64,
    /// Built for the first component that may be enclosed.
    inside: OnceCell<InsideTest>,
}

impl ClosedPatch {
    /// Whether the solid inside this component, for either winding, contains all of `other`.
    fn encloses(&self, other: &Self) -> bool {
        if !self.aabb.contains(other.aabb.min) || !self.aabb.contains(other.aabb.max) {
            return false;
        }
        let touching = TOUCHING * self.aabb.extent().length();
        let inside = self.inside.get_or_init(|| InsideTest::new(&self.surface));
        let depth = |&vertex: &DVec3| -inside.signed_distance(vertex) * self.volume.signum();
        let mut deepest = f64::NEG_INFINITY;
        for vertex in &other.surface.vertices {
            let depth = depth(vertex);
            if depth < -touching {
                return false;
            }
            deepest = deepest.max(depth);
        }
        deepest > touching
    }
}

/// How often the parts of a solid cover the two sides of a closed component: zero is outside or in a cavity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Nesting {
    /// Just outside the component.
    around: u32,
    /// Just inside it.
    within: u32,
    /// Number of components that enclose it.
    depth: usize,
    /// Whether solids here are inside out in the file.
    reversed: bool,
}

impl Nesting {
    /// Whether other components enclose it.
    pub fn is_enclosed(&self) -> bool {
        self.depth > 0
    }

    /// Whether it is the wall of a cavity.
    pub fn is_cavity(&self) -> bool {
        self.around > 0 && self.within == 0
    }

    /// Whether both of its sides are in the solid.
    pub fn is_inner_part(&self) -> bool {
        self.around > 0 && self.within > 0
    }

    /// Whether its normals are to point out of it.
    pub fn faces_outward(&self) -> bool {
        self.within > self.around
    }

    /// The nesting of a component of this `volume` within one with the nesting `self`.
    fn nested(&self, volume: f64) -> Self {
        let (around, depth) = (self.within, self.depth + 1);
        if around == 0 {
            // Nothing but a solid can be in a cavity, whatever its winding.
            return Self { around, within: 1, depth, reversed: volume < 0.0 };
        }
        let alike = (volume < 0.0) == self.reversed;
        Self { around, within: if alike { around + 1 } else { around - 1 }, depth, reversed: self.reversed }
    }
}

/// The nesting of each component, by its winding and that of those that enclose it.
pub(super) fn nestings(closed: &[ClosedPatch]) -> Vec<Nesting> {
    let tree = BoxTree::new(closed.iter().map(|patch| patch.aabb));
    let enclosing = |(number, patch): (usize, &ClosedPatch)| {
        let mut enclosing = Vec::new();
        tree.for_each_overlapping(&patch.aabb, |other| {
            if other != number && closed[other].encloses(patch) {
                enclosing.push(other);
            }
        });
        enclosing
    };
    let enclosing: Vec<Vec<usize>> = closed.iter().enumerate().map(enclosing).collect();
    let outside = |volume: f64| Nesting { around: 0, within: 1, depth: 0, reversed: volume < 0.0 };
    let mut nestings = vec![Nesting::default(); closed.len()];
    let mut order: Vec<usize> = (0..closed.len()).collect();
    order.sort_by_key(|&number| enclosing[number].len());
    for number in order {
        let volume = closed[number].volume;
        // The one that itself is in most others is next to it.
        let next = enclosing[number].iter().max_by_key(|&&other| enclosing[other].len());
        nestings[number] = next.map_or_else(|| outside(volume), |&next| nestings[next].nested(volume));
    }
    nestings
}

pub(super) fn closed_patches(mesh: &TriangleMesh, edges: &EdgeTable, patches: &[Vec<usize>]) -> Vec<ClosedPatch> {
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let mut closed = Vec::new();
    for triangles in patches {
        let whole = triangles.len() == mesh.triangles.len();
        let surface = if whole { mesh.clone() } else { extract(mesh, triangles, &mut places) };
        if !(if whole { is_closed(edges) } else { is_closed(&EdgeTable::of(&surface)) }) {
            continue;
        }
        let volume = MassProperties::of(&surface).volume;
        closed.push(ClosedPatch { triangles: triangles.clone(), aabb: surface.aabb(), volume, inside: OnceCell::new(), surface });
    }
    closed
}
