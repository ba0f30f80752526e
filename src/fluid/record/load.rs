//! What the fluid does to a body, by cause.

use serde::{Deserialize, Serialize};

use crate::bodies::Impulse;

/// Impulses of one step on a body by the fluid, about the body's center.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    pub pressure: Impulse,
    pub friction: Impulse,
    pub collision: Impulse,
}

impl Load {
    pub fn total(&self) -> Impulse {
        let mut sum = self.pressure;
        sum += self.friction;
        sum += self.collision;
        sum
    }
}
