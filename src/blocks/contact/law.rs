//! The contact law: penalty springs, Coulomb friction, and the opening and closing between them.
//!
//! With the gap `d_n` and the stretch `d_s` of the shear spring at the end of the step, `N = −p_n d_n` and `T = p_s d_s`:
//!
//! - open: no force; closes when `d_n < 0`;
//! - locked: `N` and `T`; opens when `−N` exceeds the tensile strength, slides when `|T| > N tan φ + c l`;
//! - sliding: `N`, and friction `N tan φ` against the motion; opens when `N < 0`, locks when it turns back.
//!
//! Cohesion and tensile strength belong to faces that lay on each other at time zero, until they first slide or open (Shi 1988).

use glam::DVec2;
use serde::{Deserialize, Serialize};

use super::{detection::Candidate, memory::Remembered};
use crate::blocks::state::{Assembly, Joint, Six};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ContactState {
    Open,
    Locked,
    /// Towards the tangent of the edge, or against it.
    Sliding {
        forwards: bool,
    },
}

/// Stiffness and tolerance that all contacts share.
#[derive(Clone, Copy, Debug)]
pub struct ContactLaw {
    /// N/m
    pub normal_stiffness: f64,
    pub shear_stiffness: f64,
    /// Gaps and slips below this are rounding, metres.
    pub tolerance: f64,
}

/// A contact within a step.
#[derive(Clone, Debug)]
pub struct Contact {
    pub candidate: Candidate,
    pub point: DVec2,
    /// Of the edge, outwards.
    pub normal: DVec2,
    /// At the beginning of the step, metres, negative inside.
    pub gap: f64,
    /// Stretch of the shear spring at the beginning of the step, metres.
    pub shear: f64,
    pub joint: Joint,
    pub bonded: bool,
    pub state: ContactState,
    /// From the last solution, or the last step.
    pub normal_force: f64,
    /// Weights of the gap and of the slip in the unknowns of the two blocks.
    pub gap_weights: [Six; 2],
    pub slip_weights: [Six; 2],
}

/// What became of a contact in an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    None,
    /// Between locked and sliding, or in the friction alone.
    Friction,
    /// Opened or closed.
    Touch,
}

impl Contact {
    /// `initial` tells that this is the first step, in which faces on each other are bonded.
    pub fn new(assembly: &Assembly, candidate: Candidate, remembered: Option<&Remembered>, joint: Joint, initial: Option<f64>) -> Self {
        let [first, second] = [candidate.first, candidate.second].map(|block| &assembly.blocks[block as usize]);
        let polygon = assembly.offsets[candidate.second as usize]..assembly.offsets[candidate.second as usize + 1];
        let end = if candidate.edge + 1 == polygon.end { polygon.start } else { candidate.edge + 1 };
        let (start, end) = (assembly.vertices[candidate.edge as usize], assembly.vertices[end as usize]);
        let tangent = (end - start).normalize();
        let normal = DVec2::new(tangent.y, -tangent.x);
        let point = assembly.vertices[candidate.vertex as usize];
        let gap = (point - start).dot(normal);
        let bonded = match (remembered, initial) {
            (Some(remembered), _) => remembered.bonded,
            (None, Some(tolerance)) => {
                candidate.length > 0.0 && gap.abs() <= tolerance && (joint.cohesion > 0.0 || joint.tensile_strength > 0.0)
            }
            (None, None) => false,
        };
        let closed = gap < 0.0 || bonded;
        let state = remembered.map_or(if closed { ContactState::Locked } else { ContactState::Open }, |remembered| remembered.state);
        Self {
            point,
            normal,
            gap,
            shear: remembered.map_or(0.0, |remembered| remembered.shear),
            joint,
            bonded,
            state,
            normal_force: remembered.map_or(0.0, |remembered| remembered.normal_force),
            gap_weights: [first.weights(point, normal), second.weights(point, -normal)],
            slip_weights: [first.weights(point, tangent), second.weights(point, -tangent)],
            candidate,
        }
    }

    /// The greatest shear force, N.
    pub fn shear_strength(&self) -> f64 {
        let cohesion = if self.bonded { self.joint.cohesion * self.candidate.length } else { 0.0 };
        self.normal_force.max(0.0) * self.joint.friction + cohesion
    }

    fn tensile_strength(&self) -> f64 {
        if self.bonded { self.joint.tensile_strength * self.candidate.length } else { 0.0 }
    }

    /// Gap and stretch of the shear spring at the end of a step in which the two blocks move by `d`.
    pub fn measure(&self, d: [&Six; 2]) -> (f64, f64) {
        let sum =
            |weights: &[Six; 2]| weights.iter().zip(d).flat_map(|(weights, d)| weights.iter().zip(d)).map(|(w, d)| w * d).sum::<f64>();
        (self.gap + sum(&self.gap_weights), self.shear + sum(&self.slip_weights))
    }

    /// Brings state and forces up to date with the solution `d`.
    pub fn update(&mut self, d: [&Six; 2], law: &ContactLaw) -> Change {
        let (gap, stretch) = self.measure(d);
        let before = (self.state, self.shear_strength());
        match self.state {
            ContactState::Open => {
                self.normal_force = 0.0;
                if gap < -law.tolerance {
                    self.state = ContactState::Locked;
                    self.shear = 0.0;
                    return Change::Touch;
                }
                return Change::None;
            }
            ContactState::Locked | ContactState::Sliding { .. } => self.normal_force = -law.normal_stiffness * gap,
        }
        let least = -self.tensile_strength();
        if self.normal_force < least - law.tolerance * law.normal_stiffness {
            (self.state, self.bonded, self.normal_force, self.shear) = (ContactState::Open, false, 0.0, 0.0);
            return Change::Touch;
        }
        let tolerated = law.tolerance * law.shear_stiffness;
        let strength = self.shear_strength();
        match self.state {
            ContactState::Locked => {
                let force = law.shear_stiffness * stretch;
                if force.abs() > strength + tolerated {
                    self.state = ContactState::Sliding { forwards: force > 0.0 };
                    self.bonded = false;
                }
            }
            ContactState::Sliding { forwards } => {
                let slip = if forwards { stretch - self.shear } else { self.shear - stretch };
                if slip < -law.tolerance {
                    let sign = if forwards { 1.0 } else { -1.0 };
                    self.shear = sign * strength / law.shear_stiffness;
                    self.state = ContactState::Locked;
                }
            }
            ContactState::Open => {}
        }
        let settled = (self.shear_strength() - before.1).abs() <= 0.01 * before.1 + tolerated;
        if self.state == before.0 && (settled || self.state == ContactState::Locked) { Change::None } else { Change::Friction }
    }

    /// What the next step needs to know of it; nothing of a contact that is open.
    pub fn remember(&self, d: [&Six; 2], law: &ContactLaw) -> Option<Remembered> {
        let shear = match self.state {
            ContactState::Open => return None,
            ContactState::Locked => self.measure(d).1,
            ContactState::Sliding { forwards } => {
                let stretch = self.shear_strength() / law.shear_stiffness;
                if forwards { stretch } else { -stretch }
            }
        };
        let Self { state, normal_force, bonded, .. } = *self;
        Some(Remembered { key: self.candidate.key(), state, shear, normal_force, bonded })
    }
}
