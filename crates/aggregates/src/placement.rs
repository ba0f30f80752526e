//! Randomly placed primary spheres without overlap, with log-normal diameters.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_base::math::{Domain, Random};
use plimsoll_contract::simulator::Watch;
use plimsoll_search::{Occupancy, Sphere};

use super::{
    error::AggregateError,
    settings::{AggregateSettings, Boundary},
    state::Population,
};

/// Maximum number of positions tried for each sphere.
const TRIALS: usize = 2000;
/// Random number streams of a seed: the first places spheres, the second moves them.
const PLACES: u64 = 0;
pub const MOTIONS: u64 = 1;

/// The spheres that `settings` describe, at rest.
///
/// # Errors
/// If they do not fit.
pub fn place(settings: &AggregateSettings, watch: &dyn Watch) -> Result<Population, AggregateError> {
    let mut random = Random::stream(settings.seed, PLACES);
    let width = settings.spread.ln();
    let radii: Vec<f64> = (0..settings.count).map(|_| 0.5 * settings.diameter * (width * random.normal()).exp()).collect();
    let volume: f64 = radii.iter().map(|radius| 4.0 / 3.0 * PI * radius.powi(3)).sum();
    let side = (volume / settings.volume_fraction).cbrt();
    let domain = Domain::cube(side, settings.boundary == Boundary::Periodic);
    let largest = radii.iter().copied().fold(0.0, f64::max);
    if side < 6.0 * largest {
        return Err(AggregateError::BoxTooSmall { side, diameter: 2.0 * largest });
    }
    let centers = find_places(domain, &radii, &mut random, watch)?;
    Ok(Population::new(domain, &centers, &radii, settings.density, settings.needs_friction()))
}

/// Places the largest spheres first, each at a random free position.
fn find_places(domain: Domain, radii: &[f64], random: &mut Random, watch: &dyn Watch) -> Result<Vec<DVec3>, AggregateError> {
    let mut order: Vec<u32> = (0..radii.len() as u32).collect();
    order.sort_by(|&a, &b| radii[b as usize].total_cmp(&radii[a as usize]).then(a.cmp(&b)));
    let mut occupancy = Occupancy::new(domain, radii[order[0] as usize], radii.len());
    let mut centers = vec![DVec3::ZERO; radii.len()];
    for (placed, &index) in order.iter().enumerate() {
        watch.progress("placing spheres", placed, radii.len())?;
        let radius = radii[index as usize];
        let margin = if domain.is_periodic() { 0.0 } else { radius };
        let mut trials = (0..TRIALS).map(|_| margin + (domain.size.x - 2.0 * margin) * random.point());
        let free = trials.find(|&center| occupancy.is_free(&Sphere { center, radius }, 0.0));
        let center = free.ok_or(AggregateError::NoRoom { count: radii.len(), placed })?;
        centers[index as usize] = center;
        occupancy.push(Sphere { center, radius });
    }
    Ok(centers)
}
