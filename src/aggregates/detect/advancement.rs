//! The first contact of two clusters by steps that cannot miss it (conservative advancement, Mirtich 1996), over their trees of spheres.
//!
//! Two spheres of the trees with centers at `p(t)` from each other approach along a curve that leaves its tangent by at most `½ A t²`, with
//! `A = |ω_a|² |q_a| + |ω_b|² |q_b|` and `q` their places in the clusters. So until the time at which the tangent comes within
//! `σ + ½ A h²` of the origin, and no longer than `h`, they cannot touch. Steps converge quadratically where the path is nearly straight.
//! Pairs wait in the order of these times. The earliest goes on: a pair of spheres about several members that touch is replaced by pairs
//! of their parts, and two members that touch and approach are the contact. Two that touch and part, as after an impact, are no nearer than
//! now for `2 ṗ / A`. SI units.

use std::{cmp::Ordering, collections::BinaryHeap};

use glam::{DQuat, DVec3};

use super::{
    super::cluster::{Cluster, Motion, Node},
    contact::{Contact, TOLERANCE},
    window,
};

/// A pair of nodes of the trees that do not touch before `time`.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    time: f64,
    nodes: [u32; 2],
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // The earliest on top of the heap.
        other.time.total_cmp(&self.time).then(other.nodes.cmp(&self.nodes))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Waiting {}

/// Two spheres that belong to turning clusters, at some instant.
struct Approach {
    /// From one to the other, m, and its rate of change, m/s.
    distance: DVec3,
    rate: DVec3,
    /// Bound on the acceleration of `distance`, m/s².
    bend: f64,
    /// They touch within this, m.
    reach: f64,
    /// How much nearer than `reach` they may be found, m.
    slack: f64,
}

/// The first contact of `a` and `b` within `limits` (s from the instant of the motions), with `1 − ε` from one to two [`TOLERANCE`].
pub fn first_contact(a: (&Cluster, &Motion), b: (&Cluster, &Motion), limits: (f64, f64)) -> Option<Contact> {
    let (from, until) = limits;
    if a.0.arm == 0.0 && b.0.arm == 0.0 {
        return of_spheres(a, b, from, until);
    }
    let mut waiting = BinaryHeap::with_capacity(64);
    waiting.push(Waiting { time: from, nodes: [0, 0] });
    while let Some(Waiting { time, nodes }) = waiting.pop() {
        let pair = [a.0.node(nodes[0]), b.0.node(nodes[1])];
        let approach = Approach::new(pair, a.1, b.1, time);
        let depth = approach.distance.length();
        if depth > approach.reach + approach.slack {
            let next = time + approach.safe_step(depth);
            // A step too small to change the time is a contact within rounding.
            if next > time {
                if next <= until {
                    waiting.push(Waiting { time: next, nodes });
                }
                continue;
            }
        }
        match pair.map(|node| node.member()) {
            [Some(_), Some(_)] if approach.distance.dot(approach.rate) >= 0.0 => {
                let next = time + approach.parting_step(depth);
                if next <= until {
                    waiting.push(Waiting { time: next, nodes });
                }
            }
            [Some(m), Some(n)] => {
                let epsilon = depth / (pair[0].radius + pair[1].radius);
                return Some(Contact { time, epsilon, members: [m, n] });
            }
            [None, Some(_)] => waiting.extend(pair[0].children.map(|child| Waiting { time, nodes: [child, nodes[1]] })),
            [Some(_), None] => waiting.extend(pair[1].children.map(|child| Waiting { time, nodes: [nodes[0], child] })),
            [None, None] if pair[0].radius >= pair[1].radius => {
                waiting.extend(pair[0].children.map(|child| Waiting { time, nodes: [child, nodes[1]] }));
            }
            [None, None] => waiting.extend(pair[1].children.map(|child| Waiting { time, nodes: [nodes[0], child] })),
        }
    }
    None
}

/// Two single spheres: in closed form.
fn of_spheres(a: (&Cluster, &Motion), b: (&Cluster, &Motion), from: f64, until: f64) -> Option<Contact> {
    let sigma = a.0.radius + b.0.radius;
    let (r, v) = (b.1.center - a.1.center, b.1.velocity - a.1.velocity);
    let start = r + from * v;
    let (time, _) = window(start, v, sigma * (1.0 - 1.5 * TOLERANCE), until - from)?;
    // What touches already and parts never meets again.
    if time == 0.0 && start.dot(v) >= 0.0 {
        return None;
    }
    let time = from + time;
    Some(Contact { time, epsilon: (r + time * v).length() / sigma, members: [0, 0] })
}

impl Approach {
    fn new([a, b]: [Node; 2], motion_a: &Motion, motion_b: &Motion, time: f64) -> Self {
        let arm = |node: Node, motion: &Motion| -> DVec3 {
            let turned: DQuat = motion.orientation_after(time);
            turned * node.center
        };
        let (arm_a, arm_b) = (arm(a, motion_a), arm(b, motion_b));
        let rate = motion_b.velocity - motion_a.velocity + motion_b.spin.cross(arm_b) - motion_a.spin.cross(arm_a);
        let distance = motion_b.center - motion_a.center + time * (motion_b.velocity - motion_a.velocity) + arm_b - arm_a;
        let bend = motion_a.spin.length_squared() * a.center.length() + motion_b.spin.length_squared() * b.center.length();
        let sigma = a.radius + b.radius;
        // Members are to be found between one and two tolerances deep; for groups of them any size will do that is worth a step.
        let leaves = a.member().is_some() && b.member().is_some();
        let (reach, slack) = if leaves { (sigma * (1.0 - 2.0 * TOLERANCE), sigma * TOLERANCE) } else { (sigma, 0.05 * sigma) };
        Self { distance, rate, bend, reach, slack }
    }

    /// Seconds for which the two, `depth` (m, more than `reach`) from each other, cannot touch.
    fn safe_step(&self, depth: f64) -> f64 {
        let straight = |reach: f64| window(self.distance, self.rate, reach, f64::INFINITY).map_or(f64::INFINITY, |(first, _)| first);
        let gap = depth - self.reach;
        let first = straight(self.reach);
        if self.bend == 0.0 {
            return first;
        }
        let deviation = 0.5 * self.bend * first * first;
        if deviation < 0.5 * gap {
            return straight(self.reach + deviation).min(first);
        }
        let longest = (gap / self.bend).sqrt();
        straight(self.reach + 0.5 * gap).min(longest)
    }

    /// Seconds for which two members, `depth` (m) from each other and parting, do not come nearer than that by more than half the slack.
    fn parting_step(&self, depth: f64) -> f64 {
        let speed = self.distance.dot(self.rate) / depth;
        if self.bend == 0.0 { f64::INFINITY } else { (2.0 * speed / self.bend).max((self.slack / self.bend).sqrt()) }
    }
}
