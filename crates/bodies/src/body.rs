//! One rigid body: state, mass, forces.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_shape::{MassProperties, Segmentation, TriangleMesh};
use serde::{Deserialize, Serialize};

use crate::{BodyDefinition, BodyKind, Floating, Impulse, MassSource, Momentum, PrescribedMotion, Presence, SurfaceMotion};

/// A rigid body. Linear quantities refer to `center`: the center of mass of a floating body, the origin of any other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Unique among the bodies of a scene.
    pub name: String,
    /// Whether and how it moves.
    pub kind: BodyKind,
    /// Body coordinates; its vertices move if the body deforms.
    pub mesh: Arc<TriangleMesh>,
    /// Body to world.
    pub pose: Pose,
    /// Pose at the beginning of the step.
    pub previous_pose: Pose,
    /// Velocity (m/s) and angular velocity (rad/s) at the beginning of the step.
    #[serde(skip)]
    previous_velocities: [DVec3; 2],
    /// Pose at time zero.
    pub initial_pose: Pose,
    /// Sum of the periods by which the body was moved back through periodic ends, m: `pose` plus this shift is its continuous path.
    pub wrapped: DVec3,
    /// Coulomb friction coefficient against other bodies.
    pub friction: f64,
    /// Restitution against other bodies, 0 to 1.
    pub restitution: f64,
    /// Mass, kg; infinite unless the body floats.
    pub mass: f64,
    /// Inertia tensor about the center of mass, body axes, kg m².
    pub inertia: DMat3,
    /// Center of mass in body coordinates; zero unless the body floats.
    pub local_center: DVec3,
    /// m/s
    pub velocity: DVec3,
    /// rad/s
    pub angular_velocity: DVec3,
    /// Angular momentum about the center of mass, along the axes about which the body may rotate, kg m²/s. For a free body, this is
    /// conserved, not the angular velocity.
    pub angular_momentum: DVec3,
    /// When the body is there, and for what.
    #[serde(default)]
    pub presence: Presence,
    /// Whether it is not there now.
    #[serde(default)]
    pub(super) absent: bool,
    /// Whether it moves as prescribed until it is released.
    #[serde(default)]
    pub(super) is_held: bool,
    /// Impulse of the contacts with other bodies in the last step.
    pub contact_impulse: Impulse,
    /// Segments of the mesh, rebuilt when a checkpoint is read; none of a body that particles do not meet.
    #[serde(skip)]
    pub segmentation: Arc<Segmentation>,
    /// The segments while particles do not meet the body.
    #[serde(skip)]
    pub(super) hidden_segmentation: Arc<Segmentation>,
    /// How the surface moves in the current step if the body deforms.
    #[serde(skip)]
    pub surface_motion: SurfaceMotion,
}

/// Inverse mass and inertia of a body in world axes; zero for a body that no force moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// Point to which linear quantities refer, world coordinates, m.
    pub center: DVec3,
    /// 1/kg along each world axis; zero where locked.
    pub inverse_mass: DVec3,
    /// Rotational compliance, 1/(kg m²); zero about locked axes.
    pub inverse_inertia: DMat3,
}

impl Compliance {
    /// Whether no force moves the body.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.inverse_mass == DVec3::ZERO && self.inverse_inertia == DMat3::ZERO
    }

    /// Velocity that an impulse at `point` (m) along the unit vector `direction` gives this point of the body in this direction, per impulse, 1/kg.
    pub fn mobility(&self, point: DVec3, direction: DVec3) -> f64 {
        let turning = (point - self.center).cross(direction);
        direction.dot(self.inverse_mass * direction) + turning.dot(self.inverse_inertia * turning)
    }
}

impl Body {
    /// Creates the body that `definition` describes. The mesh of a floating body must be closed; this is checked with the scene.
    pub fn new(definition: BodyDefinition, segmentation: impl Into<Arc<Segmentation>>) -> Self {
        let mut body = Self {
            name: definition.name,
            mesh: Arc::new(definition.mesh),
            pose: definition.pose,
            previous_pose: definition.pose,
            previous_velocities: [DVec3::ZERO; 2],
            initial_pose: definition.pose,
            wrapped: DVec3::ZERO,
            friction: definition.friction,
            restitution: definition.restitution,
            mass: f64::INFINITY,
            inertia: DMat3::ZERO,
            local_center: DVec3::ZERO,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            angular_momentum: DVec3::ZERO,
            contact_impulse: Impulse::default(),
            kind: definition.kind,
            presence: definition.presence,
            absent: false,
            is_held: false,
            segmentation: segmentation.into(),
            hidden_segmentation: Arc::default(),
            surface_motion: SurfaceMotion::default(),
        };
        if let BodyKind::Floating(floating) = body.kind.clone() {
            body.take_mass(&floating);
            body.set_velocities(floating.velocity, floating.angular_velocity);
            body.is_held = floating.held.is_some();
        }
        body.hide_segments();
        body
    }

