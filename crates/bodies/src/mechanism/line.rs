//! The force of springs and mooring lines between two points.
//!
//! The tension at the start of the step acts over the whole step, which conserves the energy of a spring (symplectic Euler) as long as its
//! frequency ω is low: `θ = ω² Δt² ≤ 2`. A stiffer spring takes the share `a = 1/2 − 1/θ` of the elongation in the step into account, the least
//! that is stable for every step. Dampers are implicit. The impulses of spring and damper are
//!
//! ```text
//! J_k = Δt (T + a k Δt e') / (1 + a θ),       θ = n k μ Δt²
//! J_c = Δt c e'' / (1 + β),                   β = n c μ Δt
//! e'' = (1 − s) e'₀ + s (e' − μ J_k),         s = β / (1 + β)
//! ```
//!
//! with the rate of elongation e', which was e'₀ before the step, the velocity μ of the ends along the line per impulse, and the number n of lines
//! at the busier body. A damper that is weak in a step acts on e'₀: the forces of a body at rest, which cancel, act one after the other in a step.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{
    attachment::Attachment,
    catenary::{Catenary, EndTension},
    definition::{LineDefinition, LineLaw},
};
use crate::Body;

/// Below this value of θ a spring is explicit.
const EXPLICIT: f64 = 2.0;

/// A spring or mooring line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Line {
    pub ends: [Attachment; 2],
    pub law: Law,
    /// N s/m
    pub damping: f64,
    /// Number of lines at the one of its bodies that has more.
    pub crowd: f64,
}

/// How the tension depends on the position of the ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Law {
    /// Pulls and pushes: length (m) and stiffness (N/m).
    Spring { length: f64, stiffness: f64 },
    /// The same, but only pulls.
    Cable { length: f64, stiffness: f64 },
    /// A line with weight (N/m) from the second end, an anchor, with `up` against gravity.
    Catenary { length: f64, axial_stiffness: f64, weight: f64, up: DVec3 },
}

/// Tension of a line at its first end.
pub struct Tension {
    /// Unit vector in which the first end is pulled.
    direction: DVec3,
    /// N
    pub force: f64,
    /// N/m
    pub stiffness: f64,
}

impl From<&LineDefinition> for Law {
    fn from(definition: &LineDefinition) -> Self {
        let LineDefinition { length, axial_stiffness, law, .. } = *definition;
        match law {
            LineLaw::Straight => Self::Cable { length, stiffness: axial_stiffness / length },
            LineLaw::Catenary { weight, up } => Self::Catenary { length, axial_stiffness, weight, up },
        }
    }
}

impl Law {
    /// The tension between these ends; `None` if there is none.
    fn tension(&self, [end, other]: [DVec3; 2]) -> Option<Tension> {
        let distance = end.distance(other);
        let direction = (other - end).try_normalize();
        match *self {
            Self::Spring { length, stiffness } => {
                Some(Tension { direction: direction?, force: stiffness * (distance - length), stiffness })
            }
            Self::Cable { length, stiffness } => {
                let force = stiffness * (distance - length);
                (force > 0.0).then_some(Tension { direction: direction?, force, stiffness })
            }
            Self::Catenary { length, axial_stiffness, weight, up } => {
                let line = Catenary { length, axial_stiffness, weight };
                let height = (end - other).dot(up);
                let aside = other - end + height * up;
                let EndTension { horizontal, vertical } = line.tension(aside.length(), height);
                let pull = horizontal * aside.normalize_or_zero() - vertical * up;
                Some(Tension { direction: pull.try_normalize()?, force: pull.length(), stiffness: line.stiffness() })
            }
        }
    }

    fn pushes(&self) -> bool {
        matches!(self, Self::Spring { .. })
    }
}

impl Line {
    /// The tension where the bodies are; `None` if there is none.
    pub fn tension(&self, bodies: &[Body]) -> Option<Tension> {
        self.law.tension(self.ends.map(|end| end.position(bodies)))
    }

    /// The impulse (N s) on the first end over `dt` seconds; the second end gets the opposite one. `before` are the velocities of all bodies
    /// before the step.
    pub fn impulse(&self, bodies: &[Body], before: &[[DVec3; 2]], dt: f64) -> DVec3 {
        let Some(Tension { direction, force, stiffness }) = self.tension(bodies) else {
            return DVec3::ZERO;
        };
        let along = |[velocity, other]: [DVec3; 2]| (other - velocity).dot(direction);
        let rate = along(self.ends.map(|end| end.velocity(bodies)));
        let rate_before = along(self.ends.map(|end| end.velocity_with(bodies, before)));
        let mobility: f64 = self.ends.iter().map(|end| end.mobility(bodies, direction)).sum();
        let theta = self.crowd * stiffness * mobility * dt * dt;
        let share = if theta > EXPLICIT { 0.5 - 1.0 / theta } else { 0.0 };
        let of_spring = dt * (force + share * stiffness * dt * rate) / (1.0 + share * theta);
        let beta = self.crowd * self.damping * mobility * dt;
        let now = beta / (1.0 + beta);
        let damped = (1.0 - now) * rate_before + now * (rate - mobility * of_spring);
        let impulse = of_spring + dt * self.damping * damped / (1.0 + beta);
        let impulse = if self.law.pushes() { impulse } else { impulse.max(0.0) };
        impulse * direction
    }
}
