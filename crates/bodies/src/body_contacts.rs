//! Contacts between bodies, solved by a rigid-body library. Free motion is integrated here, because this conserves angular momentum
//! exactly.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DMat3, DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_shape::topology::DisjointSets;
use rapier3d_f64::prelude::{
    ColliderBuilder, ColliderHandle, IntegrationParameters, InteractionGroups, LockedAxes, MassProperties, PhysicsWorld, RigidBodyBuilder,
    RigidBodyHandle, SharedShape,
};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{
    Body, BodyKind, Floating, Impulse, Mechanism, Momentum,
    collision_shape::collision_shape,
    mechanism::{Joint, without_contact},
};

/// Diagonal of the smallest body for which the rates of the library are its defaults, m. Larger bodies are held well by them, too (`tests/program/scale.rs`).
const REFERENCE_SIZE: f64 = 0.05;

/// The world of the rigid-body library. Each body has a twin in it, and further twins in the neighbouring images of a periodic domain, which
/// bodies meet at its ends.
#[derive(Serialize, Deserialize)]
pub struct BodyContacts {
    world: PhysicsWorld,
    domain: Domain,
    /// Sorted by body; the first twin of a body is in the domain itself.
    twins: Vec<Twin>,
    /// Number of bodies.
    bodies: usize,
    /// Bodies with a joint, and the other body of each; the world if absent.
    #[serde(default)]
    joined: Vec<(usize, Option<usize>)>,
}

/// A body of the library.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Twin {
    handle: RigidBodyHandle,
    /// Index of the body.
    body: usize,
    /// Where it is relative to the body, m.
    shift: DVec3,
}

