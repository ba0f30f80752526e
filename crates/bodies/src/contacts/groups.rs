//! Groups of bodies that push one another.

use std::collections::HashMap;

use plimsoll_shape::topology::DisjointSets;
use rapier3d_f64::prelude::{ColliderHandle, ContactPair, PhysicsWorld, RigidBodyHandle};

use crate::Body;

/// Bodies in contact, directly or through others.
pub(super) struct Group {
    pub members: Vec<usize>,
    /// Whether any of them does not float, is locked or has a joint to the world.
    pub external: bool,
    /// Whether any of them has a joint.
    pub joined: bool,
}

/// The pairs of bodies of which a contact pushed in the last step of the library.
pub(super) fn pushing(world: &PhysicsWorld, body_of: &HashMap<RigidBodyHandle, usize>) -> Vec<(usize, usize)> {
    let index_of = |collider: ColliderHandle| {
        let parent = world.colliders[collider].parent()?;
        body_of.get(&parent).copied()
    };
    let pushes =
        |pair: &ContactPair| pair.solver_manifolds().iter().any(|manifold| manifold.points.iter().any(|point| point.data.impulse > 0.0));
    let pairs = world.narrow_phase.contact_pairs().filter(|pair| pushes(pair));
    pairs.filter_map(|pair| Some((index_of(pair.collider1)?, index_of(pair.collider2)?))).collect()
}

/// Groups of bodies that are connected by contacts that are `pushing` or are `joined`, without single bodies.
pub(super) fn groups_of(pushing: &[(usize, usize)], joined: &[(usize, Option<usize>)], bodies: &[Body]) -> Vec<Group> {
    let fixed = |body: &Body| {
        body.floating().is_none_or(|floating| floating.locked_translation != [false; 3] || floating.locked_rotation != [false; 3])
    };
    let mut sets = DisjointSets::new(bodies.len());
    for &(one, other) in pushing {
        sets.join(one as u32, other as u32);
    }
    for &(body, other) in joined {
        if let Some(other) = other {
            sets.join(body as u32, other as u32);
        }
    }
    let (labels, count) = sets.numbered();
    let mut groups: Vec<Group> = (0..count).map(|_| Group { members: Vec::new(), external: false, joined: false }).collect();
    for (index, (body, &label)) in bodies.iter().zip(&labels).enumerate() {
        let group = &mut groups[label as usize];
        group.members.push(index);
        group.external |= fixed(body);
    }
    for &(body, other) in joined {
        let group = &mut groups[labels[body] as usize];
        group.joined = true;
        group.external |= other.is_none();
    }
    groups.retain(|group| group.members.len() > 1 || group.joined);
    groups
}
