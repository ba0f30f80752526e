//! Contacts between bodies, solved by the rigid-body library. Free motion is integrated here: it conserves angular momentum exactly.

use glam::{DMat3, DQuat, DVec3};
use rapier3d_f64::prelude::{
    ColliderBuilder, ColliderHandle, LockedAxes, MassProperties, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape, TriMeshFlags,
};
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, BodyKind, Floating, Impulse},
    math::Pose,
    shape::{TriangleMesh, topology::DisjointSets},
    simulator::{Interrupted, Watch},
};

/// The rigid-body library's world: one body of it for each of ours, in order.
#[derive(Serialize, Deserialize)]
pub struct BodyContacts {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

/// Outcome of the contact solve for a body that contacts another.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub impulse: Impulse,
    pub rotation: DQuat,
    pub center: DVec3,
    /// Whether the body contacts, perhaps through others, one that does not float: then the net impulse comes from outside.
    pub external: bool,
}

impl BodyContacts {
    /// The world of `bodies`, if one of them floats; the others never touch anything that moves.
    ///
    /// # Errors
    /// `watch` interrupts.
    pub fn new(bodies: &[Body], watch: &dyn Watch) -> Result<Option<Self>, Interrupted> {
        if bodies.iter().all(|body| body.floating().is_none()) {
            return Ok(None);
        }
        let mut world = PhysicsWorld { gravity: DVec3::ZERO, ..PhysicsWorld::default() };
        world.integration_parameters.length_unit = f64::INFINITY;
        // The speed limit scales with the length unit: far above every speed.
        world.integration_parameters.normalized_max_linear_velocity = 1e9;
        let mut contacts = Self { world, handles: Vec::with_capacity(bodies.len()) };
        for (index, body) in bodies.iter().enumerate() {
            contacts.insert(body);
            watch.progress("decomposing bodies into convex pieces", index + 1, bodies.len())?;
        }
        Ok(Some(contacts))
    }

    /// Adds the body that follows those already there.
    pub fn insert(&mut self, body: &Body) {
        if body.floating().is_some() {
            // The penetration allowed scales with it.
            let unit = &mut self.world.integration_parameters.length_unit;
            *unit = unit.min(body.mesh.aabb().extent().length());
        }
        self.handles.push(insert(&mut self.world, body));
    }