/// Result of the contact solve for a body in contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub impulse: Impulse,
    pub rotation: DQuat,
    pub center: DVec3,
    /// Whether the body is in contact with a body that does not float, directly or through others. If so, the net impulse is external.
    pub external: bool,
    /// The velocity (m/s) and angular momentum (kg m²/s) of a body with joints after the solve.
    pub joined: Option<(DVec3, DVec3)>,
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
        // The speed limit scales with the length unit. This is far above any real speed.
        world.integration_parameters.normalized_max_linear_velocity = 1e9;
        let mut contacts = Self { world, domain, twins: Vec::with_capacity(bodies.len()), bodies: 0, joined: Vec::new() };
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
            self.scale_to(body.mesh.aabb().extent().length());
        }
        for image in self.domain.images() {
            let shift = self.domain.shift(image);
            let handle = insert(&mut self.world, body, shape.clone(), shift);
            self.twins.push(Twin { handle, body: self.bodies, shift });
        }
        self.bodies += 1;
    }

    /// Makes the lengths of the library proportional to a body of this `size` (m), if it is the smallest one, and its rates and speeds those of a small
    /// body under gravity: a tank of a millimeter behaves like one of a meter.
    fn scale_to(&mut self, size: f64) {
        let parameters = &mut self.world.integration_parameters;
        if size >= parameters.length_unit {
            return;
        }
        // The allowed penetration scales with the length unit.
        parameters.length_unit = size;
        let default = IntegrationParameters::default();
        let rate = (REFERENCE_SIZE / size).sqrt().max(1.0);
        for (softness, default) in [
            (&mut parameters.contact_softness, default.contact_softness),
            (&mut parameters.static_contact_softness, default.static_contact_softness),
        ] {
            softness.natural_frequency = default.natural_frequency * rate;
        }
        // In length units per second.
        parameters.normalized_max_corrective_velocity = default.normalized_max_corrective_velocity * rate;
    }

    /// Solves the contacts over `dt` seconds. Returns the impulse and final pose of each body in contact.
    pub fn solve(&mut self, bodies: &mut [Body], dt: f64) -> Vec<Option<Contact>> {
        for &Twin { handle, body, shift } in &self.twins {
            let (body, twin) = (&bodies[body], &mut self.world.bodies[handle]);
            if twin.is_enabled() != body.is_present() {
                twin.set_enabled(body.is_present());
            }
            match body.kind {
                BodyKind::Static => {}
                BodyKind::Moving(_) => {
                    if body.deformation().is_some() {
                        let shape = collision_shape(&body.mesh, &body.kind);
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
                    twin.set_position(library_pose(&body.pose, shift), true);
                    twin.set_linvel(body.velocity, true);
                    twin.set_angvel(body.angular_velocity, true);
                }
            }
        }
        self.world.integration_parameters.dt = dt;
        self.world.step();
        let mut contacts = vec![None; bodies.len()];
        let homes = self.homes();
        for Group { members, external, joined } in self.groups(bodies) {
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

    /// Removes the spurious momentum of internal impulses, by the smallest change of the motion: a common velocity and a common rotation.
    ///
    /// The library applies an impulse between two bodies at one point of each. If these points are apart (gap or overlap), the two impulses
    /// have a net moment that no body outside the group balances. Across periodic ends a contact is solved twice, between each body and the
    /// other's image, and the two solutions may differ.
    fn remove_spurious_momentum(&self, bodies: &[Body], members: &[usize], contacts: &mut [Option<Contact>]) {
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
    fn keep_velocities(
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

    fn contact(&self, body: &Body, handle: RigidBodyHandle, external: bool) -> Option<Contact> {
        body.floating()?;
        let twin = &self.world.bodies[handle];
        let linear = body.mass * (twin.linvel() - body.velocity);
        let angular = body.world_inertia() * (twin.angvel() - body.angular_velocity);
        let pose = twin.position();
        let center = pose.rotation * body.local_center + pose.translation;
        Some(Contact { impulse: Impulse { linear, angular }, rotation: pose.rotation, center, external, joined: None })
    }

    /// Groups of connected bodies, without single bodies.
    fn groups(&self, bodies: &[Body]) -> Vec<Group> {
        let index_of = |collider: ColliderHandle| {
            let parent = self.world.colliders[collider].parent()?;
            self.twins.iter().find(|twin| twin.handle == parent).map(|twin| twin.body)
        };
        let fixed = |body: &Body| {
            body.floating().is_none_or(|floating| floating.locked_translation != [false; 3] || floating.locked_rotation != [false; 3])
        };
        let mut sets = DisjointSets::new(bodies.len());
        for pair in self.world.narrow_phase.contact_pairs().filter(|pair| pair.has_any_active_contact()) {
            if let (Some(a), Some(b)) = (index_of(pair.collider1), index_of(pair.collider2)) {
                sets.join(a as u32, b as u32);
            }
        }
        for &(body, other) in &self.joined {
            if let Some(other) = other {
                sets.join(body as u32, other as u32);
            }
        }
        let (labels, count) = sets.numbered();
        let mut groups: Vec<Group> = (0..count).map(|_| Group { members: Vec::new(), external: false, joined: false }).collect();
        for (index, (body, &label)) in bodies.iter().zip(&labels).enumerate() {
            let group = &mut groups[label as usize];
            group.members.push(index);
            group.external |= fixed(body);
        }
        for &(body, other) in &self.joined {
            let group = &mut groups[labels[body] as usize];
            group.joined = true;
            group.external |= other.is_none();
        }
        groups.retain(|group| group.members.len() > 1 || group.joined);
        groups
    }
}

/// Bodies in contact, directly or through others.
struct Group {
    members: Vec<usize>,
    /// Whether any of them does not float, is locked or has a joint to the world.
    external: bool,
    /// Whether any of them has a joint.
    joined: bool,
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

impl Body {
    /// Moves a floating body for `dt`: freely, or as the contact solve determined.
    pub(super) fn follow(&mut self, contact: Option<Contact>, dt: f64) {
        let Some(contact) = contact else {
            self.contact_impulse = Impulse::default();
            self.drift(dt);
            return;
        };
        self.contact_impulse = contact.impulse;
        if let Some((velocity, angular_momentum)) = contact.joined {
            self.continue_with(velocity, angular_momentum);
            self.place(contact.rotation, contact.center);
            return;
        }
        self.apply(contact.impulse);
        if !contact.external {
            // The solver also pushes overlapping bodies apart. Displacing a moving mass sideways changes its angular momentum; the spin
            // compensates for this.
            let pushed = contact.center - self.center() - self.velocity * dt;
            self.angular_momentum -= pushed.cross(self.mass * self.velocity);
        }
        self.place(contact.rotation, contact.center);
    }
}

/// Adds a twin of `body` that is shifted by `shift` (m).
fn insert(world: &mut PhysicsWorld, body: &Body, shape: SharedShape, shift: DVec3) -> RigidBodyHandle {
    let builder = match &body.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Moving(_) => RigidBodyBuilder::kinematic_position_based(),
        BodyKind::Floating(floating) => RigidBodyBuilder::dynamic()
            .additional_mass_properties(mass_properties(body))
            .locked_axes(locked_axes(floating))
            .allow_fast_rotation(true),
    };
    let handle = world.insert_body(builder.pose(library_pose(&body.pose, shift)).can_sleep(false));
    let collider = ColliderBuilder::new(shape).density(0.0).friction(body.friction).restitution(body.restitution);
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

fn library_pose(pose: &Pose, shift: DVec3) -> rapier3d_f64::math::Pose {
    rapier3d_f64::math::Pose::from_parts(pose.translation + shift, pose.rotation)
}
