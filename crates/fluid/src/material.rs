//! The fluids of a simulation: one, or up to eight that do not mix.
//!
//! All particles have the same volume. Those of a denser fluid are heavier, so that the interface is as sharp as the particles (Solenthaler
//! and Pajarola 2008, Density contrast SPH interfaces).

use std::f64::consts::FRAC_PI_2;

use serde::{Deserialize, Serialize};

use crate::rheology::Rheology;

/// One of several fluids.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Unique among the fluids.
    pub name: String,
    /// Rest density, kg/m³.
    pub density: f64,
    /// Kinematic viscosity at rest, m²/s.
    pub kinematic_viscosity: f64,
    /// How it depends on the shear rate.
    #[serde(default)]
    pub law: Rheology,
    /// Tension of its surface, N/m: that of an interface is the sum of both fluids'.
    #[serde(default)]
    pub surface_tension: f64,
    /// Angle at which its surface meets walls, rad, measured in the fluid.
    #[serde(default = "right_angle")]
    pub contact_angle: f64,
    /// In pictures: red, green, blue from 0 to 1, as on a screen (sRGB).
    pub color: Option<[f32; 3]>,
}

impl Material {
    /// A fluid as viscous as water, without surface tension and a color of its own.
    pub fn new(name: impl Into<String>, density: f64) -> Self {
        Self {
            name: name.into(),
            density,
            kinematic_viscosity: 1e-6,
            law: Rheology::Newtonian,
            surface_tension: 0.0,
            contact_angle: right_angle(),
            color: None,
        }
    }
}

/// The contact angle of a fluid without one of its own, rad.
pub(super) fn right_angle() -> f64 {
    FRAC_PI_2
}

/// Maximum number of fluids.
pub const MAX_MATERIALS: usize = 8;

/// A value for each material, found by the index that a particle has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByMaterial<T>([T; MAX_MATERIALS]);

impl<T: Copy> ByMaterial<T> {
    /// The values of `materials`, or of a single fluid without a name; those of unused indices are the first one.
    pub fn new(materials: &[Material], value: impl Fn(Option<&Material>) -> T) -> Self {
        let first = value(materials.first());
        Self(std::array::from_fn(|index| materials.get(index).map_or(first, |material| value(Some(material)))))
    }

    /// The value of material `index`.
    #[inline(always)]
    pub fn of(&self, index: u8) -> T {
        self.0[usize::from(index)]
    }

    /// What `change` makes of each value.
    pub fn map<U>(self, change: impl Fn(T) -> U) -> ByMaterial<U> {
        ByMaterial(self.0.map(change))
    }

    /// What `join` makes of each value and that of `other`.
    pub fn zip<U: Copy, V>(self, other: ByMaterial<U>, join: impl Fn(T, U) -> V) -> ByMaterial<V> {
        ByMaterial(std::array::from_fn(|index| join(self.0[index], other.0[index])))
    }
}
