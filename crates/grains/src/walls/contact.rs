//! Selects the triangles that a grain touches, with one contact per flat face.
//!
//! The closest points of all triangles are processed from nearest to farthest. A point is skipped if an accepted point covers it. This is
//! so in two cases. The point is in or behind the tangent plane of the grain at the accepted point: the rest of a flat face, the edges of
//! its triangles, and everything that recedes from it. Or the normals are nearly equal: the next facet of a rounded wall, which is one
//! surface and not two. A grain that rolls over the edges of coplanar triangles therefore feels one plane, and in a corner it feels both
//! walls.

use glam::DVec3;
use plimsoll_base::math::Domain;
use plimsoll_bodies::Body;
use plimsoll_search::Sphere;
use serde::{Deserialize, Serialize};

use super::surface::Surface;
use crate::law::History;

/// Marks the box in place of a body index.
pub const BOX: u32 = u32::MAX;

/// Minimum cosine of the angle between two normals of the same surface: 11°.
const ALIKE: f64 = 0.98;
/// A point up to this height above a plane, in radii, is considered to be in it.
const FLAT: f64 = 1e-6;
/// Minimum cosine of the angle at which a new contact may continue one that has ended.
const GOES_ON: f64 = 0.7;

/// Contact of a grain with a feature of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature {
    pub body: u32,
    pub face: u32,
    /// World coordinates, meters.
    pub point: DVec3,
    /// Points from the grain into the wall.
    pub normal: DVec3,
    /// Meters.
    pub overlap: f64,
}

/// A contact of a grain with a wall, with its history.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SurfaceContact {
    pub body: u32,
    pub face: u32,
    pub point: DVec3,
    pub normal: DVec3,
    pub overlap: f64,
    pub history: History,
    /// Force on the grain, N.
    pub force: DVec3,
    /// Couple on the grain in addition to the moment of the force, N m.
    pub couple: DVec3,
}

impl SurfaceContact {
    fn new(feature: &Feature, history: History) -> Self {
        let Feature { body, face, point, normal, overlap } = *feature;
        Self { body, face, point, normal, overlap, history, force: DVec3::ZERO, couple: DVec3::ZERO }
    }

    pub fn feature(&self) -> Feature {
        let Self { body, face, point, normal, overlap, .. } = *self;
        Feature { body, face, point, normal, overlap }
    }
}

/// Features that a grain touches, with buffers for the search.
#[derive(Clone, Debug, Default)]
pub struct Features {
    found: Vec<Feature>,
    candidates: Vec<Feature>,
}

impl Features {
    /// Removes all features.
    pub fn clear(&mut self) {
        self.found.clear();
    }

    pub fn found(&self) -> &[Feature] {
        &self.found
    }

    /// Adds the touched sides of the box. They are numbered from 0, lower before upper along each axis.
    pub fn touch_box(&mut self, sphere: &Sphere, domain: &Domain) {
        for axis in (0..domain.dimension).filter(|&axis| !domain.periodic[axis]) {
            let low = sphere.center[axis] - domain.low[axis];
            for (side, height) in [(0, low), (1, domain.size[axis] - low)] {
                if height < sphere.radius {
                    let mut normal = DVec3::ZERO;
                    normal[axis] = if side == 0 { -1.0 } else { 1.0 };
                    let (point, overlap) = (sphere.center + normal * height, sphere.radius - height);
                    self.found.push(Feature { body: BOX, face: 2 * axis as u32 + side, point, normal, overlap });
                }
            }
        }
    }

    /// Adds the touched flat faces, edges and corners of a body among `triangles`.
    pub fn touch_body(&mut self, sphere: &Sphere, (index, body): (u32, &Body), surface: &Surface, triangles: impl Iterator<Item = u32>) {
        let center = body.pose.inverse_transform_point(sphere.center);
        self.candidates.clear();
        for triangle in triangles {
            let (point, _) = surface.closest(triangle, center);
            let (offset, squared) = (point - center, point.distance_squared(center));
            // A center exactly on a triangle has no normal direction.
            if squared < sphere.radius * sphere.radius && squared > 0.0 {
                let distance = squared.sqrt();
                let (normal, overlap) = (offset / distance, sphere.radius - distance);
                self.candidates.push(Feature { body: index, face: surface.face(triangle), point, normal, overlap });
            }
        }
        self.candidates.sort_unstable_by(|a, b| b.overlap.total_cmp(&a.overlap).then(a.face.cmp(&b.face)));
        let first = self.found.len();
        for candidate in &self.candidates {
            let covers = |taken: &Feature| {
                // The outward direction is against the normal, which points into the wall.
                let height = (taken.point - candidate.point).dot(taken.normal);
                height <= FLAT * sphere.radius || taken.normal.dot(candidate.normal) > ALIKE
            };
            if !self.found[first..].iter().any(covers) {
                self.found.push(*candidate);
            }
        }
        for feature in &mut self.found[first..] {
            feature.point = body.pose.transform_point(feature.point);
            feature.normal = body.pose.transform_vector(feature.normal);
        }
    }
}

/// Replaces `contacts` by those of `features`. A contact with the same face keeps its history. A new contact also continues one of the same
/// body that has ended.
pub fn carry(contacts: &mut Vec<SurfaceContact>, features: &[Feature]) {
    if contacts.len() == 1 && features.len() == 1 && contacts[0].body == features[0].body && contacts[0].face == features[0].face {
        contacts[0] = SurfaceContact::new(&features[0], contacts[0].history);
        return;
    }
    if contacts.is_empty() && features.is_empty() {
        return;
    }
    let mut old = std::mem::take(contacts);
    contacts.extend(features.iter().map(|feature| SurfaceContact::new(feature, History::default())));
    let mut open: Vec<usize> = Vec::new();
    for (index, contact) in contacts.iter_mut().enumerate() {
        match old.iter().position(|former| former.body == contact.body && former.face == contact.face) {
            Some(at) => contact.history = old.swap_remove(at).history,
            None => open.push(index),
        }
    }
    for index in open {
        let contact = &mut contacts[index];
        let goes_on = |former: &SurfaceContact| former.body == contact.body && former.normal.dot(contact.normal) > GOES_ON;
        if contact.body != BOX
            && let Some(at) = old.iter().position(goes_on)
        {
            contact.history = old.swap_remove(at).history;
        }
    }
}
