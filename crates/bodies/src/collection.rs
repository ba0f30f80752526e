//! All bodies of a simulation, and their motion in a step.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use glam::DVec3;
use plimsoll_base::math::{Domain, Pose};
use plimsoll_contract::simulator::{Drag, Interrupted, Unwatched, Watch};
use plimsoll_shape::{SegmentLimits, TriangleMesh};
use rapier3d_f64::prelude::SharedShape;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Body, BodyDefinition, BodyKind, Compliance, Impulse, Mechanism, MechanismDefinition, Momentum, Projection,
    contacts::BodyContacts,
    cutting::segmentation,
    drag::spring,
    instances::{self, Prepared, Source},
    mechanism::Push,
};

/// The bodies, and the rigid-body world that solves their contacts.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Bodies {
    /// Bodies in the order of the scene, followed by those added later.
    pub list: Vec<Body>,
    pub(super) limits: SegmentLimits,
    pub(super) domain: Domain,
    pub(super) contacts: Option<BodyContacts>,
    #[serde(default)]
    pub(super) mechanism: Mechanism,
    #[serde(skip)]
    drag: Option<Drag>,
    /// Length of the last step, s.
    pub(super) last_dt: f64,
    /// Fraction of the last step's contact impulses applied in advance in this step.
    expected_share: f64,
    /// External impulse of this step on fluid and floating bodies (gravity, given forces, locked axes, static and moving bodies); angular
    /// part about the world origin.
    pub external: Impulse,
    /// External work of this step on floating bodies, J: by given forces, and by contacts that accelerate them.
    pub work: f64,
}

impl Serialize for Bodies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// Rebuilds the state that is not saved.
impl<'de> Deserialize<'de> for Bodies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        let source = |body: &'_ Body| {
            // A static body that continues from where it once floated is not at its initial pose.
            let pose = if body.is_static() { body.pose } else { body.initial_pose };
            (body.mesh.clone(), body.kind.clone(), pose)
        };
        let sources: Vec<(Arc<TriangleMesh>, BodyKind, Pose)> = saved.list.iter().map(source).collect();
        let sources: Vec<Source> = sources.iter().map(|(mesh, kind, pose)| Source { mesh, kind, pose }).collect();
        let Ok((prepared, firsts)) = instances::prepare(&sources, &saved.limits, &saved.domain, false, |_| Ok::<(), Infallible>(()));
        saved.list.iter_mut().zip(prepared).for_each(|(body, prepared)| {
            body.segmentation = prepared.segmentation;
            body.refit_segments();
            body.hide_segments();
        });
        instances::share_meshes(&mut saved.list, &firsts);
        Ok(saved)
    }
}

impl Bodies {
    /// Creates the bodies in `domain` and divides their meshes into segments within `limits`.
    ///
    /// # Errors
    /// If `watch` interrupts.
    pub fn new(definitions: Vec<BodyDefinition>, limits: SegmentLimits, domain: Domain, watch: &dyn Watch) -> Result<Self, Interrupted> {
        let (total, done) = (definitions.len(), AtomicUsize::new(0));
        let meet = definitions.iter().any(|definition| matches!(definition.kind, BodyKind::Floating(_)));
        let sources: Vec<Source> = definitions.iter().map(|BodyDefinition { mesh, kind, pose, .. }| Source { mesh, kind, pose }).collect();
        let (prepared, firsts) = instances::prepare(&sources, &limits, &domain, meet, |_| {
            watch.progress("cutting meshes", done.fetch_add(1, Ordering::Relaxed) + 1, total)
        })?;
        let shapes: Option<Vec<SharedShape>> = prepared.iter().map(|prepared| prepared.shape.clone()).collect();
        let body = |(definition, prepared): (BodyDefinition, Prepared)| {
            let mut body = Body::new(definition, prepared.segmentation);
            body.begin(0.0);
            body
        };
        let mut list: Vec<Body> = definitions.into_iter().zip(prepared).map(body).collect();
        instances::share_meshes(&mut list, &firsts);
        let contacts = shapes.filter(|_| meet).map(|shapes| BodyContacts::with_shapes(&list, &shapes, domain));
        Ok(Self::with_contacts(list, limits, domain, contacts))
    }

    /// Bodies whose contacts are solved in the world `contacts`, if there is one.
    pub(super) fn with_contacts(list: Vec<Body>, limits: SegmentLimits, domain: Domain, contacts: Option<BodyContacts>) -> Self {
        let mechanism = Mechanism::default();
        Self {
            list,
            limits,
            domain,
            contacts,
            mechanism,
            drag: None,
            last_dt: 0.0,
            expected_share: 0.0,
            external: Impulse::default(),
            work: 0.0,
        }
    }

    /// The same bodies with joints, springs and moorings, which bodies in a new simulation get once. In a periodic domain, joined bodies
    /// must be held by a joint to the world or to a body that does not float.
    pub fn with_mechanism(mut self, definition: &MechanismDefinition) -> Self {
        if definition.is_empty() {
            return self;
        }
        let list = &self.list;
        self.mechanism = Mechanism::new(definition, |body| list[body].pose_at_zero());
        if let Some(contacts) = &mut self.contacts {
            contacts.link(&self.mechanism);
        }
        self
    }