    /// Solves the contacts over `dt` seconds. For each body that contacts another: the impulse it got and where it ends.
    pub fn solve(&mut self, bodies: &mut [Body], dt: f64) -> Vec<Option<Contact>> {
        for (body, &handle) in bodies.iter().zip(&self.handles) {
            let twin = &mut self.world.bodies[handle];
            match body.kind {
                BodyKind::Static => {}
                BodyKind::Moving(_) => {
                    let turn = DQuat::from_scaled_axis(body.angular_velocity * dt);
                    let translation = body.pose.translation + body.velocity * dt;
                    twin.set_next_kinematic_position(library_pose(&Pose::new((turn * body.pose.rotation).normalize(), translation)));
                }
                BodyKind::Floating(_) => {
                    twin.set_position(library_pose(&body.pose), true);
                    twin.set_linvel(body.velocity, true);
                    twin.set_angvel(body.angular_velocity, true);
                }
            }
        }
        self.world.integration_parameters.dt = dt;
        self.world.step();
        let mut contacts = vec![None; bodies.len()];
        for Group { members, external } in self.groups(bodies) {
            for &index in &members {
                contacts[index] = self.contact(&bodies[index], self.handles[index], external);
            }
            if !external {
                hand_back_moment(bodies, &members, &mut contacts);
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
        Some(Contact { impulse: Impulse { linear, angular }, rotation: pose.rotation, center, external })
    }

    /// Who contacts whom, groups of one left out.
    fn groups(&self, bodies: &[Body]) -> Vec<Group> {
        let index_of = |collider: ColliderHandle| {
            let parent = self.world.colliders[collider].parent()?;
            self.handles.iter().position(|&handle| handle == parent)
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
        let (labels, count) = sets.numbered();
        let mut groups: Vec<Group> = (0..count).map(|_| Group { members: Vec::new(), external: false }).collect();
        for (index, (body, &label)) in bodies.iter().zip(&labels).enumerate() {
            let group = &mut groups[label as usize];
            group.members.push(index);
            group.external |= fixed(body);
        }
        groups.retain(|group| group.members.len() > 1);
        groups
    }
}

/// Bodies that touch, directly or through others.
struct Group {
    members: Vec<usize>,
    /// Whether one of them does not float or is locked.
    external: bool,
}

/// The library lets an impulse between two bodies act at one point of the first and one of the second. Where these gape or overlap, the two
/// impulses have a moment, which no body outside of the group balances. It is returned as a common rotation, the smallest change of the motion.
fn hand_back_moment(bodies: &[Body], members: &[usize], contacts: &mut [Option<Contact>]) {
    let (mut moment, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for &index in members {
        let Some(contact) = &contacts[index] else { continue };
        moment += bodies[index].center().cross(contact.impulse.linear) + contact.impulse.angular;
        inertia += bodies[index].world_inertia();
    }
    let turn = inertia.inverse() * moment;
    for &index in members {
        if let Some(contact) = &mut contacts[index] {
            contact.impulse.angular -= bodies[index].world_inertia() * turn;
        }
    }
}

impl Body {
    /// Moves a floating body through `dt`: freely, or as the contact solve found.
    pub(super) fn follow(&mut self, contact: Option<Contact>, dt: f64) {
        let Some(contact) = contact else {
            self.contact_impulse = Impulse::default();
            self.drift(dt);
            return;
        };
        self.contact_impulse = contact.impulse;
        self.apply(contact.impulse);
        if !contact.external {
            // The solver also pushes overlapping bodies apart; moving a moving mass sideways has a moment, which is returned to the spin.
            let pushed = contact.center - self.center() - self.velocity * dt;
            self.angular_momentum -= pushed.cross(self.mass * self.velocity);
        }
        self.place(contact.rotation, contact.center);
    }
}

fn insert(world: &mut PhysicsWorld, body: &Body) -> RigidBodyHandle {
    let builder = match &body.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Moving(_) => RigidBodyBuilder::kinematic_position_based(),
        BodyKind::Floating(floating) => RigidBodyBuilder::dynamic()
            .additional_mass_properties(mass_properties(body))
            .locked_axes(locked_axes(floating))
            .allow_fast_rotation(true),
    };
    let handle = world.insert_body(builder.pose(library_pose(&body.pose)).can_sleep(false));
    let collider = ColliderBuilder::new(collision_shape(body)).density(0.0).friction(body.friction).restitution(body.restitution);
    world.insert_collider(collider, Some(handle));
    handle
}

/// The library's own diagonalization fails where two principal moments are equal, as those of every cube are.
fn mass_properties(body: &Body) -> MassProperties {
    let properties = crate::shape::MassProperties { volume: 1.0, center_of_mass: body.local_center, inertia: body.inertia };
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

/// Convex pieces for a floating body, the triangles themselves for any other.
fn collision_shape(body: &Body) -> SharedShape {
    let TriangleMesh { vertices, triangles } = body.mesh.as_ref();
    if body.floating().is_none() {
        return SharedShape::trimesh_with_flags(vertices.clone(), triangles.clone(), TriMeshFlags::FIX_INTERNAL_EDGES)
            .expect("a checked mesh has triangles");
    }
    match SharedShape::convex_hull(vertices) {
        Some(hull) if fills_hull(&body.mesh, &hull) => hull,
        _ => SharedShape::convex_decomposition(vertices, triangles),
    }
}

/// Whether the convex hull of a closed mesh has its volume within 1 %.
fn fills_hull(mesh: &TriangleMesh, hull: &SharedShape) -> bool {
    crate::shape::MassProperties::of(mesh).volume > 0.99 * hull.mass_properties(1.0).mass()
}

fn library_pose(pose: &Pose) -> rapier3d_f64::math::Pose {
    rapier3d_f64::math::Pose::from_parts(pose.translation, pose.rotation)
}
