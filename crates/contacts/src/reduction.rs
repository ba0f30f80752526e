//! The few of many contact points that support a body as all of them do.

use glam::DVec2;

use crate::clipping::Plane;
use crate::touching::ContactPoint;

/// Points less deep than the deepest by this, relative to the prediction distance, are as deep.
const AS_DEEP: f64 = 1e-3;
/// As many of the next deepest points are kept.
const NEXT_DEEP: usize = 2;
/// By how much points of the last step are preferred, so that contacts stay the same while bodies rest.
const PREFERENCE: f64 = 1.02;
/// A direction in the plane that no side of a common shape is across.
const FIXED: DVec2 = DVec2::new(0.8, 0.6);

/// Keeps at most `limit` contacts along one normal: the deepest, those that span the largest area, and the next deepest.
pub(crate) fn reduce(contacts: &mut Vec<ContactPoint>, plane: &Plane, prediction: f64, limit: usize) {
    if contacts.len() <= limit {
        return;
    }
    let places: Vec<DVec2> = contacts.iter().map(|contact| plane.project(contact.on_first)).collect();
    let weight = |index: usize| if contacts[index].known { PREFERENCE } else { 1.0 };
    let mut kept: Vec<usize> = Vec::with_capacity(limit);
    let best = |kept: &[usize], score: &dyn Fn(usize) -> f64| {
        let free = (0..places.len()).filter(|index| !kept.contains(index));
        let scores = free.map(|index| (index, weight(index) * score(index)));
        scores.fold(None, |best: Option<(usize, f64)>, (index, score)| match best {
            Some((_, most)) if score <= most => best,
            _ => Some((index, score)),
        })
    };
    let deepest = contacts.iter().fold(f64::INFINITY, |least, contact| least.min(contact.distance));
    let middle = places.iter().sum::<DVec2>() / places.len() as f64;
    let reach = places.iter().fold(0.0_f64, |most, place| most.max(place.distance(middle)));
    let is_deep = |index: usize| contacts[index].distance <= deepest + AS_DEEP * prediction;
    // Among the deepest points the one farthest in a fixed direction.
    let outward = |index: usize| if is_deep(index) { (places[index] - middle).dot(FIXED) + 4.0 * reach } else { f64::NEG_INFINITY };
    let Some((first, _)) = best(&kept, &outward) else { return };
    kept.push(first);
    let a = places[first];
    if let Some((second, _)) = best(&kept, &|index| places[index].distance(a)) {
        kept.push(second);
        let along = places[second] - a;
        for sign in [1.0, -1.0] {
            // The largest triangle on either side.
            if let Some((third, _)) = best(&kept, &|index| sign * along.perp_dot(places[index] - a)).filter(|(_, area)| *area > 0.0) {
                kept.push(third);
            }
        }
    }
    // A body that rolls touches next with points close to the deepest one.
    let deep = kept.len() + NEXT_DEEP;
    while kept.len() < deep.min(limit) {
        let depth = |index: usize| if is_deep(index) { f64::NEG_INFINITY } else { prediction - contacts[index].distance };
        let Some((next, _)) = best(&kept, &depth).filter(|(_, depth)| depth.is_finite()) else { break };
        kept.push(next);
    }
    while kept.len() < limit {
        let nearest = |index: usize| kept.iter().fold(f64::INFINITY, |least, &other| least.min(places[other].distance(places[index])));
        let Some((next, _)) = best(&kept, &nearest) else { break };
        kept.push(next);
    }
    *contacts = kept.into_iter().map(|index| contacts[index]).collect();
}
