//! Contact points of two convex polyhedra.

use glam::DVec3;
use parry3d_f64::{
    math::Pose,
    query::{
        details::contact_support_map_support_map_with_params,
        gjk::{GJKResult, VoronoiSimplex},
    },
    shape::SupportMap,
};

use crate::{
    clipping::{Clipping, Origin, Outline, Plane},
    edge_limits::TriangleLimits,
    hull::Hull,
    pair::{Pair, highest, lowest},
    polyhedron::Polyhedron,
    separation::{Axis, Feature, Features},
    triangle::Triangle,
};

/// The smallest cosine between the contact normal and a face onto which contacts are projected.
const FACING: f64 = 0.05;

/// Two points that touch or nearly do, in the frame of the first solid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint {
    /// Unit vector from the first to the second.
    pub normal: DVec3,
    pub on_first: DVec3,
    pub on_second: DVec3,
    /// Negative if they overlap, m.
    pub distance: f64,
    /// Features of both polyhedra to which the point belongs.
    pub features: [FeatureId; 2],
    /// Whether there was a contact here in the last step.
    pub known: bool,
}

/// A feature of a polyhedron by kind and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeatureId {
    Face(u32),
    Edge(u32),
    Vertex(u32),
    Unknown,
}

/// What the search for contacts of two polyhedra found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touch {
    /// They are apart along this unit vector from the first to the second.
    Apart(DVec3),
    /// The triangle does not act from this side.
    Ignored,
    /// They touch along this unit vector from the first to the second, in the points that were added.
    Contact(DVec3),
}

/// Buffers of the search.
#[derive(Debug, Default)]
pub(crate) struct Touching {
    second_points: Vec<DVec3>,
    features: Features,
    clipping: Clipping,
}

impl Touching {
    /// Adds the contact points of two hulls, the second one at `pose` in the frame of the first, that are closer than `prediction` (m). The search
    /// starts along `guess`, along which they may be apart.
    pub fn of_hulls(
        &mut self,
        [first, second]: [&Hull; 2],
        pose: &Pose,
        prediction: f64,
        guess: DVec3,
        contacts: &mut Vec<ContactPoint>,
    ) -> Touch {
        if apart(first, second, pose, guess) > prediction {
            return Touch::Apart(guess);
        }
        let pair = Pair::new(first, second, pose, prediction, &mut self.second_points);
        let start = contacts.len();
        let mut best = self.features.best_face(&pair, guess, &|_| true);
        if best.separation > prediction {
            return Touch::Apart(best.normal);
        }
        if best.separation > -prediction && self.features.faces_are_parallel(&pair, &best) {
            add_faces(&mut self.clipping, &pair, &best, contacts);
            if contacts.len() > start {
                return Touch::Contact(best.normal);
            }
        }
        best = self.features.best_edges(&pair, best, &|_| true);
        if best.separation > prediction {
            return Touch::Apart(best.normal);
        }
        add_edges(&pair, &best, contacts);
        add_faces(&mut self.clipping, &pair, &best, contacts);
        if contacts.len() > start {
            return Touch::Contact(best.normal);
        }
        if best.separation <= -pair.same {
            // Rounding or the preference of faces left nothing.
            contacts.push(deepest_vertex(&pair, &best));
            return Touch::Contact(best.normal);
        }
        // The features do not face each other.
        match closest_points(first, second, pose, prediction, best.normal) {
            Some(contact) => {
                contacts.push(contact);
                Touch::Contact(contact.normal)
            }
            None => Touch::Contact(best.normal),
        }
    }

