//! Mass and center of gravity of a body in water.

use glam::DVec3;

/// Mass and center of gravity of a body, and the density of the water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loading {
    /// kg
    pub mass: f64,
    /// In mesh coordinates, m.
    pub center_of_gravity: DVec3,
    /// kg/m³
    pub water_density: f64,
}

impl Loading {
    /// Volume of the displaced water at which weight and buoyancy are equal, m³.
    pub fn volume(&self) -> f64 {
        self.mass / self.water_density
    }
}
