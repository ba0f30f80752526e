//! A joint: its frames in both bodies, its constraints, and its description for the rigid-body library.

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use rapier3d_f64::prelude::{GenericJoint, JointAxesMask, JointAxis, MotorModel};
use serde::{Deserialize, Serialize};

use super::definition::{JointDefinition, JointKind, Motor};
use crate::{Body, Impulse};

/// Rate at which a motor removes a deviation from its speed, 1/s: at once for any step.
const MOTOR_RATE: f64 = 1e9;

/// A joint between two bodies, or between a body and the world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Joint {
    pub kind: JointKind,
    pub body: usize,
    /// The world if absent.
    pub other: Option<usize>,
    /// Joint to body, and joint to the other body or the world. The axis is x.
    pub frames: [Pose; 2],
    pub limits: Option<[f64; 2]>,
    pub motor: Option<Motor>,
    pub contacts: bool,
}

/// A constraint on the relative velocity of two bodies: `linear · (v − v') + angular · (ω − ω') = speed`, with the velocities at `point`.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    /// m
    pub point: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
    /// m/s or rad/s
    pub speed: f64,
}

/// Where a joint is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// Of a slider, m; otherwise zero.
    pub displacement: f64,
    /// Of a hinge, from −π to π; otherwise by how much the bodies are turned against each other, 0 or more; rad.
    pub angle: f64,
    /// m/s and rad/s
    pub speed: f64,
    pub angular_speed: f64,
    /// Distance between the joint's points on its two bodies, of a slider across its axis, m: an error of the solver.
    pub gap: f64,
}

/// An impulse of a mechanism on a body.
pub struct Push {
    pub body: usize,
    /// About the center of the body.
    pub impulse: Impulse,
    /// Whether the reaction acts on the world.
    pub external: bool,
}