    /// Adds the contact points of a triangle of a mesh and a hull at `pose` in the frame of the mesh that are closer than `prediction` (m), along
    /// normals within the `limits` of the triangle.
    pub fn of_triangle(
        &mut self,
        (triangle, limits): (&Triangle, &TriangleLimits),
        hull: &Hull,
        pose: &Pose,
        prediction: f64,
        contacts: &mut Vec<ContactPoint>,
    ) -> Touch {
        let normal = triangle.normal();
        let pair = Pair::new(triangle, hull, pose, prediction, &mut self.second_points);
        let (front, back) = (pair.separation(normal), pair.separation(-normal));
        let upright = match front >= back {
            true if front > prediction => return Touch::Apart(normal),
            true => Axis { separation: front, normal, feature: Feature::FaceOfFirst(0) },
            false if !limits.two_sided => return Touch::Ignored,
            false if back > prediction => return Touch::Apart(-normal),
            false => Axis { separation: back, normal: -normal, feature: Feature::FaceOfFirst(1) },
        };
        if limits.is_flat(front < back) {
            add_faces(&mut self.clipping, &pair, &upright, contacts);
            return Touch::Contact(upright.normal);
        }
        let mut best = self.features.best_face(&pair, upright.normal, &|_| true);
        best = self.features.best_edges(&pair, best, &|_| true);
        if best.separation > prediction {
            return Touch::Apart(best.normal);
        }
        let allowed = |direction: DVec3| limits.allow(triangle, direction);
        if !allowed(best.normal) {
            best = self.features.best_face(&pair, best.normal, &allowed);
            best = self.features.best_edges(&pair, best, &allowed);
            if upright.separation >= best.separation {
                best = upright;
            }
        }
        add_edges(&pair, &best, contacts);
        add_faces(&mut self.clipping, &pair, &best, contacts);
        Touch::Contact(best.normal)
    }
}

/// How far two hulls are apart along `direction` at least, m.
fn apart(first: &Hull, second: &Hull, pose: &Pose, direction: DVec3) -> f64 {
    let turned = pose.rotation.inverse() * direction;
    lowest(second.points(), turned) + direction.dot(pose.translation) - highest(first.points(), direction)
}

