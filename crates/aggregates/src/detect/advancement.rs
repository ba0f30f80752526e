//! The first contact of two clusters by conservative advancement (Mirtich 1996) over their sphere trees: steps that cannot miss a contact.
//!
//! The vector `p(t)` between the centers of two spheres of the trees deviates from its tangent by at most `½ A t²`, with
//! `A = |ω_a|² |q_a| + |ω_b|² |q_b|` and `q` the positions of the spheres in their clusters. Within a time `h` they cannot touch before the
//! tangent comes within `σ + ½ A h²` of the origin. Steps converge quadratically where the path is nearly straight. A queue orders the
//! pairs by these times and the earliest is processed: if two spheres touch and at least one is a group of members, pairs of its parts
//! replace the pair; if two members touch and approach, they are the contact. Two members that touch and separate, as after an impact, are
//! no nearer than now for `2 ṗ / A`. SI units.

use std::{cmp::Ordering, collections::BinaryHeap};

use glam::{DQuat, DVec3};

use super::{
    super::cluster::{Cluster, Motion, Node},
    contact::{Contact, TOLERANCE},
    window,
};

/// A pair of tree nodes that do not touch before `time`.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    time: f64,
    nodes: [u32; 2],
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // The earliest is at the top of the heap.
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

/// Two spheres of rotating clusters at some instant.
struct Approach {
    /// Vector from one to the other, m, and its rate of change, m/s.
    distance: DVec3,
    rate: DVec3,
    /// Bound on the acceleration of `distance`, m/s².
    bend: f64,
    /// Distance at which they touch, m.
    reach: f64,
    /// Tolerance: a distance up to this much above `reach` counts as touching, m.
    slack: f64,
}

/// The first contact of `a` and `b` within `limits` (s from the instant of the motions), with `1 − ε` between one and two times
/// [`TOLERANCE`].
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
            // If the step is too small to change the time, the contact is within rounding.
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

/// Two single spheres, in closed form.
fn of_spheres(a: (&Cluster, &Motion), b: (&Cluster, &Motion), from: f64, until: f64) -> Option<Contact> {
    let sigma = a.0.radius + b.0.radius;
    let (r, v) = (b.1.center - a.1.center, b.1.velocity - a.1.velocity);
    let start = r + from * v;
    let (time, _) = window(start, v, sigma * (1.0 - 1.5 * TOLERANCE), until - from)?;
    // Spheres that already touch and separate never meet again.
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
        // Contacts of members are placed between one and two tolerances deep; for groups any slack works that makes a worthwhile step.
        let leaves = a.member().is_some() && b.member().is_some();
        let (reach, slack) = if leaves { (sigma * (1.0 - 2.0 * TOLERANCE), sigma * TOLERANCE) } else { (sigma, 0.05 * sigma) };
        Self { distance, rate, bend, reach, slack }
    }

    /// Seconds for which the two cannot touch, at distance `depth` (m, more than `reach`).
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

    /// Seconds for which two separating members at distance `depth` (m) do not approach to less than that by more than half the slack.
    fn parting_step(&self, depth: f64) -> f64 {
        let speed = self.distance.dot(self.rate) / depth;
        if self.bend == 0.0 { f64::INFINITY } else { (2.0 * speed / self.bend).max((self.slack / self.bend).sqrt()) }
    }
}
