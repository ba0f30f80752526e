//! Estimates how close spheres in a box come to jamming, at which none of them can move.
//!
//! In a wide box, spheres compressed at random jam at the packing fraction of random close packing: 0.64, discs 0.84. In a slit of width
//! `d + h`, `h < d`, the centers of spheres of diameter `d` are at least `√(d² − h²)` apart in the plane of the slit, so that (Oler 1961) at most
//!
//! ```text
//! N = 2 A / (√3 (d² − h²)) + P / (2 √(d² − h²)) + 1
//! ```
//!
//! of them fit, with the area A and the perimeter P of the region of their centers. Compressed at random they jam at 0.93 of that, the same share
//! as for discs. A sphere is larger than any other with the same center, so the bound holds for those of at least a given size, too.

use glam::DVec3;

use crate::container::{Container, Dimension};

/// Packing fraction of random close packing.
const RANDOM_DISCS: f64 = 0.84;
const RANDOM_SPHERES: f64 = 0.64;
/// The same relative to the densest packing of discs.
const RANDOM_SHARE: f64 = 0.926;

/// The number of spheres relative to that at which they jam, in the box at `clock`; `spheres` are radii (m) and counts.
pub fn jamming_share(container: &Container, clock: f64, spheres: &[(f64, usize)]) -> f64 {
    let dimension = container.dimension();
    let random = if dimension == Dimension::Two { RANDOM_DISCS } else { RANDOM_SPHERES };
    let filled: f64 = spheres.iter().map(|&(radius, count)| count as f64 * dimension.ball(radius)).sum();
    let in_slits = spheres.iter().flat_map(|&(radius, _)| {
        let count = spheres.iter().filter(|&&(other, _)| other >= radius).map(|&(_, count)| count).sum::<usize>() as f64;
        (0..container.axes.len()).map(move |axis| count / most_in_slit(container, clock, axis, 2.0 * radius))
    });
    in_slits.fold(filled / (random * container.volume_at(clock)), f64::max)
}

/// The number of spheres of this diameter (m) that jam if the box is a slit along `axis`; infinite if it is not.
fn most_in_slit(container: &Container, clock: f64, axis: usize, diameter: f64) -> f64 {
    let (size, periods) = (container.extent_at(clock).1, container.periods());
    let play = size[axis] - diameter;
    if periods[axis] > 0.0 || play >= diameter {
        return f64::INFINITY;
    }
    let apart = (diameter * diameter - play * play).sqrt();
    // Edges of the region of the centers. A periodic one has no rim, and ends with half a sphere at both ends.
    let room = |axis: usize| if periods[axis] > 0.0 { size[axis] } else { (size[axis] - diameter).max(0.0) };
    let others: Vec<usize> = (0..container.axes.len()).filter(|&other| other != axis).collect();
    match others[..] {
        [along] => room(along) / apart + 1.0,
        [one, other] => {
            let rims = DVec3::new(room(one), room(other), 0.0);
            RANDOM_SHARE * (2.0 / 3.0_f64.sqrt() * rims.x * rims.y / (apart * apart) + (rims.x + rims.y) / apart + 1.0)
        }
        _ => f64::INFINITY,
    }
}
