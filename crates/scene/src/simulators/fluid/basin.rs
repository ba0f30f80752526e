//! Where the fluid of a scene is at the start, and where bodies hold it.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::significant};
use plimsoll_bodies::BodyKind;
use plimsoll_fluid::FluidSettings;

use crate::body::PlacedBody;

/// Boxes around the fluid and around the bodies that hold it.
pub struct Basin {
    /// One box for each fill.
    pub fills: Vec<Aabb>,
    /// Around all bodies that do not float.
    pub walls: Aabb,
    /// Around fills, mouths of emitters, and bodies that do not float.
    pub whole: Aabb,
    /// The axis closest to the direction of gravity, and whether it points up; `None` without gravity.
    vertical: Option<(usize, bool)>,
    periodic: [bool; 3],
    origin: DVec3,
}

impl Basin {
    /// The basin of a scene whose positions are relative to `origin` (m).
    pub fn new(settings: &FluidSettings, bodies: &[PlacedBody], origin: DVec3) -> Self {
        let held = bodies.iter().filter(|body| !matches!(body.definition.kind, BodyKind::Floating(_)));
        let walls = held.map(PlacedBody::aabb).fold(Aabb::EMPTY, Aabb::union);
        let fills: Vec<Aabb> = settings.fills.iter().map(|fill| fill.shape.aabb()).collect();
        let mouths = Aabb::around(settings.emitters.iter().map(|emitter| emitter.position));
        let whole = fills.iter().copied().fold(walls.union(mouths), Aabb::union);
        let axis = settings.gravity.abs().max_position();
        let vertical = (settings.gravity != DVec3::ZERO).then(|| (axis, settings.gravity[axis] < 0.0));
        Self { fills, walls, whole, vertical, periodic: settings.domain.periodic, origin }
    }

    /// `limits` widened by `margin` (m), and without an end along periodic axes.
    pub fn around(&self, limits: Aabb, margin: f64) -> Aabb {
        let mut limits = limits.inflated(margin);
        for axis in (0..3).filter(|&axis| self.periodic[axis]) {
            (limits.min[axis], limits.max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        limits
    }

    /// `limits` without an end upward: bodies and fluid fall into a basin.
    pub fn open_above(&self, mut limits: Aabb) -> Aabb {
        match self.vertical {
            Some((axis, true)) => limits.max[axis] = f64::INFINITY,
            Some((axis, false)) => limits.min[axis] = f64::NEG_INFINITY,
            None => {}
        }
        limits
    }

    /// `limits` without an end upward and downward.
    pub fn column(&self, mut limits: Aabb) -> Aabb {
        if let Some((axis, _)) = self.vertical {
            (limits.min[axis], limits.max[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        limits
    }

    /// Height of a box, m; `None` without gravity.
    pub fn height(&self, limits: &Aabb) -> Option<f64> {
        self.vertical.map(|(axis, _)| limits.extent()[axis])
    }

    /// A position as in the scene, with few digits.
    pub fn place(&self, position: DVec3) -> String {
        in_words(position + self.origin)
    }

    /// A box as in the scene.
    pub fn extent(&self, limits: &Aabb) -> String {
        format!("from {} to {}", self.place(limits.min), self.place(limits.max))
    }
}

/// A vector in the syntax of a scene file, with few digits.
pub fn in_words(vector: DVec3) -> String {
    let [x, y, z] = vector.to_array().map(significant);
    format!("[{x}, {y}, {z}]")
}

/// Whether two boxes have a volume in common that is more than `margin` m wide along each axis.
pub fn share(one: &Aabb, other: &Aabb, margin: f64) -> bool {
    (one.max.min(other.max) - one.min.max(other.min)).cmpgt(DVec3::splat(margin)).all()
}