/// Adds the contact of two edges where their lines are closest.
fn add_edges<A: Polyhedron, B: Polyhedron>(pair: &Pair<A, B>, axis: &Axis, contacts: &mut Vec<ContactPoint>) {
    let Feature::Edges(first, second) = axis.feature else { return };
    let [a, b] = pair.first.edge(first).vertices.map(|vertex| pair.first_points()[vertex as usize]);
    let [c, d] = pair.second.edge(second).vertices.map(|vertex| pair.second_points[vertex as usize]);
    let (u, v, w) = (b - a, d - c, a - c);
    let (uu, uv, vv, uw, vw) = (u.dot(u), u.dot(v), v.dot(v), u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    let (x, y) = ((uv * vw - vv * uw) / determinant, (uu * vw - uv * uw) / determinant);
    let within = |share: f64| (-1e-9..=1.0 + 1e-9).contains(&share);
    if within(x) && within(y) {
        let (on_first, on_second) = (a + x * u, c + y * v);
        let distance = (on_second - on_first).dot(axis.normal);
        let features = [FeatureId::Edge(first), FeatureId::Edge(second)];
        contacts.push(ContactPoint { normal: axis.normal, on_first, on_second, distance, features, known: false });
    }
}

/// Adds the contacts between the faces that look at each other along the axis.
fn add_faces<A: Polyhedron, B: Polyhedron>(clipping: &mut Clipping, pair: &Pair<A, B>, axis: &Axis, contacts: &mut Vec<ContactPoint>) {
    let normal = axis.normal;
    let first_face = match axis.feature {
        Feature::FaceOfFirst(face) => face,
        _ => support_face(pair.first, pair.first_points(), normal, normal, pair.same),
    };
    let second_face = match axis.feature {
        Feature::FaceOfSecond(face) => face,
        _ => support_face(pair.second, pair.second_points, -normal, pair.in_second(-normal), pair.same),
    };
    let cosines = [pair.first.face_normal(first_face).dot(normal), -pair.second_normal(second_face).dot(normal)];
    let first = Outline { points: pair.first_points(), vertices: pair.first.face_vertices(first_face), reversed: false };
    // Seen against the normal, faces of the second polyhedron go round clockwise.
    let second = Outline { points: pair.second_points, vertices: pair.second.face_vertices(second_face), reversed: true };
    // A side of a triangle cannot clip.
    let second_clips = match axis.feature {
        Feature::FaceOfFirst(_) => first.vertices.len() < 3,
        Feature::FaceOfSecond(_) => true,
        _ => cosines[1] > cosines[0] || first.vertices.len() < 3,
    };
    let (reference, subject) = if second_clips { (second, first) } else { (first, second) };
    if cosines[usize::from(second_clips)] < FACING {
        return;
    }
    let plane = Plane::across(normal);
    let reference_normal = if second_clips { pair.second_normal(second_face) } else { pair.first.face_normal(first_face) };
    // The plane of the face that clips, as a height over the plane across the normal.
    let rise = reference_normal.dot(normal);
    let slope = plane.project(reference_normal);
    let level = reference_normal.dot(reference.points[reference.vertices[0] as usize]);
    let faces = [FeatureId::Face(first_face), FeatureId::Face(second_face)];
    let start = contacts.len();
    for corner in clipping.clip(&plane, &reference, &subject, pair.same) {
        let ground = (level - corner.at.dot(slope)) / rise;
        let heights = if second_clips { [corner.height, ground] } else { [ground, corner.height] };
        let distance = heights[1] - heights[0];
        let [on_first, on_second] = heights.map(|height| plane.raise(corner.at, height));
        let is_new = |other: &ContactPoint| plane.project(other.on_first).distance_squared(corner.at) > pair.same * pair.same;
        if distance <= pair.prediction && contacts[start..].iter().all(is_new) {
            let features = features(corner.origin, faces, second_clips);
            contacts.push(ContactPoint { normal, on_first, on_second, distance, features, known: false });
        }
    }
}

/// The features of both polyhedra at a corner of a clipped face.
fn features(origin: Origin, faces: [FeatureId; 2], second_clips: bool) -> [FeatureId; 2] {
    let [reference, subject] = if second_clips { [faces[1], faces[0]] } else { faces };
    let (of_reference, of_subject) = match origin {
        Origin::Vertex(vertex) => (reference, FeatureId::Vertex(vertex)),
        Origin::Reference(vertex) => (FeatureId::Vertex(vertex), subject),
        Origin::Crossing(side, own) => (FeatureId::Edge(side), FeatureId::Edge(own)),
    };
    if second_clips { [of_subject, of_reference] } else { [of_reference, of_subject] }
}

/// The face most parallel to `direction` among those at the vertices farthest along it; `local` is the direction in the frame of the polyhedron.
fn support_face(polyhedron: &impl Polyhedron, points: &[DVec3], direction: DVec3, local: DVec3, same: f64) -> u32 {
    let level = highest(points, direction) - same;
    let top = (0..points.len() as u32).filter(|&vertex| points[vertex as usize].dot(direction) >= level);
    let faces = top.flat_map(|vertex| polyhedron.faces_at(vertex));
    let cosine = |face: u32| polyhedron.face_normal(face).dot(local);
    faces.copied().max_by(|&a, &b| cosine(a).total_cmp(&cosine(b))).unwrap_or(0)
}

/// The vertex of the second hull that is deepest in the first.
fn deepest_vertex(pair: &Pair<Hull, Hull>, axis: &Axis) -> ContactPoint {
    let depth = |vertex: &usize| pair.second_points[*vertex].dot(axis.normal);
    let vertex = (0..pair.second_points.len()).min_by(|a, b| depth(a).total_cmp(&depth(b))).unwrap_or(0);
    let on_second = pair.second_points[vertex];
    ContactPoint {
        normal: axis.normal,
        on_first: on_second - axis.separation * axis.normal,
        on_second,
        distance: axis.separation,
        features: [FeatureId::Unknown, FeatureId::Vertex(vertex as u32)],
        known: false,
    }
}

/// The closest points of two hulls that do not overlap, if they are within `prediction` (m).
fn closest_points(first: &Hull, second: &Hull, pose: &Pose, prediction: f64, direction: DVec3) -> Option<ContactPoint> {
    let mut simplex = VoronoiSimplex::new();
    let found = contact_support_map_support_map_with_params(pose, first, second, prediction, &mut simplex, Some(direction));
    let GJKResult::ClosestPoints(on_first, on_second, normal) = found else { return None };
    let distance = (on_second - on_first).dot(normal);
    let features = [FeatureId::Unknown; 2];
    let contact = ContactPoint { normal, on_first, on_second, distance, features, known: false };
    (0.0..=prediction).contains(&distance).then_some(contact)
}

impl SupportMap for Hull {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        let along = |point: &&DVec3| point.dot(direction);
        self.points().iter().max_by(|a, b| along(a).total_cmp(&along(b))).copied().unwrap_or_default()
    }
}
