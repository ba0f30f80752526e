//! Two convex polyhedra in the frame of the first.

use glam::{DMat3, DVec3};
use parry3d_f64::math::Pose;

use crate::polyhedron::Polyhedron;

/// Points closer than this, relative to the size of the pair, are one.
const SAME: f64 = 1e-10;

/// Two polyhedra and where the second one is.
pub(crate) struct Pair<'a, A, B> {
    pub first: &'a A,
    pub second: &'a B,
    /// The vertices of the second one in the frame of the first.
    pub second_points: &'a [DVec3],
    turn: DMat3,
    turn_back: DMat3,
    shift: DVec3,
    /// The distance below which points are one, m.
    pub same: f64,
    /// The largest distance of a contact, m.
    pub prediction: f64,
}

impl<'a, A: Polyhedron, B: Polyhedron> Pair<'a, A, B> {
    /// The pair with the second polyhedron at `pose` in the frame of the first. `second_points` is a buffer.
    pub fn new(first: &'a A, second: &'a B, pose: &Pose, prediction: f64, second_points: &'a mut Vec<DVec3>) -> Self {
        second_points.clear();
        second_points.extend(second.points().iter().map(|&point| *pose * point));
        let scale = |points: &[DVec3]| points.iter().fold(0.0_f64, |most, point| most.max(point.abs().max_element()));
        let same = SAME * scale(first.points()).max(scale(second_points));
        let turn = DMat3::from_quat(pose.rotation);
        Self { first, second, second_points, turn, turn_back: turn.transpose(), shift: pose.translation, same, prediction }
    }

    /// The vertices of the first one.
    pub fn first_points(&self) -> &'a [DVec3] {
        self.first.points()
    }

    /// The normal of a face of the second one, in the frame of the first.
    #[inline]
    pub fn second_normal(&self, face: u32) -> DVec3 {
        self.turn * self.second.face_normal(face)
    }

    /// The largest coordinate of the second one along the `normal` of one of its faces, in the frame of the first.
    #[inline]
    pub fn second_offset(&self, face: u32, normal: DVec3) -> f64 {
        self.second.face_offset(face) + normal.dot(self.shift)
    }

    /// A direction in the frame of the second one.
    pub fn in_second(&self, direction: DVec3) -> DVec3 {
        self.turn_back * direction
    }

    /// How far the second one is from the first along `direction`, from the first to the second; negative if they overlap, m.
    pub fn separation(&self, direction: DVec3) -> f64 {
        lowest(self.second_points, direction) - highest(self.first_points(), direction)
    }
}

/// The largest coordinate of any of the points along `direction`.
pub(crate) fn highest(points: &[DVec3], direction: DVec3) -> f64 {
    points.iter().fold(f64::NEG_INFINITY, |high, point| high.max(point.dot(direction)))
}

/// The smallest coordinate of any of the points along `direction`.
pub(crate) fn lowest(points: &[DVec3], direction: DVec3) -> f64 {
    points.iter().fold(f64::INFINITY, |low, point| low.min(point.dot(direction)))
}
