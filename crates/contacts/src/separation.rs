//! The direction in which two convex polyhedra are farthest apart or overlap least: normals of faces, and of pairs of edges (separating axis
//! theorem; Gottschalk, Lin, Manocha, SIGGRAPH 1996; pairs of edges that form a face of the Minkowski difference: Gregorius, GDC 2013).
//!
//! Let s be the separation along any direction d. A feature that separates by more than s has a vertex within |s| of the extreme vertex of the
//! other polyhedron along d. So only features near that plane are examined, and the result does not depend on d.

use glam::DVec3;

use crate::{
    pair::{Pair, highest, lowest},
    polyhedron::{NearVertices, Polyhedron},
};

/// By how much better a face of the second polyhedron, and a pair of edges, must separate to be preferred, relative to the prediction
/// distance: contacts should not change between equal axes while bodies rest.
const BIAS_OF_SECOND: f64 = 1e-3;
const BIAS_OF_EDGES: f64 = 1e-2;
/// Cosine of the largest angle between faces that are parallel, 0.3 degrees.
const PARALLEL: f64 = 1.0 - 1.4e-5;
/// The square of the sine of the smallest angle between two edges that have a common normal.
const CROSSING: f64 = 1e-10;

/// A direction and how far the polyhedra are apart along it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    /// Negative if they overlap, m.
    pub separation: f64,
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    pub feature: Feature,
}

/// What an axis is normal to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    FaceOfFirst(u32),
    FaceOfSecond(u32),
    Edges(u32, u32),
    /// Given from outside.
    Other,
}

/// Buffers of the search.
#[derive(Debug, Default)]
pub(crate) struct Features {
    near_first: NearVertices,
    near_second: NearVertices,
    faces_of_first: Vec<u32>,
    faces_of_second: Vec<u32>,
    edges_of_first: Vec<u32>,
    edges_of_second: Vec<u32>,
    arcs: Vec<Arc>,
}

/// An edge of the second polyhedron as an arc between the reversed normals of its faces (Gauss map).
#[derive(Clone, Copy, Debug)]
struct Arc {
    edge: u32,
    point: DVec3,
    ends: [DVec3; 2],
    /// The edge, in the direction of the cross product of the ends.
    along: DVec3,
}

impl Arc {
    fn new(edge: u32, point: DVec3, other: DVec3, ends: [DVec3; 2]) -> Self {
        let along = other - point;
        let along = if ends[1].cross(ends[0]).dot(along) < 0.0 { -along } else { along };
        Self { edge, point, ends, along }
    }

    /// Whether the arcs cross.
    #[inline]
    fn crosses(&self, other: &Self) -> bool {
        let [a, b] = self.ends.map(|end| end.dot(other.along));
        let [c, d] = other.ends.map(|end| end.dot(self.along));
        c * d < 0.0 && a * b < 0.0 && c * b > 0.0
    }

    /// The unit normal of both edges, away from the polyhedron of `self`.
    #[inline]
    fn common_normal(&self, other: &Self) -> Option<DVec3> {
        let cross = self.along.cross(other.along);
        let square = cross.length_squared();
        if square < CROSSING * self.along.length_squared() * other.along.length_squared() {
            return None;
        }
        let normal = cross / square.sqrt();
        Some(if normal.dot(self.ends[0] + self.ends[1]) < 0.0 { -normal } else { normal })
    }
}

impl Features {
    /// The best axis among the faces for which `allowed` holds, beginning with the features near the planes across `direction`.
    pub fn best_face<A: Polyhedron, B: Polyhedron>(
        &mut self,
        pair: &Pair<A, B>,
        direction: DVec3,
        allowed: &impl Fn(DVec3) -> bool,
    ) -> Axis {
        let separation = self.select(pair, direction);
        let best = self.best_selected_face(pair, direction, allowed);
        // Far fewer features are near across a better direction, which pairs of edges profit from.
        if best.separation.is_finite() && separation < -2.0 * pair.prediction && best.separation > separation {
            self.select(pair, best.normal);
            return self.best_selected_face(pair, best.normal, allowed);
        }
        best
    }

    /// Selects the features that may separate by more than `direction`; returns by how much it does.
    fn select<A: Polyhedron, B: Polyhedron>(&mut self, pair: &Pair<A, B>, direction: DVec3) -> f64 {
        let (high, low) = (highest(pair.first_points(), direction), lowest(pair.second_points, direction));
        let reach = (low - high).abs().max(pair.prediction) + pair.same;
        self.near_first.select(pair.first_points(), |point| point.dot(direction) >= low - reach);
        self.near_second.select(pair.second_points, |point| point.dot(direction) <= high + reach);
        // The face most parallel to the direction comes first: then any vertex rejects most of the others.
        self.near_first.faces(pair.first, &mut self.faces_of_first);
        to_front(&mut self.faces_of_first, |face| pair.first.face_normal(face).dot(direction));
        self.near_second.faces(pair.second, &mut self.faces_of_second);
        let back = pair.in_second(-direction);
        to_front(&mut self.faces_of_second, |face| pair.second.face_normal(face).dot(back));
        low - high
    }

