//! How bodies move, and how they respond to forces at wall contacts.

use glam::{DMat3, DVec3, Vec3A};
use plimsoll_bodies::{Bodies, Body, Compliance, Projection, Twist};

use crate::coupling::WallContact;

/// Velocity or acceleration field of a rigid body: `linear + angular × (x − center)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidMotion {
    pub center: DVec3,
    pub linear: DVec3,
    pub angular: DVec3,
}

impl RigidMotion {
    /// Whether the body is at rest, as most are.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.linear == DVec3::ZERO && self.angular == DVec3::ZERO
    }

    #[inline]
    pub fn at(&self, point: Vec3A) -> Vec3A {
        (self.linear + self.angular.cross(point.as_dvec3() - self.center)).as_vec3a()
    }

    /// The motion times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self { center: self.center, linear: factor * self.linear, angular: factor * self.angular }
    }

    /// Adds a motion about the same center.
    pub fn add(&mut self, other: &Self) {
        self.linear += other.linear;
        self.angular += other.angular;
    }
}

impl Twist for RigidMotion {
    fn parts(&mut self) -> [&mut DVec3; 2] {
        [&mut self.linear, &mut self.angular]
    }
}

/// Force (N) and torque (N m) about a body's center, or the corresponding impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    pub force: DVec3,
    pub torque: DVec3,
}

impl Wrench {
    /// The sum with `factor` times `other`.
    pub fn plus(self, factor: f64, other: Self) -> Self {
        Self { force: self.force + factor * other.force, torque: self.torque + factor * other.torque }
    }
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// The motion of all bodies and how each responds to forces, at one instant.
#[derive(Clone, Debug, Default)]
pub struct BodyResponse {
    pub motions: Vec<RigidMotion>,
    /// Those of free bodies, without joints.
    pub compliances: Vec<Compliance>,
    joints: Option<Projection>,
    moves: bool,
}

impl BodyResponse {
    /// The response of `bodies` with their current motion, or the nearest one that their joints allow.
    pub fn of(bodies: &Bodies) -> Self {
        let motion = |body: &Body| RigidMotion { center: body.center(), linear: body.velocity, angular: body.angular_velocity };
        let compliances: Vec<Compliance> = bodies.list.iter().map(Body::compliance).collect();
        let moves = compliances.iter().any(|compliance| !compliance.is_zero());
        let mut motions: Vec<RigidMotion> = bodies.list.iter().map(motion).collect();
        let joints = bodies.projection(&compliances);
        if let Some(joints) = &joints {
            joints.project_velocities(&mut motions);
        }
        Self { motions, compliances, joints, moves }
    }

    /// The response of `bodies` held at rest: no force moves them.
    pub fn fixed(bodies: &[Body]) -> Self {
        let motion = |body: &Body| RigidMotion { center: body.center(), ..RigidMotion::default() };
        let compliance = |body: &Body| Compliance { center: body.center(), inverse_mass: DVec3::ZERO, inverse_inertia: DMat3::ZERO };
        Self {
            motions: bodies.iter().map(motion).collect(),
            compliances: bodies.iter().map(compliance).collect(),
            joints: None,
            moves: false,
        }
    }

    /// Whether any body responds to forces.
    pub fn moves(&self) -> bool {
        self.moves
    }

    /// Whether no body moves or responds to forces.
    pub fn at_rest(&self) -> bool {
        !self.moves && self.motions.iter().all(RigidMotion::is_zero)
    }

    /// The wrench of `force` at `contact` on its body.
    pub fn wrench(&self, contact: &WallContact, force: DVec3) -> Wrench {
        let lever = contact.point.as_dvec3() - self.compliances[contact.body as usize].center;
        Wrench { force, torque: lever.cross(force) }
    }

    /// Acceleration of each body under its wrench.
    pub fn accelerations(&self, wrenches: impl Iterator<Item = Wrench>) -> Vec<RigidMotion> {
        let free = wrenches.zip(&self.compliances).map(|(wrench, compliance)| RigidMotion {
            center: compliance.center,
            linear: compliance.inverse_mass * wrench.force,
            angular: compliance.inverse_inertia * wrench.torque,
        });
        let mut accelerations: Vec<RigidMotion> = free.collect();
        if let Some(joints) = &self.joints {
            joints.project_accelerations(&mut accelerations);
        }
        accelerations
    }

    /// Velocity that an impulse at `contact`, along the unit vector `direction`, gives this point of its body in its direction, per
    /// impulse, 1/kg.
    pub fn mobility(&self, contact: &WallContact, direction: DVec3) -> f64 {
        self.mobility_of(contact.body as usize, contact.point.as_dvec3(), direction)
    }

    /// The same at a point (m) of body `index`.
    pub fn mobility_of(&self, index: usize, point: DVec3, direction: DVec3) -> f64 {
        let compliance = &self.compliances[index];
        // Most contacts are those of static bodies.
        if compliance.is_zero() {
            return 0.0;
        }
        let joined = self.joints.as_ref().and_then(|joints| joints.mobility(index, point - compliance.center, direction));
        joined.unwrap_or_else(|| compliance.mobility(point, direction))
    }

    /// Gives joined bodies the sum of their `counts`.
    pub fn pool<T: Copy + std::iter::Sum<T>>(&self, counts: &mut [T]) {
        if let Some(joints) = &self.joints {
            joints.pool(counts);
        }
    }
}
