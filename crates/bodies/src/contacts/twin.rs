//! Bodies of the rigid-body library.

use std::collections::HashMap;

use glam::DVec3;
use plimsoll_base::math::Pose;
use rapier3d_f64::prelude::{
    CoefficientCombineRule, ColliderBuilder, LockedAxes, MassProperties, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape,
};
use serde::{Deserialize, Serialize};

use crate::{Body, BodyKind, Floating};

/// A body of the library.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct Twin {
    pub handle: RigidBodyHandle,
    /// Index of the body.
    pub body: usize,
    /// Where it is relative to the body, m.
    pub shift: DVec3,
}

/// The body of each twin.
pub(super) fn body_of(twins: &[Twin]) -> HashMap<RigidBodyHandle, usize> {
    twins.iter().map(|twin| (twin.handle, twin.body)).collect()
}

/// Adds a twin of `body` that is shifted by `shift` (m). It has no restitution: see [`super::rebound`].
pub(super) fn insert(world: &mut PhysicsWorld, body: &Body, shape: SharedShape, shift: DVec3) -> RigidBodyHandle {
    let builder = match &body.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Moving(_) => RigidBodyBuilder::kinematic_position_based(),
        BodyKind::Floating(floating) => RigidBodyBuilder::dynamic()
            .additional_mass_properties(mass_properties(body))
            .locked_axes(locked_axes(floating))
            .allow_fast_rotation(true),
    };
    let handle = world.insert_body(builder.pose(library_pose(&body.pose, shift)).can_sleep(false));
    let collider =
        ColliderBuilder::new(shape).density(0.0).friction(body.friction).friction_combine_rule(CoefficientCombineRule::GeometricMean);
    world.insert_collider(collider, Some(handle));
    handle
}

/// Own computation: the library's diagonalization fails if two principal moments are equal, as for every cube.
fn mass_properties(body: &Body) -> MassProperties {
    let properties = plimsoll_shape::MassProperties { volume: 1.0, center_of_mass: body.local_center, inertia: body.inertia };
    let (moments, axes) = properties.principal();
    MassProperties::with_principal_inertia_frame(body.local_center, body.mass, moments, axes)
}

fn locked_axes(floating: &Floating) -> LockedAxes {
    let mut locked = LockedAxes::empty();
    for axis in 0..3 {
        if floating.locked_translation[axis] {
            locked |= [LockedAxes::TRANSLATION_LOCKED_X, LockedAxes::TRANSLATION_LOCKED_Y, LockedAxes::TRANSLATION_LOCKED_Z][axis];
        }
        if floating.locked_rotation[axis] {
            locked |= [LockedAxes::ROTATION_LOCKED_X, LockedAxes::ROTATION_LOCKED_Y, LockedAxes::ROTATION_LOCKED_Z][axis];
        }
    }
    locked
}

pub(super) fn library_pose(pose: &Pose, shift: DVec3) -> rapier3d_f64::math::Pose {
    rapier3d_f64::math::Pose::from_parts(pose.translation + shift, pose.rotation)
}
