//! Forces other than pressure: gravity, viscosity, wall friction.
//!
//! Viscous forces act along the line between two particles, so that they keep linear and angular momentum:
//!
//! ```text
//! laminar      a_i = 10 ν Σ_j (m/ρ_j) (v_ij·x_ij)/(|x_ij|² + 0.01 h²) ∇W_ij                (Monaghan 2005, eq. 8.9)
//! artificial   the same for approaching pairs, with ν = α h c/10                          (Monaghan 1992)
//! ```
//!
//! XSPH (`v_i += ε Σ_j (m/ρ_j)(v_j − v_i) W_ij`, Schechter & Bridson 2012) acts along the velocity difference: it keeps linear momentum only.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bodies::Response,
    fluid::{
        particles::{Kernel, Links, parallel::TASK},
        pressure::{PressureSystem, RigidMotion},
        settings::Viscosity,
        wall::WallContact,
    },
};

/// Share of the rest density from which on a wall holds a particle fully: the first layer stands well inside.
const FULL_GRIP: f32 = 0.075;
/// Wall friction is the share of slip removed in this time, seconds.
const FRICTION_TIME: f64 = 0.01;

/// Change of each particle's velocity by viscosity over `dt`, m/s.
pub fn viscous_changes(viscosity: &Viscosity, sound_speed: f64, kernel: &Kernel, links: &Links, state: &ViscousState) -> Vec<Vec3A> {
    let h = kernel.support_radius();
    let laminar = 10.0 * viscosity.kinematic as f32;
    let artificial = viscosity.artificial as f32 * h * sound_speed as f32;
    let xsph = viscosity.xsph as f32;
    let ViscousState { mass, rest_density, dt, positions, velocities } = *state;
    let change = |i: usize| {
        let mut sum = Vec3A::ZERO;
        for link in links.of(i) {
            let (j, gradient) = (link.neighbour(), link.gradient());
            let (x_ij, v_ij) = (positions[i] - positions[j], velocities[i] - velocities[j]);
            let approach = v_ij.dot(x_ij);
            let squared = x_ij.length_squared();
            let strength = if approach < 0.0 { laminar + artificial } else { laminar };
            // `gradient` holds the mass; all densities are within a fraction of a percent of the rest density, or the pair must be symmetric.
            sum += gradient * (dt * strength * approach / ((squared + 0.01 * h * h) * rest_density));
            if xsph > 0.0 {
                sum -= v_ij * (xsph * mass / rest_density * kernel.value(squared.sqrt()));
            }
        }
        sum
    };
    (0..positions.len()).into_par_iter().with_min_len(TASK).map(change).collect()
}

/// What viscosity acts on.
#[derive(Clone, Copy)]
pub struct ViscousState<'a> {
    pub mass: f32,
    pub rest_density: f32,
    pub dt: f32,
    pub positions: &'a [Vec3A],
    pub velocities: &'a [Vec3A],
}

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
        let response = &system.responses[contact.body as usize];
        let answer = counts[contact.body as usize] * mobility(response, point.as_dvec3(), slip / speed);
        -slip * grip / (1.0 / f64::from(system.mass) + answer)
    };
    system.contacts.list.par_iter().with_min_len(256).map(impulse).collect()
}

/// Velocity along `direction` that a unit impulse along it at `point` gives a body, 1/kg.
fn mobility(response: &Response, point: DVec3, direction: DVec3) -> f64 {
    let turning = (point - response.center).cross(direction);
    direction.dot(response.inverse_mass * direction) + turning.dot(response.inverse_inertia * turning)
}
