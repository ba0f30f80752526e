//! A body that always displaces the same volume, at any attitude.

use glam::DVec3;

use super::{Hold, Immersion, inclined::Inclined, surface::Surface};

/// Finds the level for each attitude, starting from the last one.
pub(super) struct Afloat<'h> {
    surface: &'h Surface,
    volume: f64,
    /// Center of flotation of the last immersion. At constant volume, the plane turns about it if the inclination is small (Euler).
    pivot: Option<DVec3>,
}

impl<'h> Afloat<'h> {
    pub fn new(surface: &'h Surface, volume: f64) -> Self {
        Self { surface, volume, pivot: None }
    }

    /// The immersion with `up` vertical; `None` if the body sinks.
    pub fn at(&mut self, up: DVec3, hold: Hold) -> Option<Immersion> {
        let guess = self.pivot.map_or(f64::NAN, |pivot| up.dot(pivot));
        let found = Inclined::new(self.surface, up, hold).sunk(self.volume, guess)?;
        self.pivot = Some(found.waterplane.centroid);
        Some(found)
    }
}
