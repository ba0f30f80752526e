//! The first contact of two clusters by time samples with refinement (Wang et al. 2019).
//!
//! The window is sampled at an interval in which nothing moves by more than the radius of the smallest sphere,
//! `Δt = r_min / (|Δv| + |ω_a| R_a + |ω_b| R_b)`; the original formula omits the spin. Only spheres within both bounding spheres are
//! compared. A sample at which all touching pairs have `0.95 ≤ ε ≤ 1` is the contact. If a pair is deeper, sampling restarts from the
//! previous sample with a tenth of the interval. If there is no previous sample, because the window begins with such a pair, that pair is
//! accepted: going back would never end. Contacts shorter than an interval are missed. SI units.

use glam::DVec3;

use super::{
    super::cluster::{Cluster, Motion},
    contact::{Contact, DEEPEST},
};

/// Maximum number of divisions of the interval by ten; a smaller interval is lost in rounding.
const LEVELS: u32 = 14;

/// Result of a sample.
pub enum Sample {
    Apart,
    /// The deepest pair, as indices into the members.
    Touching {
        epsilon: f64,
        members: [u32; 2],
    },
}

/// The interval between the initial samples, s; infinite for clusters at rest relative to each other.
pub fn interval(a: (&Cluster, &Motion), b: (&Cluster, &Motion)) -> f64 {
    let turning = |cluster: &Cluster, motion: &Motion| if cluster.arm > 0.0 { motion.spin.length() * cluster.radius } else { 0.0 };
    let speed = (b.1.velocity - a.1.velocity).length() + turning(a.0, a.1) + turning(b.0, b.1);
    a.0.smallest.min(b.0.smallest) / speed
}

/// The first contact of `a` and `b` within `limits`, s from the instant of the motions.
pub fn first_contact(a: (&Cluster, &Motion), b: (&Cluster, &Motion), limits: (f64, f64)) -> Option<Contact> {
    let mut places = [Vec::new(), Vec::new()];
    refine(limits, interval(a, b), |time| {
        let centers = [a.1.center + time * a.1.velocity, b.1.center + time * b.1.velocity];
        place(a, time, (centers[1], b.0.radius), &mut places[0]);
        place(b, time, (centers[0], a.0.radius), &mut places[1]);
        deepest(&places[0], &places[1])
    })
}

/// Samples the range `limits` at `interval`, and then at ever shorter intervals, until a contact is placed.
pub fn refine(limits: (f64, f64), interval: f64, mut sample: impl FnMut(f64) -> Sample) -> Option<Contact> {
    let (mut from, mut until) = limits;
    let mut interval = interval.min(until - from);
    for level in 0..LEVELS {
        let mut before = None;
        let mut number = 0_u64;
        loop {
            let time = (from + number as f64 * interval).min(until);
            if let Sample::Touching { epsilon, members } = sample(time) {
                match before {
                    Some(before) if epsilon < DEEPEST && level + 1 < LEVELS => (from, until) = (before, time),
                    _ => return Some(Contact { time, epsilon, members }),
                }
                break;
            }
            if time >= until {
                return None;
            }
            before = Some(time);
            number += 1;
        }
        // At least one of the shorter samples is in between.
        interval = (0.1 * interval).min(0.1 * (until - from));
    }
    None
}

/// Centers (m), radii and indices of the members at `time` that overlap the `other` bounding sphere.
pub fn place(moving: (&Cluster, &Motion), time: f64, other: (DVec3, f64), places: &mut Vec<(DVec3, f64, u32)>) {
    let (cluster, motion) = moving;
    let center = motion.center + time * motion.velocity;
    let orientation = motion.orientation_after(time);
    places.clear();
    for (number, member) in (0..).zip(&cluster.members) {
        let at = center + orientation * member.offset;
        let reach = other.1 + member.radius;
        if at.distance_squared(other.0) <= reach * reach {
            places.push((at, member.radius, number));
        }
    }
}

/// The pair with the smallest `ε`, if any pair touches.
pub fn deepest(a: &[(DVec3, f64, u32)], b: &[(DVec3, f64, u32)]) -> Sample {
    let mut sample = Sample::Apart;
    let mut least = 1.0;
    for &(place_a, radius_a, m) in a {
        for &(place_b, radius_b, n) in b {
            let sigma = radius_a + radius_b;
            let square = place_a.distance_squared(place_b);
            if square <= least * least * sigma * sigma {
                least = square.sqrt() / sigma;
                sample = Sample::Touching { epsilon: least, members: [m, n] };
            }
        }
    }
    sample
}
