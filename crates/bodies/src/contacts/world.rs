//! The world of the rigid-body library in which contacts are solved.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicUsize, Ordering},
};

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_contacts::Dispatcher;
use plimsoll_contract::simulator::{Interrupted, Watch};
use rapier3d_f64::prelude::{CoefficientCombineRule, InteractionGroups, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contact::Contact,
    groups::{Group, groups_of},
    rebound::{Motion, rebound},
    shape::collision_shape,
    stiffness::{Stiffness, configure, scale_to},
    twin::{Twin, body_of, insert, library_pose},
};
use crate::{
    Body, BodyKind, Impulse, Mechanism,
    mechanism::{Joint, without_contact},
};

/// The world of the rigid-body library. Each body has a twin in it, and further twins in the neighbouring images of a periodic domain, which
/// bodies meet at its ends.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct BodyContacts {
    pub(super) world: PhysicsWorld,
    /// Finds the contacts of the world.
    #[serde(skip)]
    dispatcher: Dispatcher,
    #[serde(default)]
    stiffness: Stiffness,
    pub(super) domain: Domain,
    /// Sorted by body; the first twin of a body is in the domain itself.
    pub(super) twins: Vec<Twin>,
    /// Number of bodies.
    bodies: usize,
    /// Bodies with a joint, and the other body of each; the world if absent.
    #[serde(default)]
    pub(super) joined: Vec<(usize, Option<usize>)>,
}

impl Serialize for BodyContacts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for BodyContacts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        for (_, collider) in saved.world.colliders.iter_mut() {
            saved.dispatcher.register(collider.shared_shape());
            // Earlier versions left restitution and friction of pairs to the library.
            collider.set_restitution(0.0);
            collider.set_friction_combine_rule(CoefficientCombineRule::GeometricMean);
        }
        saved.world.narrow_phase.set_query_dispatcher(saved.dispatcher.clone());
        configure(&mut saved.world.integration_parameters);
        Ok(saved)
    }
}

impl BodyContacts {
    /// Creates the world of `bodies` if any of them floats; otherwise there is nothing to solve.
    ///
    /// # Errors
    /// If `watch` interrupts.
    pub fn new(bodies: &[Body], domain: Domain, watch: &dyn Watch) -> Result<Option<Self>, Interrupted> {
        if !bodies.iter().any(|body| matches!(body.kind, BodyKind::Floating(_))) {
            return Ok(None);
        }
        let done = AtomicUsize::new(0);
        let shape = |body: &Body| {
            let shape = collision_shape(&body.mesh, &body.kind);
            watch.progress("decomposing bodies into convex pieces", done.fetch_add(1, Ordering::Relaxed) + 1, bodies.len())?;
            Ok(shape)
        };
        let shapes: Vec<SharedShape> = bodies.par_iter().map(shape).collect::<Result<_, Interrupted>>()?;
        Ok(Some(Self::with_shapes(bodies, &shapes, domain)))
    }

    /// Creates the world of `bodies` with these shapes.
    pub fn with_shapes(bodies: &[Body], shapes: &[SharedShape], domain: Domain) -> Self {
        let mut world = PhysicsWorld { gravity: DVec3::ZERO, ..PhysicsWorld::default() };
        world.integration_parameters.length_unit = f64::INFINITY;
        configure(&mut world.integration_parameters);
        let dispatcher = Dispatcher::default();
        world.narrow_phase.set_query_dispatcher(dispatcher.clone());
        let mut contacts = Self {
            world,
            dispatcher,
            domain,
            twins: Vec::with_capacity(bodies.len()),
            bodies: 0,
            joined: Vec::new(),
            stiffness: Stiffness::default(),
        };
        for (body, shape) in bodies.iter().zip(shapes) {
            contacts.insert_with_shape(body, shape);
        }
        contacts
    }

    /// Adds a body after the existing ones.
    pub fn insert(&mut self, body: &Body) {
        self.insert_with_shape(body, &collision_shape(&body.mesh, &body.kind));
    }

    /// Adds joints, and keeps bodies from colliding.
    pub fn link(&mut self, mechanism: &Mechanism) {
        let homes = self.homes();
        let definition = &mechanism.definition;
        let ground = mechanism.joints.iter().any(|joint| joint.other.is_none());
        let ground = ground.then(|| self.world.insert_body(RigidBodyBuilder::fixed()));
        for joint in &mechanism.joints {
            let Joint { body, other, .. } = *joint;
            if let Some(first) = other.map(|other| homes[other]).or(ground) {
                self.world.insert_impulse_joint(first, homes[body], joint.of_library());
                self.joined.push((body, other));
            }
        }
        let joints = definition.joints.iter().filter(|joint| !joint.contacts);
        let pairs = joints.filter_map(|joint| Some([joint.body, joint.other?])).chain(definition.without_contact.iter().copied());
        for [one, other] in pairs {
            for (first, second) in
                self.twins_of(one).flat_map(|first| self.twins_of(other).map(move |second| (first, second))).collect::<Vec<_>>()
            {
                self.world.insert_impulse_joint(first, second, without_contact());
            }
        }
        for &body in &definition.without_any_contact {
            for handle in self.twins_of(body).collect::<Vec<_>>() {
                for &collider in self.world.bodies[handle].colliders() {
                    self.world.colliders[collider].set_collision_groups(InteractionGroups::none());
                }
            }
        }
    }

