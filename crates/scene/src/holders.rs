//! The bodies that may contain points.

use std::collections::BTreeSet;

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_shape::{BoxTree, Obstacle};

use super::body::PlacedBody;

pub(super) struct Holders<'b> {
    pub bodies: &'b [PlacedBody],
    solids: &'b [Obstacle],
    tree: BoxTree,
}

impl<'b> Holders<'b> {
    pub fn new(bodies: &'b [PlacedBody], solids: &'b [Obstacle]) -> Self {
        Self { bodies, solids, tree: BoxTree::new(solids.iter().map(Obstacle::aabb)) }
    }

    /// The bodies that contain all points; `None` if a point is free.
    pub fn of_all(&self, points: &[DVec3]) -> Option<Vec<usize>> {
        let holders = points.iter().map(|&point| self.of(point)).collect::<Option<BTreeSet<_>>>()?;
        Some(holders.into_iter().collect())
    }

    /// The first body that contains `point`.
    pub fn of(&self, point: DVec3) -> Option<usize> {
        let near = self.tree.overlapping([Aabb::around([point])]).into_iter();
        near.filter(|&index| self.bodies[index].is_wall_at_start()).find(|&index| self.solids[index].contains(point))
    }

    /// Whether body `index` holds fluid at the start and does not float.
    pub fn is_held(&self, index: usize) -> bool {
        self.bodies[index].is_wall_at_start() && !self.bodies[index].is_floating()
    }

    /// Whether a ray from `point` along `direction` meets body `index`.
    pub fn is_along(&self, index: usize, point: DVec3, direction: DVec3) -> bool {
        self.solids[index].is_hit(point, direction)
    }

    /// Names of the bodies `indices` in quotes.
    pub fn names(&self, indices: &[usize]) -> String {
        indices.iter().map(|&index| format!("\"{}\"", self.bodies[index].definition.name)).collect::<Vec<_>>().join(", ")
    }
}
