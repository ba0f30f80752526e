//! The immersed part of a body.

use glam::{DMat3, DVec3};
use plimsoll_base::math::Aabb;

/// A hollow is a hold if it can keep this fraction of the displaced volume dry.
pub(super) const HOLD: f64 = 0.01;

/// Whether water is in the hollows of the body that are open at the top, such as the hold of a boat. Sealed cavities are always dry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hold {
    /// Water enters a hollow only if the rim is under water: as long as the surface of the hollow is not connected to the open water below
    /// the plane, the air in it is displaced too.
    #[default]
    Dry,
    /// Water stands equally high inside and outside.
    Flooded,
}

/// The part of a body below a plane. All vectors are in mesh coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Immersion {
    /// The vertical, upwards; a unit vector.
    pub up: DVec3,
    /// The plane contains the points x with `up · x = level`, m.
    pub level: f64,
    /// Depth of the lowest point below the plane, m.
    pub draft: f64,
    /// Displaced volume, m³.
    pub volume: f64,
    /// Center of buoyancy: centroid of the displaced volume, m.
    pub center_of_buoyancy: DVec3,
    /// Area of the surface in contact with water, m².
    pub wetted_area: f64,
    /// The displaced part of the plane.
    pub waterplane: Waterplane,
    /// Volume of air below the plane in hollows that are open at the top, m³; part of the displaced volume.
    pub dry_volume: f64,
    /// Whether water has come into a hollow over its rim. Hollows shallower than 0.1 % of the body's diagonal are ignored. Always false with
    /// [`Hold::Flooded`].
    pub flooded: bool,
}

/// The displaced part of the plane: the section of the body and of its dry hollows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waterplane {
    /// m²
    pub area: f64,
    /// Center of flotation, m; if the area is zero, a point of the plane.
    pub centroid: DVec3,
    /// `∫ r rᵀ dA` with the distance r from the centroid, m⁴.
    pub second_moments: DMat3,
    /// Bounding box of the waterline, in mesh axes, m; empty if there is none.
    pub aabb: Aabb,
}

impl Waterplane {
    /// `∫ (r · d)² dA`, m⁴: the second moment about the axis through the centroid that is perpendicular to the unit vector `d` in the plane.
    pub fn second_moment(&self, d: DVec3) -> f64 {
        d.dot(self.second_moments * d)
    }
}

impl Immersion {
    /// Whether water has entered a hold that was dry in the position `before`.
    pub(super) fn has_flooded_since(&self, before: &Self) -> bool {
        self.flooded && before.dry_volume > HOLD * before.volume && self.dry_volume < 0.5 * before.dry_volume
    }

    /// Vector from the center of buoyancy to `center_of_gravity`, without its vertical part, m: zero if the moments balance.
    pub fn lever(&self, center_of_gravity: DVec3) -> DVec3 {
        let offset = center_of_gravity - self.center_of_buoyancy;
        offset - offset.dot(self.up) * self.up
    }

    /// Height of `center_of_gravity` above the center of buoyancy, m. At constant volume this is the potential energy divided by the weight.
    pub fn energy(&self, center_of_gravity: DVec3) -> f64 {
        (center_of_gravity - self.center_of_buoyancy).dot(self.up)
    }

    /// Metacentric height for an inclination of the vertical towards the horizontal unit vector `d`, m: positive if stable.
    pub fn metacentric_height(&self, center_of_gravity: DVec3, d: DVec3) -> f64 {
        self.waterplane.second_moment(d) / self.volume - self.energy(center_of_gravity)
    }
}
