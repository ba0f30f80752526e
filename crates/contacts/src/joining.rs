//! Contacts of many triangles or parts, joined by their normals as if they were of one.

use glam::DVec3;

use crate::{clipping::Plane, reduction::reduce, touching::ContactPoint};

/// Cosine of the largest angle between normals that are joined, 5 degrees.
const SAME_NORMAL: f64 = 0.9962;
/// Contacts closer than this, relative to the prediction distance, are one.
const SAME_PLACE: f64 = 1e-3;

/// Contacts along one normal.
#[derive(Debug)]
pub(crate) struct Group {
    pub normal: DVec3,
    pub contacts: Vec<ContactPoint>,
}

/// Groups contacts by their normals, deepest first, and keeps at most `limit` of each group.
pub(crate) fn join(mut contacts: Vec<ContactPoint>, prediction: f64, limit: usize) -> Vec<Group> {
    contacts.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let same = (SAME_PLACE * prediction).powi(2);
    let mut groups: Vec<Group> = Vec::new();
    for contact in contacts {
        match groups.iter_mut().find(|group| group.normal.dot(contact.normal) > SAME_NORMAL) {
            Some(Group { contacts, .. }) => {
                if contacts.iter().all(|other| other.on_second.distance_squared(contact.on_second) > same) {
                    contacts.push(contact);
                }
            }
            None => groups.push(Group { normal: contact.normal, contacts: vec![contact] }),
        }
    }
    for group in &mut groups {
        reduce(&mut group.contacts, &Plane::across(group.normal), prediction, limit);
    }
    groups
}