    fn twins_of(&self, body: usize) -> impl Iterator<Item = RigidBodyHandle> + '_ {
        self.twins.iter().filter(move |twin| twin.body == body).map(|twin| twin.handle)
    }

    /// The first twin of each body.
    fn homes(&self) -> Vec<RigidBodyHandle> {
        let mut homes: Vec<RigidBodyHandle> = Vec::with_capacity(self.bodies);
        for twin in &self.twins {
            if twin.body == homes.len() {
                homes.push(twin.handle);
            }
        }
        homes
    }

    fn insert_with_shape(&mut self, body: &Body, shape: &SharedShape) {
        if matches!(body.kind, BodyKind::Floating(_)) {
            scale_to(&mut self.world.integration_parameters, body.mesh.aabb().extent().length());
        }
        self.dispatcher.register(shape);
        for image in self.domain.images() {
            let shift = self.domain.shift(image);
            let handle = insert(&mut self.world, body, shape.clone(), shift);
            self.twins.push(Twin { handle, body: self.bodies, shift });
        }
        self.bodies += 1;
    }

    /// Solves the contacts over `dt` seconds. Returns the impulse and final pose of each body in contact.
    pub fn solve(&mut self, bodies: &[Body], dt: f64) -> Vec<Option<Contact>> {
        let mut before = HashMap::with_capacity(self.twins.len());
        for index in 0..self.twins.len() {
            let twin = self.twins[index];
            before.insert(twin.handle, self.place(twin, bodies, dt));
        }
        self.dispatcher.prune();
        let speed = bodies.iter().filter(|body| body.is_present()).map(Body::max_point_speed).fold(0.0, f64::max);
        self.stiffness.prepare(&mut self.world, dt, speed);
        self.world.step();
        self.rebound(bodies, &before);
        let mut contacts = vec![None; bodies.len()];
        let homes = self.homes();
        for Group { members, external, joined } in groups_of(&self.world, &self.twins, &self.joined, bodies) {
            for &index in &members {
                contacts[index] = self.contact(&bodies[index], homes[index], external);
            }
            if joined {
                self.keep_velocities(bodies, &members, &homes, external, &mut contacts);
            } else if !external {
                self.remove_spurious_momentum(bodies, &members, &mut contacts);
            }
        }
        contacts
    }

    /// Moves a twin to where its body is, and gives it the velocities of the beginning of the step and, as forces, what has changed them since: the
    /// substeps of the library balance contacts with forces.
    fn place(&mut self, Twin { handle, body, shift }: Twin, bodies: &[Body], dt: f64) -> Motion {
        let (body, twin) = (&bodies[body], &mut self.world.bodies[handle]);
        if twin.is_enabled() != body.is_present() {
            twin.set_enabled(body.is_present());
        }
        let mut motion = Motion { velocity: body.velocity, angular_velocity: body.angular_velocity, acceleration: DVec3::ZERO };
        match body.kind {
            BodyKind::Static => {}
            BodyKind::Moving(_) => {
                if body.deformation().is_some() {
                    let shape = collision_shape(&body.mesh, &body.kind);
                    self.dispatcher.register(&shape);
                    twin.colliders().iter().for_each(|&collider| self.world.colliders[collider].set_shape(shape.clone()));
                }
                if self.domain.is_periodic() {
                    // The body may have been moved by a period.
                    twin.set_position(library_pose(&body.pose, shift), true);
                }
                let turn = DQuat::from_scaled_axis(body.angular_velocity * dt);
                let next = Pose::new((turn * body.pose.rotation).normalize(), body.pose.translation + body.velocity * dt);
                twin.set_next_kinematic_position(library_pose(&next, shift));
            }
            BodyKind::Floating(_) => {
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

    /// Gives bodies that hit each other their rebound. The restitution of a pair is the larger one.
    fn rebound(&mut self, bodies: &[Body], before: &HashMap<RigidBodyHandle, Motion>) {
        if bodies.iter().all(|body| body.restitution == 0.0) {
            return;
        }
        let body_of = body_of(&self.twins);
        let restitution = |handle: RigidBodyHandle| body_of.get(&handle).map_or(0.0, |&body| bodies[body].restitution);
        rebound(&mut self.world, before, |one, other| restitution(one).max(restitution(other)));
    }

    fn contact(&self, body: &Body, handle: RigidBodyHandle, external: bool) -> Option<Contact> {
        body.floating()?;
        let twin = &self.world.bodies[handle];
        let linear = body.mass * (twin.linvel() - body.velocity);
        let angular = body.world_inertia() * (twin.angvel() - body.angular_velocity);
        let pose = twin.position();
        let center = pose.rotation * body.local_center + pose.translation;
        Some(Contact { impulse: Impulse { linear, angular }, rotation: pose.rotation, center, external, joined: None })
    }
}
