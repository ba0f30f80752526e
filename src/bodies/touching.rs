//! Contacts between bodies, solved by the rigid-body library. Free motion stays ours: it keeps angular momentum exactly.

use glam::{DMat3, DQuat, DVec3};
use rapier3d_f64::prelude::{
    ColliderBuilder, ColliderHandle, LockedAxes, MassProperties, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape, TriMeshFlags,
};
use serde::{Deserialize, Serialize};

use crate::{
    bodies::{Body, BodyKind, Floating, Impulse},
    math::Pose,
    shape::{TriangleMesh, topology::DisjointSets},
};

/// The rigid-body library's world: one body of it for each of ours, in order.
#[derive(Serialize, Deserialize)]
pub struct Touching {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
}

/// Outcome of the contact solve for a body that touches another.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub impulse: Impulse,
    pub rotation: DQuat,
    pub center: DVec3,
    /// Whether the body touches, perhaps through others, one that does not float: then the net impulse comes from outside.
    pub external: bool,
}

impl Touching {
    pub fn new(bodies: &[Body]) -> Self {
        let mut world = PhysicsWorld { gravity: DVec3::ZERO, ..PhysicsWorld::default() };
        let sizes = bodies.iter().filter(|body| body.floating().is_some()).map(|body| body.mesh.aabb().extent().length());
        let smallest = sizes.fold(f64::INFINITY, f64::min);
        // Penetration allowed and speed cap scale with this; the cap is lifted out of the way.
        world.integration_parameters.length_unit = smallest;
        world.integration_parameters.normalized_max_linear_velocity = 1e9;
        let handles = bodies.iter().map(|body| insert(&mut world, body)).collect();
        Self { world, handles }
    }

    /// Solves the contacts over `dt` seconds. For each body that touches another: the impulse it got and where it ends.
    pub fn solve(&mut self, bodies: &mut [Body], dt: f64) -> Vec<Option<Touch>> {
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
        let mut touches = vec![None; bodies.len()];
        for Group { members, external } in self.groups(bodies) {
            for &index in &members {
                touches[index] = self.touch(&bodies[index], self.handles[index], external);
            }
            if !external {
                hand_back_moment(bodies, &members, &mut touches);
            }
        }
        touches
    }

    fn touch(&self, body: &Body, handle: RigidBodyHandle, external: bool) -> Option<Touch> {
        body.floating()?;
        let twin = &self.world.bodies[handle];
        let linear = body.mass * (twin.linvel() - body.velocity);
        let angular = body.world_inertia() * (twin.angvel() - body.angular_velocity);
        let pose = twin.position();
        let center = pose.rotation * body.local_center + pose.translation;
        Some(Touch { impulse: Impulse { linear, angular }, rotation: pose.rotation, center, external })
    }

    /// Who touches whom, groups of one left out.
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
/// impulses have a moment, which nothing outside of the group takes up. It is handed back as one common turn: that changes the motion least.
fn hand_back_moment(bodies: &[Body], members: &[usize], touches: &mut [Option<Touch>]) {
    let (mut moment, mut inertia) = (DVec3::ZERO, DMat3::ZERO);
    for &index in members {
        let Some(touch) = &touches[index] else { continue };
        moment += bodies[index].center().cross(touch.impulse.linear) + touch.impulse.angular;
        inertia += bodies[index].world_inertia();
    }
    let turn = inertia.inverse() * moment;
    for &index in members {
        if let Some(touch) = &mut touches[index] {
            touch.impulse.angular -= bodies[index].world_inertia() * turn;
        }
    }
}

impl Body {
    /// Moves a floating body through `dt`: freely, or as the contact solve found.
    pub(super) fn follow(&mut self, touch: Option<Touch>, dt: f64) {
        let Some(touch) = touch else {
            self.contact_impulse = Impulse::default();
            self.drift(dt);
            return;
        };
        self.contact_impulse = touch.impulse;
        self.apply(touch.impulse);
        if !touch.external {
            // The solver also pushes overlapping bodies apart; moving a moving mass sideways has a moment, which is handed back to the spin.
            let pushed = touch.center - self.center() - self.velocity * dt;
            self.angular_momentum -= pushed.cross(self.mass * self.velocity);
        }
        self.place(touch.rotation, touch.center);
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

/// The library's own diagonalisation fails where two principal moments are equal, as those of every cube are.
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

/// Whether a closed mesh is, but for a hundredth of its volume, its own convex hull.
fn fills_hull(mesh: &TriangleMesh, hull: &SharedShape) -> bool {
    crate::shape::MassProperties::of(mesh).volume > 0.99 * hull.mass_properties(1.0).mass()
}

fn library_pose(pose: &Pose) -> rapier3d_f64::math::Pose {
    rapier3d_f64::math::Pose::from_parts(pose.translation, pose.rotation)
}
