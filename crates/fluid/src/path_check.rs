//! Stops particles that would cross a triangle: no particle ever passes through a mesh, closed or open, however thin.
//!
//! A particle's path over the step is checked in the frame of the body, where the triangles are at rest: it runs from the particle's
//! position relative to the body's old pose to its position relative to the new one. If the path crosses a triangle, or ends closer to one
//! than a small clearance, the approach is removed from it. The particle's velocity changes as in an inelastic collision with the body, which
//! gets the opposite impulse at the same point.
//!
//! If the body deforms, the path is checked in the frame of each triangle: it begins where the particle would be if it kept its place relative
//! to the triangle ([`WallTriangle::carry`]).

use std::sync::Arc;

use glam::{DVec3, Mat3A, Vec3A};
use plimsoll_base::math::{Aabb, Domain, Image};
use plimsoll_bodies::{Body, Impulse, NearSegment};
use rayon::prelude::*;

use crate::{
    FluidSettings,
    coupling::{BodyResponse, Cause, ContactDetail, Pushed, WallContacts, WallSearch},
    particles::Particles,
    walls::{WallSurface, WallTriangle},
};

/// Corrections tried before the body simply carries the particle along.
const ATTEMPTS: usize = 6;
/// Share of the clearance that is always kept: far more than the rounding error of positions in single precision.
const ROUNDING_SHARE: f64 = 1e-2;
/// Margin around a triangle for rounding errors, as a share of its size.
const ROUNDED_RIM: f64 = 1e-7;
/// The same for a triangle that deforms in the step.
const DEFORMED_RIM: f64 = 1e-3;
/// Maximum number of bodies in one correction.
const MAX_BODIES: usize = 4;

/// The triangles and poses against which paths are checked.
#[derive(Clone, Copy)]
pub struct PathScene<'a> {
    /// Contain the poses at the start (`previous_pose`) and the end (`pose`) of the step.
    pub bodies: &'a [Body],
    pub surfaces: &'a [Arc<WallSurface>],
    /// The pieces at the end of the step of each body that deforms; empty for others, and if no body does.
    pub deformed: &'a [Vec<WallTriangle>],
    pub near: &'a [NearSegment],
    pub domain: &'a Domain,
    /// Minimum distance between particles and triangles, m.
    pub clearance: f64,
}

/// A particle stopped by bodies.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    pub particle: u32,
    /// Corrected position at the end of the step.
    pub target: DVec3,
    /// What each body contributes.
    pub shares: [Option<Share>; MAX_BODIES],
    /// Whether the path crosses a triangle despite all corrections.
    pub leaked: bool,
}

/// Displacement of a particle by a body.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    pub body: u32,
    /// The image of the particle near the body.
    pub image: Image,
    /// m
    pub displacement: DVec3,
    /// How far the deformation of the body moves its surface there in the step, m.
    pub surface_path: DVec3,
}

