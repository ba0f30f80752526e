//! Light bodies that the water above holds down, because none gets below them.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::significant};
use plimsoll_bodies::Body;
use plimsoll_shape::{MassProperties, Obstacle, has_inside};
use rayon::prelude::*;

use super::{
    facing::TOUCHING,
    patch::{Patch, patches},
};
use crate::{FluidSimulation, placement::overlapping};

/// Without the pressure of films, width below which the lift of a plate differs by more than a tenth, in particle radii (table in docs/theory/walls.md).
const WIDTH: f64 = 3.0;
/// Fluid within this distance of a gap can reach its rim, in particle radii.
const REACH: f64 = 6.0;

/// Where a floating body is so close to another that too few particles fit between them.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowGap {
    /// Indices of the bodies.
    pub body: usize,
    pub other: usize,
    /// Mean width, m.
    pub width: f64,
    /// Area below the body, seen from below, m².
    pub area: f64,
    /// What the water around would press into the gap, N.
    pub force: f64,
    /// Buoyancy minus weight, N.
    pub lift: f64,
}

impl FluidSimulation {
    /// The narrow gaps in fluid that can hold light bodies: with more force than their lift.
    pub(crate) fn narrow_gaps(&self) -> Vec<NarrowGap> {
        let bodies = &self.bodies.list;
        let floating = (0..bodies.len()).filter(|&index| bodies[index].floating().is_some() && bodies[index].meets_particles());
        floating.flat_map(|index| self.gaps_of(index)).collect()
    }

    fn gaps_of(&self, index: usize) -> Vec<NarrowGap> {
        let (body, gravity) = (&self.bodies.list[index], self.settings.gravity);
        let lift = (self.heaviest() * MassProperties::of(&body.mesh).volume - body.mass) * gravity.length();
        let cutoff = self.holding_width();
        let near = body.world_aabb().inflated(cutoff);
        let others = self.bodies.list.iter().enumerate();
        let others = others.filter(|(other, near_by)| *other != index && near_by.meets_particles() && near_by.world_aabb().overlaps(&near));
        let others: Vec<(usize, &Body)> = others.collect();
        if lift <= 0.0 || others.is_empty() || !has_inside(&body.mesh) {
            return Vec::new();
        }
        let patches = underside(body, gravity.normalize(), 2.0 * self.settings.particle_radius);
        others.into_iter().filter_map(|(other, neighbour)| self.gap(&patches, neighbour, [index, other], lift)).collect()
    }

    /// Width up to which gaps may hold bodies, m.
    fn holding_width(&self) -> f64 {
        self.settings.particle_radius * if self.settings.gap_pressure { TOUCHING[1] } else { WIDTH }
    }

    /// Density of the heaviest fluid, kg/m³.
    fn heaviest(&self) -> f64 {
        self.settings.materials.iter().map(|material| material.density).fold(self.settings.density, f64::max)
    }

    /// The gap between `patches` of one body and another, if it can hold a body with this `lift` (N).
    fn gap(&self, patches: &[Patch], other: &Body, [body, index]: [usize; 2], lift: f64) -> Option<NarrowGap> {
        let radius = self.settings.particle_radius;
        let obstacle = Obstacle::new(&other.mesh, other.pose, has_inside(&other.mesh));
        let width = |patch: &Patch| {
            let width = obstacle.takes(patch.point, self.holding_width()).then(|| obstacle.signed_distance(patch.point))?;
            // It faces the other surface if the way inward leads away from there.
            let inward = obstacle.signed_distance(patch.point - radius * patch.normal);
            (width > -radius && inward > width + 0.7 * radius).then_some(width.max(0.0))
        };
        let facing: Vec<(&Patch, f64)> = patches.par_iter().filter_map(|patch| Some((patch, width(patch)?))).collect();
        if facing.is_empty() {
            return None;
        }
        let area: f64 = facing.iter().map(|(patch, _)| patch.area).sum();
        let points: Vec<DVec3> = facing.iter().map(|(patch, _)| patch.point).collect();
        let force = self.pressure_at(&points) * area;
        let is_wet = || overlapping(&self.particles.positions, &self.settings.domain, &points, REACH * radius).contains(&true);
        let mean = facing.iter().map(|(patch, width)| patch.area * width).sum::<f64>() / area;
        (force > lift && is_wet()).then_some(NarrowGap { body, other: index, width: mean, area, force, lift })
    }

    /// Hydrostatic pressure at the center of `points` under the fluid above and beside them, Pa.
    fn pressure_at(&self, points: &[DVec3]) -> f64 {
        let (gravity, radius) = (self.settings.gravity, self.settings.particle_radius);
        let up = -gravity.normalize_or_zero();
        let aside = |point: DVec3| point - point.dot(up) * up;
        let around = Aabb::around(points.iter().map(|&point| aside(point))).inflated(REACH * radius);
        let positions = self.particles.positions.iter().map(|position| position.as_dvec3());
        let top = positions
            .filter(|&position| around.contains(aside(position)))
            .map(|position| position.dot(up))
            .fold(f64::NEG_INFINITY, f64::max);
        let depth = top + radius - points.iter().map(|point| point.dot(up)).sum::<f64>() / points.len() as f64;
        self.heaviest() * gravity.length() * depth.max(0.0)
    }

    /// What the gap does to the body.
    pub(crate) fn describe_gap(&self, gap: &NarrowGap) -> String {
        let [body, other] = [gap.body, gap.other].map(|index| &self.bodies.list[index].name);
        let [width, area, needed, force, lift] = [gap.width, gap.area, self.holding_width(), gap.force, gap.lift].map(significant);
        if gap.width < TOUCHING[1] * self.settings.particle_radius {
            return format!(
                "body \"{body}\" lies on body \"{other}\" with {area} m² of its underside: no fluid is between them, and the fluid above presses it down \
                 with about {force} N, more than its lift of {lift} N, so it stays until it is tilted"
            );
        }
        format!(
            "body \"{body}\" is {width} m above body \"{other}\" with {area} m² of its underside: without `gap_pressure`, the pressure in gaps below {needed} m \
             (1.5 particle diameters), here about {force} N, is wrong; with its lift of {lift} N the body may stay down, hover or be thrown up"
        )
    }
}

/// Pieces of the surface of `body`, at most about `size` (m) long, that face `down`, with their areas seen from there.
fn underside(body: &Body, down: DVec3, size: f64) -> Vec<Patch> {
    let seen = |patch: Patch| {
        let (point, normal) = (body.pose.transform_point(patch.point), body.pose.transform_vector(patch.normal));
        Patch { point, normal, area: patch.area * normal.dot(down) }
    };
    patches(&body.mesh, size).into_iter().map(seen).filter(|patch| patch.area > 0.0).collect()
}
