//! Bodies that start from the state of another simulation.
//!
//! Bodies are matched by name. A matched body has the same mesh and begins where it is in the other simulation, whatever its kind is now: a
//! body that was held may float, and one that floated may be held. Its mass, friction, locked axes and forces are those of its new
//! definition.

use std::{
    mem::discriminant,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use glam::DVec3;
use plimsoll_base::math::{
    Domain, Pose,
    format::{list, significant},
};
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_shape::{Obstacle, TriangleMesh, has_inside};
use rayon::prelude::*;

use super::{
    Bodies, Body, BodyDefinition, BodyKind, Floating, MechanismDefinition, PlacedSolid, PrescribedMotion, contacts::BodyContacts, cutting,
    limits_of, overlapping_pairs,
};

/// Distance of two poses that is attributed to rounding, as a share of the body's size.
const ROUNDING: f64 = 1e-6;

/// A property of a body with which it cannot start from the state of another simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the body.
    pub body: String,
    /// The property, as a key of the body in a scene.
    pub key: &'static str,
    /// Its value.
    pub found: String,
    /// A valid value.
    pub expected: String,
}

/// Bodies without a counterpart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Succession {
    /// Indices of the bodies that the other simulation does not have.
    pub new: Vec<usize>,
    /// Names of the bodies that only the other simulation has.
    pub gone: Vec<String>,
}

impl Bodies {
    /// All properties of `definitions` with which they cannot start, at `time` (s), from the state of these bodies.
    pub fn mismatches(&self, definitions: &[BodyDefinition], time: f64) -> Vec<Mismatch> {
        let of = |definition: &BodyDefinition| {
            let before = self.list.iter().find(|body| body.name == definition.name)?;
            Some(Comparison { before, definition, domain: &self.domain, time }.mismatches())
        };
        definitions.iter().filter_map(of).flatten().collect()
    }

    /// The bodies that `definitions` describe at `time` (s) with a `mechanism`, from the state of `earlier`. A body with another mesh than the earlier one of its
    /// name is new. The result is bitwise that of `earlier` if the definitions are the same.
    ///
    /// # Errors
    /// If `watch` interrupts.
    pub fn continue_from(
        definitions: Vec<BodyDefinition>,
        mechanism: &MechanismDefinition,
        earlier: Self,
        time: f64,
        watch: &dyn Watch,
    ) -> Result<(Self, Succession), Interrupted> {
        let (limits, domain) = (earlier.limits, earlier.domain);
        let (total, done) = (definitions.len(), AtomicUsize::new(0));
        let place = |definition: BodyDefinition| {
            let TriangleMesh { vertices, triangles } = &definition.mesh;
            let before = earlier.list.iter().find(|body| body.name == definition.name && body.is_defined_by(vertices, triangles));
            let held = before.filter(|_| matches!(definition.kind, BodyKind::Static));
            let pose = held.map_or(definition.pose, |before| before.pose);
            let own_limits = limits_of(&definition.kind, &pose, &limits, &domain);
            let is_cut_alike = |before: &&Body| {
                before.kind.deformation().is_some() == definition.kind.deformation().is_some()
                    && limits_of(&before.kind, &before.pose, &limits, &domain) == own_limits
            };
            let segmentation = match before.filter(is_cut_alike) {
                Some(before) if !domain.is_periodic() => before.segmentation.clone(),
                _ => Arc::new(cutting::segmentation(&definition.mesh, &definition.kind, &pose, &limits, &domain)),
            };
            let mut body = Body::new(definition, segmentation);
            match before {
                Some(before) => body.continue_from(before, time, &domain),
                None => body.begin(time),
            }
            watch.progress("cutting meshes", done.fetch_add(1, Ordering::Relaxed) + 1, total)?;
            Ok((body, before.is_some()))
        };
        let placed = definitions.into_par_iter().map(place).collect::<Result<Vec<_>, Interrupted>>()?;
        let new = placed.iter().enumerate().filter(|(_, (_, matched))| !matched).map(|(index, _)| index).collect();
        let list: Vec<Body> = placed.into_iter().map(|(body, _)| body).collect();
        let is_gone = |before: &&Body| !list.iter().any(|body| body.name == before.name && body.has_mesh_of(before));
        let gone = earlier.list.iter().filter(is_gone).map(|body| body.name.clone()).collect();
        let alike = list.len() == earlier.list.len() && list.iter().zip(&earlier.list).all(|(body, before)| body.touches_like(before));
        let last_dt = earlier.last_dt;
        let mut bodies = match alike && earlier.mechanism.definition == *mechanism {
            true => {
                let mut bodies = Self::with_contacts(list, limits, domain, earlier.contacts);
                bodies.mechanism = earlier.mechanism;
                bodies
            }
            false => {
                let contacts = BodyContacts::new(&list, domain, watch)?;
                Self::with_contacts(list, limits, domain, contacts).with_mechanism(mechanism)
            }
        };
        bodies.last_dt = last_dt;
        Ok((bodies, Succession { new, gone }))
    }

