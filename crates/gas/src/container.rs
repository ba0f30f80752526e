//! The box around the spheres. Each axis is periodic or closed by two walls that may move.
//!
//! A wall moves at a constant velocity from each entry of its schedule to the next. A sphere of radius `R` touches the lower wall at
//! `x = x_w + R` and the upper wall at `x = x_w − R`. Its velocity then becomes `v' = v_w − e (v − v_w)`, which is `2 v_w − v` for an
//! elastic impact.

use std::f64::consts::{FRAC_PI_4, FRAC_PI_6};

use glam::DVec3;
use plimsoll_base::math::Domain;
use serde::{Deserialize, Serialize};

use super::contact::Impact;

/// Names of the walls in a scene, by number.
pub const WALL_NAMES: [&str; 6] = ["x_min", "x_max", "y_min", "y_max", "z_min", "z_max"];

/// Number of dimensions in which the spheres move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dimension {
    /// Discs in the plane `z = 0`.
    Two,
    /// Spheres.
    Three,
}

impl Dimension {
    /// Number of axes.
    pub fn count(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// Volume of a sphere of `radius` (m), m³; area of a disc, m², in two dimensions.
    pub fn ball(self, radius: f64) -> f64 {
        match self {
            Self::Two => 4.0 * FRAC_PI_4 * radius.powi(2),
            Self::Three => 8.0 * FRAC_PI_6 * radius.powi(3),
        }
    }

    /// Edges (m) of a square or cube in which `count` spheres of diameter 1 m have the packing fraction `packing`.
    pub fn edges(self, count: usize, packing: f64) -> DVec3 {
        match self {
            Self::Two => (count as f64 * FRAC_PI_4 / packing).sqrt() * DVec3::new(1.0, 1.0, 0.0),
            Self::Three => DVec3::splat((count as f64 * FRAC_PI_6 / packing).cbrt()),
        }
    }
}

/// A wall's velocity (m/s, along its axis) from a given time (s) on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leg {
    /// Start time of the leg, s.
    pub from: f64,
    /// m/s
    pub velocity: f64,
}

/// One wall. Its times refer to the simulator's clock, which is reset from time to time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wall {
    /// Position at clock zero, m.
    pub position: f64,
    /// m/s
    pub velocity: f64,
    /// Remaining schedule, sorted by time; seconds from time zero of the simulation.
    pub schedule: Vec<Leg>,
}

impl Wall {
    /// A wall at rest at `position`, m.
    pub fn at_rest(position: f64) -> Self {
        Self { position, velocity: 0.0, schedule: Vec::new() }
    }

    /// Position of the wall at `clock` if it keeps its velocity.
    pub fn position_at(&self, clock: f64) -> f64 {
        self.position + self.velocity * clock
    }
}

/// One axis of the box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Axis {
    /// From `low` to `low + length`, m.
    Periodic {
        /// Lower end, m.
        low: f64,
        /// Length of the period, m.
        length: f64,
    },
    /// Between two walls.
    Walls {
        /// Lower wall.
        low: Wall,
        /// Upper wall.
        high: Wall,
    },
}

impl Axis {
    /// Lower end and length at `clock`, m.
    pub fn extent_at(&self, clock: f64) -> (f64, f64) {
        match self {
            Self::Periodic { low, length } => (*low, *length),
            Self::Walls { low, high } => {
                let start = low.position_at(clock);
                (start, high.position_at(clock) - start)
            }
        }
    }

    /// Length of the period, m; zero if the axis is not periodic.
    pub fn period(&self) -> f64 {
        match self {
            Self::Periodic { length, .. } => *length,
            Self::Walls { .. } => 0.0,
        }
    }
}

/// The box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Container {
    /// Two or three axes.
    pub axes: Vec<Axis>,
}

impl Container {
    /// A box from `low` to `high` (m), periodic on every axis.
    pub fn periodic(dimension: Dimension, low: DVec3, high: DVec3) -> Self {
        let axis = |axis: usize| Axis::Periodic { low: low[axis], length: high[axis] - low[axis] };
        Self { axes: (0..dimension.count()).map(axis).collect() }
    }

    /// A box from `low` to `high` (m) with walls at rest.
    pub fn closed(dimension: Dimension, low: DVec3, high: DVec3) -> Self {
        let axis = |axis: usize| Axis::Walls { low: Wall::at_rest(low[axis]), high: Wall::at_rest(high[axis]) };
        Self { axes: (0..dimension.count()).map(axis).collect() }
    }

    /// Two or three dimensions.
    pub fn dimension(&self) -> Dimension {
        if self.axes.len() == 2 { Dimension::Two } else { Dimension::Three }
    }

    /// Lowest corner and edges at `clock`, m; zero along a missing axis.
    pub fn extent_at(&self, clock: f64) -> (DVec3, DVec3) {
        let (mut low, mut size) = (DVec3::ZERO, DVec3::ZERO);
        for (axis, place) in self.axes.iter().enumerate() {
            (low[axis], size[axis]) = place.extent_at(clock);
        }
        (low, size)
    }

    /// Volume at `clock`, m³; area (m²) in two dimensions.
    pub fn volume_at(&self, clock: f64) -> f64 {
        self.axes.iter().map(|axis| axis.extent_at(clock).1).product()
    }

    /// Periods of the axes, m; zero for axes that are not periodic.
    pub fn periods(&self) -> DVec3 {
        let mut periods = DVec3::ZERO;
        for (axis, place) in self.axes.iter().enumerate() {
            periods[axis] = place.period();
        }
        periods
    }

