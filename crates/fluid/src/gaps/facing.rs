//! Where two surfaces face each other.

use std::sync::OnceLock;

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::Body;
use plimsoll_shape::{MassProperties, Obstacle, has_inside, surface_area};
use rayon::prelude::*;

use super::patch::{Group, Patch, grouped, patches};

/// Length of patches, in particle radii.
const PATCH: f64 = 2.0;

/// The surface of a body; in body coordinates.
pub struct Surface {
    obstacle: Obstacle,
    closed: bool,
    /// m²
    pub area: f64,
    /// m³
    pub volume: f64,
    groups: OnceLock<Vec<Group>>,
}

impl Surface {
    pub fn of(body: &Body) -> Self {
        let closed = has_inside(&body.mesh);
        let (obstacle, area) = (Obstacle::new(&body.mesh, Pose::IDENTITY, closed), surface_area(&body.mesh));
        let volume = MassProperties::of_solid_part(&body.mesh).volume;
        Self { obstacle, closed, area, volume, groups: OnceLock::new() }
    }

    /// Patches of both sides of a sheet, of the outside of a solid.
    fn groups(&self, body: &Body, radius: f64) -> &[Group] {
        self.groups.get_or_init(|| {
            let outside = patches(&body.mesh, PATCH * radius);
            let inside = outside.iter().filter(|_| !self.closed).map(|patch| Patch { normal: -patch.normal, ..*patch });
            let mut both: Vec<Patch> = outside.iter().copied().chain(inside).collect();
            grouped(&mut both)
        })
    }
}

/// A patch that another surface is near; in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Facing {
    pub patch: Patch,
    /// Distance to the other surface, m; negative within a solid.
    pub width: f64,
    /// Cosine of the angle between the surfaces, of which one faces the other if it is positive.
    pub cosine: f64,
}

/// Two bodies, of which the second may be near patches of the first.
pub struct Pair<'a> {
    pub bodies: [&'a Body; 2],
    pub surfaces: [&'a Surface; 2],
    /// Particle radius, m.
    pub radius: f64,
}

impl Pair<'_> {
    /// The patches of the first body that are closer than `reach` (m) to the second.
    pub fn facing(&self, reach: f64) -> Vec<Facing> {
        let [body, other] = self.bodies;
        let (bounds, near) = (body.world_aabb(), other.world_aabb().inflated(reach));
        if !bounds.overlaps(&near) || !self.other_takes(bounds.center(), 0.5 * bounds.extent().length() + reach) {
            return Vec::new();
        }
        let groups = self.surfaces[0].groups(body, self.radius).par_iter();
        let near_groups = groups.filter(|group| {
            let center = body.pose.transform_point(group.center);
            near.inflated(group.radius).contains(center) && self.other_takes(center, reach + group.radius)
        });
        let facing = |patch: &Patch| {
            let (point, normal) = (body.pose.transform_point(patch.point), body.pose.transform_vector(patch.normal));
            if near.contains(point) { self.face(Patch { point, normal, ..*patch }, reach) } else { None }
        };
        near_groups.flat_map_iter(|group| group.patches.iter().filter_map(facing)).collect()
    }

    fn face(&self, patch: Patch, reach: f64) -> Option<Facing> {
        let width = self.distance_to_other(patch.point);
        // The way inward leads away from a surface that it faces.
        let inward = || self.distance_to_other(patch.point - self.radius * patch.normal);
        (width < reach).then(|| Facing { patch, width, cosine: (inward() - width) / self.radius })
    }

    fn other_takes(&self, point: DVec3, distance: f64) -> bool {
        self.surfaces[1].obstacle.takes(self.bodies[1].pose.inverse_transform_point(point), distance)
    }

    fn distance_to_other(&self, point: DVec3) -> f64 {
        self.surfaces[1].obstacle.signed_distance(self.bodies[1].pose.inverse_transform_point(point))
    }
}
