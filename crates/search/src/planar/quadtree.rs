//! Dynamic quadtree: a box is stored in the smallest node that contains it whole, and moves only when it leaves that node.
//!
//! Boxes across the center of a node stay in it and are tested against all boxes below. The tree therefore gains little with many dense
//! blocks.

use glam::DVec2;
use plimsoll_base::math::Rectangle;
use serde::{Deserialize, Serialize};

use super::outlines::{Outlines, ordered};

/// A node is split when it holds more boxes than this.
const MAX_IN_NODE: usize = 8;
const DEEPEST: u32 = 12;
const NOWHERE: u32 = u32::MAX;

/// A quadtree of boxes, updated from call to call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DynamicQuadtree {
    nodes: Vec<Node>,
    /// Node of each outline.
    home: Vec<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Node {
    area: Rectangle,
    depth: u32,
    parent: u32,
    /// The first of the four children; they are consecutive in the list of nodes.
    children: u32,
    outlines: Vec<u32>,
    /// Number of outlines in this node and all nodes below.
    total: u32,
}

impl Node {
    fn new(area: Rectangle, depth: u32, parent: u32) -> Self {
        Self { area, depth, parent, children: NOWHERE, outlines: Vec::new(), total: 0 }
    }
}

impl DynamicQuadtree {
    /// See [`super::PairSearch::find`].
    pub fn find(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        self.update(outlines, cutoff / 2.0);
        let mut checks = 0;
        if !self.nodes.is_empty() {
            self.visit(0, &mut Vec::new(), (outlines, cutoff), &mut checks, pairs);
        }
        checks
    }

    /// Tests the boxes of `node` against one another and against those of the nodes above, `above`.
    fn visit(&self, node: u32, above: &mut Vec<u32>, what: (&Outlines, f64), checks: &mut u64, pairs: &mut Vec<[u32; 2]>) {
        let (outlines, cutoff) = what;
        let here = &self.nodes[node as usize];
        if here.total == 0 {
            return;
        }
        let before = above.len();
        for &outline in &here.outlines {
            let own = outlines.boxes[outline as usize].inflated(cutoff);
            *checks += above.len() as u64;
            for &other in above.iter() {
                if own.overlaps(&outlines.boxes[other as usize]) {
                    pairs.push(ordered(outline, other));
                }
            }
            above.push(outline);
        }
        if here.children != NOWHERE {
            (here.children..here.children + 4).for_each(|child| self.visit(child, above, what, checks, pairs));
        }
        above.truncate(before);
    }

    fn update(&mut self, outlines: &Outlines, half: f64) {
        let count = outlines.boxes.len();
        let world = outlines.boxes.iter().filter(|one| !one.is_empty()).fold(Rectangle::EMPTY, |all, &one| all.union(one)).inflated(half);
        let outside = self.nodes.first().is_none_or(|root| !holds(&root.area, &world));
        if outside || self.home.len() != count {
            // Extra room, so that boxes can move before the tree must be rebuilt.
            let side = 1.25 * world.extent().max_element();
            let middle = 0.5 * (world.min + world.max);
            let area = Rectangle { min: middle - 0.5 * side, max: middle + 0.5 * side };
            self.nodes = vec![Node::new(area, 0, NOWHERE)];
            self.home = vec![NOWHERE; count];
        }
        for (outline, one) in outlines.boxes.iter().enumerate() {
            let outline = outline as u32;
            let home = self.home[outline as usize];
            if one.is_empty() {
                self.take_out(outline);
            } else if home == NOWHERE || !holds(&self.nodes[home as usize].area, &one.inflated(half)) {
                self.take_out(outline);
                self.put_in(outline, outlines, half);
            }
        }
    }

    fn take_out(&mut self, outline: u32) {
        let mut node = std::mem::replace(&mut self.home[outline as usize], NOWHERE);
        if node == NOWHERE {
            return;
        }
        self.nodes[node as usize].outlines.retain(|&other| other != outline);
        while node != NOWHERE {
            self.nodes[node as usize].total -= 1;
            node = self.nodes[node as usize].parent;
        }
    }

    fn put_in(&mut self, outline: u32, outlines: &Outlines, half: f64) {
        let own = outlines.boxes[outline as usize].inflated(half);
        let mut node = 0;
        loop {
            self.nodes[node as usize].total += 1;
            match self.child_around(node, &own) {
                Some(child) => node = child,
                None => break,
            }
        }
        self.nodes[node as usize].outlines.push(outline);
        self.home[outline as usize] = node;
        let here = &self.nodes[node as usize];
        if here.children == NOWHERE && here.outlines.len() > MAX_IN_NODE && here.depth < DEEPEST {
            self.split(node, outlines, half);
        }
    }

    fn child_around(&self, node: u32, own: &Rectangle) -> Option<u32> {
        let first = self.nodes[node as usize].children;
        (first != NOWHERE).then(|| (first..first + 4).find(|&child| holds(&self.nodes[child as usize].area, own))).flatten()
    }

    fn split(&mut self, node: u32, outlines: &Outlines, half: f64) {
        let Node { area, depth, .. } = self.nodes[node as usize];
        let middle = 0.5 * (area.min + area.max);
        self.nodes[node as usize].children = self.nodes.len() as u32;
        for corner in [area.min, DVec2::new(area.max.x, area.min.y), DVec2::new(area.min.x, area.max.y), area.max] {
            let quarter = Rectangle { min: corner.min(middle), max: corner.max(middle) };
            self.nodes.push(Node::new(quarter, depth + 1, node));
        }
        for outline in std::mem::take(&mut self.nodes[node as usize].outlines) {
            let home = self.child_around(node, &outlines.boxes[outline as usize].inflated(half)).unwrap_or(node);
            self.nodes[home as usize].outlines.push(outline);
            self.home[outline as usize] = home;
            if home != node {
                self.nodes[home as usize].total += 1;
            }
        }
    }
}

/// Whether `inner` is strictly inside `area`. On its border it could touch a box in the next node.
fn holds(area: &Rectangle, inner: &Rectangle) -> bool {
    area.min.cmplt(inner.min).all() && inner.max.cmplt(area.max).all()
}
