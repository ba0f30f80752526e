//! Primary spheres at random, none overlapping, with log-normal diameters.

use std::f64::consts::PI;

use glam::DVec3;

use super::{detect::Space, engine::SweptCells, error::AggregateError, settings::AggregateSettings, state::Population};
use crate::math::Random;

/// Places tried for each sphere.
const TRIALS: usize = 2000;
/// Streams of random numbers of a seed: the first places spheres, the second moves them.
const PLACES: u64 = 0;
pub const MOTIONS: u64 = 1;

/// The spheres that `settings` describe, at rest.
///
/// # Errors
/// If they do not fit.
pub fn place(settings: &AggregateSettings) -> Result<Population, AggregateError> {
    let mut random = Random::stream(settings.seed, PLACES);
    let width = settings.spread.ln();
    let radii: Vec<f64> = (0..settings.count).map(|_| 0.5 * settings.diameter * (width * random.normal()).exp()).collect();
    let volume: f64 = radii.iter().map(|radius| 4.0 / 3.0 * PI * radius.powi(3)).sum();
    let space = Space { side: (volume / settings.volume_fraction).cbrt(), boundary: settings.boundary };
    let largest = radii.iter().copied().fold(0.0, f64::max);
    if space.side < 6.0 * largest {
        return Err(AggregateError::BoxTooSmall { side: space.side, diameter: 2.0 * largest });
    }
    let centers = find_places(space, &radii, &mut random)?;
    Ok(Population::new(space, &centers, &radii, settings.density, settings.needs_friction()))
}

/// The largest spheres first, each where chance has it and there is room.
fn find_places(space: Space, radii: &[f64], random: &mut Random) -> Result<Vec<DVec3>, AggregateError> {
    let mut order: Vec<u32> = (0..radii.len() as u32).collect();
    order.sort_by(|&a, &b| radii[b as usize].total_cmp(&radii[a as usize]).then(a.cmp(&b)));
    let mut cells = SweptCells::default();
    let largest = radii[order[0] as usize];
    cells.clear(space.side, (2.0 * largest).max(space.side / (radii.len() as f64).cbrt()));
    let ages = vec![0; radii.len()];
    let mut centers = vec![DVec3::ZERO; radii.len()];
    let mut found = Vec::new();
    for (placed, &sphere) in order.iter().enumerate() {
        let radius = radii[sphere as usize];
        let margin = if space.has_walls() { radius } else { 0.0 };
        let mut trials = (0..TRIALS).map(|_| margin + (space.side - 2.0 * margin) * random.point());
        let free = trials.find(|&place| {
            cells.collect(place - radius, place + radius, &ages, &mut found);
            found.iter().all(|&other| {
                let sigma = radius + radii[other as usize];
                space.nearest_image(centers[other as usize] - place).length_squared() > sigma * sigma
            })
        });
        let center = free.ok_or(AggregateError::NoRoom { count: radii.len(), placed })?;
        centers[sphere as usize] = center;
        cells.insert(sphere, 0, center - radius, center + radius);
    }
    Ok(centers)
}
