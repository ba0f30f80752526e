//! Energy, momentum and speeds of a gas.

use glam::DVec3;

use super::{fast::Gas, state::SphereState};

/// Sums and means over all spheres.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// J
    pub energy: f64,
    /// kg m/s
    pub momentum: DVec3,
    /// Maximum speed, m/s.
    pub fastest: f64,
    /// Mean speed, m/s.
    pub speed: f64,
    /// `<v⁴> / <v²>²`: 5/3 in equilibrium in three dimensions, 2 in two.
    pub moment: f64,
}

impl Totals {
    /// Totals of all spheres at the current time.
    pub fn of(gas: &Gas) -> Self {
        Self::new(gas, &gas.states())
    }

    /// Totals of spheres in the given states.
    pub fn new(gas: &Gas, states: &[SphereState]) -> Self {
        let (mut totals, mut square, mut fourth) = (Self::default(), 0.0, 0.0);
        for sphere in states {
            let mass = gas.setup().species[sphere.species as usize].mass;
            let speed = sphere.velocity.length();
            totals.energy += 0.5 * mass * speed * speed;
            totals.momentum += mass * sphere.velocity;
            totals.fastest = totals.fastest.max(speed);
            totals.speed += speed / states.len() as f64;
            // Speeds are scaled by √m, because √m v has the same distribution for all species in equilibrium.
            square += mass * speed * speed;
            fourth += (mass * speed * speed).powi(2);
        }
        totals.moment = states.len() as f64 * fourth / (square * square);
        totals
    }
}
