//! Impulses of the fluid on a body, by cause.

use plimsoll_bodies::Impulse;
use serde::{Deserialize, Serialize};

/// How the fluid pushes a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Pressure,
    Friction,
    Collision,
}

/// Impulses of one step on a body by the fluid, about the body's center.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// By pressure.
    pub pressure: Impulse,
    /// By shear at walls.
    pub friction: Impulse,
    /// By particles stopped at triangles.
    pub collision: Impulse,
}

impl Load {
    /// The impulse of one cause.
    pub fn by(&mut self, cause: Cause) -> &mut Impulse {
        match cause {
            Cause::Pressure => &mut self.pressure,
            Cause::Friction => &mut self.friction,
            Cause::Collision => &mut self.collision,
        }
    }

    /// Sum over all causes.
    pub fn total(&self) -> Impulse {
        let mut sum = self.pressure;
        sum += self.friction;
        sum += self.collision;
        sum
    }
}
