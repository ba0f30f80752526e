//! Maximum detection region: the region in which the center of another cluster must be to meet a given one within the remaining time.
//!
//! `v_p` and `v_n` are the maximum speeds of all clusters in the positive and the negative direction of an axis. Along this axis another
//! center moves relative to the target at between `v − v_p ≤ 0` and `v + v_n ≥ 0`, so it must be within
//! `x − (v_p − v) t_r − R − R_max ≤ x' ≤ x + (v + v_n) t_r + R + R_max`. For `v > 0` this is the region of Wang et al. (2019), for `v < 0`
//! its mirror image: it covers all their eight cases. SI units.

use glam::DVec3;
use plimsoll_base::math::{round_down, round_up};

use super::images::lies_between;
use crate::flight::Flight;

/// Maxima over all clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Speed in the positive direction of each axis, at least 0, m/s.
    pub positive: DVec3,
    /// As `positive`, in the negative direction.
    pub negative: DVec3,
    /// Radius of a bounding sphere, m.
    pub radius: f64,
}

impl Extremes {
    /// The maxima over all `flights`; zero if there are none.
    pub fn of<'f>(flights: impl IntoIterator<Item = &'f Flight>) -> Self {
        let none = Self { positive: DVec3::ZERO, negative: DVec3::ZERO, radius: 0.0 };
        flights.into_iter().fold(none, |extremes, flight| Self {
            positive: extremes.positive.max(flight.velocity),
            negative: extremes.negative.max(-flight.velocity),
            radius: extremes.radius.max(flight.radius),
        })
    }
}

/// An axis-aligned box around the center of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionRegion {
    /// Lower corner relative to the center of the target, m.
    pub low: DVec3,
    /// Upper corner relative to the center of the target, m.
    pub high: DVec3,
}

impl DetectionRegion {
    /// The region of a target for the time `remaining`, s.
    pub fn new(target: &Flight, extremes: &Extremes, remaining: f64) -> Self {
        let reach = target.radius + extremes.radius;
        Self {
            low: (target.velocity - extremes.positive) * remaining - reach,
            high: (target.velocity + extremes.negative) * remaining + reach,
        }
    }

    /// Whether a center at `r` from that of the target, or a periodic image of it (`sides` of the box), is inside.
    #[inline]
    pub fn holds_an_image(&self, r: DVec3, sides: DVec3) -> bool {
        let (low, high) = (self.low - r, self.high - r);
        !lies_between(low, high, sides) && round_up(low / sides).cmple(round_down(high / sides)).all()
    }

    /// Whether a center at `r` from that of the target is inside.
    pub fn contains(&self, r: DVec3) -> bool {
        r.cmpge(self.low).all() && r.cmple(self.high).all()
    }
}