/// Stops particles that would cross a triangle within `dt` (s) and pushes the bodies that stop them. Returns how many particles were
/// stopped and how many of them still got through.
pub fn check_paths(settings: &FluidSettings, walls: &WallSearch, dt: f64, pushed: &mut Pushed) -> PathReport {
    let Pushed { particles, bodies, .. } = &*pushed;
    let WallSearch { surfaces, mapping, contacts } = walls;
    let deformed: Vec<Vec<WallTriangle>> = bodies.list.iter().map(deformed_pieces).collect();
    let scene = PathScene {
        bodies: &bodies.list,
        surfaces,
        deformed: &deformed,
        near: &mapping.near,
        domain: &settings.domain,
        clearance: settings.wall_clearance(),
    };
    let Particles { positions, velocities, .. } = &**particles;
    // The exact position that the particle will move to, rounding included. A non-finite one ends the run after the step.
    let target = |i: usize| Some(particles.moved(i, dt as f32).0.as_dvec3()).filter(|target| target.is_finite());
    // A particle that is not near any ball can only cross a triangle if it moves farther than the inflation of the balls.
    let of_bodies = bodies.list.iter().map(Body::path_bound).fold(0.0, f64::max);
    let is_far = |i: usize| dt * f64::from(velocities[i].length()) + of_bodies > 0.9 * settings.wall_cutoff();
    let mut stops = scene.stops(contacts, positions, |i| target(i).filter(|_| !is_far(i)));
    let far: Vec<usize> = (0..positions.len()).into_par_iter().with_min_len(256).filter(|&i| is_far(i)).collect();
    if !far.is_empty() {
        let bounds: Vec<Aabb> = bodies.list.iter().map(|body| scene.bound(body)).collect();
        let far_stop = |&i: &usize| scene.stop_far(i, positions[i].as_dvec3(), target(i)?, &bounds);
        let far_stops: Vec<Stop> = far.par_iter().filter_map(far_stop).collect();
        stops.extend(far_stops);
    }
    let given = BodyResponse::of(pushed.bodies);
    for stop in &stops {
        stop.apply(settings, dt, &given, pushed);
    }
    PathReport { stopped: stops.len() as u64, leaked: stops.iter().filter(|stop| stop.leaked).count() as u64 }
}

/// The pieces of a body that deforms at the end of the step; none of others.
fn deformed_pieces(body: &Body) -> Vec<WallTriangle> {
    if body.deformation().is_none() {
        return Vec::new();
    }
    let mesh = &body.segmentation.mesh;
    (0..mesh.triangles.len()).into_par_iter().map(|piece| WallTriangle::new(mesh.corners(piece), [true; 3])).collect()
}

/// Number of particles stopped in a step, and how many of them still got through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PathReport {
    pub stopped: u64,
    pub leaked: u64,
}

