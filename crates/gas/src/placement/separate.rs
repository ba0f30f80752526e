//! Moves overlapping spheres apart, for mixtures too dense for random placement and too uneven for a lattice.
//!
//! Every sweep visits the pairs of overlapping spheres in a fixed order and moves the two apart along their line of centers, the smaller one
//! farther. Radii are enlarged by a small margin, so that the sweeps end instead of approaching contact forever. Below random close packing
//! the overlaps vanish (about 0.64 for equal spheres, 0.84 for equal discs; more for mixtures).

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_base::math::Domain;
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_search::{
    Sphere,
    hierarchical_grid::{HierarchicalGrid, LevelChoice, LevelPlan},
};

/// Packing fractions that the enlarged spheres should not exceed: discs; spheres.
const PACKED: [f64; 2] = [0.82, 0.63];
/// Minimum and maximum enlargement of the radii.
const MARGINS: [f64; 2] = [1e-6, 0.02];
/// Part of the radius of the smallest sphere by which spheres may move before pairs are searched again.
const SKIN: f64 = 0.2;
/// The sweeps end without success if the largest overlap has not decreased by a tenth in this number of sweeps.
const PATIENCE: usize = 400;
const MAX_SWEEPS: usize = 20_000;

/// A sphere, and the box of its center (lowest and highest corner, m); without a box the sphere is fixed.
#[derive(Clone, Copy, Debug)]
pub struct Movable {
    pub sphere: Sphere,
    pub room: Option<[DVec3; 2]>,
}

/// Moves `spheres` apart until the distance of any two is at least the sum of their radii enlarged by the fraction `clearance`. Returns
/// false if that fails.
pub fn separate(domain: Domain, spheres: &mut [Movable], clearance: f64, watch: &dyn Watch) -> Result<bool, Interrupted> {
    let margin = margin(&domain, spheres);
    let smallest = spheres.iter().map(|movable| movable.sphere.radius).fold(f64::INFINITY, f64::min);
    let skin = SKIN * smallest + 2.0 * margin * spheres.iter().map(|movable| movable.sphere.radius).fold(0.0, f64::max);
    let mut pairs = Vec::new();
    let (mut moved, mut best) = (f64::INFINITY, (f64::INFINITY, 0));
    for sweep in 0..MAX_SWEEPS {
        watch.progress("moving spheres apart", sweep, MAX_SWEEPS)?;
        if 2.0 * moved > SKIN * smallest {
            pairs = near_pairs(domain, spheres, skin);
            moved = 0.0;
        }
        let overlap = pairs.iter().map(|&pair| overlap(&domain, spheres, pair)).fold(f64::NEG_INFINITY, f64::max);
        if overlap <= -clearance {
            return Ok(true);
        }
        if overlap < 0.9 * best.0 {
            best = (overlap, sweep);
        } else if sweep - best.1 > PATIENCE {
            break;
        }
        moved += sweep_over(&domain, spheres, &pairs, 1.0 + margin);
    }
    Ok(false)
}

/// The largest factor of all radii at which no two spheres overlap, at most 1.
pub fn free_scale(domain: Domain, spheres: &[Movable]) -> f64 {
    let pairs = near_pairs(domain, spheres, 0.0);
    1.0 - pairs.iter().map(|&pair| overlap(&domain, spheres, pair)).fold(0.0, f64::max)
}

fn margin(domain: &Domain, spheres: &[Movable]) -> f64 {
    let own = |radius: f64| if domain.dimension == 2 { PI * radius.powi(2) } else { 4.0 / 3.0 * PI * radius.powi(3) };
    let packing = spheres.iter().map(|movable| own(movable.sphere.radius)).sum::<f64>() / domain.volume();
    let room = (PACKED[domain.dimension - 2] / packing).powf(1.0 / domain.dimension as f64) - 1.0;
    (0.25 * room).clamp(MARGINS[0], MARGINS[1])
}

/// Pairs closer than the sum of their radii and `skin` (m), in an order that does not depend on the number of threads.
fn near_pairs(domain: Domain, spheres: &[Movable], skin: f64) -> Vec<[usize; 2]> {
    let inside = |movable: &Movable| Sphere { center: domain.wrap(movable.sphere.center), ..movable.sphere };
    let all: Vec<Sphere> = spheres.iter().map(inside).collect();
    let mut grid = HierarchicalGrid::new(LevelPlan::new(&all, &domain, skin, LevelChoice::Automatic), domain);
    grid.sort(&all);
    let order: Vec<usize> = grid.order().iter().map(|&index| index as usize).collect();
    let sorted: Vec<Sphere> = order.iter().map(|&index| all[index]).collect();
    grid.find_pairs(&sorted);
    grid.list.pairs.iter().map(|pair| pair.map(|place| order[place as usize])).collect()
}

/// Overlap of two spheres as a fraction of the sum of their radii, negative if they are apart. Zero for two fixed spheres.
fn overlap(domain: &Domain, spheres: &[Movable], [a, b]: [usize; 2]) -> f64 {
    let (one, other) = (&spheres[a], &spheres[b]);
    if one.room.is_none() && other.room.is_none() {
        return f64::NEG_INFINITY;
    }
    1.0 - domain.nearest_image(other.sphere.center - one.sphere.center).length() / (one.sphere.radius + other.sphere.radius)
}

/// Moves overlapping spheres apart, with sums of radii times `factor`; returns the largest displacement (m).
fn sweep_over(domain: &Domain, spheres: &mut [Movable], pairs: &[[usize; 2]], factor: f64) -> f64 {
    let mut displacements = vec![0.0; spheres.len()];
    for &[a, b] in pairs {
        let (one, other) = (spheres[a], spheres[b]);
        let r = domain.nearest_image(other.sphere.center - one.sphere.center);
        let (distance, sum) = (r.length(), one.sphere.radius + other.sphere.radius);
        let depth = factor * sum - distance;
        if depth <= 0.0 {
            continue;
        }
        let normal = if distance > 0.0 { r / distance } else { DVec3::X };
        let share = match (one.room, other.room) {
            (Some(_), Some(_)) => other.sphere.radius / sum,
            (Some(_), None) => 1.0,
            (None, _) => 0.0,
        };
        for (index, shift) in [(a, -share * depth), (b, (1.0 - share) * depth)] {
            let Some([low, high]) = spheres[index].room else { continue };
            let center = (spheres[index].sphere.center + shift * normal).max(low).min(high);
            spheres[index].sphere.center = center;
            displacements[index] += shift.abs();
        }
    }
    displacements.into_iter().fold(0.0, f64::max)
}
