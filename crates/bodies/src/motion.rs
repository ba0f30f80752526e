//! Prescribed motion: the pose of a moving body at a given time.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;

use crate::{BodyKind, Deformation, Keyframe, PrescribedMotion, waves::Paddle};

impl PrescribedMotion {
    /// Pose at `time` (s) of a body with the initial pose `initial`.
    pub fn pose(&self, initial: &Pose, time: f64) -> Pose {
        match self {
            Self::Constant { linear, angular, pivot } => {
                let turned = turned_about(initial, *pivot, *angular * time);
                Pose::new(turned.rotation, turned.translation + *linear * time)
            }
            Self::Sinusoid { amplitude, rotation, pivot, frequency, phase } => {
                let sine = (std::f64::consts::TAU * frequency * time + phase).sin();
                let turned = turned_about(initial, *pivot, *rotation * sine);
                Pose::new(turned.rotation, turned.translation + *amplitude * sine)
            }
            Self::Keyframes(keyframes) => between_keyframes(keyframes, time),
            Self::Deforming { motion, .. } => motion.pose(initial, time),
            Self::Waves(maker) => match *maker.paddle() {
                Paddle::Piston => Pose::new(initial.rotation, initial.translation + maker.displacement(time) * maker.direction()),
                Paddle::Flap { pivot, .. } => turned_about(initial, pivot, maker.rotation(time)),
            },
        }
    }
}

fn turned_about(pose: &Pose, pivot: DVec3, rotation_vector: DVec3) -> Pose {
    let rotation = DQuat::from_scaled_axis(rotation_vector);
    Pose::new((rotation * pose.rotation).normalize(), pivot + rotation * (pose.translation - pivot))
}

fn between_keyframes(keyframes: &[Keyframe], time: f64) -> Pose {
    let after = keyframes.partition_point(|keyframe| keyframe.time <= time);
    if after == 0 || after == keyframes.len() {
        let held = &keyframes[after.saturating_sub(1)];
        return Pose::new(held.rotation, held.position);
    }
    let (from, to) = (&keyframes[after - 1], &keyframes[after]);
    let share = (time - from.time) / (to.time - from.time);
    Pose::new(from.rotation.slerp(to.rotation, share).normalize(), from.position.lerp(to.position, share))
}

impl BodyKind {
    /// The prescribed motion of a moving body, or that of a floating one until it is released.
    pub fn motion(&self) -> Option<&PrescribedMotion> {
        match self {
            Self::Static => None,
            Self::Moving(motion) => Some(motion),
            Self::Floating(floating) => floating.held.as_ref().map(|held| &held.motion),
        }
    }

    /// How a body of this kind deforms.
    pub fn deformation(&self) -> Option<&Arc<Deformation>> {
        match self {
            Self::Moving(PrescribedMotion::Deforming { deformation, .. }) => Some(deformation),
            _ => None,
        }
    }
}

impl PrescribedMotion {
    /// The motion of the body coordinates.
    pub fn rigid(&self) -> &Self {
        match self {
            Self::Deforming { motion, .. } => motion.rigid(),
            motion => motion,
        }
    }
}
