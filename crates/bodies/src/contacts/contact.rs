//! What contacts do to a body in a step.

use glam::{DQuat, DVec3};

use crate::{Body, Impulse};

/// Result of the contact solve for a body in contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub impulse: Impulse,
    pub rotation: DQuat,
    pub center: DVec3,
    /// Whether the body is in contact with a body that does not float, directly or through others. If so, the net impulse is external.
    pub external: bool,
    /// The velocity (m/s) and angular momentum (kg m²/s) of a body with joints after the solve.
    pub joined: Option<(DVec3, DVec3)>,
}

impl Body {
    /// Moves a floating body for `dt`: freely, or as the contact solve determined.
    pub(crate) fn follow(&mut self, contact: Option<Contact>, dt: f64) {
        let Some(contact) = contact else {
            self.contact_impulse = Impulse::default();
            self.drift(dt);
            return;
        };
        self.contact_impulse = contact.impulse;
        if let Some((velocity, angular_momentum)) = contact.joined {
            self.continue_with(velocity, angular_momentum);
            self.place(contact.rotation, contact.center);
            return;
        }
        self.apply(contact.impulse);
        if !contact.external {
            // The solver also pushes overlapping bodies apart. Displacing a moving mass sideways changes its angular momentum; the spin
            // compensates for this.
            let pushed = contact.center - self.center() - self.velocity * dt;
            self.angular_momentum -= pushed.cross(self.mass * self.velocity);
        }
        self.place(contact.rotation, contact.center);
    }
}
