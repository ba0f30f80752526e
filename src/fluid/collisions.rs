//! What would still cross a triangle is stopped: no particle ever passes through a mesh, closed or open, however thin.
//!
//! A particle's path over the step is looked at in the frame of the body, where the triangles stand still: from where the particle is seen from
//! the body's old pose to where it will be seen from the new one. If the path crosses a triangle, or ends closer to one than a small clearance, the
//! approach is taken out of it. The change of velocity is an impulse, and the body gets the opposite one at the same point.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bodies::{Body, NearSegment},
    fluid::wall::{WallContact, WallContacts, WallTriangle},
};

/// Corrections tried before a particle is simply carried along by the body.
const ATTEMPTS: usize = 6;
/// Share of the clearance that is kept in any case: far more than positions in single precision are rounded by.
const ROUNDING_SHARE: f64 = 1e-2;
/// Bodies that one correction can involve.
const MOST_BODIES: usize = 4;

/// The triangles and poses against which paths are checked.
#[derive(Clone, Copy)]
pub struct CollisionScene<'a> {
    /// With the poses at the beginning (`previous_pose`) and the end (`pose`) of the step.
    pub bodies: &'a [Body],
    pub triangles: &'a [Vec<WallTriangle>],
    pub near: &'a [NearSegment],
    /// Metres kept between particles and triangles.
    pub clearance: f64,
}

/// A particle stopped by bodies.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    pub particle: u32,
    /// Where the step ends now.
    pub target: DVec3,
    /// Displacement due to each body.
    pub shares: [Option<(u32, DVec3)>; MOST_BODIES],
    /// Whether the path crosses a triangle in spite of all.
    pub leaked: bool,
}

impl CollisionScene<'_> {
    /// Paths to be corrected among the particles with contacts, in order; `target(i)` is where particle `i` would go,
    /// nothing if that is looked at elsewhere.
    pub fn stops(&self, contacts: &WallContacts, positions: &[Vec3A], target: impl Fn(usize) -> Option<DVec3> + Sync) -> Vec<Stop> {
        let groups: Vec<&[WallContact]> = contacts.list.chunk_by(|a, b| a.particle == b.particle).collect();
        let stops = groups.par_iter().with_min_len(64).filter_map(|contacts| {
            let particle = contacts[0].particle as usize;
            self.stop(contacts, positions[particle].as_dvec3(), target(particle)?)
        });
        stops.collect()
    }

    /// The same for a particle that goes farther than its contacts reach: all segments within the length of its path are looked at.
    pub fn stop_far(&self, particle: usize, start: DVec3, wanted: DVec3) -> Option<Stop> {
        let (mut near, mut contacts) = (Vec::new(), Vec::new());
        let particle = particle as u32;
        for (index, body) in self.bodies.iter().enumerate() {
            let first = near.len() as u32;
            let mut contact = WallContact::untested(particle, index as u32);
            let (from, to) = self.path(&contact, start, wanted);
            let radius = from.distance(to) + self.clearance;
            for (segment, of_body) in body.segmentation.segments.iter().enumerate() {
                let within = radius + of_body.ball.radius;
                if of_body.ball.center.distance_squared(from) < within * within {
                    near.push(NearSegment { particle, body: index as u32, segment: segment as u32 });
                }
            }
            contact.segments = (first, near.len() as u32);
            contacts.push(contact);
        }
        CollisionScene { near: &near, ..*self }.stop(&contacts, start, wanted)
    }

    fn stop(&self, contacts: &[WallContact], start: DVec3, wanted: DVec3) -> Option<Stop> {
        if contacts.iter().all(|contact| self.stays_clear(contact, start, wanted)) {
            return None;
        }
        let mut stop = Stop { particle: contacts[0].particle, target: wanted, shares: [None; MOST_BODIES], leaked: false };
        for _ in 0..ATTEMPTS {
            let Some((body, correction)) = self.first_hit(contacts, start, stop.target) else {
                return (stop.target != wanted).then_some(stop);
            };
            stop.push(body, correction);
        }
        self.carry_along(contacts, start, wanted, &mut stop);
        Some(stop)
    }

    /// Whether the path cannot come near any triangle of the contact's body.
    fn stays_clear(&self, contact: &WallContact, start: DVec3, target: DVec3) -> bool {
        let (from, to) = self.path(contact, start, target);
        f64::from(contact.clearance) > from.distance(to) + self.clearance
    }

    /// Path in the frame of the contact's body.
    fn path(&self, contact: &WallContact, start: DVec3, target: DVec3) -> (DVec3, DVec3) {
        let body = &self.bodies[contact.body as usize];
        (body.previous_pose.inverse_transform_point(start), body.pose.inverse_transform_point(target))
    }

    /// The triangle that the path meets first, as the body and the displacement (world) that takes the approach out of the path.
    fn first_hit(&self, contacts: &[WallContact], start: DVec3, target: DVec3) -> Option<(u32, DVec3)> {
        let mut first: Option<(f64, u32, DVec3)> = None;
        for contact in contacts {
            let (from, to) = self.path(contact, start, target);
            for triangle in self.triangles_near(contact) {
                let Some((when, correction)) = triangle.hit(from, to, self.clearance) else { continue };
                if first.is_none_or(|(earliest, ..)| when < earliest) {
                    let pose = &self.bodies[contact.body as usize].pose;
                    first = Some((when, contact.body, pose.transform_vector(correction)));
                }
            }
        }
        first.map(|(_, body, correction)| (body, correction))
    }

    fn triangles_near(&self, contact: &WallContact) -> impl Iterator<Item = &WallTriangle> {
        let near = &self.near[contact.segments.0 as usize..contact.segments.1 as usize];
        let body = contact.body as usize;
        near.iter().flat_map(move |near| {
            let range = &self.bodies[body].segmentation.segments[near.segment as usize].triangles;
            &self.triangles[body][range.start as usize..range.end as usize]
        })
    }

    /// Last resort: the particle stays where it is seen from one of the bodies, or where it is in the world.
    fn carry_along(&self, contacts: &[WallContact], start: DVec3, wanted: DVec3, stop: &mut Stop) {
        let carried = contacts.iter().map(|contact| {
            let body = &self.bodies[contact.body as usize];
            (contact.body, body.pose.transform_point(body.previous_pose.inverse_transform_point(start)))
        });
        let still = std::iter::once((contacts[0].body, start));
        for (body, target) in carried.chain(still) {
            stop.target = wanted;
            stop.shares = [None; MOST_BODIES];
            stop.push(body, target - wanted);
            if !self.crosses(contacts, start, target) {
                return;
            }
        }
        stop.leaked = true;
    }

    /// Whether the path crosses a triangle.
    pub fn crosses(&self, contacts: &[WallContact], start: DVec3, target: DVec3) -> bool {
        contacts.iter().any(|contact| {
            let (from, to) = self.path(contact, start, target);
            self.triangles_near(contact).any(|triangle| triangle.crossing(from, to).is_some())
        })
    }
}

