//! Attitudes at rest: descent of the potential energy.
//!
//! At constant displaced volume the potential energy divided by the weight is the height of G over B, a function of the vertical n in the frame
//! of the body: E(n) = (G − B(n)) · n. B moves horizontally when n changes, so for a small rotation of n by the horizontal vector s
//!
//! ```text
//! E = E₀ + (G − B) · s + ½ sᵀ (J / V − E₀) s,   J = ∫ r rᵀ dA over the waterplane
//! ```
//!
//! The gradient is the lever between weight and buoyancy, the second derivatives are the metacentric heights. Each step is that of Newton's
//! method with the absolute values of the eigenvalues, which always descends, and is halved until the energy decreases enough (Armijo). The
//! descent ends at a minimum, or at a saddle if it starts on one, such as the upright position of a symmetric body.

use std::fmt;

use glam::{DMat3, DVec3};

use super::{Attitude, Bow, Hold, Hull, HydrostaticsError, Immersion, Loading, afloat::Afloat};
use crate::principal::{eigen, outer};

/// Maximum rotation in one step, rad.
const MAX_STEP: f64 = 0.15;
/// Maximum rotation in one step that lets water in over a rim, rad: the rim is reached, not jumped.
const MAX_FLOODING_STEP: f64 = 0.002;
/// Rotation by which the descent leaves the neighbourhood of an unstable equilibrium, rad.
const KICK: f64 = 0.01;
const MAX_STEPS: usize = 300;
/// Steps shorter than this are lost in rounding, rad.
const MIN_STEP: f64 = 1e-13;
/// The lever that counts as zero, relative to the size of the displaced volume.
const LEVER: f64 = 1e-11;
/// A lever at which the descent may end if rounding prevents further progress.
const ROUGH_LEVER: f64 = 1e-7;
/// The metacentric height that counts as zero, relative to the size of the displaced volume. A cylinder or a regular prism can float
/// inclined at any angle about its axis. Coordinates in single precision give such a body heights of up to 3e-7
/// (`cargo test --release --test shape attitudes`).
const NEUTRAL: f64 = 1e-6;
/// Ratio of the metacentric heights below which the descent follows the bottom of a valley.
const NARROW: f64 = 1e-2;
/// Steps from beside a valley to its bottom.
const STEPS_ACROSS: usize = 3;
/// Error of the energy, relative to its terms: the displaced volume is exact to 1e-13.
const ROUNDING: f64 = 1e-12;
/// Fraction of the decrease expected from the gradient that is enough.
const ARMIJO: f64 = 1e-4;

/// What happens after a small inclination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stability {
    /// The body returns: both principal metacentric heights are positive.
    Stable,
    /// The smaller metacentric height is zero, as for a ball.
    Neutral,
    /// The body inclines further.
    Unstable,
}

impl fmt::Display for Stability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Stable => "stable",
            Self::Neutral => "neutral",
            Self::Unstable => "unstable",
        })
    }
}

/// A position at which weight and buoyancy are equal and in line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equilibrium {
    /// The immersed part of the body.
    pub immersion: Immersion,
    /// Principal metacentric heights, the smaller one first, m.
    pub metacentric_heights: [f64; 2],
    /// Height of the center of gravity over the center of buoyancy, m: the potential energy divided by the weight.
    pub energy: f64,
    /// Whether water has entered the hold on the way to this position.
    pub hold: Hold,
    least_stable: DVec3,
}

impl Equilibrium {
    /// The nearest equilibrium downhill from `start`. If moments balance at `start`, it is the result, even if unstable.
    ///
    /// # Errors
    /// The body sinks, at once or after flooding, or the descent does not converge.
    pub fn from(hull: &Hull, loading: &Loading, start: Attitude, bow: Bow, hold: Hold) -> Result<Self, HydrostaticsError> {
        Descent::new(hull, loading, bow, hold).run(start.up(bow))
    }

