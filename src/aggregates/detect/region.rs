//! Maximum detection region: where the center of another cluster must lie for it to meet a given one in the time that remains.
//!
//! With the greatest speeds `v_p` and `v_n` of all clusters along the positive and the negative direction of an axis, another center
//! approaches the target along it at between `v − v_p ≤ 0` and `v + v_n ≥ 0`, so that it must lie within
//! `x − (v_p − v) t_r − R − R_max ≤ x' ≤ x + (v + v_n) t_r + R + R_max`.
//! For `v > 0` this is the region of Wang et al. (2019), for `v < 0` its mirror image: their eight cases are one. SI units.

use glam::DVec3;

use super::images::lies_between;
use crate::{
    aggregates::flight::Flight,
    math::{round_down, round_up},
};

/// The greatest of all clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extremes {
    /// Speeds along the positive and the negative direction of each axis, 0 or more, m/s.
    pub positive: DVec3,
    /// As `positive`, along the negative direction.
    pub negative: DVec3,
    /// Radius of a bounding sphere, m.
    pub radius: f64,
}

impl Extremes {
    /// The extremes over all `flights`; zero without any.
    pub fn of<'f>(flights: impl IntoIterator<Item = &'f Flight>) -> Self {
        let none = Self { positive: DVec3::ZERO, negative: DVec3::ZERO, radius: 0.0 };
        flights.into_iter().fold(none, |extremes, flight| Self {
            positive: extremes.positive.max(flight.velocity),
            negative: extremes.negative.max(-flight.velocity),
            radius: extremes.radius.max(flight.radius),
        })
    }
}

/// An upright box about the center of the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectionRegion {
    /// From the center of the target, m.
    pub low: DVec3,
    /// As `low`, the upper corner, m.
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

    /// Whether a center at `r` from that of the target, or an image of it by whole `sides` of the box, is inside.
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
