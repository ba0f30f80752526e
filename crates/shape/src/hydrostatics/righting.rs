//! The curve of righting arms over heel, and what is read from it.
//!
//! At each heel the body sinks until weight and buoyancy are equal and, unless its trim is fixed, trims until no moment is left about the
//! transverse axis. With B(φ) the center of buoyancy and t the horizontal direction across the hull, GZ = (B − G) · t. At fixed trim θ,
//! `dE/dφ = cos θ GZ`, where E is the potential energy divided by the weight. The same holds for a free trim, since E does not change with it
//! to first order. So areas under the curve are differences of E.

use super::{
    Bow, Hold, Hull, Loading,
    afloat::Afloat,
    righting_point::{Heeling, RightingPoint, TrimMode},
};

/// Distance of points on the curve, rad.
const STEP: f64 = std::f64::consts::PI / 180.0;
/// Number of steps to half a turn.
const STEPS: usize = 180;
/// Halvings of an interval of the curve: 1° / 2³⁰.
const HALVINGS: usize = 30;
/// Golden sections around the maximum: 2° × 0.618²⁰.
const SECTIONS: usize = 20;
/// A change of trim between neighbouring points beyond this is a jump, rad.
const MAX_TRIM_CHANGE: f64 = 0.05;
/// Righting arms below this fraction of the displaced volume's size are zero: a ball has no vanishing angle.
const ZERO_ARM: f64 = 1e-9;
/// Righting arms below this fraction of the largest one are zero: the mesh of a symmetric body is symmetric up to the digits of its file.
const SMALL_ARM: f64 = 1e-3;

/// Righting arms from upright to 180° of heel to starboard.
#[derive(Clone, Debug, PartialEq)]
pub struct RightingCurve {
    /// Positions by heel: every degree, and the one at which the body floods. The curve ends before 180° if the body sinks or stands on end.
    pub points: Vec<RightingPoint>,
    /// Maximum righting arm before the vanishing angle.
    pub maximum: Option<RightingPoint>,
    /// First heel at which the righting arm decreases to zero, rad: from there the body capsizes.
    pub vanishing: Option<f64>,
    /// Heel at which the righting arm of a body that is not stable upright increases to zero, rad.
    pub loll: Option<f64>,
    /// Heel at which water enters over a rim, rad.
    pub downflooding: Option<f64>,
}

impl RightingCurve {
    /// The curve of `hull`, whose hold is dry or flooded at first. Once water has entered, it stays.
    pub fn of(hull: &Hull, loading: &Loading, bow: Bow, trim_mode: TrimMode, hold: Hold) -> Self {
        let afloat = Afloat::new(&hull.surface, loading.volume());
        let mut tracer = Tracer { hull, heeling: Heeling { afloat, loading, bow, trim_mode }, hold, downflooding: None };
        let points = tracer.trace();
        let largest = points.iter().fold(0.0_f64, |largest, point| largest.max(point.arm.abs()));
        let zero = (ZERO_ARM * loading.volume().cbrt()).max(SMALL_ARM * largest);
        let leaves_upright = points.iter().find(|point| point.arm.abs() > zero).is_some_and(|point| point.arm < 0.0);
        let loll = if leaves_upright { tracer.crossing(&points, 0.0, |arm| arm > zero) } else { None };
        // Without an angle of loll, a body that leaves the upright position has no range of stability.
        let range = if leaves_upright { loll } else { Some(0.0) };
        let vanishing = range.and_then(|from| tracer.crossing(&points, from, |arm| arm < -zero));
        let before_vanishing = points.partition_point(|point| vanishing.is_none_or(|end| point.attitude.heel <= end));
        let peak = range.and_then(|_| (0..before_vanishing).max_by(|&a, &b| points[a].arm.total_cmp(&points[b].arm)));
        let maximum = peak.filter(|&peak| points[peak].arm > zero).map(|peak| tracer.maximum(&points, peak));
        Self { points, maximum, vanishing, loll, downflooding: tracer.downflooding }
    }

    /// Area under the curve from upright to `heel`, m rad; `None` if the curve ends before.
    pub fn area(&self, heel: f64) -> Option<f64> {
        let mut area = 0.0;
        for pair in self.points.windows(2) {
            let (from, to) = (pair[0].attitude.heel, pair[1].attitude.heel);
            if heel <= to {
                let part = (heel - from) / (to - from).max(f64::MIN_POSITIVE);
                let arm = pair[0].arm + (pair[1].arm - pair[0].arm) * part;
                return Some(area + if part < 1.0 { 0.5 * (pair[0].arm + arm) * (heel - from) } else { area_between(pair) });
            }
            area += area_between(pair);
        }
        // The last heel is exact only up to rounding.
        self.points.last().filter(|last| heel <= last.attitude.heel + 1e-9).map(|_| area)
    }
}

