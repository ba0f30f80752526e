//! Pressure by an equation of state (Becker & Teschner 2007): `p = ρ0 c²/γ (s^γ − 1)`, never negative.

use plimsoll_base::math::parallel::{InTasks, TASK};
use rayon::prelude::*;

use crate::settings::TaitLaw;

impl TaitLaw {
    /// Computes the pressures (Pa) at `relative_densities` for a rest density in kg/m³.
    pub(super) fn pressures(&self, rest_density: f64, relative_densities: &[f32], pressures: &mut [f32]) {
        let stiffness = (rest_density * self.sound_speed * self.sound_speed / self.exponent) as f32;
        let exponent = self.exponent as f32;
        pressures
            .par_iter_mut()
            .zip(relative_densities)
            .in_tasks(TASK)
            .for_each(|(p, s)| *p = (stiffness * (s.powf(exponent) - 1.0)).max(0.0));
    }
}
