//! Bodies that change their shape as prescribed: a sequence of positions of the same vertices.

use glam::DVec3;
use plimsoll_base::math::format::significant;
use serde::{Deserialize, Serialize};

/// Largest number of parts of a step in which speeds are computed.
const MAX_PARTS: f64 = 64.0;

/// Shapes at equal intervals of time. Between them each vertex follows a cubic with the velocity `(x₊ − x₋) / 2 interval` at each shape
/// (Catmull and Rom 1974), so that velocities are continuous.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Deformation {
    /// Time between two shapes, s.
    pub interval: f64,
    /// Whether the first shape follows the last one. Otherwise the body begins and ends at rest and keeps its last shape.
    pub repeats: bool,
    /// Positions of the vertices of each shape, m, body coordinates; at least two shapes. The first one is that of the body's definition.
    pub shapes: Vec<Vec<DVec3>>,
}

impl Deformation {
    /// Time from the first shape to the last one, or until the first one follows, s.
    pub fn duration(&self) -> f64 {
        let intervals = if self.repeats { self.shapes.len() } else { self.shapes.len() - 1 };
        intervals as f64 * self.interval
    }

    /// Positions of the vertices at `time` (s), m.
    pub fn positions(&self, time: f64) -> Vec<DVec3> {
        let duration = self.duration();
        let within = if self.repeats { time.rem_euclid(duration) } else { time.clamp(0.0, duration) };
        let last = if self.repeats { self.shapes.len() - 1 } else { self.shapes.len() - 2 };
        let from = ((within / self.interval) as usize).min(last);
        let s = within / self.interval - from as f64;
        let [before, start, end, after] = [-1, 0, 1, 2].map(|offset| self.shape(from as i64 + offset));
        // At its ends a sequence is at rest.
        let half_unless_end = |index: usize| if self.repeats || (1..self.shapes.len() - 1).contains(&index) { 0.5 } else { 0.0 };
        let (first, second) = (half_unless_end(from), half_unless_end(from + 1));
        // The Hermite basis.
        let (square, cube) = (s * s, s * s * s);
        let [at_start, at_end] = [2.0 * cube - 3.0 * square + 1.0, 3.0 * square - 2.0 * cube];
        let [slope_at_start, slope_at_end] = [first * (cube - 2.0 * square + s), second * (cube - square)];
        let position = |vertex: usize| {
            at_start * start[vertex]
                + at_end * end[vertex]
                + slope_at_start * (end[vertex] - before[vertex])
                + slope_at_end * (after[vertex] - start[vertex])
        };
        (0..start.len()).map(position).collect()
    }

    /// Number of shapes and how long they take, in words.
    pub fn describe(&self) -> String {
        let then = if self.repeats { ", repeated" } else { "" };
        format!("{} shapes in {} s{then}", self.shapes.len(), significant(self.duration()))
    }

    /// The shape with this index, which may be beyond the ends.
    fn shape(&self, index: i64) -> &[DVec3] {
        let count = self.shapes.len() as i64;
        let index = if self.repeats { index.rem_euclid(count) } else { index.clamp(0, count - 1) };
        &self.shapes[index as usize]
    }

    /// Maximum speed of a vertex over the `dt` seconds from `time`, m/s: of the mean speeds over parts of at most half an interval.
    pub fn max_speed(&self, time: f64, dt: f64) -> f64 {
        let parts = (2.0 * dt / self.interval).ceil().clamp(1.0, MAX_PARTS);
        let part = dt / parts;
        let mut before = self.positions(time);
        let mut speed = 0.0_f64;
        for number in 1..=parts as u32 {
            let after = self.positions(time + f64::from(number) * part);
            speed = speed.max(longest(&before, &after) / part);
            before = after;
        }
        speed
    }
}

/// Maximum distance of a vertex between two shapes, m.
pub(super) fn longest(one: &[DVec3], other: &[DVec3]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max).sqrt()
}

/// How the surface of a deforming body moves in a step, in body coordinates.
#[derive(Clone, Debug, Default)]
pub struct SurfaceMotion {
    /// Velocities of all vertices of the segments, m/s; empty if the body does not deform.
    pub velocities: Vec<DVec3>,
    /// Maximum distance that a vertex moves, m.
    pub path: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(heights: &[f64], repeats: bool) -> Deformation {
        let shape = |&height: &f64| vec![DVec3::ZERO, DVec3::new(1.0, height, 0.0)];
        Deformation { interval: 0.5, repeats, shapes: heights.iter().map(shape).collect() }
    }

    fn height(deformation: &Deformation, time: f64) -> f64 {
        let positions = deformation.positions(time);
        assert_eq!((positions[0], positions[1].x), (DVec3::ZERO, 1.0));
        positions[1].y
    }

    #[test]
    fn vertices_pass_all_shapes_with_continuous_velocities() {
        let heights = [0.0, 1.0, 0.5, 3.0, -1.0];
        for repeats in [false, true] {
            let deformation = shapes(&heights, repeats);
            assert_eq!(deformation.duration(), if repeats { 2.5 } else { 2.0 });
            let e = 1e-6;
            for (index, &expected) in heights.iter().enumerate() {
                let time = 0.5 * index as f64;
                assert!((height(&deformation, time) - expected).abs() < 1e-12);
                let speed = |from: f64| (height(&deformation, from + e) - height(&deformation, from)) / e;
                let (before, after) = (speed(time - e), speed(time));
                assert!((before - after).abs() < 1e-3, "{repeats} {index}: {before} {after}");
            }
            let ends = if repeats { [height(&deformation, 0.2), height(&deformation, 1.7)] } else { [-1.0, -1.0] };
            assert!((height(&deformation, 2.7) - ends[0]).abs() < 1e-12);
            assert!((height(&deformation, 4.2) - ends[1]).abs() < 1e-12);
        }
        // A motion with constant velocity stays one.
        let even = shapes(&[0.0, 1.0, 2.0, 3.0, 4.0], false);
        assert!((height(&even, 0.83) - 1.66).abs() < 1e-12);
        assert!((even.max_speed(0.6, 0.1) - 2.0).abs() < 1e-12);
    }
}
