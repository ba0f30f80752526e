//! The validated definition of a body, in SI units.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use plimsoll_base::math::Pose;
use plimsoll_contract::simulator::NewBody;
use plimsoll_shape::TriangleMesh;
use serde::{Deserialize, Serialize};

use crate::{Deformation, Presence, waves::WaveMaker};

/// The initial state of a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BodyDefinition {
    /// Unique among the bodies of a scene.
    pub name: String,
    /// Mesh in body coordinates: scaled, up axis applied, cleaned, wound outward if closed; of a deforming body the first one.
    pub mesh: TriangleMesh,
    /// Body to world at time zero.
    pub pose: Pose,
    /// Whether and how it moves.
    pub kind: BodyKind,
    /// Coulomb friction coefficient against other bodies.
    pub friction: f64,
    /// Restitution against other bodies, 0 to 1.
    pub restitution: f64,
    /// When the body is there.
    pub presence: Presence,
}

impl BodyDefinition {
    /// A body of the given kind at the world origin, with a friction coefficient of 0.5 and a restitution of zero.
    pub fn new(name: impl Into<String>, mesh: TriangleMesh, kind: BodyKind) -> Self {
        Self { name: name.into(), mesh, pose: Pose::IDENTITY, kind, friction: 0.5, restitution: 0.0, presence: Presence::default() }
    }

    /// A body that never moves, such as a tank or a wall. Its mesh need not be closed.
    pub fn fixed(name: impl Into<String>, mesh: TriangleMesh) -> Self {
        Self::new(name, mesh, BodyKind::Static)
    }

    /// A body with prescribed motion. Its mesh need not be closed.
    pub fn moving(name: impl Into<String>, mesh: TriangleMesh, motion: PrescribedMotion) -> Self {
        Self::new(name, mesh, BodyKind::Moving(motion))
    }

    /// A body that moves freely, initially at rest, with uniform density. Its mesh must be closed and wound outward.
    pub fn floating(name: impl Into<String>, mesh: TriangleMesh, mass: MassSource) -> Self {
        Self::new(name, mesh, BodyKind::Floating(Floating::new(mass)))
    }

    /// The same body with its origin at `position` (m).
    pub fn at(mut self, position: DVec3) -> Self {
        self.pose.translation = position;
        self
    }
}

/// A floating body with friction and without restitution.
impl From<NewBody> for BodyDefinition {
    fn from(body: NewBody) -> Self {
        let NewBody { name, mesh, pose, density } = body;
        Self { pose, ..Self::floating(name, mesh, MassSource::Density(density)) }
    }
}

/// Whether and how a body moves.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Moves as prescribed by a function of time; no force moves it.
    Moving(PrescribedMotion),
    /// Moves freely under the forces of fluid or grains, gravity and contacts.
    Floating(Floating),
}

/// Motion given as a function of time, about `pivot`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PrescribedMotion {
    /// Constant velocities: m/s, and rad/s about an axis through `pivot` (world coordinates at time zero; the pivot moves with the linear
    /// velocity).
    Constant {
        /// m/s
        linear: DVec3,
        /// rad/s
        angular: DVec3,
        /// m
        pivot: DVec3,
    },
    /// Translation `amplitude · sin(2π frequency t + phase)` and rotation by the vector `rotation · sin(…)` (radians) about `pivot`,
    /// relative to the initial pose. At t = 0, the offset is that of `sin(phase)`, so the motion is continuous from time zero.
    Sinusoid {
        /// Maximum offset, m.
        amplitude: DVec3,
        /// Maximum rotation vector, rad.
        rotation: DVec3,
        /// m
        pivot: DVec3,
        /// 1/s
        frequency: f64,
        /// rad
        phase: f64,
    },
    /// At least two poses in ascending order of time. Positions are interpolated linearly, rotations spherically. The first and last pose
    /// apply before and after.
    Keyframes(Vec<Keyframe>),
    /// The motion of a paddle that generates waves.
    Waves(Box<WaveMaker>),
    /// A body that moves and also changes its shape.
    Deforming {
        /// The motion of its body coordinates.
        motion: Box<PrescribedMotion>,
        /// Its shape in body coordinates.
        deformation: Arc<Deformation>,
    },
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Keyframe {
    /// Seconds.
    pub time: f64,
    /// World position of the body origin, m.
    pub position: DVec3,
    /// Body to world.
    pub rotation: DQuat,
}

/// Mass properties and initial state of a floating body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Floating {
    /// Density or mass.
    pub mass: MassSource,
    /// Center of mass in body coordinates, m; that of the homogeneous polyhedron if absent.
    pub center_of_mass: Option<DVec3>,
    /// Inertia tensor about the center of mass, body axes, kg m²; that of the homogeneous polyhedron of the same mass if absent.
    pub inertia: Option<DMat3>,
    /// World axes along which the center of mass cannot move.
    pub locked_translation: [bool; 3],
    /// World axes about which the body cannot rotate.
    pub locked_rotation: [bool; 3],
    /// Initial velocity of the center of mass, m/s.
    pub velocity: DVec3,
    /// Initial angular velocity, rad/s.
    pub angular_velocity: DVec3,
    /// Constant external force through the center of mass, N.
    pub force: DVec3,
    /// Constant external torque, N m.
    pub torque: DVec3,
    /// How it moves before it floats.
    #[serde(default)]
    pub held: Option<Box<Held>>,
}

impl Floating {
    /// At rest, without locked axes, with uniform density and no external force.
    pub const fn new(mass: MassSource) -> Self {
        Self {
            mass,
            center_of_mass: None,
            inertia: None,
            locked_translation: [false; 3],
            locked_rotation: [false; 3],
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            held: None,
        }
    }
}

/// How a floating body moves until it is released.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Held {
    /// Its motion.
    pub motion: PrescribedMotion,
    /// Whether it is released with the velocities of this motion, instead of those of the floating body.
    pub keeps_velocity: bool,
    /// Time of the release, s.
    pub until: f64,
}

/// The source of a body's mass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum MassSource {
    /// Density, kg/m³; the mass is density times the volume of the mesh.
    Density(f64),
    /// Mass, kg.
    Mass(f64),
}