    /// The stable equilibria next to this one: itself if it is not unstable, otherwise those to which the body goes if it is inclined a
    /// little to either side. Two that are mirror images of each other, with the same energy and heel and trim of the same size, count once.
    ///
    /// # Errors
    /// See [`Equilibrium::from`].
    pub fn settle(&self, hull: &Hull, loading: &Loading, bow: Bow) -> Result<Vec<Self>, HydrostaticsError> {
        if self.stability() != Stability::Unstable {
            return Ok(vec![*self]);
        }
        let mut found: Vec<Self> = Vec::new();
        // To starboard first, or to the stern: the side of positive heel or trim.
        let away = self.least_stable;
        let side = Attitude::of((self.immersion.up + KICK * away).normalize(), bow);
        let here = self.attitude(bow);
        let (heel, trim) = (side.heel - here.heel, side.trim - here.trim);
        let positive = if heel.abs() > trim.abs() { heel } else { trim }.signum();
        for sign in [positive, -positive] {
            let mut start = *self;
            // A minimum is the rule. A saddle at the end of a ridge is left in the same way.
            for _ in 0..4 {
                let up = (start.immersion.up + sign * KICK * start.least_stable).normalize();
                start = Descent::new(hull, loading, bow, start.hold).run(up)?;
                if start.stability() != Stability::Unstable {
                    break;
                }
            }
            if !found.iter().any(|other| other.mirrors(&start, bow)) {
                found.push(start);
            }
        }
        Ok(found)
    }

    /// Heel and trim.
    pub fn attitude(&self, bow: Bow) -> Attitude {
        Attitude::of(self.immersion.up, bow)
    }

    /// Stability, from the smaller metacentric height.
    pub fn stability(&self) -> Stability {
        let threshold = NEUTRAL * self.immersion.volume.cbrt();
        match self.metacentric_heights[0] {
            height if height > threshold => Stability::Stable,
            height if height < -threshold => Stability::Unstable,
            _ => Stability::Neutral,
        }
    }

    /// Whether both positions have the same energy, and heel and trim of the same size.
    fn mirrors(&self, other: &Self, bow: Bow) -> bool {
        const SAME: f64 = 1e-4;
        let (one, two) = (self.attitude(bow), other.attitude(bow));
        let close = |a: f64, b: f64, scale: f64| (a.abs() - b.abs()).abs() < SAME * scale;
        close(one.heel, two.heel, 1.0) && close(one.trim, two.trim, 1.0) && close(self.energy, other.energy, self.immersion.volume.cbrt())
    }
}

struct Descent<'a> {
    hull: &'a Hull,
    afloat: Afloat<'a>,
    loading: &'a Loading,
    bow: Bow,
    hold: Hold,
}

/// Energy and its derivatives at an attitude.
struct Place {
    immersion: Immersion,
    energy: f64,
    lever: DVec3,
    /// Metacentric heights with their horizontal directions, the smaller one first.
    modes: [(f64, DVec3); 2],
}

impl Place {
    /// Whether no lever is left. Along a direction without stability, a lever that is due to the rounding of the mesh counts as none.
    fn is_balanced(&self, size: f64) -> bool {
        self.modes.into_iter().all(|(height, direction)| {
            let least = if height.abs() <= NEUTRAL * size { ROUGH_LEVER } else { LEVER };
            self.lever.dot(direction).abs() <= least * size
        })
    }
}

impl<'a> Descent<'a> {
    fn new(hull: &'a Hull, loading: &'a Loading, bow: Bow, hold: Hold) -> Self {
        Self { hull, afloat: Afloat::new(&hull.surface, loading.volume()), loading, bow, hold }
    }

    fn run(&mut self, start: DVec3) -> Result<Equilibrium, HydrostaticsError> {
        let size = self.loading.volume().cbrt();
        let mut here = self.place(start).ok_or_else(|| self.sinks(start))?;
        if self.hull.hold(&here.immersion) == Hold::Flooded {
            self.hold = Hold::Flooded;
        }
        for _ in 0..MAX_STEPS {
            if here.is_balanced(size) {
                return Ok(self.at_rest(&here));
            }
            match self.next(&here) {
                Next::Place(next) => {
                    if next.immersion.has_flooded_since(&here.immersion) {
                        self.hold = Hold::Flooded;
                    }
                    here = *next;
                }
                Next::Stuck if here.lever.length() <= ROUGH_LEVER * size => return Ok(self.at_rest(&here)),
                Next::Stuck => break,
                Next::Sinks => return Err(self.founders(&here)),
            }
        }
        Err(HydrostaticsError::NoEquilibrium(here.lever.length()))
    }

