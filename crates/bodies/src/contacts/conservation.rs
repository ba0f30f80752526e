//! Momentum of groups of bodies that nothing else pushes.

use glam::{DMat3, DVec3};
use rapier3d_f64::prelude::RigidBodyHandle;

use super::{contact::Contact, world::BodyContacts};
use crate::{Body, Impulse, Momentum};

impl BodyContacts {
    /// Removes the spurious momentum of internal impulses, by the smallest change of the motion: a common velocity and a common rotation.
    ///
    /// The library applies an impulse between two bodies at one point of each. If these points are apart (gap or overlap), the two impulses
    /// have a net moment that no body outside the group balances. Across periodic ends a contact is solved twice, between each body and the
    /// other's image, and the two solutions may differ.
    pub(super) fn remove_spurious_momentum(&self, bodies: &[Body], members: &[usize], contacts: &mut [Option<Contact>]) {
        if self.domain.is_periodic() {
            let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
            for (&index, contact) in members.iter().filter_map(|index| Some((index, contacts[*index].as_ref()?))) {
                momentum += contact.impulse.linear;
                mass += bodies[index].mass;
            }
            for &index in members {
                if let Some(contact) = &mut contacts[index] {
                    contact.impulse.linear -= bodies[index].mass / mass * momentum;
                }
            }
        }
        let (mut moment, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
        for (&index, contact) in members.iter().filter_map(|index| Some((index, contacts[*index].as_ref()?))) {
            moment += bodies[index].center().cross(contact.impulse.linear) + contact.impulse.angular;
            inertia += bodies[index].world_inertia();
        }
        let turn = inertia.inverse() * (moment * self.domain.conserved_rotations());
        for &index in members {
            if let Some(contact) = &mut contacts[index] {
                contact.impulse.angular -= bodies[index].world_inertia() * turn;
            }
        }
    }

    /// Makes bodies with joints continue with the velocities that the library found, which satisfy the joints at the new poses. If they are
    /// isolated, the momentum that its rounding, its steps and remaining gaps of the joints have added is removed by a common motion: a rigid
    /// one, so that the joints stay satisfied.
    pub(super) fn keep_velocities(
        &self,
        bodies: &[Body],
        members: &[usize],
        homes: &[RigidBodyHandle],
        external: bool,
        contacts: &mut [Option<Contact>],
    ) {
        let mut states: Vec<JoinedState> = Vec::with_capacity(members.len());
        for &index in members {
            let (body, Some(contact)) = (&bodies[index], &contacts[index]) else { continue };
            let rotation = DMat3::from_quat(contact.rotation);
            let inertia = rotation * body.inertia * rotation.transpose();
            let twin = &self.world.bodies[homes[index]];
            let (velocity, angular_momentum) = (twin.linvel(), inertia * twin.angvel());
            states.push(JoinedState { index, mass: body.mass, center: contact.center, inertia, velocity, angular_momentum });
        }
        if !external {
            let before = states.iter().map(|state| bodies[state.index].momentum()).fold(Momentum::default(), sum);
            conserve(&mut states, before, self.domain.conserved_rotations());
        }
        for JoinedState { index, velocity, angular_momentum, .. } in states {
            if let Some(contact) = &mut contacts[index] {
                let body = &bodies[index];
                contact.impulse =
                    Impulse { linear: body.mass * (velocity - body.velocity), angular: angular_momentum - body.angular_momentum };
                contact.joined = Some((velocity, angular_momentum));
            }
        }
    }
}

/// A floating body of a group with joints, after the solve.
struct JoinedState {
    index: usize,
    mass: f64,
    center: DVec3,
    /// World axes.
    inertia: DMat3,
    velocity: DVec3,
    angular_momentum: DVec3,
}

fn sum(mut one: Momentum, other: Momentum) -> Momentum {
    one += other;
    one
}

/// Gives bodies the momentum `expected` about the world's axes `conserved` by a common rigid motion.
fn conserve(states: &mut [JoinedState], expected: Momentum, conserved: DVec3) {
    let mass: f64 = states.iter().map(|state| state.mass).sum();
    let linear: DVec3 = states.iter().map(|state| state.mass * state.velocity).sum();
    let shift = (expected.linear - linear) / mass;
    let middle: DVec3 = states.iter().map(|state| state.mass * state.center).sum::<DVec3>() / mass;
    let (mut angular, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for state in &mut *states {
        state.velocity += shift;
        angular += state.center.cross(state.mass * state.velocity) + state.angular_momentum;
        let arm = state.center - middle;
        let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
        inertia += state.inertia + state.mass * (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer);
    }
    let turn = inertia.inverse() * (conserved * (expected.angular - angular));
    for state in states {
        state.velocity += turn.cross(state.center - middle);
        state.angular_momentum += state.inertia * turn;
    }
}
