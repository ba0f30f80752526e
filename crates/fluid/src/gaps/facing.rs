//! Where two surfaces face each other so closely that too few particles fit between them.

use std::sync::OnceLock;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_bodies::Body;
use plimsoll_search::{CellGrid, CellLayout};
use plimsoll_shape::{MassProperties, Obstacle, has_inside, surface_area};
use rayon::prelude::*;

use super::patch::{Patch, patches};

/// Widths in particle radii. Up to the first, surfaces lie on each other and no water is between them; from the second on, there is.
pub const TOUCHING: [f64; 2] = [0.05, 0.15];
/// Widths in particle radii. Up to the first, particles press wrongly by more than a tenth, from the second on, they do not (table in
/// docs/theory/walls.md).
const WIDE: [f64; 2] = [2.75, 3.25];
/// Length of patches, in particle radii.
const PATCH: f64 = 2.0;
/// Cosines of the angle between the surfaces: from the second on, they are parallel enough for the forces on both to be opposite, below the first, they
/// are not.
const PARALLEL: [f64; 2] = [0.85, 0.95];
/// Speeds at which the gap closes or opens, over that of a fall through a particle radius: up to the first, the pressure is that of water at rest, from the
/// second on, it is not.
const FAST: [f64; 2] = [0.25, 0.5];
/// How far beside a patch, and before or behind the gap, a particle is still in it, in particle radii. Some particles are at the rim and press on the edges
/// of the body: with 0.2 aside, the lift of a box is right within a tenth at 2 and 2.5 radii, with 0.5 it is 11 and with 0.9 42 % too small.
const ASIDE: f64 = 0.2;
const BEYOND: f64 = 0.3;

/// The surface of a body; in body coordinates.
pub struct Surface {
    obstacle: Obstacle,
    closed: bool,
    /// m²
    pub area: f64,
    /// m³
    pub volume: f64,
    patches: OnceLock<Vec<Patch>>,
}

impl Surface {
    pub fn of(body: &Body) -> Self {
        let closed = has_inside(&body.mesh);
        let (obstacle, area) = (Obstacle::new(&body.mesh, Pose::IDENTITY, closed), surface_area(&body.mesh));
        let volume = MassProperties::of_solid_part(&body.mesh).volume;
        Self { obstacle, closed, area, volume, patches: OnceLock::new() }
    }

    /// Patches of both sides of a sheet, of the outside of a solid.
    fn patches(&self, body: &Body, radius: f64) -> &[Patch] {
        self.patches.get_or_init(|| {
            let outside = patches(&body.mesh, PATCH * radius);
            let inside = outside.iter().filter(|_| !self.closed).map(|patch| Patch { normal: -patch.normal, ..*patch });
            outside.iter().copied().chain(inside).collect()
        })
    }
}

/// A patch that faces another surface; in world coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Facing {
    pub patch: Patch,
    /// Distance between the surfaces, m.
    width: f64,
    /// Share of the pressure on it that does not come from particles.
    pub share: f64,
}

impl Facing {
    /// Distance of a position (m) to the line through the center of the patch, if it is in the gap.
    fn aside(&self, position: DVec3, radius: f64) -> Option<f64> {
        let offset = position - self.patch.point;
        let height = offset.dot(self.patch.normal);
        let aside = (offset - height * self.patch.normal).length();
        let reach = ASIDE * radius + 0.5 * self.patch.area.sqrt();
        let in_gap = height > -BEYOND * radius && height < self.width + BEYOND * radius && aside < reach;
        in_gap.then_some(aside)
    }
}

/// Two bodies, the patches of the first of which may face the second.
pub struct Pair<'a> {
    pub bodies: [&'a Body; 2],
    pub surfaces: [&'a Surface; 2],
    /// Particle radius, m.
    pub radius: f64,
    /// Speed after a fall through a particle radius, m/s.
    pub fall: f64,
}

impl Pair<'_> {
    /// The patches of the first body that face the second.
    pub fn facing(&self) -> Vec<Facing> {
        let reach = WIDE[1] * self.radius;
        let [body, other] = self.bodies;
        let (bounds, near) = (body.world_aabb(), other.world_aabb().inflated(reach));
        if !bounds.overlaps(&near) || !self.other_takes(bounds.center(), 0.5 * bounds.extent().length() + reach) {
            return Vec::new();
        }
        let facing = |patch: &Patch| {
            let (point, normal) = (body.pose.transform_point(patch.point), body.pose.transform_vector(patch.normal));
            let is_near = near.contains(point) && self.other_takes(point, reach);
            is_near.then(|| self.face(Patch { point, normal, ..*patch })).flatten()
        };
        self.surfaces[0].patches(body, self.radius).par_iter().filter_map(facing).collect()
    }

    fn face(&self, patch: Patch) -> Option<Facing> {
        let width = self.distance_to_other(patch.point);
        let narrow = rise(width / self.radius, TOUCHING) * (1.0 - rise(width / self.radius, WIDE));
        if narrow == 0.0 {
            return None;
        }
        // It faces the other surface if the way inward leads away from there.
        let inward = self.distance_to_other(patch.point - self.radius * patch.normal);
        let [own, other] = self.bodies.map(|body| body.velocity_at(patch.point));
        let speed = (own - other).dot(patch.normal).abs() / self.fall;
        let share = narrow * rise((inward - width) / self.radius, PARALLEL) * (1.0 - rise(speed, FAST));
        (share > 0.0).then_some(Facing { patch, width, share })
    }

    fn other_takes(&self, point: DVec3, distance: f64) -> bool {
        self.surfaces[1].obstacle.takes(self.bodies[1].pose.inverse_transform_point(point), distance)
    }

    fn distance_to_other(&self, point: DVec3) -> f64 {
        self.surfaces[1].obstacle.signed_distance(self.bodies[1].pose.inverse_transform_point(point))
    }
}

/// For each of the positions (m), the share of the patch that it is in front of, in the gap; zero outside.
pub fn shares(facing: &[Facing], positions: &[DVec3], radius: f64) -> Vec<f64> {
    let points: Vec<Vec3A> = facing.iter().map(|facing| facing.patch.point.as_vec3a()).collect();
    let reach = (WIDE[1] + BEYOND) * radius;
    let mut grid = CellGrid::default();
    grid.update(&points, CellLayout::new(reach as f32, &Domain::OPEN));
    let sorted: Vec<Facing> = grid.order().map(|index| facing[index as usize]).collect();
    let share = |&position: &DVec3| {
        let near = grid.particles_around(position, reach).flat_map(|(range, _)| &sorted[range]);
        let in_gap = near.filter_map(|facing| Some((facing.aside(position, radius)?, facing.share)));
        in_gap.min_by(|one, other| one.0.total_cmp(&other.0)).map_or(0.0, |(_, share)| share)
    };
    positions.par_iter().map(share).collect()
}

/// Zero below `from`, one above `to`, linear between.
fn rise(value: f64, [from, to]: [f64; 2]) -> f64 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}