/// Area under the curve between two neighbouring points: from the energy, unless the curve jumps.
fn area_between(pair: &[RightingPoint]) -> f64 {
    let (from, to) = (pair[0].attitude, pair[1].attitude);
    let width = to.heel - from.heel;
    if pair[1].hold != pair[0].hold {
        return pair[1].arm * width;
    }
    if (to.trim - from.trim).abs() > MAX_TRIM_CHANGE {
        return 0.5 * (pair[0].arm + pair[1].arm) * width;
    }
    (pair[1].energy - pair[0].energy) / (0.5 * (from.trim + to.trim)).cos()
}

struct Tracer<'a> {
    hull: &'a Hull,
    heeling: Heeling<'a>,
    hold: Hold,
    downflooding: Option<f64>,
}

impl Tracer<'_> {
    fn trace(&mut self) -> Vec<RightingPoint> {
        let mut points: Vec<RightingPoint> = Vec::with_capacity(STEPS + 2);
        for step in 0..=STEPS {
            let heel = step as f64 * STEP;
            let next = self.heeling.at(heel, self.trim(points.last()), self.hold);
            let Some(last) = points.last().copied() else {
                let Some(first) = next else { break };
                if self.hull.hold(&first.immersion) == Hold::Flooded {
                    self.hold = Hold::Flooded;
                }
                points.push(first);
                continue;
            };
            let stays_dry = |next: &RightingPoint| !next.immersion.has_flooded_since(&last.immersion);
            if self.hold == Hold::Dry && last.immersion.dry_volume > 0.0 && !next.as_ref().is_some_and(stays_dry) {
                let rim = self.last_dry(&last, heel);
                (self.hold, self.downflooding) = (Hold::Flooded, Some(rim.attitude.heel));
                points.push(rim);
                let Some(flooded) = self.heeling.at(heel, rim.attitude.trim, self.hold) else { break };
                points.push(flooded);
            } else {
                let Some(next) = next else { break };
                points.push(next);
            }
        }
        points
    }

    fn trim(&self, from: Option<&RightingPoint>) -> f64 {
        match self.heeling.trim_mode {
            TrimMode::Fixed(trim) => trim,
            TrimMode::Free => from.map_or(0.0, |from| from.attitude.trim),
        }
    }

    /// The position at the last heel before `flooded` at which no water enters.
    fn last_dry(&mut self, dry: &RightingPoint, flooded: f64) -> RightingPoint {
        let (mut last, mut beyond) = (*dry, flooded);
        for _ in 0..HALVINGS {
            let heel = 0.5 * (last.attitude.heel + beyond);
            let found = self.heeling.at(heel, last.attitude.trim, Hold::Dry);
            match found.filter(|found| !found.immersion.has_flooded_since(&dry.immersion)) {
                Some(found) => last = found,
                None => beyond = heel,
            }
        }
        last
    }

    /// The heel at which the arm changes sign before the first point beyond `from` with `reached`.
    fn crossing(&mut self, points: &[RightingPoint], from: f64, reached: impl Fn(f64) -> bool) -> Option<f64> {
        let after = points.iter().position(|point| point.attitude.heel > from && reached(point.arm))?;
        // Between points, the sign changes in the last interval with another sign at its beginning.
        let before = points[..after].iter().rposition(|point| point.attitude.heel >= from && point.arm * points[after].arm < 0.0)?;
        let (mut low, mut high) = (points[before], points[before + 1]);
        if high.arm == 0.0 || low.attitude.heel == high.attitude.heel {
            return Some(high.attitude.heel);
        }
        let hold = self.hold_at(high.attitude.heel);
        for _ in 0..HALVINGS {
            let Some(middle) = self.heeling.at(0.5 * (low.attitude.heel + high.attitude.heel), low.attitude.trim, hold) else { break };
            if (middle.arm < 0.0) == (low.arm < 0.0) { low = middle } else { high = middle }
        }
        Some(0.5 * (low.attitude.heel + high.attitude.heel))
    }

    /// The maximum between the neighbours of `points[peak]`, by golden section; the point itself if it is at an end or where water enters.
    fn maximum(&mut self, points: &[RightingPoint], peak: usize) -> RightingPoint {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let mut best = points[peak];
        let heel = |k: usize| points[k].attitude.heel;
        if peak == 0 || peak + 1 == points.len() || self.downflooding.is_some_and(|rim| heel(peak - 1) < rim && rim <= heel(peak + 1)) {
            return best;
        }
        let hold = self.hold_at(heel(peak));
        let (mut low, mut high) = (heel(peak - 1), heel(peak + 1));
        for _ in 0..SECTIONS {
            let width = GOLDEN * (high - low);
            let [left, right] = [high - width, low + width].map(|heel| self.heeling.at(heel, best.attitude.trim, hold));
            let (Some(left), Some(right)) = (left, right) else { break };
            let better = if left.arm > right.arm { left } else { right };
            if left.arm > right.arm {
                high = right.attitude.heel
            } else {
                low = left.attitude.heel
            }
            if better.arm > best.arm {
                best = better;
            }
        }
        best
    }

    fn hold_at(&self, heel: f64) -> Hold {
        match self.downflooding {
            Some(rim) if heel <= rim => Hold::Dry,
            _ => self.hold,
        }
    }
}