impl PathScene<'_> {
    /// Corrections of the paths of particles with contacts, in order; `target(i)` is where particle `i` would go, or `None` if its path is
    /// checked elsewhere.
    pub fn stops(&self, contacts: &WallContacts, positions: &[Vec3A], target: impl Fn(usize) -> Option<DVec3> + Sync) -> Vec<Stop> {
        let stop = |particle: usize| {
            let details = contacts.details_of(particle);
            if details.is_empty() { None } else { self.stop(particle, details, positions[particle].as_dvec3(), target(particle)?) }
        };
        (0..positions.len()).into_par_iter().with_min_len(256).filter_map(stop).collect()
    }

    /// A box in the coordinates of a body (m) that contains its triangles with their margins throughout the step.
    fn bound(&self, body: &Body) -> Aabb {
        let aabb = body.segmentation.mesh.aabb();
        aabb.inflated(body.surface_motion.path + 2.0 * self.clearance + 2.0 * DEFORMED_RIM * aabb.extent().length())
    }

    /// The same for a particle that moves farther than its contacts reach: it checks all segments within the length of the path. Bodies whose
    /// `bounds` the path does not meet are left out.
    pub fn stop_far(&self, particle: usize, start: DVec3, wanted: DVec3, bounds: &[Aabb]) -> Option<Stop> {
        let (mut near, mut details) = (Vec::new(), Vec::new());
        for (index, body) in self.bodies.iter().enumerate() {
            let (particle, body_index) = (particle as u32, index as u32);
            let (from, to) = self.path(body_index, Image::HOME, start, wanted);
            if !self.domain.is_periodic() && !bounds[index].overlaps(&Aabb::around([from, to])) {
                continue;
            }
            let first = near.len();
            for (segment, of_body) in (0..).zip(&body.segmentation.segments) {
                for image in self.domain.images_toward(start, body.pose.transform_point(of_body.ball.center)) {
                    let (from, to) = self.path(body_index, image, start, wanted);
                    let within = from.distance(to) + body.surface_motion.path + self.clearance + of_body.ball.radius;
                    if of_body.ball.center.distance_squared(from) < within * within {
                        near.push(NearSegment { particle, body: body_index, image, segment });
                    }
                }
            }
            near[first..].sort_unstable();
        }
        let mut first = 0;
        for of_body in near.chunk_by(|a, b| a.body == b.body) {
            let segments = (first, first + of_body.len() as u32);
            let NearSegment { body, image, .. } = of_body[0];
            details.push(ContactDetail {
                body,
                image,
                clearance: 0.0,
                segments,
                moment: Mat3A::ZERO,
                slope: 0.0,
                surface_velocity: Vec3A::ZERO,
            });
            first = segments.1;
        }
        PathScene { near: &near, ..*self }.stop(particle, &details, start, wanted)
    }

    fn stop(&self, particle: usize, contacts: &[ContactDetail], start: DVec3, wanted: DVec3) -> Option<Stop> {
        if contacts.iter().all(|contact| self.stays_clear(contact, start, wanted)) {
            return None;
        }
        let mut stop = Stop { particle: particle as u32, target: wanted, shares: [None; MAX_BODIES], leaked: false };
        for _ in 0..ATTEMPTS {
            let Some(share) = self.first_hit(contacts, start, stop.target) else {
                return (stop.target != wanted).then_some(stop);
            };
            stop.push(share);
        }
        self.carry_along(contacts, start, wanted, &mut stop);
        Some(stop)
    }

    /// Whether the path stays away from all triangles of the contact's body.
    fn stays_clear(&self, contact: &ContactDetail, start: DVec3, target: DVec3) -> bool {
        let (from, to) = self.path(contact.body, contact.image, start, target);
        f64::from(contact.clearance) > from.distance(to) + self.bodies[contact.body as usize].surface_motion.path + self.clearance
    }

    /// The path of an image of the particle in the frame of a body.
    fn path(&self, body: u32, image: Image, start: DVec3, target: DVec3) -> (DVec3, DVec3) {
        let (body, shift) = (&self.bodies[body as usize], self.domain.shift(image));
        (body.previous_pose.inverse_transform_point(start + shift), body.pose.inverse_transform_point(target + shift))
    }

    /// The first hit on a triangle along the path, with the displacement that removes the approach from the path.
    fn first_hit(&self, contacts: &[ContactDetail], start: DVec3, target: DVec3) -> Option<Share> {
        let mut first: Option<(f64, Share)> = None;
        for &NearSegment { body, image, segment, .. } in contacts.iter().flat_map(|contact| self.segments_near(contact)) {
            let (from, to) = self.path(body, image, start, target);
            for (triangle, carried) in self.triangles(body, segment, from) {
                let Some((when, correction)) = triangle.hit(carried, to, self.clearance, self.margin(body)) else { continue };
                if first.is_none_or(|(earliest, _)| when < earliest) {
                    let pose = &self.bodies[body as usize].pose;
                    let [displacement, surface_path] = [correction, carried - from].map(|vector| pose.transform_vector(vector));
                    first = Some((when, Share { body, image, displacement, surface_path }));
                }
            }
        }
        first.map(|(_, share)| share)
    }

    fn segments_near(&self, contact: &ContactDetail) -> &[NearSegment] {
        &self.near[contact.segments.0 as usize..contact.segments.1 as usize]
    }

    /// The triangles of a segment at the end of the step, each with the start of a path that begins at `from` (body coordinates, m) in its frame.
    fn triangles(&self, body: u32, segment: u32, from: DVec3) -> impl Iterator<Item = (&WallTriangle, DVec3)> {
        let deformed = self.deformed_pieces(body);
        let pieces = self.bodies[body as usize].segmentation.segments[segment as usize].triangles.clone();
        self.surfaces[body as usize].pieces(segment).iter().zip(pieces).map(move |(before, piece)| match deformed.get(piece as usize) {
            Some(after) => (after, before.carry(after, from)),
            None => (before, from),
        })
    }

    fn deformed_pieces(&self, body: u32) -> &[WallTriangle] {
        self.deformed.get(body as usize).map_or(&[], Vec::as_slice)
    }

    /// How far the rim of a body's triangles is widened, in sizes of the triangle. Neighbours that deform have different frames: a path between them must
    /// not pass both.
    fn margin(&self, body: u32) -> f64 {
        if self.deformed_pieces(body).is_empty() { ROUNDED_RIM } else { DEFORMED_RIM }
    }

    /// Where an image at `point` (m) near a body is at the end of the step if it keeps its position relative to it, or to its closest triangle if it deforms.
    fn carried(&self, contact: &ContactDetail, point: DVec3) -> DVec3 {
        let body = &self.bodies[contact.body as usize];
        let from = body.previous_pose.inverse_transform_point(point);
        if self.deformed_pieces(contact.body).is_empty() {
            return body.pose.transform_point(from);
        }
        let near = self.segments_near(contact).iter().filter(|near| near.image == contact.image);
        let closest = near
            .flat_map(|near| {
                self.surfaces[near.body as usize].pieces(near.segment).iter().zip(self.triangles(near.body, near.segment, from))
            })
            .map(|(before, (_, carried))| (before.distance(from), carried))
            .min_by(|(one, _), (other, _)| one.total_cmp(other));
        body.pose.transform_point(closest.map_or(from, |(_, carried)| carried))
    }

    /// Last resort: the particle keeps its position relative to one of the bodies, or its position in the world.
    fn carry_along(&self, contacts: &[ContactDetail], start: DVec3, wanted: DVec3, stop: &mut Stop) {
        let carried = contacts.iter().map(|contact| {
            let shift = self.domain.shift(contact.image);
            (contact.body, contact.image, self.carried(contact, start + shift) - shift)
        });
        let still = std::iter::once((contacts[0].body, contacts[0].image, start));
        for (body, image, target) in carried.chain(still) {
            stop.target = wanted;
            stop.shares = [None; MAX_BODIES];
            stop.push(Share { body, image, displacement: target - wanted, surface_path: DVec3::ZERO });
            if !self.crosses(contacts, start, target) {
                return;
            }
        }
        stop.leaked = true;
    }

    /// Whether the path crosses a triangle.
    pub fn crosses(&self, contacts: &[ContactDetail], start: DVec3, target: DVec3) -> bool {
        contacts.iter().flat_map(|contact| self.segments_near(contact)).any(|&NearSegment { body, image, segment, .. }| {
            let (from, to) = self.path(body, image, start, target);
            self.triangles(body, segment, from).any(|(triangle, carried)| triangle.crossing(carried, to).is_some())
        })
    }
}

