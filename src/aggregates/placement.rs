//! Primary spheres at random, none overlapping, with log-normal diameters.

use std::f64::consts::PI;

use glam::DVec3;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, StandardNormal, StandardUniform};

use super::{
    detect::PeriodicBox,
    engine::Cells,
    population::Population,
    settings::{AggregateError, AggregateSettings},
};

/// Places tried for each sphere.
const TRIALS: usize = 2000;

/// Random numbers of a simulation. The first stream of the seed places spheres, the second moves them.
pub fn generator(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    random
}

/// Three independent numbers from 0 to 1.
fn uniforms(random: &mut ChaCha8Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| StandardUniform.sample(random)))
}

/// Three independent normal numbers of variance 1.
pub fn normals(random: &mut ChaCha8Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| StandardNormal.sample(random)))
}

/// The spheres that `settings` describe, at rest.
///
/// # Errors
/// If they do not fit.
pub fn place(settings: &AggregateSettings) -> Result<Population, AggregateError> {
    let mut random = generator(settings.seed, 0);
    let width = settings.spread.ln();
    let radii: Vec<f64> = (0..settings.count)
        .map(|_| {
            let normal: f64 = StandardNormal.sample(&mut random);
            0.5 * settings.diameter * (width * normal).exp()
        })
        .collect();
    let volume: f64 = radii.iter().map(|radius| 4.0 / 3.0 * PI * radius.powi(3)).sum();
    let space = PeriodicBox { side: (volume / settings.volume_fraction).cbrt() };
    let largest = radii.iter().copied().fold(0.0, f64::max);
    if space.side < 6.0 * largest {
        return Err(AggregateError::BoxTooSmall { side: space.side, diameter: 2.0 * largest });
    }
    let centers = find_places(space, &radii, &mut random)?;
    Ok(Population::new(space, &centers, &radii, settings.density, settings.needs_friction()))
}

/// The largest spheres first, each where chance has it and there is room.
fn find_places(space: PeriodicBox, radii: &[f64], random: &mut ChaCha8Rng) -> Result<Vec<DVec3>, AggregateError> {
    let mut order: Vec<u32> = (0..radii.len() as u32).collect();
    order.sort_by(|&a, &b| radii[b as usize].total_cmp(&radii[a as usize]).then(a.cmp(&b)));
    let mut cells = Cells::default();
    let largest = radii[order[0] as usize];
    cells.clear(space.side, (2.0 * largest).max(space.side / (radii.len() as f64).cbrt()));
    let ages = vec![0; radii.len()];
    let mut centers = vec![DVec3::ZERO; radii.len()];
    let mut found = Vec::new();
    for (placed, &sphere) in order.iter().enumerate() {
        let radius = radii[sphere as usize];
        let mut trials = (0..TRIALS).map(|_| space.side * uniforms(random));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_have_the_moments_of_their_distributions() {
        let mut random = generator(3, 1);
        let count = 100_000;
        let (mut mean, mut square, mut fourth, mut even) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        for _ in 0..count {
            let normal = normals(&mut random);
            mean += normal;
            square += normal * normal;
            fourth += normal.powf(4.0);
            even += uniforms(&mut random);
        }
        let near = |sum: DVec3, expected: f64, error: f64| (sum / f64::from(count)).abs_diff_eq(DVec3::splat(expected), error);
        assert!(near(mean, 0.0, 0.015) && near(square, 1.0, 0.02) && near(fourth, 3.0, 0.15) && near(even, 0.5, 0.004));
    }
}
