//! Running totals of impacts. Pressure, rates and work are computed from them.

use serde::{Deserialize, Serialize};

/// Totals since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpactCounters {
    /// Impacts between two spheres.
    pub pairs: u64,
    /// Impacts on walls.
    pub walls: u64,
    /// `Σ r·J` over the impacts between spheres, J s: `r` points from one sphere to the other, `J` is the impulse on the other.
    pub virial: f64,
    /// Momentum transferred to the spheres by each wall along its axis, N s: index `2 * axis` for the lower wall, `2 * axis + 1` for the
    /// upper.
    pub wall_impulses: [f64; 6],
    /// Work done on the spheres by moving walls, J.
    pub work: f64,
}

impl ImpactCounters {
    #[inline]
    pub(crate) fn pair(&mut self, virial: f64) {
        self.pairs += 1;
        self.virial += virial;
    }

    /// Adds an impact on wall `number`, moving at `velocity` (m/s), that transfers `impulse` (N s) to the sphere.
    pub(crate) fn wall(&mut self, number: u32, impulse: f64, velocity: f64) {
        self.walls += 1;
        self.wall_impulses[number as usize] += impulse;
        // The wall moves while the force acts.
        self.work += impulse * velocity;
    }
}
