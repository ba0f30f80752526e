//! The world of the rigid-body library in which contacts are solved.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use plimsoll_base::math::Domain;
use plimsoll_contacts::Dispatcher;
use plimsoll_contract::simulator::{Interrupted, Watch};
use rapier3d_f64::prelude::{
    ActiveHooks, CoefficientCombineRule, InteractionGroups, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape,
};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{
    contact::Contact,
    groups::{Group, groups_of},
    pairs::Pairs,
    shape::collision_shape,
    stiffness::{Stiffness, configure, scale_to},
    twin::{Twin, insert},
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
    pub(super) dispatcher: Dispatcher,
    #[serde(default)]
    pub(super) stiffness: Stiffness,
    pub(super) domain: Domain,
    /// Sorted by body; the first twin of a body is in the domain itself.
    pub(super) twins: Vec<Twin>,
    /// Number of bodies.
    bodies: usize,
    #[serde(default)]
    pub(super) pairs: Pairs,
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
            pairs: Pairs::default(),
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

    /// Adds joints, keeps bodies from colliding, and gives pairs of them their friction and restitution.
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
        self.pairs = Pairs::new(&definition.pairs);
        for body in self.pairs.with_friction().collect::<Vec<_>>() {
            for handle in self.twins_of(body).collect::<Vec<_>>() {
                for &collider in self.world.bodies[handle].colliders() {
                    self.world.colliders[collider].set_active_hooks(ActiveHooks::MODIFY_SOLVER_CONTACTS);
                }
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
    pub(super) fn homes(&self) -> Vec<RigidBodyHandle> {
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
        let pushing = self.advance(bodies, dt);
        let mut contacts = vec![None; bodies.len()];
        let homes = self.homes();
        for Group { members, external, joined } in groups_of(&pushing, &self.joined, bodies) {
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