    fn take_mass(&mut self, floating: &Floating) {
        let uniform = MassProperties::of_solid_part(&self.mesh);
        self.mass = match floating.mass {
            MassSource::Density(density) => density * uniform.volume,
            MassSource::Mass(mass) => mass,
        };
        self.local_center = floating.center_of_mass.unwrap_or(uniform.center_of_mass);
        self.inertia = floating.inertia.unwrap_or(uniform.inertia * (self.mass / uniform.volume));
    }

    /// Properties of a floating body that is present and not held.
    pub fn floating(&self) -> Option<&Floating> {
        match &self.kind {
            BodyKind::Floating(floating) if self.is_present() && !self.is_held => Some(floating),
            _ => None,
        }
    }

    /// Whether the body is there; otherwise nothing meets it, and it has neither momentum nor energy.
    pub fn is_present(&self) -> bool {
        !self.absent
    }

    /// Whether fluid and grains meet the body.
    pub fn meets_particles(&self) -> bool {
        !self.absent && self.presence.for_particles
    }

    /// Lets the body appear or vanish as `time` (s) demands; returns whether anything changes.
    pub(super) fn update_presence(&mut self, time: f64) -> bool {
        let absent = !self.presence.contains(time);
        if absent == self.absent {
            return false;
        }
        self.absent = absent;
        self.contact_impulse = Default::default();
        if absent {
            self.hide_segments();
        } else if self.presence.for_particles {
            self.segmentation = std::mem::take(&mut self.hidden_segmentation);
            self.refit_segments();
        }
        true
    }

    /// Takes the segments of a body that particles do not meet away from their search.
    pub(super) fn hide_segments(&mut self) {
        if !self.meets_particles() && self.hidden_segmentation.segments.is_empty() {
            self.hidden_segmentation = std::mem::take(&mut self.segmentation);
        }
    }

    /// The segments, also while particles do not meet the body.
    pub fn whole_segmentation(&self) -> &Arc<Segmentation> {
        if self.meets_particles() { &self.segmentation } else { &self.hidden_segmentation }
    }

    /// Whether the body never moves.
    pub fn is_static(&self) -> bool {
        matches!(self.kind, BodyKind::Static)
    }

    /// World position of the point to which linear quantities refer.
    pub fn center(&self) -> DVec3 {
        self.pose.transform_point(self.local_center)
    }

