//! Restitution, after a contact solve without it.
//!
//! The library sweeps over the contacts one after the other, so that a body that falls flat leaves with a spin. Here all contacts that pushed in
//! this step change at once: each contact that was closing gets the target v' = −e v for its relative normal velocity, and impulses that only push, with
//! Coulomb friction, are found by projected Jacobi iteration, whose result does not depend on the order of the contacts.

use std::collections::HashMap;

use glam::{DMat3, DVec3};
use plimsoll_shape::topology::DisjointSets;
use rapier3d_f64::prelude::{PhysicsWorld, RigidBodyHandle};

/// Bodies that approach more slowly than gravity accelerates them in this many steps rest on each other.
const RESTING_STEPS: f64 = 2.0;
/// The iteration ends when no relative velocity changes by more than this, relative to the fastest approach, or after this many sweeps.
const TOLERANCE: f64 = 1e-12;
const SWEEPS: usize = 2000;

/// The motion of a body of the library before the step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
    /// Acceleration by everything but contacts, m/s².
    pub acceleration: DVec3,
}

/// A body during the iteration.
struct Moved {
    handle: RigidBodyHandle,
    velocity: DVec3,
    angular_velocity: DVec3,
    /// Zero if no contact moves it.
    inverse_mass: DVec3,
    inverse_inertia: DMat3,
}

/// A contact that pushed in this step.
struct Point {
    /// Indices of its bodies.
    bodies: [usize; 2],
    /// From the centers of mass.
    arms: [DVec3; 2],
    /// From the first body to the second.
    normal: DVec3,
    friction: f64,
    /// Relative normal velocity after the step, m/s.
    target: f64,
    /// Velocity of approach before the step, m/s.
    approach: f64,
    /// Bound of the relative normal velocity that unit impulses at all contacts cause here, 1/kg.
    response: f64,
    impulse: f64,
    friction_impulse: DVec3,
}

/// Gives bodies that hit each other in the last step of the library their rebound. `before` is their motion before it, `dt` (s) the length of the
/// step of the simulation, of which it may be a part, and `restitution` that of a pair.
pub(super) fn rebound(
    world: &mut PhysicsWorld,
    before: &HashMap<RigidBodyHandle, Motion>,
    dt: f64,
    restitution: impl Fn(RigidBodyHandle, RigidBodyHandle) -> f64,
) {
    let (mut bodies, mut points) = contacts(world, before, dt, restitution);
    keep_rebounding(&bodies, &mut points);
    if points.is_empty() {
        return;
    }
    bound_responses(&bodies, &mut points);
    let fastest = points.iter().fold(0.0_f64, |most, point| most.max(point.approach.abs()));
    for _ in 0..SWEEPS {
        if sweep(&mut bodies, &mut points) <= TOLERANCE * fastest {
            break;
        }
    }
    for body in bodies.iter().filter(|body| body.moves()) {
        let twin = &mut world.bodies[body.handle];
        twin.set_linvel(body.velocity, true);
        twin.set_angvel(body.angular_velocity, true);
    }
}

impl Moved {
    fn new(world: &PhysicsWorld, handle: RigidBodyHandle) -> Self {
        let twin = &world.bodies[handle];
        let properties = twin.mass_properties();
        let free = twin.is_dynamic();
        Self {
            handle,
            velocity: twin.linvel(),
            angular_velocity: twin.angvel(),
            inverse_mass: if free { properties.effective_inv_mass } else { DVec3::ZERO },
            inverse_inertia: if free { inverse_inertia(world, handle) } else { DMat3::ZERO },
        }
    }

    fn moves(&self) -> bool {
        self.inverse_mass != DVec3::ZERO || self.inverse_inertia != DMat3::ZERO
    }

    fn velocity_at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }
}

fn inverse_inertia(world: &PhysicsWorld, handle: RigidBodyHandle) -> DMat3 {
    let tensor = world.bodies[handle].mass_properties().effective_world_inv_inertia;
    DMat3::from_cols(tensor * DVec3::X, tensor * DVec3::Y, tensor * DVec3::Z)
}

