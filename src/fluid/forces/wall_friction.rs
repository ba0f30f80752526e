//! Wall friction: what holds fluid to the walls along which it flows.

use glam::DVec3;
use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    bodies::Compliance,
    fluid::{
        pressure::{PressureSystem, RigidMotion},
        wall::WallContact,
    },
};

/// Share of the rest density from which on a wall holds a particle fully: the first layer stands well inside.
const FULL_GRIP: f32 = 0.075;
/// Wall friction is the share of slip removed in this time, seconds.
const FRICTION_TIME: f64 = 0.01;

/// Impulse (N s) of wall friction on the particle of each contact, in the order of the contacts.
///
/// Slip is reduced by the share `1 − (1 − friction)^(dt / 10 ms)`, weighted by how much of the particle the wall holds. All contacts of a
/// body act at once, so the body's answer is reckoned times their number (mass splitting): a light body is never thrown past the fluid's
/// velocity.
pub fn wall_friction(system: &PressureSystem, velocities: &[Vec3A], motions: &[RigidMotion], friction: f64, dt: f64) -> Vec<DVec3> {
    let share = 1.0 - (1.0 - friction).max(0.0).powf(dt / FRICTION_TIME);
    let counts = system.contacts.sum_by_body(|_, contact| f64::from(u8::from(contact.value > 0.0)));
    let impulse = |contact: &WallContact| {
        if contact.value <= 0.0 || contact.gradient == Vec3A::ZERO {
            return DVec3::ZERO;
        }
        let point = system.positions[contact.particle as usize];
        let relative = (velocities[contact.particle as usize] - motions[contact.body as usize].at(point)).as_dvec3();
        let normal = contact.gradient.as_dvec3().normalize();
        let slip = relative - normal * relative.dot(normal);
        let speed = slip.length();
        if speed == 0.0 {
            return DVec3::ZERO;
        }
        let grip = share * f64::from((contact.value / FULL_GRIP).min(1.0));
        let compliance = &system.compliances[contact.body as usize];
        let answer = counts[contact.body as usize] * mobility(compliance, point.as_dvec3(), slip / speed);
        -slip * grip / (1.0 / f64::from(system.mass) + answer)
    };
    system.contacts.list.par_iter().with_min_len(256).map(impulse).collect()
}

/// Velocity along `direction` that a unit impulse along it at `point` gives a body, 1/kg.
fn mobility(compliance: &Compliance, point: DVec3, direction: DVec3) -> f64 {
    let turning = (point - compliance.center).cross(direction);
    direction.dot(compliance.inverse_mass * direction) + turning.dot(compliance.inverse_inertia * turning)
}
