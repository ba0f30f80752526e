//! The contact law: penalty springs, Coulomb friction, and transitions between open, locked and sliding.
//!
//! With the gap `d_n` and the stretch `d_s` of the shear spring at the end of the step, `N = −p_n d_n` and `T = k d_s`:
//!
//! - open: no force; closes when `d_n < 0`;
//! - locked: `k = p_s`; opens when `−N` exceeds the tensile strength, slides when `|T| > S = N tan φ + c l`;
//! - sliding: `k = S / |d_s|`, so that `|T| = S`, found by iteration; opens when `N < 0`, locks when `k` would exceed `p_s`.
//!
//! Shi applies `S` as a load against the slip of the previous iteration. Such a load can push a contact back past its rest position, where
//! it locks, slides again, and so on. A spring cannot. Cohesion and tensile strength apply to faces that touched at time zero, until they
//! first slide or open (Shi 1988).
//!
//! With the stretch of the last solution alone, the iteration converges slowly near the limit of friction and ends too early; a block then
//! starts with too much resistance. Where the shear force exceeds the strength by `e`, the contact would slip farther by about `e / K`,
//! with `K` from the inertia of the two blocks, later from the last two solutions. The next `k` is `S` divided by this stretch.

use glam::DVec2;

use super::{detection::Candidate, memory::Remembered, state::ContactState};
use crate::{
    block::{Block, Dof6, displacement, half_moved, half_turned, weights},
    material::Joint,
    state::BlocksState,
    system::Spring,
};

/// Share of an offset that remains after a step.
const EASING: f64 = 0.99;
/// Maximum factor by which the expected stretch differs from that of the last solution.
const MAX_CHANGE: f64 = 32.0;
/// Relative change of a force from which a resistance is derived; a smaller one may be an error of the solution.
const CLEAR: f64 = 0.05;

/// Inverse mass of a block against a force along `direction` at `arm` from its centroid, 1/kg; zero if it does not move.
fn mobility(block: &Block, arm: DVec2, direction: DVec2) -> f64 {
    if !block.moves() {
        return 0.0;
    }
    let inertia = block.mass * (block.moments.xx + block.moments.yy) / block.moments.area;
    1.0 / block.mass + arm.perp_dot(direction).powi(2) / inertia
}

/// Stiffness and tolerance of all contacts.
#[derive(Clone, Copy, Debug)]
pub struct ContactLaw {
    /// Depth beyond which the initial penetration of a new contact is removed gradually, meters.
    pub deep: f64,

    /// N/m
    pub normal_stiffness: f64,
    /// As `normal_stiffness`, along the edge, N/m.
    pub shear_stiffness: f64,
    /// Gaps and slips below this are rounding, meters.
    pub tolerance: f64,
}

/// A contact within a step.
#[derive(Clone, Debug)]
pub struct Contact {
    /// The touching vertex and edge.
    pub candidate: Candidate,
    /// Outward normal of the edge.
    pub normal: DVec2,
    /// At the beginning of the step, relative to the offset, meters, negative inside.
    pub gap: f64,
    /// Gap at which the contact counts as touching, meters. Negative for a corner that was deep inside when first detected, otherwise zero.
    pub offset: f64,
    /// Stretch of the shear spring at the beginning of the step, meters.
    pub shear: f64,
    /// Strength of the faces.
    pub joint: Joint,
    /// Whether cohesion and tensile strength still apply.
    pub bonded: bool,
    /// Open, locked or sliding.
    pub state: ContactState,
    /// Normal force from the last solution, or the last step, N.
    pub normal_force: f64,
    /// Shear force per meter of stretch, N/m: that of the law, or less if the contact slides.
    pub shear_stiffness: f64,
    /// Vectors from the centroids of the two blocks to the contact point, meters.
    pub arms: [DVec2; 2],
    /// Inverse mass of the two blocks against a force along the edge at the contact, 1/kg.
    mobility: f64,
    /// Force against a further slip of both blocks, N/m.
    resistance: f64,
    /// Stretch and shear force, both without sign, of the previous solution in which the contact slid.
    previous: Option<[f64; 2]>,
}