/// The contacts that pushed in this step, and their bodies.
fn contacts(
    world: &PhysicsWorld,
    before: &HashMap<RigidBodyHandle, Motion>,
    dt: f64,
    restitution: impl Fn(RigidBodyHandle, RigidBodyHandle) -> f64,
) -> (Vec<Moved>, Vec<Point>) {
    let (mut bodies, mut points) = (Vec::new(), Vec::new());
    let mut indices = HashMap::new();
    let part = world.integration_parameters.dt;
    for pair in world.narrow_phase.contact_pairs() {
        for manifold in pair.solver_manifolds() {
            let [Some(first), Some(second)] = [manifold.data.rigid_body1, manifold.data.rigid_body2] else { continue };
            let handles = [first, second];
            let restitution = restitution(first, second);
            let motions = handles.map(|handle| before[&handle]);
            let normal = manifold.data.normal;
            for contact in &manifold.data.solver_contacts {
                let Some(point) = manifold.points.get(contact.contact_indices()[0] as usize) else { continue };
                if point.data.impulse <= 0.0 {
                    continue;
                }
                let arms = [point.data.solver_dp1, point.data.solver_dp2];
                let [one, other] = [0, 1].map(|k| motions[k].velocity + motions[k].angular_velocity.cross(arms[k]));
                let closing = (other - one).dot(normal);
                let acceleration = (motions[1].acceleration - motions[0].acceleration).dot(normal);
                let rests = closing >= -RESTING_STEPS * acceleration.abs() * dt;
                let target = if rests {
                    0.0
                } else {
                    // Velocities of a body in free motion are those of half a step ago.
                    let until = (contact.dist / -closing).clamp(0.0, part);
                    -restitution * (closing + acceleration * (until + 0.5 * dt)) - acceleration * (0.5 * dt)
                };
                let bodies = handles.map(|handle| {
                    *indices.entry(handle).or_insert_with(|| {
                        bodies.push(Moved::new(world, handle));
                        bodies.len() - 1
                    })
                });
                points.push(Point {
                    bodies,
                    arms,
                    normal,
                    friction: manifold.data.friction,
                    target,
                    approach: closing,
                    response: 0.0,
                    impulse: 0.0,
                    friction_impulse: DVec3::ZERO,
                });
            }
        }
    }
    (bodies, points)
}

/// Keeps the contacts of those groups of connected bodies in which any contact rebounds.
fn keep_rebounding(bodies: &[Moved], points: &mut Vec<Point>) {
    let mut groups = DisjointSets::new(bodies.len());
    for point in &*points {
        let [first, second] = point.bodies;
        if bodies[first].moves() && bodies[second].moves() {
            groups.join(first as u32, second as u32);
        }
    }
    let mut group = |point: &Point| {
        let body = point.bodies.into_iter().find(|&body| bodies[body].moves()).unwrap_or(point.bodies[0]);
        groups.root(body as u32) as usize
    };
    let mut rebounds = vec![false; bodies.len()];
    points.iter().filter(|point| point.target > 0.0).for_each(|point| rebounds[group(point)] = true);
    points.retain(|point| rebounds[group(point)]);
}

/// Computes the bounds with which the iteration converges.
fn bound_responses(bodies: &[Moved], points: &mut [Point]) {
    let mut at_body: Vec<Vec<(usize, usize)>> = bodies.iter().map(|_| Vec::new()).collect();
    for (index, point) in points.iter().enumerate() {
        point.bodies.into_iter().enumerate().for_each(|(end, body)| at_body[body].push((index, end)));
    }
    let response = |point: &Point| -> f64 {
        let at_end = |end: usize| {
            let body = &bodies[point.bodies[end]];
            let turning = point.arms[end].cross(point.normal);
            at_body[point.bodies[end]].iter().map(move |&(other, other_end)| (other, other_end, body, turning)).map(
                |(other, other_end, body, turning)| {
                    let other = &points[other];
                    let linear = point.normal.dot(body.inverse_mass * other.normal);
                    (linear + turning.dot(body.inverse_inertia * other.arms[other_end].cross(other.normal))).abs()
                },
            )
        };
        at_end(0).chain(at_end(1)).sum()
    };
    let responses: Vec<f64> = points.iter().map(response).collect();
    points.iter_mut().zip(responses).for_each(|(point, response)| point.response = response);
}

/// Changes all impulses once; returns the largest change of a relative velocity, m/s.
fn sweep(bodies: &mut [Moved], points: &mut [Point]) -> f64 {
    let mut most = 0.0_f64;
    let mut changes = vec![[DVec3::ZERO; 2]; bodies.len()];
    for point in points.iter_mut() {
        let [one, other] = [0, 1].map(|end| bodies[point.bodies[end]].velocity_at(point.arms[end]));
        let relative = other - one;
        let normal_velocity = relative.dot(point.normal);
        let impulse = (point.impulse + (point.target - normal_velocity) / point.response).max(0.0);
        most = most.max((impulse - point.impulse).abs() * point.response);
        let slip = relative - normal_velocity * point.normal;
        // Friction changes two components, and a third of the step converges with both.
        let friction = (point.friction_impulse - slip / (3.0 * point.response)).clamp_length_max(point.friction * impulse);
        let total = (impulse - point.impulse) * point.normal + friction - point.friction_impulse;
        (point.impulse, point.friction_impulse) = (impulse, friction);
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &bodies[point.bodies[end]];
            let [linear, angular] = &mut changes[point.bodies[end]];
            *linear += body.inverse_mass * (sign * total);
            *angular += body.inverse_inertia * point.arms[end].cross(sign * total);
        }
    }
    for (body, [linear, angular]) in bodies.iter_mut().zip(changes) {
        body.velocity += linear;
        body.angular_velocity += angular;
    }
    most
}