    /// Overlaps of the bodies `new`, given by their indices, with floating ones, or of any body with the floating ones among them.
    pub fn overlaps(&self, new: &[usize]) -> Vec<Mismatch> {
        if new.is_empty() {
            return Vec::new();
        }
        let closed: Vec<bool> = self.list.par_iter().map(|body| has_inside(&body.mesh)).collect();
        let obstacles: Vec<Obstacle> =
            self.list.par_iter().zip(&closed).map(|(body, &closed)| Obstacle::new(&body.mesh, body.pose, closed)).collect();
        let placed = self.list.iter().zip(&obstacles).zip(&closed).map(|((body, obstacle), &closed)| {
            let Body { mesh, pose, .. } = body;
            PlacedSolid { mesh, pose: *pose, closed, floating: body.floating().is_some(), obstacle }
        });
        let placed: Vec<PlacedSolid> = placed.collect();
        let mechanism = &self.mechanism.definition;
        let pairs = overlapping_pairs(&placed, &self.domain).into_iter().filter(|&[one, other]| !mechanism.separates(one, other));
        let pairs = pairs.filter(|pair| pair.iter().all(|&index| self.list[index].is_present()));
        let mismatch = |[index, other]: [usize; 2]| {
            let [reported, other] = if new.contains(&index) { [index, other] } else { [other, index] };
            new.contains(&reported).then(|| Mismatch {
                body: self.list[reported].name.clone(),
                key: "position",
                found: format!("a position that overlaps body \"{}\"", self.list[other].name),
                expected: "bodies that do not overlap at the start".to_owned(),
            })
        };
        pairs.filter_map(mismatch).collect()
    }
}

impl Body {
    /// Places a moving body at its pose at `time` (s).
    pub(super) fn begin(&mut self, time: f64) {
        if let Some(motion) = self.prescribed_motion() {
            // A sinusoid with a phase starts away from the initial pose.
            self.pose = motion.pose(&self.initial_pose, time);
            self.previous_pose = self.pose;
        }
        self.deform(time);
        self.update_presence(time);
    }

    /// Continues from the state of `before`, a body with the same mesh, at `time` (s).
    fn continue_from(&mut self, before: &Self, time: f64, domain: &Domain) {
        (self.pose, self.previous_pose) = (before.pose, before.pose);
        self.contact_impulse = before.contact_impulse;
        self.deform(time);
        if let Some(motion) = self.prescribed_motion() {
            let start = motion.pose(&self.initial_pose, time);
            let shift = start.translation - before.pose.translation;
            self.wrapped = shift - domain.nearest_image(shift);
            self.pose = Pose::new(start.rotation, start.translation - self.wrapped);
            self.previous_pose = self.pose;
            (self.velocity, self.angular_velocity) = (before.velocity, before.angular_velocity);
            self.update_presence(time);
            return;
        }
        match (&self.kind, &before.kind) {
            (BodyKind::Static | BodyKind::Moving(_), _) => {}
            (BodyKind::Floating(_), BodyKind::Floating(_)) if before.is_held => {
                self.set_velocities(before.velocity_at(self.center()), before.angular_velocity);
            }
            (BodyKind::Floating(_), BodyKind::Floating(_)) if self.turns_like(before) => {
                (self.velocity, self.angular_velocity) = (before.velocity, before.angular_velocity);
                self.angular_momentum = before.angular_momentum;
            }
            (BodyKind::Floating(_), BodyKind::Floating(_)) => {
                self.set_velocities(before.velocity_at(self.center()), before.angular_velocity);
            }
            (BodyKind::Floating(floating), _) => {
                let (velocity, angular_velocity) = (floating.velocity, floating.angular_velocity);
                self.set_velocities(velocity, angular_velocity);
            }
        }
        self.update_presence(time);
    }

    /// Whether impulses move the body as they moved `before`.
    fn turns_like(&self, before: &Self) -> bool {
        let locks = |body: &Self| body.floating().map(|floating| (floating.locked_translation, floating.locked_rotation));
        locks(self) == locks(before) && (self.mass, self.inertia, self.local_center) == (before.mass, before.inertia, before.local_center)
    }

    /// Whether the contact solver can continue with its twin of `before`.
    fn touches_like(&self, before: &Self) -> bool {
        self.name == before.name
            && self.has_mesh_of(before)
            && discriminant(&self.kind) == discriminant(&before.kind)
            && self.pose == before.pose
            && self.turns_like(before)
            && (self.friction, self.restitution) == (before.friction, before.restitution)
    }
}

/// A body and the definition with which it shall continue at `time` (s).
struct Comparison<'a> {
    before: &'a Body,
    definition: &'a BodyDefinition,
    domain: &'a Domain,
    time: f64,
}

