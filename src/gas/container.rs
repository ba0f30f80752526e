//! The box around the spheres: on each axis periodic, or closed by two walls that may move.
//!
//! A wall moves at a constant velocity from each entry of its schedule to the next. A sphere of radius `R` touches the lower wall when
//! `x = x_w + R`, the upper when `x = x_w − R`; its velocity then turns into `v' = v_w − e (v − v_w)`, which is `2 v_w − v` if elastic.

use std::f64::consts::{FRAC_PI_4, FRAC_PI_6};

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::contact::Impact;
use crate::math::Domain;

/// In how many dimensions the spheres move.
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

    /// Edges (m) of a square or cube of which `count` spheres of diameter 1 m fill the share `packing`.
    pub fn edges(self, count: usize, packing: f64) -> DVec3 {
        match self {
            Self::Two => (count as f64 * FRAC_PI_4 / packing).sqrt() * DVec3::new(1.0, 1.0, 0.0),
            Self::Three => DVec3::splat((count as f64 * FRAC_PI_6 / packing).cbrt()),
        }
    }
}

/// From a time (s) on a wall moves at a velocity (m/s, along its axis).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leg {
    /// When the leg begins, s.
    pub from: f64,
    /// m/s
    pub velocity: f64,
}

/// One wall. Its time is that of the simulator's clock, which is set back now and then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wall {
    /// At time zero of the clock, m.
    pub position: f64,
    /// m/s
    pub velocity: f64,
    /// What is still to come, in order of time; seconds from time zero of the simulation.
    pub schedule: Vec<Leg>,
}

impl Wall {
    /// A wall that stays at `position`, m.
    pub fn at_rest(position: f64) -> Self {
        Self { position, velocity: 0.0, schedule: Vec::new() }
    }

    /// Where the wall is at `clock` if it keeps its velocity.
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

    /// The length after which it repeats, m; zero if it does not.
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
    /// Two or three.
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

    /// Lowest corner and edges at `clock`; zero along an axis that is not there. m
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

    /// Lengths after which the axes repeat, m; zero for those that do not.
    pub fn periods(&self) -> DVec3 {
        let mut periods = DVec3::ZERO;
        for (axis, place) in self.axes.iter().enumerate() {
            periods[axis] = place.period();
        }
        periods
    }

    /// The box as it is at `clock`.
    pub fn domain_at(&self, clock: f64) -> Domain {
        let (low, size) = self.extent_at(clock);
        let periodic = self.periods().to_array().map(|period| period > 0.0);
        Domain { low, size, periodic, dimension: self.axes.len() }
    }

    /// The wall with `number`: twice its axis, one more if it is the upper one.
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

    /// All walls, to be changed.
    pub fn walls_mut(&mut self) -> impl Iterator<Item = &mut Wall> {
        let walls = self.axes.iter_mut().map(|axis| match axis {
            Axis::Walls { low, high } => [Some(low), Some(high)],
            Axis::Periodic { .. } => [None, None],
        });
        walls.flatten().flatten()
    }

    /// All walls.
    pub fn walls(&self) -> impl Iterator<Item = &Wall> {
        let walls = self.axes.iter().map(|axis| match axis {
            Axis::Walls { low, high } => [Some(low), Some(high)],
            Axis::Periodic { .. } => [None, None],
        });
        walls.flatten().flatten()
    }

    /// When the next wall changes its velocity, seconds from time zero of the simulation.
    pub fn next_change(&self) -> f64 {
        self.walls().filter_map(|wall| wall.schedule.first()).map(|leg| leg.from).fold(f64::INFINITY, f64::min)
    }

    /// Gives walls the velocities of all entries of their schedules up to `time` (s from time zero of the simulation), at `clock`.
    pub fn change_velocities_at(&mut self, time: f64, clock: f64) {
        for wall in self.walls_mut() {
            while let Some(leg) = wall.schedule.first().copied().filter(|leg| leg.from <= time) {
                wall.position = wall.position_at(clock) - leg.velocity * clock;
                wall.velocity = leg.velocity;
                wall.schedule.remove(0);
            }
        }
    }

    /// When, on the clock, the first two walls that close in are within `width` (m) of each other.
    pub fn time_to_narrow(&self, width: f64) -> f64 {
        let time = |axis: &Axis| match axis {
            Axis::Walls { low, high } if high.velocity < low.velocity => {
                ((high.position - low.position - width) / (low.velocity - high.velocity)).max(0.0)
            }
            _ => f64::INFINITY,
        };
        self.axes.iter().map(time).fold(f64::INFINITY, f64::min)
    }

    /// Moves the walls to where they are at `clock`, which becomes zero.
    pub fn set_back(&mut self, clock: f64) {
        for wall in self.walls_mut() {
            wall.position = wall.position_at(clock);
        }
    }

    /// The first wall that a sphere of `radius` at `x` (at `clock`) with velocity `v` meets, and the clock then.
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

    /// Velocity after meeting wall `number` at `velocity`; the same if the sphere does not approach.
    pub fn rebound(&self, number: u32, mut velocity: DVec3, impact: Impact) -> DVec3 {
        let axis = number as usize / 2;
        let wall = self.wall(number).velocity;
        let relative = velocity[axis] - wall;
        let approaching = if number.is_multiple_of(2) { relative < 0.0 } else { relative > 0.0 };
        if approaching {
            velocity[axis] = wall - impact.at(relative.abs()) * relative;
        }
        velocity
    }
}
