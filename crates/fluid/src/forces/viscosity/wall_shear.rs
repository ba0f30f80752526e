//! Shear at walls: fluid sticks to walls with the viscosity of the walls.
//!
//! The traction on a wall is that of a linear flow between the particle and the wall, `τ = ρ ν_w (v_i − u_b)_t / d`, with the particle's
//! distance `d` from the wall. It acts on the same area `V |∇f|` as the particle's pressure, so that
//!
//! ```text
//! F_i = −ρ ν_w V |∇f_ib| (v_i − u_b(x_i))_t / d_ib
//! ```
//!
//! Over a step it removes the share `1 − exp(−ν_w |∇f| dt / d)` of the slip, which is stable for any step and viscosity. All contacts of a
//! body and of those joined to it act at the same time, so the body's mobility is multiplied by their number (mass splitting): a light body is
//! never accelerated beyond the fluid's velocity.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::parallel::InTasks;
use rayon::prelude::*;

use crate::{
    FluidSettings,
    coupling::{ContactDetail, Origin, WallContact},
    forces::term::{ForceContext, Impulses, Term},
};

/// Minimum distance of a particle from the wall in the traction, in particle radii. A particle closer than this was pressed against it.
const MIN_DISTANCE: f64 = 0.25;

pub const TERM: Term = Term { origin: Origin::Inside, is_active, impulses };

fn is_active(context: &ForceContext) -> bool {
    let viscosities = context.settings.wall_viscosities();
    !context.settings.is_viscosity_implicit() && (0..context.settings.material_count()).any(|material| viscosities.of(material as u8) > 0.0)
}

fn impulses(context: &ForceContext, impulses: &mut Impulses) {
    let Impulses { on_particles, on_bodies, at_contacts, surface_work, .. } = impulses;
    let ForceContext { contacts, response, .. } = *context;
    let mut counts: Vec<f64> = contacts.sum_by_body(|_, contact| f64::from(u8::from(contact.value > 0.0))).collect();
    response.pool(&mut counts);
    let all = contacts.list.par_iter().zip(&contacts.details);
    let impulse =
        |(contact, detail): (&WallContact, &ContactDetail)| contact_impulse(context, contact, detail, counts[contact.body as usize]);
    all.map(impulse).in_tasks(256).collect_into(at_contacts);
    for (contact, impulse) in contacts.list.iter().zip(&*at_contacts) {
        on_particles[contact.particle as usize] += impulse.as_vec3a();
    }
    let reaction = |place: usize| -at_contacts[place].as_vec3a().as_dvec3();
    on_bodies.extend(contacts.sum_by_body(|place, contact| response.wrench(contact, reaction(place))));
    *surface_work = contacts.surface_work(|place, _| reaction(place));
}

/// Share of the slip at `contact` that the step removes.
fn share(context: &ForceContext, contact: &WallContact, detail: &ContactDetail) -> f64 {
    let viscosity = context.settings.wall_viscosities().of(context.materials[contact.particle as usize]);
    -(-friction_rate(context.settings, contact, detail, viscosity) * context.dt).exp_m1()
}

/// Rate (1/s) at which a kinematic `viscosity` (m²/s) reduces the slip at `contact`.
pub fn friction_rate(settings: &FluidSettings, contact: &WallContact, detail: &ContactDetail, viscosity: f64) -> f64 {
    viscosity * f64::from(contact.gradient.length()) / wall_distance(settings, detail)
}

/// Distance (m) over which the velocity falls from the particle's to that of the wall.
pub fn wall_distance(settings: &FluidSettings, detail: &ContactDetail) -> f64 {
    f64::from(detail.clearance).max(MIN_DISTANCE * settings.particle_radius)
}

/// Impulse (N s) on the particle of `contact`, one of `count` that act on the body, which removes a share of the slip.
fn contact_impulse(context: &ForceContext, contact: &WallContact, detail: &ContactDetail, count: f64) -> DVec3 {
    if contact.value <= 0.0 || contact.gradient == Vec3A::ZERO {
        return DVec3::ZERO;
    }
    let particle = contact.particle as usize;
    let of_wall = context.response.motions[contact.body as usize].at(contact.point) + detail.surface_velocity;
    let relative = (context.velocities[particle] - of_wall).as_dvec3();
    let normal = contact.gradient.as_dvec3().normalize();
    let slip = relative - normal * relative.dot(normal);
    let speed = slip.length();
    let of_body = |direction: DVec3| count * context.response.mobility(contact, direction);
    let mobility = f64::from(context.inverse_masses[particle]) + if speed > 0.0 { of_body(slip / speed) } else { 0.0 };
    if mobility == 0.0 {
        return DVec3::ZERO;
    }
    -slip * share(context, contact, detail) / mobility
}
