//! Floating bodies that move as prescribed until they are released.

use serde::{Deserialize, Serialize};

use crate::{Body, BodyKind, PrescribedMotion};

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

impl BodyKind {
    /// The prescribed motion of a moving body, or that of a floating one until it is released.
    pub fn motion(&self) -> Option<&PrescribedMotion> {
        match self {
            Self::Static => None,
            Self::Moving(motion) => Some(motion),
            Self::Floating(floating) => floating.held.as_ref().map(|held| &held.motion),
        }
    }
}

impl Body {
    /// The motion of a moving body, or of a floating one that is held.
    pub fn prescribed_motion(&self) -> Option<&PrescribedMotion> {
        self.kind.motion().filter(|_| self.is_held || !matches!(self.kind, BodyKind::Floating(_)))
    }

    /// Whether the body floats after it is released.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Lets the body float if it is held no longer at `time` (s); returns whether anything changes.
    pub(super) fn release(&mut self, time: f64) -> bool {
        let BodyKind::Floating(floating) = &self.kind else { return false };
        let Some(held) = floating.held.as_ref().filter(|held| self.is_held && time >= held.until) else { return false };
        let [velocity, angular_velocity] = match held.keeps_velocity {
            true => [self.velocity, self.angular_velocity],
            false => [floating.velocity, floating.angular_velocity],
        };
        self.is_held = false;
        self.set_velocities(velocity, angular_velocity);
        true
    }
}
