//! A binary bounding-sphere tree over the members of a cluster, with which two large clusters are compared part by part.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::member::Member;

/// Replaces the first child of a leaf; the second number is then the index of the member.
pub const NONE: u32 = u32::MAX;

/// A sphere around one or more members.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// From the center of the cluster, cluster axes, m.
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// Two nodes; or [`NONE`] and a member.
    pub children: [u32; 2],
}

impl Node {
    /// The member of a leaf.
    #[inline]
    pub fn member(&self) -> Option<u32> {
        (self.children[0] == NONE).then_some(self.children[1])
    }
}

/// Builds the tree over at least two `members` and sorts them into the order of its leaves.
pub fn build(members: &mut [Member]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * members.len() - 1);
    add(members, 0, &mut nodes);
    nodes
}

/// Adds the node of `members` and all nodes below it; `first` is the index of the first member.
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
    // Breaks ties by id, so that the result does not depend on the initial order of the members.
    members.select_nth_unstable_by(middle, |a, b| a.offset[axis].total_cmp(&b.offset[axis]).then(a.id.cmp(&b.id)));
    let (left, right) = members.split_at_mut(middle);
    let left = add(left, first, nodes);
    let right = add(right, first + middle as u32, nodes);
    nodes[index as usize].children = [left, right];
    index
}
