//! Flow through a rectangle.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{FluidSample, Instrument, Quantity};

/// Flow (m³/s) through a rectangle, counted particle by particle; positive in the direction of `u × v`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flow {
    /// A corner, m.
    pub corner: DVec3,
    /// One side, from the corner, m.
    pub u: DVec3,
    /// The other side, from the corner, m; perpendicular to `u`.
    pub v: DVec3,
}

impl Instrument for Flow {
    fn quantities(&self) -> Vec<Quantity> {
        vec![Quantity::mean("flow", "m³/s")]
    }

    fn measure(&self, sample: &FluidSample) -> Vec<f64> {
        let crossed: f64 = sample.before.iter().zip(sample.after).map(|(&from, &to)| self.crossing(sample, from, to)).sum();
        vec![if sample.dt > 0.0 { crossed * sample.settings.particle_volume() / sample.dt } else { 0.0 }]
    }
}

impl Flow {
    /// 1 or −1 if the path of a particle crosses the rectangle, otherwise 0.
    fn crossing(&self, sample: &FluidSample, from: glam::Vec3A, to: glam::Vec3A) -> f64 {
        let normal = self.u.cross(self.v);
        let middle = self.corner + 0.5 * (self.u + self.v);
        let start = sample.offset(middle, from);
        // The end may be a period away.
        let end = start + sample.settings.domain.nearest_image((to - from).as_dvec3());
        let (below, above) = (start.dot(normal), end.dot(normal));
        if (below < 0.0) == (above < 0.0) {
            return 0.0;
        }
        let hit = start.lerp(end, below / (below - above));
        let within = |side: DVec3| hit.dot(side).abs() <= 0.5 * side.length_squared();
        if within(self.u) && within(self.v) { (above - below).signum() } else { 0.0 }
    }
}
