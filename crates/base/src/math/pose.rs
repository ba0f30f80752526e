//! Position and orientation of a rigid body.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Rigid motion `x ↦ rotation · x + translation` from body to world coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Rotates body axes to world axes.
    pub rotation: DQuat,
    /// Meters.
    pub translation: DVec3,
}

impl Pose {
    /// Body coordinates equal world coordinates.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// Rotation, followed by translation.
    #[inline]
    pub fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// Translation without rotation.
    #[inline]
    pub fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DQuat::IDENTITY, translation }
    }

    /// Body point to world point.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Body direction to world direction.
    #[inline]
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// World point to body point.
    #[inline]
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }

    /// World direction to body direction.
    #[inline]
    pub fn inverse_transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation.conjugate() * vector
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}