    /// Velocity of the body at world point `point`.
    #[inline]
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.center())
    }

    /// Inertia tensor about the center of mass, world axes.
    pub fn world_inertia(&self) -> DMat3 {
        let rotation = DMat3::from_quat(self.pose.rotation);
        rotation * self.inertia * rotation.transpose()
    }

    /// The body's compliance at its current pose.
    pub fn compliance(&self) -> Compliance {
        let center = self.center();
        let Some(floating) = self.floating() else {
            return Compliance { center, inverse_mass: DVec3::ZERO, inverse_inertia: DMat3::ZERO };
        };
        let free = free_axes(floating.locked_translation);
        Compliance { center, inverse_mass: free / self.mass, inverse_inertia: self.inverse_inertia() }
    }

    /// Inverse inertia tensor for the axes about which the body may rotate; rows and columns of locked axes are zero.
    fn inverse_inertia(&self) -> DMat3 {
        let Some(floating) = self.floating() else { return DMat3::ZERO };
        let free = free_axes(floating.locked_rotation);
        let projection = DMat3::from_diagonal(free);
        let blocked = DMat3::from_diagonal(DVec3::ONE - free);
        projection * (projection * self.world_inertia() * projection + blocked).inverse() * projection
    }

    /// Sets both velocities and the angular momentum; locked components stay zero.
    pub fn set_velocities(&mut self, velocity: DVec3, angular_velocity: DVec3) {
        let Some(floating) = self.floating() else { return };
        let (free, free_turning) = (free_axes(floating.locked_translation), free_axes(floating.locked_rotation));
        self.velocity = velocity * free;
        self.angular_velocity = angular_velocity * free_turning;
        self.angular_momentum = free_turning * (self.world_inertia() * self.angular_velocity);
    }

    /// Sets the velocity and the angular momentum of a floating body before it is placed; components along locked axes stay zero.
    pub(super) fn continue_with(&mut self, velocity: DVec3, angular_momentum: DVec3) {
        let Some(floating) = self.floating() else { return };
        let (free, free_turning) = (free_axes(floating.locked_translation), free_axes(floating.locked_rotation));
        self.velocity = velocity * free;
        self.angular_momentum = angular_momentum * free_turning;
    }

    /// Changes the velocities of a floating body by an impulse about its center; components along locked axes are discarded.
    pub fn apply(&mut self, impulse: Impulse) {
        let Some(floating) = self.floating() else { return };
        let (free, free_turning) = (free_axes(floating.locked_translation), free_axes(floating.locked_rotation));
        self.velocity += impulse.linear * free / self.mass;
        self.angular_momentum += impulse.angular * free_turning;
        self.angular_velocity = self.inverse_inertia() * self.angular_momentum;
    }

    /// Moves a floating body freely for `dt` seconds: uniform translation, and rotation that conserves angular momentum (midpoint rule).
    pub fn drift(&mut self, dt: f64) {
        let center = self.center() + self.velocity * dt;
        let start = self.pose.rotation;
        self.pose.rotation = turned(start, self.angular_velocity * (0.5 * dt));
        let midpoint = self.inverse_inertia() * self.angular_momentum;
        self.place(turned(start, midpoint * dt), center);
    }

    /// Sets the position of the center and the orientation; the angular momentum is unchanged.
    pub fn place(&mut self, rotation: DQuat, center: DVec3) {
        self.pose = Pose::new(rotation, center - rotation * self.local_center);
        self.angular_velocity = self.inverse_inertia() * self.angular_momentum;
    }

    /// Keeps pose and velocities as those of the beginning of a step.
    pub(super) fn begin_step(&mut self) {
        self.previous_pose = self.pose;
        self.previous_velocities = [self.velocity, self.angular_velocity];
    }

    /// Velocity (m/s) and angular velocity (rad/s) at the beginning of the step.
    pub(super) fn velocities_before(&self) -> [DVec3; 2] {
        self.previous_velocities
    }

    /// An upper bound of the speed of any of its points at the beginning and the end of the step, m/s.
    pub(super) fn max_point_speed(&self) -> f64 {
        let speed = |[velocity, spin]: [DVec3; 2]| velocity.length() + spin.length() * self.extent();
        speed(self.previous_velocities).max(speed([self.velocity, self.angular_velocity]))
    }

    /// The pose that `motion` prescribes at `time` (s).
    pub(super) fn prescribed_pose(&self, motion: &PrescribedMotion, time: f64) -> Pose {
        let pose = motion.pose(&self.initial_pose, time);
        Pose::new(pose.rotation, pose.translation - self.wrapped)
    }

    /// The pose at time zero that the body's definition prescribes.
    pub fn pose_at_zero(&self) -> Pose {
        self.kind.motion().map_or(self.initial_pose, |motion| motion.pose(&self.initial_pose, 0.0))
    }

    /// Moves a body that is not static by whole periods so that the middle of its mesh is within `domain`.
    pub(super) fn wrap(&mut self, domain: &Domain) {
        let middle = self.pose.transform_point(self.mesh.aabb().center());
        let shift = domain.wrap(middle) - middle;
        if !self.is_static() && shift != DVec3::ZERO {
            self.pose.translation += shift;
            self.previous_pose.translation += shift;
            self.wrapped -= shift;
        }
    }

    /// Velocity and angular velocity that move the body from its pose to `target` in `dt` seconds.
    pub fn velocities_towards(&self, target: &Pose, dt: f64) -> (DVec3, DVec3) {
        let turn = target.rotation * self.pose.rotation.conjugate();
        let shortest = if turn.w < 0.0 { -turn } else { turn };
        ((target.transform_point(self.local_center) - self.center()) / dt, shortest.to_scaled_axis() / dt)
    }

    /// An upper bound of the distance that any point of the body has moved in this step, m.
    pub fn path_bound(&self) -> f64 {
        let moved = self.center().distance(self.previous_pose.transform_point(self.local_center));
        moved + self.previous_pose.rotation.angle_between(self.pose.rotation) * self.extent() + self.surface_motion.path
    }

    /// Maximum distance of the mesh from the center, m.
    pub fn extent(&self) -> f64 {
        self.mesh.vertices.iter().map(|vertex| vertex.distance_squared(self.local_center)).fold(0.0, f64::max).sqrt()
    }

    /// The axis-aligned bounding box of the body in world coordinates, m.
    pub fn world_aabb(&self) -> Aabb {
        Aabb::around(self.mesh.vertices.iter().map(|&vertex| self.pose.transform_point(vertex)))
    }

    /// Linear momentum, and angular momentum about the world origin, of a floating body; zero for other bodies.
    pub fn momentum(&self) -> Momentum {
        if self.floating().is_none() {
            return Momentum::default();
        }
        let linear = self.mass * self.velocity;
        Momentum { linear, angular: self.center().cross(linear) + self.angular_momentum }
    }

    /// Kinetic energy of a floating body, J; zero for other bodies.
    pub fn kinetic_energy(&self) -> f64 {
        if self.floating().is_none() {
            return 0.0;
        }
        0.5 * self.mass * self.velocity.length_squared() + 0.5 * self.angular_velocity.dot(self.world_inertia() * self.angular_velocity)
    }
}

/// Rotation by `rotation_vector` (world axes) after `rotation`.
fn turned(rotation: DQuat, rotation_vector: DVec3) -> DQuat {
    (DQuat::from_scaled_axis(rotation_vector) * rotation).normalize()
}

/// One along free axes, zero along locked ones.
fn free_axes(locked: [bool; 3]) -> DVec3 {
    DVec3::from_array(locked.map(|locked| if locked { 0.0 } else { 1.0 }))
}
