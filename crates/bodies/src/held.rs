//! Floating bodies that move as prescribed until they are released.

use crate::{Body, BodyKind, PrescribedMotion};

impl Body {
    /// The motion of a moving body, or of a floating one that is held.
    pub fn prescribed_motion(&self) -> Option<&PrescribedMotion> {
        self.kind.motion().filter(|_| self.is_held || !matches!(self.kind, BodyKind::Floating(_)))
    }

    /// Whether the body floats after it is released.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Lets the body float if it is there and held no longer at `time` (s); returns whether anything changes.
    pub(super) fn release(&mut self, time: f64) -> bool {
        if !self.is_present() {
            // It gets its velocities when it appears.
            return false;
        }
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