    /// The box at `clock`.
    pub fn domain_at(&self, clock: f64) -> Domain {
        let (low, size) = self.extent_at(clock);
        let periodic = self.periods().to_array().map(|period| period > 0.0);
        Domain { low, size, periodic, dimension: self.axes.len() }
    }

    /// The wall with index `number`: `2 * axis` for the lower wall, `2 * axis + 1` for the upper.
    pub fn wall(&self, number: u32) -> &Wall {
        match &self.axes[number as usize / 2] {
            Axis::Walls { low, high } => {
                if number.is_multiple_of(2) {
                    low
                } else {
                    high
                }
            }
            Axis::Periodic { .. } => unreachable!("a periodic axis has no wall"),
        }
    }

    /// All walls, mutable.
    pub fn walls_mut(&mut self) -> impl Iterator<Item = &mut Wall> {
        let walls = self.axes.iter_mut().map(|axis| match axis {
            Axis::Walls { low, high } => [Some(low), Some(high)],
            Axis::Periodic { .. } => [None, None],
        });
        walls.flatten().flatten()
    }

    /// Maximum speed of a wall, m/s.
    pub fn fastest_wall(&self) -> f64 {
        self.walls().map(|wall| wall.velocity.abs()).fold(0.0, f64::max)
    }

    /// All walls.
    pub fn walls(&self) -> impl Iterator<Item = &Wall> {
        let walls = self.axes.iter().map(|axis| match axis {
            Axis::Walls { low, high } => [Some(low), Some(high)],
            Axis::Periodic { .. } => [None, None],
        });
        walls.flatten().flatten()
    }

    /// Time of the next velocity change of a wall, seconds from time zero of the simulation.
    pub fn next_change(&self) -> f64 {
        self.walls().filter_map(|wall| wall.schedule.first()).map(|leg| leg.from).fold(f64::INFINITY, f64::min)
    }

    /// Applies all schedule entries up to `time` (s from time zero of the simulation) to the walls, at `clock`.
    pub fn change_velocities_at(&mut self, time: f64, clock: f64) {
        for wall in self.walls_mut() {
            while let Some(leg) = wall.schedule.first().copied().filter(|leg| leg.from <= time) {
                wall.position = wall.position_at(clock) - leg.velocity * clock;
                wall.velocity = leg.velocity;
                wall.schedule.remove(0);
            }
        }
    }

    /// Clock time at which the first pair of approaching walls is within `width` (m) of each other.
    pub fn time_to_narrow(&self, width: f64) -> f64 {
        let time = |axis: &Axis| match axis {
            Axis::Walls { low, high } if high.velocity < low.velocity => {
                ((high.position - low.position - width) / (low.velocity - high.velocity)).max(0.0)
            }
            _ => f64::INFINITY,
        };
        self.axes.iter().map(time).fold(f64::INFINITY, f64::min)
    }

    /// The axis along which the walls approach each other fastest, with the faster of the two walls (its number) and the speed of approach, m/s;
    /// `None` if none do.
    pub fn approach(&self) -> Option<(usize, u32, f64)> {
        let axes = self.axes.iter().enumerate().filter_map(|(axis, place)| match place {
            Axis::Walls { low, high } if low.velocity > high.velocity => {
                let upper = u32::from(-high.velocity > low.velocity);
                Some((axis, 2 * axis as u32 + upper, low.velocity - high.velocity))
            }
            _ => None,
        });
        axes.max_by(|one, other| one.2.total_cmp(&other.2))
    }

    /// Moves the walls to their positions at `clock`, which becomes zero.
    pub fn set_back(&mut self, clock: f64) {
        for wall in self.walls_mut() {
            wall.position = wall.position_at(clock);
        }
    }

    /// The first wall hit by a sphere of `radius` at position `x` with velocity `v`, both at `clock`, and the clock time of the impact.
    #[inline]
    pub fn next_wall(&self, x: DVec3, v: DVec3, radius: f64, clock: f64) -> Option<(f64, u32)> {
        let mut first: Option<(f64, u32)> = None;
        for (axis, place) in self.axes.iter().enumerate() {
            let Axis::Walls { low, high } = place else { continue };
            for (wall, side) in [(low, 1.0), (high, -1.0)] {
                let approach = -side * (v[axis] - wall.velocity);
                if approach > 0.0 {
                    let gap = side * (x[axis] - wall.position_at(clock)) - radius;
                    let time = clock + (gap / approach).max(0.0);
                    if first.is_none_or(|(earliest, _)| time < earliest) {
                        first = Some((time, 2 * axis as u32 + u32::from(side < 0.0)));
                    }
                }
            }
        }
        first
    }

    /// Velocity after an impact on wall `number` at `velocity`; unchanged if the sphere does not approach. `least` is the minimum separation
    /// speed after an inelastic impact, m/s.
    pub fn rebound(&self, number: u32, mut velocity: DVec3, impact: Impact, least: f64) -> DVec3 {
        let axis = number as usize / 2;
        let wall = self.wall(number).velocity;
        let relative = velocity[axis] - wall;
        let approaching = if number.is_multiple_of(2) { relative < 0.0 } else { relative > 0.0 };
        if approaching {
            velocity[axis] = wall - impact.at(relative.abs(), least) * relative;
        }
        velocity
    }
}
