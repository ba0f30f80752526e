//! Closed meshes that keep fluid out although they are probably meant to hold it: vessels given by their inner surface.

use glam::DVec3;
use plimsoll_base::math::format::significant;

use super::{fill::Place, holders::Holders, read::Document};

/// Share of a fill inside a solid above which the solid is probably a vessel, unless the rest lies on it.
const MOST: f64 = 0.5;
/// The same if the rest lies on no body at all. Around a cone, more of a box is outside.
const SOME: f64 = 0.1;
/// Number of points from which a search for a floor begins.
const RAYS: usize = 400;

/// The way out in a message about body `name`.
pub(super) fn hint(name: &str) -> String {
    format!("vessel = true in body \"{name}\" makes its mesh the inner surface of a vessel, with the fluid inside")
}

/// Warns if a solid keeps out most of the fill at `place`, sampled at `points`, and the rest does not lie on it, or if it keeps out some of the fill
/// and the rest falls along `gravity` (m/s²).
pub(super) fn warn(document: &Document, place: &Place, points: &[DVec3], holders: &Holders, gravity: DVec3) {
    let owners: Vec<Option<usize>> = points.iter().map(|&point| holders.of(point)).collect();
    let free: Vec<DVec3> = points.iter().zip(&owners).filter(|(_, owner)| owner.is_none()).map(|(&point, _)| point).collect();
    let down = gravity.try_normalize();
    let solids: Vec<usize> = (0..holders.bodies.len()).filter(|&index| holders.is_held(index)).collect();
    // Without gravity, nothing lies on anything.
    let lies = |point: DVec3, solids: &[usize]| down.is_some_and(|down| solids.iter().any(|&solid| holders.is_along(solid, point, down)));
    for &index in solids.iter().filter(|&&index| !holders.bodies[index].vessel) {
        let share = owners.iter().filter(|owner| **owner == Some(index)).count() as f64 / points.len() as f64;
        let is_vessel = share > MOST && most(&free, |point| !lies(point, &[index]))
            || share > SOME && down.is_some() && most(&free, |point| !lies(point, &solids));
        if is_vessel {
            let name = &holders.bodies[index].definition.name;
            let text = format!("body \"{name}\" is solid and keeps {} % of this fill out; {}", significant(100.0 * share), hint(name));
            document.warn(place.line, &place.key, &text);
        }
    }
}

/// Whether `wanted` is true for most of a sample of the points.
fn most(points: &[DVec3], wanted: impl Fn(DVec3) -> bool) -> bool {
    let sample = points.iter().step_by(points.len().div_ceil(RAYS).max(1));
    let count = sample.len();
    2 * sample.filter(|point| wanted(**point)).count() > count
}