impl Comparison<'_> {
    fn mismatches(&self) -> Vec<Mismatch> {
        let TriangleMesh { vertices, triangles } = &self.definition.mesh;
        if !self.before.is_defined_by(vertices, triangles) {
            let found = format!("another mesh, of {} triangles", self.definition.mesh.triangles.len());
            let same = self.before.mesh.triangles.len();
            return vec![self.mismatch("mesh", found, format!("the mesh that this body has there, of {same} triangles, or another name"))];
        }
        if let Some(mismatch) = self.other_shape() {
            return vec![mismatch];
        }
        match &self.definition.kind {
            BodyKind::Static => self.other_place().into_iter().collect(),
            BodyKind::Moving(motion) => self.jump(motion).into_iter().collect(),
            BodyKind::Floating(Floating { held: Some(held), .. }) => self.jump(&held.motion).into_iter().collect(),
            BodyKind::Floating(floating) => self.other_place().into_iter().chain(self.other_velocities(floating)).collect(),
        }
    }

    fn mismatch(&self, key: &'static str, found: String, expected: String) -> Mismatch {
        Mismatch { body: self.definition.name.clone(), key, found, expected }
    }

    /// A shape that is not the one that a deforming body has now.
    fn other_shape(&self) -> Option<Mismatch> {
        let Self { before, definition, time, .. } = self;
        let of_sequence = definition.kind.deformation().map(|deformation| deformation.positions(*time));
        let start = of_sequence.as_ref().unwrap_or(&definition.mesh.vertices);
        let apart = start.iter().zip(&before.mesh.vertices).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        (apart > self.tolerance()).then(|| {
            let found = format!("a shape at {time} s that differs by up to {} m from the one that the body has there", significant(apart));
            self.mismatch("deformation", found, "the same sequence, or another name".to_owned())
        })
    }

    /// A placement that is neither the one of the body's definition there nor the one it has now.
    fn other_place(&self) -> Option<Mismatch> {
        let Self { before, definition, .. } = self;
        let same = |pose: &Pose| self.distance(&definition.pose, pose) <= self.tolerance();
        if same(&before.initial_pose) || same(&before.pose) {
            return None;
        }
        let [found, defined, current] = [&definition.pose, &before.initial_pose, &before.pose].map(|pose| list(pose.translation));
        let apart = definition.pose.translation.distance(before.initial_pose.translation);
        if apart <= self.tolerance() {
            let angle = definition.pose.rotation.angle_between(before.initial_pose.rotation).to_degrees();
            let expected = "the rotation that this body has there: it begins where it is, or another name".to_owned();
            return Some(self.mismatch("rotation", format!("a rotation that differs by {angle:.4}°"), expected));
        }
        let expected = format!("{defined} as there: the body begins where it is, at {current}, or another name");
        Some(self.mismatch("position", found, expected))
    }

    /// A prescribed motion that begins elsewhere.
    fn jump(&self, motion: &PrescribedMotion) -> Option<Mismatch> {
        let Self { before, definition, domain, time } = self;
        let start = motion.pose(&definition.pose, *time);
        let shift = start.translation - before.pose.translation;
        let wrapped = shift - domain.nearest_image(shift);
        let distance = self.distance(&Pose::new(start.rotation, start.translation - wrapped), &before.pose);
        (distance > self.tolerance()).then(|| {
            let (at, distance) = (list(start.translation), significant(distance));
            let found = format!("a motion that is at {at} at {time} s, up to {distance} m from where the body is there");
            let expected = format!("one that begins where the body is, at {}, or another `start_time`", list(before.pose.translation));
            self.mismatch("motion", found, expected)
        })
    }

    /// Initial velocities other than those of the body's definition there, which would have no effect.
    fn other_velocities(&self, floating: &Floating) -> Vec<Mismatch> {
        let Some(earlier) = self.before.floating() else { return Vec::new() };
        let pairs = [
            ("velocity", floating.velocity, earlier.velocity),
            ("angular_velocity", floating.angular_velocity.map(f64::to_degrees), earlier.angular_velocity.map(f64::to_degrees)),
        ];
        let differs = |(key, found, there): (&'static str, DVec3, DVec3)| {
            let expected = format!("{} as there: the body continues with the velocity it has", list(there));
            (found != there).then(|| self.mismatch(key, list(found), expected))
        };
        pairs.into_iter().filter_map(differs).collect()
    }

    /// An upper bound of the distance of any point of the body between two poses, m.
    fn distance(&self, one: &Pose, other: &Pose) -> f64 {
        one.translation.distance(other.translation) + one.rotation.angle_between(other.rotation) * reach(&self.before.mesh)
    }

    fn tolerance(&self) -> f64 {
        ROUNDING * self.before.mesh.aabb().extent().length()
    }
}

/// Maximum distance of a point of the mesh's box from the origin, m.
fn reach(mesh: &TriangleMesh) -> f64 {
    let aabb = mesh.aabb();
    aabb.min.abs().max(aabb.max.abs()).length()
}