impl Contact {
    /// `initial` is set in the first step, in which touching faces are bonded.
    pub fn new(
        state: &BlocksState,
        candidate: Candidate,
        remembered: Option<&Remembered>,
        joint: Joint,
        (law, initial): (&ContactLaw, Option<f64>),
    ) -> Self {
        let [first, second] = [candidate.first, candidate.second].map(|block| &state.blocks[block as usize]);
        let polygon = state.offsets[candidate.second as usize]..state.offsets[candidate.second as usize + 1];
        let end = if candidate.edge + 1 == polygon.end { polygon.start } else { candidate.edge + 1 };
        let (start, end) = (state.vertices[candidate.edge as usize], state.vertices[end as usize]);
        let tangent = (end - start).normalize();
        let normal = DVec2::new(tangent.y, -tangent.x);
        let point = state.vertices[candidate.vertex as usize];
        let gap = (point - start).dot(normal);
        let offset = remembered.map_or((gap + law.deep).min(0.0), |remembered| EASING * remembered.offset);
        let bonded = match (remembered, initial) {
            (Some(remembered), _) => remembered.bonded,
            (None, Some(tolerance)) => {
                candidate.length > 0.0 && gap.abs() <= tolerance && (joint.cohesion > 0.0 || joint.tensile_strength > 0.0)
            }
            (None, None) => false,
        };
        let closed = gap < 0.0 || bonded;
        let gap = gap - offset;
        let state = remembered.map_or(if closed { ContactState::Locked } else { ContactState::Open }, |remembered| remembered.state);
        Self {
            normal,
            gap,
            offset,
            shear: remembered.map_or(0.0, |remembered| remembered.shear),
            joint,
            bonded,
            state,
            normal_force: remembered.map_or(0.0, |remembered| remembered.normal_force),
            shear_stiffness: law.shear_stiffness,
            mobility: [first, second].map(|block| mobility(block, point - block.moments.centroid, tangent)).iter().sum(),
            arms: [first, second].map(|block| point - block.moments.centroid),
            resistance: 0.0,
            previous: None,
            candidate,
        }
    }

    /// Moves the contact to where it is in the middle of a step in which the two blocks are expected to move by `d`. Both blocks keep the
    /// same contact point, so that angular momentum is conserved.
    pub fn move_midway(&mut self, d: [&Dof6; 2]) {
        let own = half_turned(self.arms[0], d[0]);
        let moved = own - self.arms[0] + half_moved(d[0]) - half_moved(d[1]);
        self.arms = [own, self.arms[1] + moved];
        self.normal = half_turned(self.normal, d[1]);
    }

    /// Maximum shear force, N.
    pub fn shear_strength(&self) -> f64 {
        let cohesion = if self.bonded { self.joint.cohesion * self.candidate.length } else { 0.0 };
        self.normal_force.max(0.0) * self.joint.friction + cohesion
    }

    fn tensile_strength(&self) -> f64 {
        if self.bonded { self.joint.tensile_strength * self.candidate.length } else { 0.0 }
    }

    /// The normal and the shear spring; zero if the contact is open.
    pub fn springs(&self, law: &ContactLaw) -> [Spring; 2] {
        if self.state == ContactState::Open {
            return [Spring::default(); 2];
        }
        [Spring::stretched(law.normal_stiffness, self.gap), Spring::stretched(self.shear_stiffness, self.shear)]
    }

    /// Gap and stretch of the shear spring at the end of a step in which the two blocks move by `d`.
    pub fn measure(&self, d: [&Dof6; 2]) -> (f64, f64) {
        let moved = displacement(self.arms[0], d[0]) - displacement(self.arms[1], d[1]);
        (self.gap + moved.dot(self.normal), self.shear + moved.dot(self.tangent()))
    }

    /// Direction along the edge.
    pub fn tangent(&self) -> DVec2 {
        self.normal.perp()
    }

