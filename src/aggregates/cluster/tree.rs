//! A binary tree of spheres around the members of a cluster, so that two large clusters are compared part by part.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::member::Member;

/// In place of a first child: the node is a leaf, and the second number is that of its member.
pub const NONE: u32 = u32::MAX;

/// A sphere around one or more members.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// From the center of the cluster, along its axes, m.
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// Nodes; or [`NONE`] and a member.
    pub children: [u32; 2],
}

impl Node {
    /// The member of a leaf.
    #[inline]
    pub fn member(&self) -> Option<u32> {
        (self.children[0] == NONE).then_some(self.children[1])
    }
}

/// The tree over `members`, at least two of them, which are brought into the order of its leaves.
pub fn build(members: &mut [Member]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * members.len() - 1);
    add(members, 0, &mut nodes);
    nodes
}

/// Adds the node of `members`, of which the first has number `first`, and those below it.
fn add(members: &mut [Member], first: u32, nodes: &mut Vec<Node>) -> u32 {
    let index = nodes.len() as u32;
    if let [member] = members {
        nodes.push(Node { center: member.offset, radius: member.radius, children: [NONE, first] });
        return index;
    }
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for member in members.iter() {
        (low, high) = (low.min(member.offset - member.radius), high.max(member.offset + member.radius));
    }
    let center = 0.5 * (low + high);
    let radius = members.iter().map(|member| member.offset.distance(center) + member.radius).fold(0.0, f64::max);
    nodes.push(Node { center, radius, children: [0, 0] });
    let axis = (high - low).max_position();
    let middle = members.len() / 2;
    // Ties by id, so that the order does not depend on where the members lay before.
    members.select_nth_unstable_by(middle, |a, b| a.offset[axis].total_cmp(&b.offset[axis]).then(a.id.cmp(&b.id)));
    let (left, right) = members.split_at_mut(middle);
    let left = add(left, first, nodes);
    let right = add(right, first + middle as u32, nodes);
    nodes[index as usize].children = [left, right];
    index
}
