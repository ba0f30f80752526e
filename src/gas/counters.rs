//! Running totals of impacts, from which pressure, rates and work are taken.

use serde::{Deserialize, Serialize};

/// Totals since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactCounters {
    /// Impacts between two spheres.
    pub pairs: u64,
    /// Impacts on walls.
    pub walls: u64,
    /// `Σ r·J` over the impacts between spheres, `r` from one to the other and `J` the impulse on the other; J s.
    pub virial: f64,
    /// Momentum given to the spheres by each wall along its axis: twice the axis, one more for the upper; N s.
    pub wall_impulses: [f64; 6],
    /// Work done by moving walls on the spheres, J.
    pub work: f64,
}

impl ImpactCounters {
    #[inline]
    pub(in crate::gas) fn pair(&mut self, virial: f64) {
        self.pairs += 1;
        self.virial += virial;
    }

    /// A wall with `velocity` (m/s) gives `impulse` (N s).
    pub(in crate::gas) fn wall(&mut self, number: u32, impulse: f64, velocity: f64) {
        self.walls += 1;
        self.wall_impulses[number as usize] += impulse;
        // The force acts while the wall moves on.
        self.work += impulse * velocity;
    }
}
