//! The mechanism of a simulation: joints and lines between its bodies.

use glam::DVec3;
use plimsoll_base::math::Pose;
use serde::{Deserialize, Serialize};

use super::{
    attachment::Attachment,
    definition::MechanismDefinition,
    joint::{Joint, Push},
    line::{Law, Line, Tension},
};
use crate::Body;

/// All joints, springs and moorings of a simulation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Mechanism {
    /// What it was made from.
    pub definition: MechanismDefinition,
    /// In the order of the definition.
    pub joints: Vec<Joint>,
    /// Springs, then moorings.
    lines: Vec<Line>,
    /// Impulse of each mooring on its body in the last step, N s.
    pub pulls: Vec<DVec3>,
    /// Velocity and angular velocity of each body before the step; only with lines.
    #[serde(skip)]
    before: Vec<[DVec3; 2]>,
}

impl Mechanism {
    /// The mechanism that `definition` describes, between bodies that were at these poses at time zero.
    pub fn new(definition: &MechanismDefinition, pose: impl Fn(usize) -> Pose) -> Self {
        let joints = definition.joints.iter().map(|joint| Joint::new(joint, &pose)).collect();
        let springs = definition.springs.iter().map(|spring| {
            let [first, second] = spring.ends;
            let length = spring.length.unwrap_or(first.distance(second));
            Line {
                ends: [Attachment::new(Some(spring.bodies.0), first, &pose), Attachment::new(spring.bodies.1, second, &pose)],
                law: Law::Spring { length, stiffness: spring.stiffness },
                damping: spring.damping,
                crowd: 1.0,
            }
        });
        let moorings = definition.moorings.iter().map(|mooring| Line {
            ends: [Attachment::new(Some(mooring.body), mooring.attachment, &pose), Attachment::new(None, mooring.anchor, &pose)],
            law: Law::from(&mooring.line),
            damping: mooring.line.damping,
            crowd: 1.0,
        });
        let mut lines: Vec<Line> = springs.chain(moorings).collect();
        let ends: Vec<usize> = lines.iter().flat_map(|line| line.ends).filter_map(|end| end.body).collect();
        for line in &mut lines {
            let count = |end: &Attachment| ends.iter().filter(|&&body| Some(body) == end.body).count();
            line.crowd = line.ends.iter().map(count).max().unwrap_or(1) as f64;
        }
        Self { definition: definition.clone(), joints, lines, pulls: vec![DVec3::ZERO; definition.moorings.len()], before: Vec::new() }
    }

    /// Mean tension of mooring `index` at its body in the last step, of `dt` seconds, N.
    pub fn tension(&self, index: usize, dt: f64) -> f64 {
        self.pulls[index].length() / dt
    }

    /// Tension of mooring `index` where the `bodies` are; `None` if it is slack.
    pub fn mooring_tension(&self, index: usize, bodies: &[Body]) -> Option<Tension> {
        self.lines[self.lines.len() - self.pulls.len() + index].tension(bodies)
    }

    /// Bodies with joints or lines that are held near a place, which periodic ends do not move.
    pub fn stays(&self, bodies: &[Body]) -> Vec<bool> {
        let anchored = self.definition.anchored(bodies.iter().map(|body| body.floating().is_none()).collect());
        let mut stays = vec![false; bodies.len()];
        self.definition.links().into_iter().flatten().flatten().for_each(|body| stays[body] = anchored[body]);
        stays
    }

    /// Begins a step of `bodies`.
    pub fn begin_step(&mut self, bodies: &[Body]) {
        self.before.clear();
        if !self.lines.is_empty() {
            self.before.extend(bodies.iter().map(|body| [body.velocity, body.angular_velocity]));
        }
    }

    /// Number of joints and lines.
    pub(crate) fn len(&self) -> usize {
        self.joints.len() + self.lines.len()
    }

    /// What the joint or line `number` does to its bodies over `dt` seconds besides holding them together.
    pub fn pushes(&mut self, number: usize, bodies: &[Body], dt: f64) -> Vec<Push> {
        match number.checked_sub(self.joints.len()) {
            None => self.joints[number].drive(bodies, dt),
            Some(line) => self.pull(line, bodies, dt),
        }
    }

    fn pull(&mut self, number: usize, bodies: &[Body], dt: f64) -> Vec<Push> {
        let line = &self.lines[number];
        let impulse = line.impulse(bodies, &self.before, dt);
        let springs = self.lines.len() - self.pulls.len();
        if let Some(mooring) = number.checked_sub(springs) {
            self.pulls[mooring] = impulse;
        }
        if impulse == DVec3::ZERO {
            return Vec::new();
        }
        let external = line.ends.iter().any(|end| end.body.is_none());
        let on = |(end, linear): (&Attachment, DVec3)| Some(Push { body: end.body?, impulse: end.impulse(bodies, linear), external });
        line.ends.iter().zip([impulse, -impulse]).filter_map(on).collect()
    }
}