    /// What the joints demand of bodies with these compliances.
    pub fn projection(&self, compliances: &[Compliance]) -> Option<Projection> {
        Projection::new(&self.mechanism.joints, &self.list, compliances)
    }

    /// Joints, springs and moorings.
    pub fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// Adds a body; possible at any time. Nothing else changes.
    pub fn push(&mut self, definition: BodyDefinition) {
        let segmentation = segmentation(&definition.mesh, &definition.kind, &definition.pose, &self.limits, &self.domain);
        self.list.push(Body::new(definition, segmentation));
        match (&mut self.contacts, self.list.last()) {
            (Some(contacts), Some(body)) => contacts.insert(body),
            _ => self.contacts = BodyContacts::new(&self.list, self.domain, &Unwatched).unwrap_or_default(),
        }
    }

    /// Momentum of all floating bodies, angular part about the world origin.
    pub fn momentum(&self) -> Momentum {
        self.list.iter().fold(Momentum::default(), |mut sum, body| {
            sum += body.momentum();
            sum
        })
    }

    /// Kinetic energy of all floating bodies, J.
    pub fn kinetic_energy(&self) -> f64 {
        self.list.iter().map(Body::kinetic_energy).sum()
    }

    /// Potential energy of all floating bodies in the field of `gravity` (m/s²), J; zero at the world origin.
    pub fn potential_energy(&self, gravity: DVec3) -> f64 {
        self.list.iter().filter(|body| body.floating().is_some()).map(|body| -body.mass * gravity.dot(body.center())).sum()
    }

    /// Begins a step of `dt` seconds from `time`: clears the loads, and sets the velocities of moving bodies so that they reach their
    /// prescribed poses at its end. Lets bodies appear and vanish; what they add in the field of `gravity` (m/s²) is external. Returns the indices of those
    /// that appear.
    pub fn begin_step(&mut self, time: f64, dt: f64, gravity: DVec3) -> Vec<usize> {
        self.external = Impulse::default();
        self.work = 0.0;
        let appeared = self.update_presence(time, gravity);
        for body in &mut self.list {
            body.begin_step();
            if let Some(motion) = body.prescribed_motion() {
                let target = body.prescribed_pose(motion, time + dt);
                (body.velocity, body.angular_velocity) = body.velocities_towards(&target, dt);
            }
            body.begin_deforming(time, dt);
        }
        self.mechanism.begin_step(&self.list);
        appeared
    }

    fn update_presence(&mut self, time: f64, gravity: DVec3) -> Vec<usize> {
        let energy = |body: &Body| match body.floating() {
            Some(_) => body.kinetic_energy() - body.mass * gravity.dot(body.center()),
            None => 0.0,
        };
        let mut appeared = Vec::new();
        for index in 0..self.list.len() {
            let body = &mut self.list[index];
            let before = (body.momentum(), energy(body));
            let (appears_or_vanishes, is_released) = (body.update_presence(time), body.release(time));
            if appears_or_vanishes || is_released {
                let after = (body.momentum(), energy(body));
                if appears_or_vanishes && body.meets_particles() {
                    appeared.push(index);
                }
                self.charge(before.0, after.0);
                self.work += after.1 - before.1;
            }
        }
        appeared
    }

    /// Moves bodies that have left the domain back through its periodic ends. Books the change of angular momentum and of potential energy in
    /// the field of `gravity` (m/s²) as external.
    pub fn wrap(&mut self, gravity: DVec3) {
        if !self.domain.is_periodic() {
            return;
        }
        let before = (self.momentum(), self.potential_energy(gravity));
        let domain = self.domain;
        let stays = self.mechanism.stays(&self.list);
        self.list.iter_mut().zip(stays).filter(|(_, stays)| !stays).for_each(|(body, _)| body.wrap(&domain));
        self.charge(before.0, self.momentum());
        self.work += self.potential_energy(gravity) - before.1;
    }

    /// Pulls a floating body by a spring in all following steps; `None` releases it.
    pub fn drag(&mut self, drag: Option<Drag>) {
        self.drag = drag;
    }

    /// Applies gravity (m/s²), the given forces and torques, the spring of a dragged body, springs, moorings and given efforts of motors over
    /// `dt`.
    pub fn apply_external_forces(&mut self, gravity: DVec3, dt: f64) {
        for index in 0..self.list.len() {
            let body = &mut self.list[index];
            let Some(floating) = body.floating() else { continue };
            let (mut force, mut torque) = (floating.force, floating.torque);
            if let Some(drag) = self.drag.filter(|drag| drag.body == index) {
                let (pull, moment) = spring(body, &drag);
                force += pull;
                torque += moment;
            }
            let impulse = Impulse { linear: (body.mass * gravity + force) * dt, angular: torque * dt };
            let (before, velocity, spin) = (body.momentum(), body.velocity, body.angular_velocity);
            body.apply(impulse);
            let after = body.momentum();
            self.work += 0.5 * dt * (force.dot(velocity + body.velocity) + torque.dot(spin + body.angular_velocity));
            self.charge(before, after);
        }
        for number in 0..self.mechanism.len() {
            for push in self.mechanism.pushes(number, &self.list, dt) {
                self.push_by_mechanism(&push);
            }
        }
    }

