//! A closed mesh prepared for clipping.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};

use super::{Hold, HydrostaticsError, Immersion, afloat::Afloat, immersion::HOLD, inclined::Inclined, surface::Surface};
use crate::{MassProperties, MeshReport, TriangleMesh};

/// A closed mesh of which any part can be immersed. Walls of sealed cavities and whatever is in them are left out: water never reaches them.
#[derive(Clone, Debug)]
pub struct Hull {
    pub(super) surface: Surface,
    solid: MassProperties,
}

impl Hull {
    /// `mesh` must be wound outward ([`crate::orient_outwards`]), with y up.
    ///
    /// # Errors
    /// The mesh is not closed, has no consistent winding, or has no volume.
    pub fn new(mesh: &TriangleMesh) -> Result<Self, HydrostaticsError> {
        let report = MeshReport::of(mesh);
        if !report.is_watertight() {
            return Err(HydrostaticsError::NotClosed { open: report.open_edges.len(), crowded: report.crowded_edges.len() });
        }
        if !report.is_consistent() {
            return Err(HydrostaticsError::NotOriented(report.inconsistent_edges.len()));
        }
        let solid = report.mass;
        if solid.volume <= 0.0 || solid.inertia.x_axis.x == 0.0 {
            return Err(HydrostaticsError::NoVolume(solid.volume));
        }
        Ok(Self { surface: Surface::of(mesh), solid })
    }

    /// The bounding box, m.
    pub fn aabb(&self) -> Aabb {
        self.surface.aabb
    }

    /// Length of the diagonal of the bounding box, m.
    pub fn diagonal(&self) -> f64 {
        self.surface.diagonal()
    }

    /// Volume, center of mass and inertia of the solid, without hollows and cavities, at density one.
    pub fn solid(&self) -> MassProperties {
        self.solid
    }

    /// The upright body, with its lowest point `draft` meters below the water.
    ///
    /// # Errors
    /// The water does not cut the body.
    pub fn at_draft(&self, draft: f64) -> Result<Immersion, HydrostaticsError> {
        let height = self.surface.aabb.extent().y;
        if draft > 0.0 && draft < height {
            Ok(self.inclined(DVec3::Y, Hold::Dry).immersed_to(self.surface.aabb.min.y + draft))
        } else {
            Err(HydrostaticsError::Draft { draft, height })
        }
    }

    /// The part of the body at `pose` that is below the horizontal plane y = `level`. Results are in mesh coordinates.
    pub fn at_pose(&self, pose: &Pose, level: f64, hold: Hold) -> Immersion {
        let up = pose.inverse_transform_vector(DVec3::Y).normalize();
        self.inclined(up, hold).immersed_to(level - pose.translation.y)
    }

    /// The part of the body below the plane of points x with `up · x = level`, for a unit vector `up`.
    pub fn below(&self, up: DVec3, level: f64, hold: Hold) -> Immersion {
        self.inclined(up, hold).immersed_to(level)
    }

    /// The body with the unit vector `up` vertical, sunk until it displaces `volume`. Of several levels that do, this is the lowest: the
    /// body is lowered into the water. `None` if it cannot displace so much.
    pub fn sunk(&self, up: DVec3, volume: f64, hold: Hold) -> Option<Immersion> {
        Afloat::new(&self.surface, volume).at(up, hold)
    }

    /// The largest volume that the body displaces with the unit vector `up` vertical, m³: the solid, or the solid and its dry hold up to the
    /// rim.
    pub fn largest_volume(&self, up: DVec3, hold: Hold) -> f64 {
        self.inclined(up, hold).capacity().0
    }

    /// The hold of a body that comes to rest from the position `immersion`: flooded if no hollow is dry there, but one could be at a lower
    /// level.
    pub fn hold(&self, immersion: &Immersion) -> Hold {
        let is_swamped = immersion.flooded
            && immersion.dry_volume <= HOLD * immersion.volume
            && self.inclined(immersion.up, Hold::Dry).capacity().1 > HOLD * immersion.volume;
        if is_swamped { Hold::Flooded } else { Hold::Dry }
    }

    fn inclined(&self, up: DVec3, hold: Hold) -> Inclined<'_> {
        Inclined::new(&self.surface, up, hold)
    }
}
