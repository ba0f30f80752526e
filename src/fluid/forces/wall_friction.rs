//! Wall friction: slows fluid that slips along a wall.
//!
//! Over `dt`, slip is reduced by the share `1 − (1 − friction)^(dt / 10 ms)`, weighted by the wall's share of the particle's density. All
//! contacts of a body act at the same time, so the body's mobility is multiplied by their number (mass splitting): a light body is never
//! accelerated beyond the fluid's velocity.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use super::term::{ForceContext, Impulses, Term};
use crate::fluid::coupling::{Origin, WallContact};

/// Relative density of a wall contact above which wall friction acts fully on a particle: half of what a wall contributes to its adjacent
/// layer of particles.
const FULL_FRICTION_DENSITY: f32 = 0.075;
/// Wall friction is defined as the share of slip removed in this time, s.
const FRICTION_TIME: f64 = 0.01;

pub const TERM: Term = Term { origin: Origin::Inside, is_active: |context| context.settings.viscosity.wall_friction > 0.0, impulses };

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, on_bodies, at_contacts, .. } = impulses;
    let ForceContext { contacts, response, .. } = *context;
    let share = 1.0 - (1.0 - context.settings.viscosity.wall_friction).max(0.0).powf(context.dt / FRICTION_TIME);
    let counts: Vec<f64> = contacts.sum_by_body(|_, contact| f64::from(u8::from(contact.value > 0.0))).collect();
    let all = contacts.list.par_iter().with_min_len(256);
    all.map(|contact| contact_impulse(context, contact, share, counts[contact.body as usize])).collect_into_vec(at_contacts);
    for (contact, impulse) in contacts.list.iter().zip(&*at_contacts) {
        on_particles[contact.particle as usize] += impulse.as_vec3a();
    }
    let wrench = |place: usize, contact: &WallContact| {
        let reaction = -at_contacts[place].as_vec3a().as_dvec3();
        response.wrench(contact, reaction)
    };
    on_bodies.extend(contacts.sum_by_body(wrench));
}

/// Impulse (N s) on the particle of `contact`, one of `count` that act on the body.
fn contact_impulse(context: &ForceContext, contact: &WallContact, share: f64, count: f64) -> DVec3 {
    if contact.value <= 0.0 || contact.gradient == Vec3A::ZERO {
        return DVec3::ZERO;
    }
    let particle = contact.particle as usize;
    let relative = (context.velocities[particle] - context.response.motions[contact.body as usize].at(contact.point)).as_dvec3();
    let normal = contact.gradient.as_dvec3().normalize();
    let slip = relative - normal * relative.dot(normal);
    let speed = slip.length();
    let of_body = |direction: DVec3| count * context.response.mobility(contact, direction);
    let mobility = f64::from(context.inverse_masses[particle]) + if speed > 0.0 { of_body(slip / speed) } else { 0.0 };
    if mobility == 0.0 {
        return DVec3::ZERO;
    }
    let grip = share * f64::from((contact.value / FULL_FRICTION_DENSITY).min(1.0));
    -slip * grip / mobility
}