impl Joint {
    /// The joint that `definition` describes, between bodies that were at these poses at time zero.
    pub fn new(definition: &JointDefinition, pose: impl Fn(usize) -> Pose) -> Self {
        let JointDefinition { kind, body, other, position, limits, motor, contacts } = *definition;
        let axis = match kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => axis,
            JointKind::Ball | JointKind::Fixed => DVec3::X,
        };
        let rotation = DQuat::from_rotation_arc(DVec3::X, axis);
        let frame = |pose: Pose| {
            let point = pose.inverse_transform_point(position);
            Pose::new((pose.rotation.conjugate() * rotation).normalize(), point)
        };
        let frames = [frame(pose(body)), frame(other.map_or(Pose::IDENTITY, pose))];
        Self { kind, body, other, frames, limits, motor, contacts }
    }

    /// The axis now, in world coordinates.
    pub fn axis(&self, bodies: &[Body]) -> DVec3 {
        let frame = self.frames[1].rotation * DVec3::X;
        self.other.map_or(frame, |other| bodies[other].pose.rotation * frame)
    }

    /// The point of the joint on its body, m, world coordinates.
    pub fn point(&self, bodies: &[Body]) -> DVec3 {
        bodies[self.body].pose.transform_point(self.frames[0].translation)
    }

    /// Where the joint is, in its coordinate, which is zero at time zero.
    pub fn state(&self, bodies: &[Body]) -> JointState {
        let [pose, other] = [Some(self.body), self.other].map(|body| body.map_or(Pose::IDENTITY, |body| bodies[body].pose));
        let (point, origin) = (pose.transform_point(self.frames[0].translation), other.transform_point(self.frames[1].translation));
        let rotations = [pose.rotation * self.frames[0].rotation, other.rotation * self.frames[1].rotation];
        let (axis, offset) = (self.axis(bodies), point - origin);
        let turn = rotations[1].conjugate() * rotations[0];
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let velocity = |body: Option<usize>| body.map_or(DVec3::ZERO, |body| bodies[body].velocity_at(point));
        let spin = |body: Option<usize>| body.map_or(DVec3::ZERO, |body| bodies[body].angular_velocity);
        let (speed, spin) = (velocity(Some(self.body)) - velocity(self.other), spin(Some(self.body)) - spin(self.other));
        let (displacement, speed) = match self.kind {
            JointKind::Slider(_) => (offset.dot(axis), speed.dot(axis)),
            _ => (0.0, 0.0),
        };
        let (angle, angular_speed) = match self.kind {
            JointKind::Hinge(_) => (2.0 * turn.x.atan2(turn.w), spin.dot(axis)),
            _ => (2.0 * turn.xyz().length().atan2(turn.w), spin.length()),
        };
        JointState { displacement, angle, speed, angular_speed, gap: (offset - displacement * axis).length() }
    }

    /// What the joint demands of the velocities of its bodies. A limit is not a constraint, nor is a motor whose torque or force is limited.
    pub fn constraints(&self, bodies: &[Body]) -> Vec<Constraint> {
        let (point, axis) = (self.point(bodies), self.axis(bodies));
        let (u, v) = axis.any_orthonormal_pair();
        let linear = |linear: DVec3| Constraint { point, linear, angular: DVec3::ZERO, speed: 0.0 };
        let angular = |angular: DVec3| Constraint { point, linear: DVec3::ZERO, angular, speed: 0.0 };
        let mut constraints: Vec<Constraint> = match self.kind {
            JointKind::Slider(_) => vec![linear(u), linear(v)],
            _ => DVec3::AXES.map(linear).into(),
        };
        match self.kind {
            JointKind::Hinge(_) => constraints.extend([u, v].map(angular)),
            JointKind::Slider(_) | JointKind::Fixed => constraints.extend(DVec3::AXES.map(angular)),
            JointKind::Ball => {}
        }
        if let Some(Motor::Speed { speed, limit: None }) = self.motor {
            let driven = if let JointKind::Slider(_) = self.kind { linear(axis) } else { angular(axis) };
            constraints.push(Constraint { speed, ..driven });
        }
        constraints
    }

    /// The impulses of a motor with a given torque or force over `dt` seconds.
    pub fn drive(&self, bodies: &[Body], dt: f64) -> Vec<Push> {
        let Some(Motor::Effort(effort)) = self.motor else { return Vec::new() };
        let (axis, point) = (self.axis(bodies), self.point(bodies));
        let on = |body: usize, sign: f64| {
            let along = sign * effort * dt * axis;
            let impulse = match self.kind {
                JointKind::Slider(_) => Impulse { linear: along, angular: (point - bodies[body].center()).cross(along) },
                _ => Impulse { linear: DVec3::ZERO, angular: along },
            };
            Push { body, impulse, external: self.other.is_none() }
        };
        [(Some(self.body), 1.0), (self.other, -1.0)].into_iter().filter_map(|(body, sign)| Some(on(body?, sign))).collect()
    }

    /// The joint as the library describes it: its first body is the other body or the world.
    pub fn of_library(&self) -> GenericJoint {
        let (locked, axis) = match self.kind {
            JointKind::Hinge(_) => (JointAxesMask::LOCKED_REVOLUTE_AXES, JointAxis::AngX),
            JointKind::Slider(_) => (JointAxesMask::LOCKED_PRISMATIC_AXES, JointAxis::LinX),
            JointKind::Ball => (JointAxesMask::LOCKED_SPHERICAL_AXES, JointAxis::AngX),
            JointKind::Fixed => (JointAxesMask::LOCKED_FIXED_AXES, JointAxis::AngX),
        };
        let mut joint = GenericJoint::new(locked);
        let [body, other] = self.frames.map(|frame| rapier3d_f64::math::Pose::from_parts(frame.translation, frame.rotation));
        joint.set_local_frame1(other).set_local_frame2(body).set_contacts_enabled(self.contacts);
        if let Some(limits) = self.limits {
            joint.set_limits(axis, limits);
        }
        if let Some(Motor::Speed { speed, limit }) = self.motor {
            joint.set_motor_model(axis, MotorModel::AccelerationBased).set_motor_velocity(axis, speed, MOTOR_RATE);
            joint.set_motor_max_force(axis, limit.unwrap_or(f64::MAX));
        }
        joint
    }
}

/// A joint of the library that constrains nothing and keeps two bodies from colliding.
pub fn without_contact() -> GenericJoint {
    *GenericJoint::default().set_contacts_enabled(false)
}