    /// Weights of the unknowns of the two blocks in the gap and in the slip.
    pub fn weights(&self) -> [[Dof6; 2]; 2] {
        let [first, second] = self.arms;
        [self.normal, self.tangent()].map(|direction| [weights(first, direction), weights(second, -direction)])
    }

    /// Updates state and forces to the solution `d`; returns the error of the forces that led to this solution, N.
    pub fn update(&mut self, d: [&Dof6; 2], law: &ContactLaw) -> f64 {
        let (gap, stretch) = self.measure(d);
        let normal_force = -law.normal_stiffness * gap;
        if self.state == ContactState::Open {
            self.normal_force = 0.0;
            if gap >= -law.tolerance {
                return 0.0;
            }
            (self.state, self.shear, self.shear_stiffness) = (ContactState::Locked, 0.0, law.shear_stiffness);
            return normal_force;
        }
        self.normal_force = normal_force;
        if normal_force < -self.tensile_strength() - law.tolerance * law.normal_stiffness {
            (self.state, self.bonded, self.normal_force, self.shear) = (ContactState::Open, false, 0.0, 0.0);
            return normal_force.abs();
        }
        let force = self.shear_stiffness * stretch.abs();
        if self.bonded && force > self.shear_strength() + law.tolerance * law.shear_stiffness {
            self.bonded = false;
        }
        let allowed = self.shear_strength().min(law.shear_stiffness * stretch.abs());
        let slips_to = self.expected_stretch(stretch.abs(), force);
        self.soften(stretch, slips_to, law);
        (allowed - force).abs()
    }

    /// Stretch to which a contact with this stretch and shear force, both without sign, slips if the force falls or rises to the strength.
    fn expected_stretch(&mut self, stretch: f64, force: f64) -> f64 {
        if let Some([stretch_before, force_before]) = self.previous.replace([stretch, force])
            && (force_before - force).abs() > CLEAR * force
        {
            let resistance = (force_before - force) / (stretch - stretch_before);
            if resistance > 0.0 && resistance.is_finite() {
                self.resistance = resistance;
            }
        }
        let slip = (force - self.shear_strength()) / self.resistance;
        if slip.is_finite() { (stretch + slip).clamp(stretch / MAX_CHANGE, stretch * MAX_CHANGE) } else { stretch }
    }

    /// Reduces the stiffness of the shear spring to what the strength allows at the stretch `slips_to`, if the contact slides.
    fn soften(&mut self, stretch: f64, slips_to: f64, law: &ContactLaw) {
        let strength = self.shear_strength();
        let slides = law.shear_stiffness * stretch.abs() > strength;
        self.shear_stiffness = if slides { (strength / slips_to).min(law.shear_stiffness) } else { law.shear_stiffness };
        self.state = if slides { ContactState::Sliding } else { ContactState::Locked };
    }

    /// Shear force on the block of the edge along the tangent at the end of a step in which the blocks move by `d`, N.
    pub fn shear_force(&self, d: [&Dof6; 2]) -> f64 {
        let stretch = self.measure(d).1;
        if self.state == ContactState::Sliding { self.shear_strength().copysign(stretch) } else { self.shear_stiffness * stretch }
    }

    /// Initial guess for a step in which the blocks move by `d` at their current velocities: a sliding contact keeps sliding.
    pub fn begin(&mut self, d: [&Dof6; 2], law: &ContactLaw, dt: f64) {
        self.resistance = 2.0 / (dt * dt * self.mobility);
        if self.state == ContactState::Sliding {
            let stretch = self.measure(d).1;
            self.soften(stretch, stretch.abs(), law);
        }
    }

    /// The data that the next step needs; `None` for an open contact.
    pub fn remember(&self, d: [&Dof6; 2], law: &ContactLaw) -> Option<Remembered> {
        if self.state == ContactState::Open {
            return None;
        }
        let (force, strength) = (self.shear_force(d), self.shear_strength());
        let shear = force.clamp(-strength, strength) / law.shear_stiffness;
        let Self { state, normal_force, bonded, offset, .. } = *self;
        Some(Remembered { key: self.candidate.key(), state, shear, normal_force, bonded, offset })
    }
}
