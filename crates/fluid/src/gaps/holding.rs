//! Light bodies that the water above holds down, because none gets below them.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::significant};
use plimsoll_bodies::Body;
use plimsoll_shape::has_inside;

use super::{
    facing::{Facing, Pair, Surface},
    film::TOUCHING,
    films::may_have_films,
};
use crate::{FluidSimulation, placement::overlapping};

/// Without the pressure of films, width below which the lift of a plate differs by more than a tenth, in particle radii (table in docs/theory/walls.md).
const WIDTH: f64 = 3.0;
/// Fluid within this distance of a gap can reach its rim, in particle radii.
const REACH: f64 = 6.0;
/// Cosine of the angle between surfaces above which one faces the other.
const FACES: f64 = 0.7;

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
        let surface = Surface::of(body);
        let lift = (self.settings.max_density() * surface.volume - body.mass) * gravity.length();
        let has_films = self.settings.gap_pressure && may_have_films(body, &surface, self.settings.max_density());
        // Where there are films, only bodies that touch are held.
        let cutoff = self.settings.particle_radius * if has_films { TOUCHING[1] } else { WIDTH };
        let near = body.world_aabb().inflated(cutoff);
        let others = self.bodies.list.iter().enumerate();
        let others = others.filter(|(other, near_by)| *other != index && near_by.meets_particles() && near_by.world_aabb().overlaps(&near));
        let others: Vec<(usize, &Body)> = others.collect();
        if lift <= 0.0 || others.is_empty() || !has_inside(&body.mesh) {
            return Vec::new();
        }
        let gap = |(other, neighbour): (usize, &Body)| {
            let (surfaces, radius) = ([&surface, &Surface::of(neighbour)], self.settings.particle_radius);
            self.gap(&Pair { bodies: [body, neighbour], surfaces, radius }, [index, other], cutoff, lift)
        };
        others.into_iter().filter_map(gap).collect()
    }

    /// The gap up to `cutoff` (m) below the first body of `pair`, if it can hold one with this `lift` (N).
    fn gap(&self, pair: &Pair, [body, other]: [usize; 2], cutoff: f64, lift: f64) -> Option<NarrowGap> {
        let (radius, down) = (self.settings.particle_radius, self.settings.gravity.normalize());
        let seen = |&Facing { patch, width, cosine }: &Facing| {
            let area = patch.area * patch.normal.dot(down);
            (area > 0.0 && width > -radius && cosine > FACES).then_some((patch.point, area, width.max(0.0)))
        };
        let below: Vec<(DVec3, f64, f64)> = pair.facing(cutoff).iter().filter_map(seen).collect();
        if below.is_empty() {
            return None;
        }
        let area: f64 = below.iter().map(|(_, area, _)| area).sum();
        let points: Vec<DVec3> = below.iter().map(|&(point, ..)| point).collect();
        let force = self.pressure_at(&points) * area;
        let is_wet = || overlapping(&self.particles.positions, &self.settings.domain, &points, REACH * radius).contains(&true);
        let width = below.iter().map(|(_, area, width)| area * width).sum::<f64>() / area;
        (force > lift && is_wet()).then_some(NarrowGap { body, other, width, area, force, lift })
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
        self.settings.max_density() * gravity.length() * depth.max(0.0)
    }

    /// What the gap does to the body.
    pub(crate) fn describe_gap(&self, gap: &NarrowGap) -> String {
        let [body, other] = [gap.body, gap.other].map(|index| &self.bodies.list[index].name);
        let [width, area, needed, force, lift] =
            [gap.width, gap.area, WIDTH * self.settings.particle_radius, gap.force, gap.lift].map(significant);
        if gap.width < TOUCHING[1] * self.settings.particle_radius {
            return format!(
                "body \"{body}\" lies on body \"{other}\" with {area} m² of its underside: no fluid is between them, and the fluid above presses it down \
                 with about {force} N, more than its lift of {lift} N, so it stays until it is tilted"
            );
        }
        let cure = if self.settings.gap_pressure { " for a body as light as this" } else { " without `gap_pressure = true` in [fluid]" };
        format!(
            "body \"{body}\" is {width} m above body \"{other}\" with {area} m² of its underside: the pressure in gaps below {needed} m (1.5 particle diameters), \
             here about {force} N, is wrong{cure}; with its lift of {lift} N the body may stay down, hover or be thrown up"
        )
    }
}
