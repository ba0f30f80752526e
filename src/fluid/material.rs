//! The fluids of a simulation: one, or up to eight that do not mix.
//!
//! All particles have the same volume. Those of a denser fluid are heavier, so that the interface is as sharp as the particles (Solenthaler
//! and Pajarola 2008, Density contrast SPH interfaces).

use serde::{Deserialize, Serialize};

use crate::fluid::FluidSettings;

/// One of several fluids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Unique among the fluids.
    pub name: String,
    /// Rest density, kg/m³.
    pub density: f64,
    /// Kinematic viscosity, m²/s.
    pub kinematic_viscosity: f64,
    /// In pictures: red, green, blue from 0 to 1, as on a screen (sRGB).
    pub color: Option<[f32; 3]>,
}

/// Maximum number of fluids.
pub const MAX_MATERIALS: usize = 8;

/// A value for each material, found by the index that a particle has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByMaterial<T>([T; MAX_MATERIALS]);

impl<T: Copy> ByMaterial<T> {
    /// The value of material `index`.
    #[inline(always)]
    pub fn of(&self, index: u8) -> T {
        self.0[usize::from(index)]
    }

    /// What `change` makes of each index and its value.
    pub fn zip<U>(self, change: impl Fn(u8, T) -> U) -> ByMaterial<U> {
        let mut index = 0;
        self.map(|value| {
            index += 1;
            change(index - 1, value)
        })
    }

    /// What `change` makes of each value.
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> ByMaterial<U> {
        ByMaterial(self.0.map(change))
    }
}

impl FluidSettings {
    /// Number of fluids.
    pub fn material_count(&self) -> usize {
        self.materials.len().max(1)
    }

    /// Rest densities, kg/m³.
    pub fn densities(&self) -> ByMaterial<f64> {
        self.by_material(|material| material.map_or(self.density, |material| material.density))
    }

    /// Kinematic viscosities, m²/s.
    pub fn kinematic_viscosities(&self) -> ByMaterial<f64> {
        self.by_material(|material| material.map_or(self.viscosity.kinematic, |material| material.kinematic_viscosity))
    }

    /// Kinematic viscosities at walls, m²/s.
    pub fn wall_viscosities(&self) -> ByMaterial<f64> {
        self.kinematic_viscosities().map(|kinematic| self.viscosity.wall.unwrap_or(kinematic))
    }

    /// Masses of the particles, kg: the numbers whose inverses are exactly [`FluidSettings::inverse_masses`], so that rounding of a mass does
    /// not appear as a loss of momentum.
    pub fn masses(&self) -> ByMaterial<f64> {
        self.inverse_masses().map(|inverse| 1.0 / f64::from(inverse))
    }

    /// Inverse masses of free particles, 1/kg.
    pub fn inverse_masses(&self) -> ByMaterial<f32> {
        let volume = self.particle_volume();
        self.densities().map(|density| (1.0 / (density * volume)) as f32)
    }

    /// The largest effective kinematic viscosity, m²/s: that of the most viscous fluid acting on the lightest one.
    pub fn max_viscosity(&self) -> f64 {
        let (densities, viscosities) = (self.densities(), self.kinematic_viscosities());
        if self.materials.is_empty() {
            return viscosities.of(0);
        }
        let indices = 0..self.materials.len() as u8;
        let dynamic = indices.clone().map(|index| densities.of(index) * viscosities.of(index)).fold(0.0, f64::max);
        dynamic / indices.map(|index| densities.of(index)).fold(f64::INFINITY, f64::min)
    }

    /// The density of the densest fluid, kg/m³.
    pub fn max_density(&self) -> f64 {
        self.materials.iter().map(|material| material.density).reduce(f64::max).unwrap_or(self.density)
    }

    /// Values of all materials; unused ones are those of the first.
    fn by_material<T: Copy>(&self, value: impl Fn(Option<&Material>) -> T) -> ByMaterial<T> {
        let first = value(self.materials.first());
        ByMaterial(std::array::from_fn(|index| self.materials.get(index).map_or(first, |material| value(Some(material)))))
    }
}