impl Stop {
    fn push(&mut self, body: u32, correction: DVec3) {
        self.target += correction;
        for share in &mut self.shares {
            match share {
                Some((other, sum)) if *other == body => {
                    *sum += correction;
                    return;
                }
                None => {
                    *share = Some((body, correction));
                    return;
                }
                Some(_) => {}
            }
        }
        // More bodies at once than there is room for: the last one takes it.
        if let Some((_, sum)) = &mut self.shares[MOST_BODIES - 1] {
            *sum += correction;
        }
    }
}

impl WallTriangle {
    /// When (0 to 1) a path crosses the triangle, its rim widened by rounding's worth.
    pub fn crossing(&self, from: DVec3, to: DVec3) -> Option<f64> {
        let (start, end) = (self.plane_distance(from), self.plane_distance(to));
        if (start > 0.0) == (end > 0.0) {
            return None;
        }
        let when = start / (start - end);
        self.contains_foot(from.lerp(to, when), 1e-7).then_some(when)
    }

    /// When a path hits the triangle or comes too close to it at its end, and the displacement of its end that takes the approach out.
    fn hit(&self, from: DVec3, to: DVec3, clearance: f64) -> Option<(f64, DVec3)> {
        let (start, end) = (self.plane_distance(from), self.plane_distance(to));
        let side = if start >= 0.0 { 1.0 } else { -1.0 };
        let (start, end) = (start * side, end * side);
        // Who starts closer may stay so, but not so close that rounding could carry it across.
        let allowed = clearance.min(start.max(ROUNDING_SHARE * clearance));
        // Rounding alone is no approach.
        if end >= allowed - 1e-6 * clearance {
            return None;
        }
        let when = if start > end { (start / (start - end)).min(1.0) } else { 1.0 };
        let meets = self.contains_foot(from.lerp(to, when), 1e-7) || (end > 0.0 && self.contains_foot(to, 1e-7));
        meets.then(|| (when, self.normal * (side * (allowed - end))))
    }

    /// Whether the foot of `point` lies in the triangle, or outside by no more than `margin` times its size.
    fn contains_foot(&self, point: DVec3, margin: f64) -> bool {
        (0..3).all(|k| {
            let edge = self.corners[(k + 1) % 3] - self.corners[k];
            let inward = self.normal.cross(edge);
            (point - self.corners[k]).dot(inward) >= -margin * edge.length_squared()
        })
    }
}
