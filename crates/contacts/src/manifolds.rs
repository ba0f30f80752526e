//! Contacts as manifolds of the rigid-body library, whose impulses of the last step its solver starts with.

use glam::DVec3;
use parry3d_f64::{
    math::Pose,
    query::{ContactManifold, TrackedContact},
    shape::PackedFeatureId,
};

use crate::{
    clipping::Plane,
    joining::Group,
    touching::{ContactPoint, FeatureId},
};

/// The library uses at most this many points of a manifold.
const POINTS: usize = 4;
/// Cosine of the largest angle between the normals of the same contact in two steps.
const SAME_NORMAL: f64 = 0.99;
/// The largest distance of the same contact in two steps, relative to the prediction distance.
const SAME_PLACE: f64 = 0.25;

/// Where the second solid is in the frame of the first, and whether they are in the other order for the library.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub pose: Pose,
    pub swapped: bool,
}

impl Placement {
    /// The second solid at `pose` in the frame of the first in the order of the library; `swapped` makes the second one the first.
    pub fn new(pose: &Pose, swapped: bool) -> Self {
        Self { pose: if swapped { pose.inverse() } else { *pose }, swapped }
    }

    /// A point of the first's frame in that of the second.
    fn in_second(&self, point: DVec3) -> DVec3 {
        self.pose.inverse() * point
    }
}

/// How a contact of the last step is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognition {
    /// By the features of two polyhedra.
    Features,
    /// By its place on the second solid: which of many triangles it belongs to may change.
    Place,
}

/// The contacts of the last step.
#[derive(Debug)]
pub(crate) struct Former<C> {
    contacts: Vec<FormerContact<C>>,
    recognition: Recognition,
    placement: Placement,
    reach: f64,
}

#[derive(Debug)]
struct FormerContact<C> {
    /// On the second solid, in its frame.
    place: DVec3,
    /// In the frame of the first.
    normal: DVec3,
    features: [PackedFeatureId; 2],
    data: C,
    /// Whether a contact of this step continues it.
    continued: bool,
}

impl<C: Copy + Default> Former<C> {
    /// The contacts of `manifolds`, which are from the last step.
    pub fn of<M>(manifolds: &[ContactManifold<M, C>], placement: Placement, recognition: Recognition, prediction: f64) -> Self {
        let contact = |manifold: &ContactManifold<M, C>, point: &TrackedContact<C>| {
            let (place, normal, features) = match placement.swapped {
                false => (point.local_p2, manifold.local_n1, [point.fid1, point.fid2]),
                true => (point.local_p1, manifold.local_n2, [point.fid2, point.fid1]),
            };
            FormerContact { place, normal, features, data: point.data, continued: false }
        };
        let contacts = manifolds.iter().flat_map(|manifold| manifold.points.iter().map(move |point| contact(manifold, point))).collect();
        Self { contacts, recognition, placement, reach: SAME_PLACE * prediction }
    }

    /// Marks the contacts that were there in the last step.
    pub fn mark(&self, contacts: &mut [ContactPoint]) {
        for contact in contacts {
            contact.known = self.find(contact).is_some();
        }
    }

    fn find(&self, contact: &ContactPoint) -> Option<usize> {
        let open = self.contacts.iter().enumerate().filter(|(_, former)| !former.continued);
        match self.recognition {
            Recognition::Features => {
                let features = contact.features.map(packed);
                open.filter(|(_, former)| former.features == features).map(|(index, _)| index).next()
            }
            Recognition::Place => {
                let place = self.placement.in_second(contact.on_second);
                open.filter(|(_, former)| former.normal.dot(contact.normal) > SAME_NORMAL)
                    .map(|(index, former)| (index, former.place.distance_squared(place)))
                    .filter(|(_, distance)| *distance < self.reach * self.reach)
                    .min_by(|(_, a), (_, b)| a.total_cmp(b))
                    .map(|(index, _)| index)
            }
        }
    }

    /// Replaces `manifolds` by those of `groups`.
    pub fn replace<M: Default>(mut self, manifolds: &mut Vec<ContactManifold<M, C>>, groups: Vec<Group>) {
        let mut count = 0;
        for Group { normal, mut contacts } in groups {
            let parts = contacts.len().div_ceil(POINTS).max(1);
            if parts > 1 {
                sort_around(&mut contacts, normal);
            }
            for part in 0..parts {
                if count == manifolds.len() {
                    manifolds.push(ContactManifold::new());
                }
                let manifold = &mut manifolds[count];
                count += 1;
                let back = self.placement.pose.rotation.inverse() * -normal;
                (manifold.local_n1, manifold.local_n2) = if self.placement.swapped { (back, normal) } else { (normal, back) };
                manifold.points.clear();
                // Each part spans the whole area.
                for contact in contacts.iter().skip(part).step_by(parts) {
                    let point = self.point(contact);
                    manifold.points.push(point);
                }
            }
        }
        manifolds.truncate(count);
    }

    /// The contact for the library, with the data of the last step.
    fn point(&mut self, contact: &ContactPoint) -> TrackedContact<C> {
        let [first, second] = contact.features.map(packed);
        let place = self.placement.in_second(contact.on_second);
        let mut point = match self.placement.swapped {
            false => TrackedContact::new(contact.on_first, place, first, second, contact.distance),
            true => TrackedContact::new(place, contact.on_first, second, first, contact.distance),
        };
        if let Some(index) = self.find(contact) {
            self.contacts[index].continued = true;
            point.data = self.contacts[index].data;
        }
        point
    }
}

fn packed(feature: FeatureId) -> PackedFeatureId {
    match feature {
        FeatureId::Face(number) => PackedFeatureId::face(number),
        FeatureId::Edge(number) => PackedFeatureId::edge(number),
        FeatureId::Vertex(number) => PackedFeatureId::vertex(number),
        FeatureId::Unknown => PackedFeatureId::UNKNOWN,
    }
}

/// Sorts contacts by their angle around their middle.
fn sort_around(contacts: &mut [ContactPoint], normal: DVec3) {
    let plane = Plane::across(normal);
    let middle = contacts.iter().map(|contact| plane.project(contact.on_first)).sum::<glam::DVec2>() / contacts.len() as f64;
    let angle = |contact: &ContactPoint| (plane.project(contact.on_first) - middle).to_angle();
    contacts.sort_by(|a, b| angle(a).total_cmp(&angle(b)));
}