impl Share {
    /// How much of the displacement over `dt` (s) becomes a change of the velocity of the particle (m/s), whose image is at `point` (m): an inelastic
    /// collision with a body that yields, and that others may have pushed since it moved by `given`. The rest is a mere displacement: with all of
    /// it, a body much lighter than a particle would be thrown away.
    fn change(&self, point: DVec3, dt: f64, mass: f64, given: &BodyResponse, body: &Body) -> DVec3 {
        let full = self.displacement / dt;
        let (compliance, motion) = (&given.compliances[self.body as usize], &given.motions[self.body as usize]);
        let approach = full.length();
        if compliance.is_zero() || approach == 0.0 {
            return full;
        }
        let away = full / approach;
        let lever = point - compliance.center;
        let pushed = body.velocity - motion.linear + (body.angular_velocity - motion.angular).cross(lever);
        let left = ((approach + pushed.dot(away)) / approach).clamp(0.0, 1.0);
        full * (left / (1.0 + mass * given.mobility_of(self.body as usize, point, away)))
    }
}

impl Stop {
    /// Moves the particle to the target by the end of the step, changes its velocity by the collisions, and pushes the bodies, which moved by
    /// `given` before any stop.
    fn apply(&self, settings: &FluidSettings, dt: f64, given: &BodyResponse, pushed: &mut Pushed) {
        let Pushed { particles, bodies, ledger } = pushed;
        let index = self.particle as usize;
        let mass = settings.masses().of(particles.materials[index]);
        let (position, before) = (particles.positions[index], particles.velocities[index]);
        let mut changes = [DVec3::ZERO; MAX_BODIES];
        let mut yielded = DVec3::ZERO;
        for (change, share) in changes.iter_mut().zip(self.shares.iter().flatten()) {
            let point = position.as_dvec3() + settings.domain.shift(share.image);
            let body = &bodies.list[share.body as usize];
            *change = share.change(point, dt, mass, given, body);
            yielded += share.displacement / dt - *change;
        }
        let after = ((self.target - position.as_dvec3()) / dt - yielded).as_vec3a();
        particles.set_velocity(index, after);
        particles.position_remainders[index] = Vec3A::ZERO;
        // The first body gets the remainder that rounding of the velocity leaves of the changes.
        let others: DVec3 = changes[1..].iter().sum();
        changes[0] = (after - before).as_dvec3() - others;
        for (change, &Share { body, image, surface_path, .. }) in changes.iter().zip(self.shares.iter().flatten()) {
            let linear = -mass * change;
            let lever = position.as_dvec3() + settings.domain.shift(image) - bodies.list[body as usize].center();
            ledger.push_body(bodies, body as usize, Impulse { linear, angular: lever.cross(linear) }, Cause::Collision);
            ledger.work -= linear.dot(surface_path) / dt;
        }
        if yielded != DVec3::ZERO {
            ledger.shift_one(particles, index, (dt * yielded).as_vec3a(), mass);
        }
    }

