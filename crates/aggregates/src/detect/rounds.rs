//! One round of the published algorithms: the first collision of all clusters within the remaining time.
//!
//! | algorithm | before | main |
//! |---|---|---|
//! | 1 | | every pair sampled over the whole time |
//! | 2 | axis-aligned boxes around both, at every sample | the same |
//! | 3 | bounding spheres, maximum detection region | windows of bounding spheres, sampled |
//!
//! From Table 1 of Wang et al. (2019), with their steps. All three sample at the interval of [`super::NarrowPhase::Sampling`]. In the
//! periodic box the first two use nearest images; the third considers every image within range.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{
    super::{
        cluster::{Cluster, Motion},
        state::Population,
    },
    DetectionRegion, Extremes, NarrowPhase,
    contact::{Contact, Encounter},
    images, sampling, window,
};

/// An algorithm of Wang et al. (2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Algorithm {
    /// The first algorithm: only samples.
    Plain,
    /// The second: axis-aligned bounding boxes, then samples.
    Boxes,
    /// The third: bounding spheres and maximum detection regions, then samples.
    Spheres,
}

/// The first collision of `population` within `remaining` seconds; all clusters must be at the same instant. The third algorithm uses
/// `narrow`; the others only sample.
pub fn first_collision(population: &Population, remaining: f64, algorithm: Algorithm, narrow: NarrowPhase) -> Option<Encounter> {
    let mut first: Option<Encounter> = None;
    let mut offer = |pair, shift, contact: Option<Contact>| {
        let Some(contact) = contact else { return };
        // Of simultaneous collisions, the first pair found counts: the one with the lowest places.
        if first.is_none_or(|first| contact.time < first.contact.time) {
            first = Some(Encounter { pair, shift, contact });
        }
    };
    let count = population.len();
    let extremes = Extremes::of(&population.flights);
    let present = |index: &usize| !population.clusters[*index].is_empty();
    for a in (0..count).filter(present) {
        let region = DetectionRegion::new(&population.flights[a], &extremes, remaining);
        for b in (a + 1..count).filter(present) {
            match algorithm {
                Algorithm::Plain | Algorithm::Boxes => {
                    let (shift, contact) = sampled(population, [a, b], remaining, algorithm == Algorithm::Boxes);
                    offer([a, b], shift, contact);
                }
                Algorithm::Spheres => {
                    let (target, other) = (&population.flights[a], &population.flights[b]);
                    let r = other.center - target.center;
                    if !region.holds_an_image(r, population.domain.size) {
                        continue;
                    }
                    let (v, sigma) = (other.velocity - target.velocity, target.radius + other.radius);
                    images(&population.domain, r, v, sigma, remaining, |shift| {
                        if let Some(limits) = window(r + shift, v, sigma, remaining) {
                            offer([a, b], shift, in_window(population, [a, b], shift, limits, narrow));
                        }
                    });
                }
            }
        }
    }
    first
}

fn in_window(population: &Population, [a, b]: [usize; 2], shift: DVec3, limits: (f64, f64), narrow: NarrowPhase) -> Option<Contact> {
    let at = |index: usize| population.motion_at(index, population.flights[index].since);
    let (motion_a, mut motion_b) = (at(a), at(b));
    motion_b.center += shift;
    narrow.first_contact((&population.clusters[a], &motion_a), (&population.clusters[b], &motion_b), limits)
}

/// Samples the pair over the whole remaining time, as the first two algorithms do.
fn sampled(population: &Population, [a, b]: [usize; 2], remaining: f64, with_boxes: bool) -> (DVec3, Option<Contact>) {
    let (cluster_a, cluster_b) = (&population.clusters[a], &population.clusters[b]);
    let at = |index: usize| population.motion_at(index, population.flights[index].since);
    let (motion_a, motion_b) = (at(a), at(b));
    let (r, v) = (motion_b.center - motion_a.center, motion_b.velocity - motion_a.velocity);
    let shift_at = |time: f64| population.domain.nearest_image(r + time * v) - (r + time * v);
    let mut places = [Vec::new(), Vec::new()];
    let everywhere = (DVec3::ZERO, f64::INFINITY);
    let interval = sampling::interval((cluster_a, &motion_a), (cluster_b, &motion_b));
    let contact = sampling::refine((0.0, remaining), interval, |time| {
        let shifted = Motion { center: motion_b.center + shift_at(time), ..motion_b };
        if cluster_a.len() + cluster_b.len() == 2 {
            return of_spheres((cluster_a, &motion_a), (cluster_b, &shifted), time, with_boxes);
        }
        sampling::place((cluster_a, &motion_a), time, everywhere, &mut places[0]);
        sampling::place((cluster_b, &shifted), time, everywhere, &mut places[1]);
        if with_boxes && !boxes_overlap(&places[0], &places[1]) {
            return sampling::Sample::Apart;
        }
        sampling::deepest(&places[0], &places[1])
    });
    (contact.map_or(DVec3::ZERO, |contact| shift_at(contact.time)), contact)
}

/// A sample of two single spheres, whose rotation does not matter.
fn of_spheres(a: (&Cluster, &Motion), b: (&Cluster, &Motion), time: f64, with_boxes: bool) -> sampling::Sample {
    let r = b.1.center - a.1.center + time * (b.1.velocity - a.1.velocity);
    let sigma = a.0.radius + b.0.radius;
    if with_boxes && r.abs().max_element() > sigma || r.length_squared() > sigma * sigma {
        return sampling::Sample::Apart;
    }
    sampling::Sample::Touching { epsilon: r.length() / sigma, members: [0, 0] }
}

/// Whether the axis-aligned boxes around two groups of spheres overlap.
fn boxes_overlap(a: &[(DVec3, f64, u32)], b: &[(DVec3, f64, u32)]) -> bool {
    let around = |places: &[(DVec3, f64, u32)]| {
        places.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &(center, radius, _)| {
            (low.min(center - radius), high.max(center + radius))
        })
    };
    let ((low_a, high_a), (low_b, high_b)) = (around(a), around(b));
    low_a.cmple(high_b).all() && low_b.cmple(high_a).all()
}
