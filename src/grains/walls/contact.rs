//! Which of the triangles near a grain it touches, each flat face once.
//!
//! The nearest points of all triangles are gone through from the nearest to the farthest. A point is left out if one already taken covers
//! it: if it lies in or behind the plane that touches the grain there (the rest of a flat face, the edges of its triangles and whatever
//! falls away from it), or if its normal is nearly the same (the next facet of a rounded wall, where the surface is one and not two). So
//! a grain that rolls over the edges of coplanar triangles feels one plane, in a corner it feels both walls.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::surface::Surface;
use crate::{bodies::Body, grains::law::History, math::Domain, search::Sphere};

/// Stands for the box where bodies have their index.
pub const BOX: u32 = u32::MAX;

/// Cosine of the angle within which two normals are those of one surface: 11°.
const ALIKE: f64 = 0.98;
/// A point this far above a plane, in radii, still lies in it.
const FLAT: f64 = 1e-6;
/// Cosine of the angle up to which a contact that is new may continue one that has ended.
const GOES_ON: f64 = 0.7;

/// Where a grain touches a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feature {
    pub body: u32,
    pub face: u32,
    /// World coordinates, meters.
    pub point: DVec3,
    /// From the grain into the wall.
    pub normal: DVec3,
    /// Meters.
    pub overlap: f64,
}

/// A contact of a grain with a wall, and what it remembers.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct SurfaceContact {
    pub body: u32,
    pub face: u32,
    pub point: DVec3,
    pub normal: DVec3,
    pub overlap: f64,
    pub history: History,
    /// On the grain, N.
    pub force: DVec3,
    /// On the grain beside the moment of the force, N m.
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

/// What a grain touches, and room to find it out.
#[derive(Clone, Debug, Default)]
pub struct Features {
    found: Vec<Feature>,
    candidates: Vec<Feature>,
}

impl Features {
    /// Nothing is touched.
    pub fn clear(&mut self) {
        self.found.clear();
    }

    pub fn found(&self) -> &[Feature] {
        &self.found
    }

    /// The sides of the box, numbered from 0: the lower and upper one along each axis.
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

    /// The flat faces, edges and corners of a body among `triangles`.
    pub fn touch_body(&mut self, sphere: &Sphere, (index, body): (u32, &Body), surface: &Surface, triangles: impl Iterator<Item = u32>) {
        let center = body.pose.inverse_transform_point(sphere.center);
        self.candidates.clear();
        for triangle in triangles {
            let (point, _) = surface.closest(triangle, center);
            let (offset, squared) = (point - center, point.distance_squared(center));
            // In the middle of a triangle there is no side to be pushed to.
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
                // Outwards is against the normal, which points into the wall.
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

/// Replaces `contacts` by those of `features`. One with the same face goes on; so does one that ended where another of the same body began.
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