    fn push(&mut self, new: Share) {
        self.target += new.displacement;
        for slot in &mut self.shares {
            match slot {
                Some(share) if (share.body, share.image) == (new.body, new.image) => {
                    share.displacement += new.displacement;
                    return;
                }
                None => {
                    *slot = Some(new);
                    return;
                }
                Some(_) => {}
            }
        }
        // With more bodies than slots, the last slot takes the correction.
        if let Some(share) = &mut self.shares[MAX_BODIES - 1] {
            share.displacement += new.displacement;
        }
    }
}

impl WallTriangle {
    /// Time (0 to 1) at which a path crosses the triangle, whose rim is widened by the rounding error.
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let (start, end) = (self.plane_distance(from), self.plane_distance(to));
        if (start > 0.0) == (end > 0.0) {
            return None;
        }
        let when = start / (start - end);
        self.contains_foot(from.lerp(to, when), ROUNDED_RIM).then_some(when)
    }

    /// Time at which a path hits the triangle, or comes too close to it at its end, and the displacement of the end that removes the
    /// approach. The rim is widened by `margin` times the triangle's size.
    fn hit(&self, from: DVec3, to: DVec3, clearance: f64, margin: f64) -> Option<(f64, DVec3)> {
        let (start, end) = (self.plane_distance(from), self.plane_distance(to));
        let side = if start >= 0.0 { 1.0 } else { -1.0 };
        let (start, end) = (start * side, end * side);
        // A particle that starts closer may stay at that distance, but not so close that rounding could carry it across.
        let allowed = clearance.min(start.max(ROUNDING_SHARE * clearance));
        // A change within rounding is not an approach.
        if end >= allowed - 1e-6 * clearance {
            return None;
        }
        let when = if start > end { (start / (start - end)).min(1.0) } else { 1.0 };
        let meets = self.contains_foot(from.lerp(to, when), margin) || (end > 0.0 && self.contains_foot(to, margin));
        meets.then(|| (when, self.normal * (side * (allowed - end))))
    }

    /// Whether the foot of `point` is inside the triangle, or outside by at most `margin` times the triangle's size.
    fn contains_foot(&self, point: DVec3, margin: f64) -> bool {
        (0..3).all(|k| {
            let edge = self.corners[(k + 1) % 3] - self.corners[k];
            let inward = self.normal.cross(edge);
            (point - self.corners[k]).dot(inward) >= -margin * edge.length_squared()
        })
    }
}
