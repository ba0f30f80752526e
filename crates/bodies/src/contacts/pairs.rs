//! Friction and restitution of pairs of bodies.

use std::collections::HashMap;

use rapier3d_f64::prelude::{ContactModificationContext, PhysicsHooks, RigidBodyHandle};
use serde::{Deserialize, Serialize};

use crate::{Body, PairDefinition};

/// Pairs with values of their own, ordered by their bodies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Pairs(Vec<PairDefinition>);

impl Pairs {
    pub fn new(definitions: &[PairDefinition]) -> Self {
        let mut pairs = definitions.to_vec();
        pairs.sort_by_key(|pair| pair.bodies);
        Self(pairs)
    }

    /// Bodies with a friction of their own against some other.
    pub fn with_friction(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().filter(|pair| pair.friction.is_some()).flat_map(|pair| pair.bodies)
    }

    fn find(&self, one: usize, other: usize) -> Option<&PairDefinition> {
        let key = [one.min(other), one.max(other)];
        self.0.binary_search_by_key(&key, |pair| pair.bodies).ok().map(|index| &self.0[index])
    }

    /// The restitution given for a pair, or the larger one of both bodies.
    pub fn restitution(&self, bodies: &[Body], one: usize, other: usize) -> f64 {
        let given = self.find(one, other).and_then(|pair| pair.restitution);
        given.unwrap_or_else(|| bodies[one].restitution.max(bodies[other].restitution))
    }

    /// Whether no two of the `bodies` rebound.
    pub fn never_rebound(&self, bodies: &[Body]) -> bool {
        bodies.iter().all(|body| body.restitution == 0.0) && self.0.iter().all(|pair| pair.restitution.is_none_or(|value| value == 0.0))
    }
}

/// Gives contacts of the library the friction of their pair.
pub(super) struct Frictions<'a> {
    pub pairs: &'a Pairs,
    pub body_of: &'a HashMap<RigidBodyHandle, usize>,
}

impl PhysicsHooks for Frictions<'_> {
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext) {
        let [Some(one), Some(other)] = [context.rigid_body1, context.rigid_body2].map(|handle| self.body_of.get(&handle?).copied()) else {
            return;
        };
        if let (Some(friction), Some(manifold)) = (self.pairs.find(one, other).and_then(|pair| pair.friction), context.rigid_mut()) {
            *manifold.friction = friction;
        }
    }
}