    fn best_selected_face<A: Polyhedron, B: Polyhedron>(
        &self,
        pair: &Pair<A, B>,
        direction: DVec3,
        allowed: &impl Fn(DVec3) -> bool,
    ) -> Axis {
        let mut best = Axis { separation: f64::NEG_INFINITY, normal: direction, feature: Feature::Other };
        for &face in &self.faces_of_first {
            let normal = pair.first.face_normal(face);
            let offset = pair.first.face_offset(face);
            let least = best.separation + offset;
            if allowed(normal) && all_above(self.near_second.numbers(), pair.second_points, normal, least) {
                let separation = lowest(pair.second_points, normal) - offset;
                if separation > best.separation {
                    best = Axis { separation, normal, feature: Feature::FaceOfFirst(face) };
                }
            }
        }
        for &face in &self.faces_of_second {
            let normal = pair.second_normal(face);
            let offset = pair.second_offset(face, normal);
            let bias = if matches!(best.feature, Feature::FaceOfSecond(_)) { 0.0 } else { BIAS_OF_SECOND * pair.prediction };
            let least = best.separation + bias;
            if allowed(-normal) && all_above(self.near_first.numbers(), pair.first_points(), normal, least + offset) {
                let separation = lowest(pair.first_points(), normal) - offset;
                if separation > least {
                    best = Axis { separation, normal: -normal, feature: Feature::FaceOfSecond(face) };
                }
            }
        }
        best
    }

    /// Whether the face that the axis is normal to has a parallel one on the other polyhedron. If so, and they hardly overlap, no pair of edges is
    /// much better.
    pub fn faces_are_parallel<A: Polyhedron, B: Polyhedron>(&self, pair: &Pair<A, B>, axis: &Axis) -> bool {
        match axis.feature {
            Feature::FaceOfFirst(_) => {
                let normal = pair.in_second(-axis.normal);
                self.faces_of_second.iter().any(|&face| pair.second.face_normal(face).dot(normal) > PARALLEL)
            }
            Feature::FaceOfSecond(_) => self.faces_of_first.iter().any(|&face| pair.first.face_normal(face).dot(axis.normal) > PARALLEL),
            Feature::Edges(..) | Feature::Other => false,
        }
    }

    /// The better of `best` and the normals of two edges for which `allowed` holds.
    pub fn best_edges<A: Polyhedron, B: Polyhedron>(&mut self, pair: &Pair<A, B>, best: Axis, allowed: &impl Fn(DVec3) -> bool) -> Axis {
        self.near_second.edges(pair.second, &mut self.edges_of_second);
        self.arcs.clear();
        for &edge in &self.edges_of_second {
            let found = pair.second.edge(edge);
            let [point, other] = found.vertices.map(|vertex| pair.second_points[vertex as usize]);
            self.arcs.push(Arc::new(edge, point, other, found.faces.map(|face| -pair.second_normal(face))));
        }
        let mut separation = f64::NEG_INFINITY;
        let mut edges = None;
        self.near_first.edges(pair.first, &mut self.edges_of_first);
        for &edge in &self.edges_of_first {
            let found = pair.first.edge(edge);
            let [point, other] = found.vertices.map(|vertex| pair.first_points()[vertex as usize]);
            let arc = Arc::new(edge, point, other, found.faces.map(|face| pair.first.face_normal(face)));
            for other in self.arcs.iter().filter(|other| arc.crosses(other)) {
                let Some(normal) = arc.common_normal(other) else { continue };
                let apart = (other.point - arc.point).dot(normal);
                if apart > separation && allowed(normal) {
                    separation = apart;
                    edges = Some(Axis { separation, normal, feature: Feature::Edges(edge, other.edge) });
                }
            }
        }
        edges.filter(|edges| edges.separation > best.separation + BIAS_OF_EDGES * pair.prediction).unwrap_or(best)
    }
}

/// Moves the face with the largest `cosine` to the front.
fn to_front(faces: &mut [u32], cosine: impl Fn(u32) -> f64) {
    if let Some(best) = (0..faces.len()).max_by(|&a, &b| cosine(faces[a]).total_cmp(&cosine(faces[b]))) {
        faces.swap(0, best);
    }
}

/// Whether all of these points are above `least` along `direction`.
#[inline]
fn all_above(numbers: &[u32], points: &[DVec3], direction: DVec3, least: f64) -> bool {
    numbers.iter().all(|&number| points[number as usize].dot(direction) > least)
}
