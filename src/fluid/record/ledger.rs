//! The ledger: every impulse on fluid and floating bodies from outside, and what momentum it leaves unexplained; and the external work.

use serde::{Deserialize, Serialize};

use crate::bodies::Momentum;

/// Momentum at the start, impulses since; angular parts about the world origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    pub initial: Momentum,
    /// Impulses from outside since the start: gravity, given forces, static and moving bodies, locked axes, emitters and drains.
    pub external: Momentum,
    /// Sum over steps and bodies of the impulse exchanged between fluid and body, absolute values.
    pub exchanged_linear: f64,
    pub exchanged_angular: f64,
    /// External work since the start, J: moving bodies, given forces, contacts, and the energy of the fluid that emitters add and drains
    /// remove. Gravity is excluded: its energy is potential. Energy minus this work only falls, except for noise.
    pub work: f64,
}

impl Ledger {
    /// Books the impulse of one step between fluid and a body, angular part about the world origin.
    pub fn exchange(&mut self, impulse: Momentum) {
        self.exchanged_linear += impulse.linear.length();
        self.exchanged_angular += impulse.angular.length();
    }

    /// Linear and angular momentum `now` that nothing explains, relative to what was exchanged (zero while nothing was).
    pub fn errors(&self, now: Momentum) -> (f64, f64) {
        let linear = (now.linear - self.initial.linear - self.external.linear).length();
        let angular = (now.angular - self.initial.angular - self.external.angular).length();
        let relative = |error: f64, exchanged: f64| if exchanged > 0.0 { error / exchanged } else { 0.0 };
        (relative(linear, self.exchanged_linear), relative(angular, self.exchanged_angular))
    }
}