    /// One step down.
    fn next(&mut self, here: &Place) -> Next {
        let step = here.modes.into_iter().map(|mode| step_along(here.lever, mode)).sum::<DVec3>().clamp_length_max(MAX_STEP);
        let (mut length, direction) = (step.length(), step.normalize_or_zero());
        while length > MIN_STEP {
            let up = (here.immersion.up * length.cos() + direction * length.sin()).normalize();
            let candidate = self.place(up).map(|place| self.across(here, place));
            if candidate.is_none() && length <= MAX_FLOODING_STEP {
                return Next::Sinks;
            }
            if let Some(next) = candidate.filter(|next| self.descends(here, next, length, direction)) {
                return Next::Place(Box::new(next));
            }
            length *= 0.5;
        }
        Next::Stuck
    }

    /// The bottom of the valley beside `place`, if `here` is in a narrow one. Valleys are curved, such as a circle of attitudes about the axis of
    /// a prism: straight steps along them would climb their sides, and be shortened until the descent hardly moves.
    fn across(&mut self, here: &Place, mut place: Place) -> Place {
        let [least, most] = here.modes;
        if least.0.abs() > NARROW * most.0 {
            return place;
        }
        for _ in 0..STEPS_ACROSS {
            let steepest = place.modes[1];
            let step = step_along(place.lever, steepest);
            if steepest.0 <= 0.0 || step.length() > MAX_STEP {
                break;
            }
            let Some(next) = self.place((place.immersion.up + step).normalize()) else { break };
            if next.energy > place.energy {
                break;
            }
            place = next;
        }
        place
    }

    fn descends(&self, here: &Place, next: &Place, length: f64, direction: DVec3) -> bool {
        if next.immersion.has_flooded_since(&here.immersion) && length > MAX_FLOODING_STEP {
            return false;
        }
        let expected = length * here.lever.dot(direction);
        let rounding = ROUNDING * (here.energy.abs() + self.loading.volume().cbrt());
        let change = next.energy - here.energy;
        change <= ARMIJO * expected && change < -rounding || change.abs() <= rounding && next.lever.length() < here.lever.length()
    }

    fn place(&mut self, up: DVec3) -> Option<Place> {
        let immersion = self.afloat.at(up, self.hold)?;
        let center = self.loading.center_of_gravity;
        let energy = immersion.energy(center);
        Some(Place { energy, lever: immersion.lever(center), modes: modes(&immersion, energy), immersion })
    }

    fn at_rest(&self, place: &Place) -> Equilibrium {
        let [least, most] = place.modes;
        Equilibrium {
            immersion: place.immersion,
            metacentric_heights: [least.0, most.0],
            energy: place.energy,
            hold: self.hold,
            least_stable: least.1,
        }
    }

    fn sinks(&self, up: DVec3) -> HydrostaticsError {
        let displaced = self.hull.largest_volume(up, self.hold) * self.loading.water_density;
        HydrostaticsError::Sinks { mass: self.loading.mass, displaced }
    }

    fn founders(&self, here: &Place) -> HydrostaticsError {
        let attitude = Attitude::of(here.immersion.up, self.bow);
        HydrostaticsError::Founders { heel: attitude.heel.to_degrees(), trim: attitude.trim.to_degrees() }
    }
}

/// The step of Newton's method along one direction, downhill. Near a maximum the slope is lost in rounding: there the step has a minimum
/// length.
fn step_along(lever: DVec3, (height, direction): (f64, DVec3)) -> DVec3 {
    let slope = lever.dot(direction);
    let length = slope.abs() / height.abs().max(1e-12 * lever.length());
    -slope.signum() * if height < 0.0 { length.max(KICK) } else { length } * direction
}

enum Next {
    Place(Box<Place>),
    /// No step decreases the energy by more than rounding.
    Stuck,
    /// The body reaches the rim of a hold and cannot float beyond.
    Sinks,
}

/// Principal metacentric heights with their horizontal directions, the smaller one first.
fn modes(immersion: &Immersion, energy: f64) -> [(f64, DVec3); 2] {
    // Finite numbers, whatever the scale of the body: the vertical has the largest value and is left out.
    let up = immersion.up;
    let waterplane = immersion.waterplane.second_moments * (1.0 / immersion.volume);
    let trace = waterplane.x_axis.x + waterplane.y_axis.y + waterplane.z_axis.z;
    let vertical = outer(up) * (2.0 * trace + immersion.volume.cbrt());
    let (values, vectors): (DVec3, DMat3) = eigen(waterplane + vertical);
    let mut order = [0, 1, 2];
    order.sort_by(|&one, &other| values[one].total_cmp(&values[other]));
    [order[0], order[1]].map(|place| {
        let direction = vectors.col(place);
        (values[place] - energy, (direction - direction.dot(up) * up).normalize())
    })
}
