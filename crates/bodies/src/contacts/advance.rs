//! A step of the library, in parts if bodies that touch turn fast.

use std::collections::HashMap;

use glam::{DQuat, DVec3};
use plimsoll_base::math::Pose;
use rapier3d_f64::prelude::{RigidBodyHandle, RigidBodyType};

use super::{
    groups::pushing,
    pairs::Frictions,
    rebound::{Motion, rebound},
    shape::collision_shape,
    twin::{Twin, body_of, library_pose},
    world::BodyContacts,
};
use crate::{Body, BodyKind};

/// Largest angle by which a body that is close to another turns in a step of the library, rad. The library finds contacts at the beginning of a step and
/// keeps their arms, so that a body that turns by more enters others and gains energy (`crates/bodies/tests/bodies/contacts.rs`, tumbling bodies).
const MAX_TURN: f64 = 0.02;
const MAX_PARTS: u32 = 64;

/// What a step of the library did.
#[derive(Default)]
struct Advanced {
    /// Pairs of bodies that pushed each other.
    pushing: Vec<(usize, usize)>,
    /// The fastest turning of a body that is close to another, rad/s.
    turn: f64,
}

impl BodyContacts {
    /// Moves the twins over `dt` seconds. Returns the pairs of bodies that pushed each other.
    pub(super) fn advance(&mut self, bodies: &[Body], dt: f64) -> Vec<(usize, usize)> {
        let mut parts = 1;
        loop {
            let motions = self.place(bodies, dt);
            let Advanced { pushing, turn } = self.advance_in_parts(bodies, dt, parts, motions);
            let wanted = (turn * dt / MAX_TURN).ceil().min(f64::from(MAX_PARTS)) as u32;
            if wanted <= parts {
                return pushing;
            }
            parts = wanted.max(2 * parts).min(MAX_PARTS);
        }
    }

    /// Moves the twins in a number of equal steps.
    fn advance_in_parts(&mut self, bodies: &[Body], dt: f64, parts: u32, mut motions: HashMap<RigidBodyHandle, Motion>) -> Advanced {
        let speed = bodies.iter().filter(|body| body.is_present()).map(Body::max_point_speed).fold(0.0, f64::max);
        let part = dt / f64::from(parts);
        let body_of = body_of(&self.twins);
        let mut advanced = Advanced::default();
        for number in 1..=parts {
            for twin in &self.twins {
                let (body, moved) = (&bodies[twin.body], &mut self.world.bodies[twin.handle]);
                if body.prescribed_motion().is_some() {
                    moved.set_next_kinematic_position(library_pose(&pose_after(body, f64::from(number) * part), twin.shift));
                } else if !body.is_static() {
                    let motion = motions.get_mut(&twin.handle).expect("each twin has a motion");
                    (motion.velocity, motion.angular_velocity) = (moved.linvel(), moved.angvel());
                }
            }
            self.stiffness.prepare(&mut self.world, part, speed);
            let frictions = Frictions { pairs: &self.pairs, body_of: &body_of };
            self.world.step_with_events(&frictions, &());
            self.rebound(bodies, &body_of, &motions, dt);
            advanced.turn = advanced.turn.max(self.turn(&motions));
            advanced.pushing.extend(pushing(&self.world, &body_of));
        }
        advanced
    }

    /// Moves the twins to where their bodies are, and gives them the velocities of the beginning of the step and, as forces, what has changed them since: the
    /// substeps of the library balance contacts with forces. Returns their motions.
    fn place(&mut self, bodies: &[Body], dt: f64) -> HashMap<RigidBodyHandle, Motion> {
        let mut motions = HashMap::with_capacity(self.twins.len());
        for index in 0..self.twins.len() {
            let twin = self.twins[index];
            motions.insert(twin.handle, self.place_twin(twin, bodies, dt));
        }
        self.dispatcher.prune();
        motions
    }

    fn place_twin(&mut self, Twin { handle, body, shift }: Twin, bodies: &[Body], dt: f64) -> Motion {
        let (body, twin) = (&bodies[body], &mut self.world.bodies[handle]);
        if twin.is_enabled() != body.is_present() {
            twin.set_enabled(body.is_present());
        }
        let mut motion = Motion { velocity: body.velocity, angular_velocity: body.angular_velocity, acceleration: DVec3::ZERO };
        match body.kind {
            BodyKind::Static => {}
            BodyKind::Floating(_) if body.is_held() => {
                twin.set_body_type(RigidBodyType::KinematicPositionBased, true);
                twin.set_position(library_pose(&body.pose, shift), true);
            }
            BodyKind::Moving(_) => {
                if body.deformation().is_some() {
                    let shape = collision_shape(&body.mesh, &body.kind);
                    self.dispatcher.register(&shape);
                    twin.colliders().iter().for_each(|&collider| self.world.colliders[collider].set_shape(shape.clone()));
                }
                twin.set_position(library_pose(&body.pose, shift), true);
            }
            BodyKind::Floating(_) => {
                twin.set_body_type(RigidBodyType::Dynamic, true);
                [motion.velocity, motion.angular_velocity] = body.velocities_before();
                motion.acceleration = (body.velocity - motion.velocity) / dt;
                let angular_acceleration = (body.angular_velocity - motion.angular_velocity) / dt;
                twin.set_position(library_pose(&body.pose, shift), true);
                twin.set_linvel(motion.velocity, true);
                twin.set_angvel(motion.angular_velocity, true);
                twin.reset_forces(true);
                twin.reset_torques(true);
                twin.add_force(body.mass * motion.acceleration, true);
                twin.add_torque(body.world_inertia() * angular_acceleration, true);
            }
        }
        motion
    }

    /// The fastest turning, before or after the step, among floating bodies that are close to others, rad/s.
    fn turn(&self, before: &HashMap<RigidBodyHandle, Motion>) -> f64 {
        let close = self.world.narrow_phase.contact_pairs().filter(|pair| pair.has_any_active_contact());
        let bodies = close.flat_map(|pair| [pair.collider1, pair.collider2]).filter_map(|collider| self.world.colliders[collider].parent());
        bodies
            .filter(|&handle| self.world.bodies[handle].is_dynamic())
            .map(|handle| self.world.bodies[handle].angvel().length().max(before[&handle].angular_velocity.length()))
            .fold(0.0, f64::max)
    }

    /// Gives bodies that hit each other their rebound.
    fn rebound(&mut self, bodies: &[Body], body_of: &HashMap<RigidBodyHandle, usize>, before: &HashMap<RigidBodyHandle, Motion>, dt: f64) {
        if self.pairs.never_rebound(bodies) {
            return;
        }
        let restitution = |one: RigidBodyHandle, other: RigidBodyHandle| match (body_of.get(&one), body_of.get(&other)) {
            (Some(&one), Some(&other)) => self.pairs.restitution(bodies, one, other),
            _ => 0.0,
        };
        rebound(&mut self.world, before, dt, restitution);
    }
}

/// Where a moving or held body is after `time` seconds with its present velocities.
fn pose_after(body: &Body, time: f64) -> Pose {
    let turn = DQuat::from_scaled_axis(body.angular_velocity * time);
    let rotation = (turn * body.pose.rotation).normalize();
    Pose::new(rotation, body.center() + body.velocity * time - rotation * body.local_center)
}