    /// Applies an impulse of a mechanism, whose work is external.
    fn push_by_mechanism(&mut self, push: &Push) {
        if push.external {
            return self.push_from_outside(push.body, push.impulse);
        }
        let energy = self.list[push.body].kinetic_energy();
        self.apply_impulse(push.body, push.impulse);
        self.work += self.list[push.body].kinetic_energy() - energy;
    }

    /// Applies an impulse from outside to body `index`, angular part about its center, and books its work.
    pub fn push_from_outside(&mut self, index: usize, impulse: Impulse) {
        let body = &mut self.list[index];
        let (before, energy) = (body.momentum(), body.kinetic_energy());
        body.apply(impulse);
        let (after, work) = (body.momentum(), body.kinetic_energy() - energy);
        self.charge(before, after);
        self.work += work;
    }

    /// Applies the contact forces of the last step over `dt`, so that the pressure solve does not treat a body resting on the floor as a
    /// falling one. [`Bodies::step`] removes this impulse before it solves the contacts.
    pub fn apply_expected_contacts(&mut self, dt: f64) {
        self.expected_share = if self.last_dt > 0.0 { dt / self.last_dt } else { 0.0 };
        for body in &mut self.list {
            body.apply(body.contact_impulse * self.expected_share);
        }
    }

    /// Applies an impulse to body `index`, angular part about its center. The part that a static, moving or locked body cannot take is
    /// added to `external`.
    pub fn apply_impulse(&mut self, index: usize, impulse: Impulse) {
        let body = &mut self.list[index];
        let before = body.momentum();
        body.apply(impulse);
        let after = body.momentum();
        let about_origin = Impulse { linear: impulse.linear, angular: impulse.angular + body.center().cross(impulse.linear) };
        let free =
            body.floating().is_some_and(|floating| floating.locked_translation == [false; 3] && floating.locked_rotation == [false; 3]);
        if !free {
            self.charge(before, after);
            self.external += -about_origin;
        }
    }

    /// Moves all bodies by `dt` to `time`: solves the contacts between them, then integrates the velocities.
    pub fn step(&mut self, time: f64, dt: f64) {
        for body in &mut self.list {
            body.apply(-(body.contact_impulse * self.expected_share));
        }
        (self.last_dt, self.expected_share) = (dt, 0.0);
        let kinetic_energy = self.kinetic_energy();
        let touched = match &mut self.contacts {
            Some(contacts) => contacts.solve(&self.list, dt),
            None => Vec::new(),
        };
        for (index, body) in self.list.iter_mut().enumerate() {
            let contact = touched.get(index).copied().flatten();
            let before = body.momentum();
            if let Some(motion) = body.prescribed_motion() {
                body.pose = body.prescribed_pose(motion, time);
                body.deform(time);
                continue;
            }
            match &body.kind {
                BodyKind::Static | BodyKind::Moving(_) => {}
                BodyKind::Floating(_) if !body.is_present() => {}
                BodyKind::Floating(floating) => {
                    let locked = floating.locked_rotation != [false; 3];
                    let external = contact.is_some_and(|contact| contact.external) || locked;
                    body.follow(contact, dt);
                    if external {
                        let after = body.momentum();
                        self.external += after - before;
                    }
                }
            }
        }
        // Contacts can only dissipate energy, unless a moving body pushes or an overlap is resolved.
        self.work += (self.kinetic_energy() - kinetic_energy).max(0.0);
    }

    fn charge(&mut self, before: Momentum, after: Momentum) {
        self.external += after - before;
    }

    /// An upper bound of the speed of any point of any body over the `dt` seconds from `time`, m/s.
    pub fn max_speed(&self, time: f64, dt: f64) -> f64 {
        (0..self.list.len()).map(|index| self.max_speed_of(index, time, dt)).fold(0.0, f64::max)
    }

    /// An upper bound of the speed of any point of body `index` over the `dt` seconds from `time`, m/s.
    pub fn max_speed_of(&self, index: usize, time: f64, dt: f64) -> f64 {
        let body = &self.list[index];
        if !body.presence.contains(time) && !body.presence.contains(time + dt) {
            return 0.0;
        }
        let (velocity, angular_velocity) = match body.prescribed_motion() {
            Some(motion) => body.velocities_towards(&body.prescribed_pose(motion, time + dt), dt),
            None if body.is_static() => return 0.0,
            None => (body.velocity, body.angular_velocity),
        };
        let deformation = body.deformation().map_or(0.0, |deformation| deformation.max_speed(time, dt));
        velocity.length() + angular_velocity.length() * body.extent() + deformation
    }
}
