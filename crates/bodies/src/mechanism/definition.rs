//! The validated definition of a mechanism, in SI units. Positions and directions are those of the world at time zero; bodies are indices
//! in the order of the scene.

use glam::DVec3;
use serde::{Deserialize, Serialize};

/// All joints, springs and moorings of a scene, which bodies do not collide, and how others do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MechanismDefinition {
    /// Joints.
    pub joints: Vec<JointDefinition>,
    /// Springs with dampers.
    pub springs: Vec<SpringDefinition>,
    /// Mooring lines.
    pub moorings: Vec<MooringDefinition>,
    /// Pairs of bodies that do not collide.
    pub without_contact: Vec<[usize; 2]>,
    /// Bodies that collide with no other.
    pub without_any_contact: Vec<usize>,
    /// Pairs of bodies with a friction or restitution of their own.
    pub pairs: Vec<PairDefinition>,
}

impl MechanismDefinition {
    /// Whether it contains nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The bodies at the ends of each joint and line; the world if absent.
    pub(super) fn links(&self) -> Vec<[Option<usize>; 2]> {
        let joints = self.joints.iter().map(|joint| [Some(joint.body), joint.other]);
        let springs = self.springs.iter().map(|spring| [Some(spring.bodies.0), spring.bodies.1]);
        let moorings = self.moorings.iter().map(|mooring| [Some(mooring.body), None]);
        joints.chain(springs).chain(moorings).collect()
    }

    /// The bodies with a joint or line, several times if with several.
    pub fn linked(&self) -> Vec<usize> {
        self.links().into_iter().flatten().flatten().collect()
    }

    /// Bodies that a joint or line holds near the world or one of the bodies that are `held` already, directly or through others.
    pub fn anchored(&self, held: Vec<bool>) -> Vec<bool> {
        let links = self.links();
        let (mut anchored, mut changed) = (held, true);
        while std::mem::take(&mut changed) {
            for ends in &links {
                if ends.iter().any(|end| end.is_none_or(|body| anchored[body])) {
                    for &body in ends.iter().flatten() {
                        changed |= !std::mem::replace(&mut anchored[body], true);
                    }
                }
            }
        }
        anchored
    }

    /// Whether two bodies do not collide.
    pub fn separates(&self, one: usize, other: usize) -> bool {
        let joined = |joint: &JointDefinition| {
            !joint.contacts && joint.other.is_some_and(|second| [[joint.body, second], [second, joint.body]].contains(&[one, other]))
        };
        self.joints.iter().any(joined)
            || self.without_contact.iter().any(|pair| [[one, other], [other, one]].contains(pair))
            || self.without_any_contact.iter().any(|&body| body == one || body == other)
    }
}

/// A joint between a body and another one, or the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointDefinition {
    /// Which motion is free.
    pub kind: JointKind,
    /// The body whose motion the coordinate of the joint describes.
    pub body: usize,
    /// The body relative to which it moves; the world if absent.
    pub other: Option<usize>,
    /// A point of the joint, m.
    pub position: DVec3,
    /// Minimum and maximum of the coordinate, which is zero at time zero: rad or m.
    pub limits: Option<[f64; 2]>,
    /// What drives the joint.
    pub motor: Option<Motor>,
    /// Whether the two bodies collide.
    pub contacts: bool,
}

impl JointDefinition {
    /// A joint at `position` (m) between `body` and `other`, or the world, without limits and motor.
    pub const fn new(kind: JointKind, body: usize, other: Option<usize>, position: DVec3) -> Self {
        Self { kind, body, other, position, limits: None, motor: None, contacts: false }
    }
}

/// Which relative motion a joint allows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum JointKind {
    /// Rotation about this axis (a unit vector).
    Hinge(DVec3),
    /// Translation along this axis (a unit vector).
    Slider(DVec3),
    /// All rotations.
    Ball,
    /// None.
    Fixed,
}

/// Drives a hinge or slider.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Motor {
    /// Keeps a speed (rad/s or m/s) with a torque (N m) or force (N) up to `limit`; any torque or force if absent.
    Speed {
        /// rad/s or m/s
        speed: f64,
        /// N m or N
        limit: Option<f64>,
    },
    /// A constant torque (N m) or force (N).
    Effort(f64),
}

/// How two bodies touch, instead of by the rule for all pairs: the geometric mean of their friction coefficients, the larger of their restitutions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairDefinition {
    /// The smaller index first.
    pub bodies: [usize; 2],
    /// Coulomb friction coefficient.
    pub friction: Option<f64>,
    /// Ratio of the speeds after and before an impact.
    pub restitution: Option<f64>,
}

/// A spring and a damper in parallel between two points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpringDefinition {
    /// The bodies at its ends; the second end is fixed in the world if its body is absent.
    pub bodies: (usize, Option<usize>),
    /// Its ends, m.
    pub ends: [DVec3; 2],
    /// Force per elongation, N/m.
    pub stiffness: f64,
    /// Force per rate of elongation, N s/m.
    pub damping: f64,
    /// Length without force, m; the distance of the ends at time zero if absent.
    pub length: Option<f64>,
}

/// A mooring line from a body to an anchor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MooringDefinition {
    /// Unique among the moorings of a scene.
    pub name: String,
    /// The body it holds.
    pub body: usize,
    /// Where it is attached to the body, m.
    pub attachment: DVec3,
    /// Where it is fixed in the world, m.
    pub anchor: DVec3,
    /// The line.
    pub line: LineDefinition,
}

/// A line that pulls and never pushes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineDefinition {
    /// Unstretched length, m.
    pub length: f64,
    /// Stiffness of the cross section (Young's modulus times area), N.
    pub axial_stiffness: f64,
    /// Force per rate of elongation, N s/m.
    pub damping: f64,
    /// The shape of the line.
    pub law: LineLaw,
}

/// The shape of a mooring line.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum LineLaw {
    /// Straight.
    Straight,
    /// A catenary on a sea floor at the height of the anchor.
    Catenary {
        /// Weight in the fluid per unstretched length, N/m.
        weight: f64,
        /// Unit vector against gravity.
        up: DVec3,
    },
}
