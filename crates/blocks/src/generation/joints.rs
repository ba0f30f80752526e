//! Sets of parallel joints.

use glam::DVec2;
use plimsoll_base::math::{Random, Rectangle};
use serde::{Deserialize, Serialize};

/// Joints of roughly one direction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointSet {
    /// Angle of the joints from the x axis, counterclockwise, rad.
    pub angle: f64,
    /// Mean distance between joints, meters.
    pub spacing: f64,
    /// Share of each line that is joint and not rock bridge, above 0 and up to 1.
    pub persistence: f64,
    /// Mean length of a joint between two bridges, meters, if the persistence is below 1.
    pub length: f64,
    /// Maximum deviation of a joint's angle, rad.
    pub angle_scatter: f64,
    /// Maximum deviation of the distance, as a share of the spacing, below 1.
    pub spacing_scatter: f64,
}

impl JointSet {
    /// About how many parallel lines cover `area`, at most. One may be on each side of it.
    pub(super) fn line_count(&self, area: &Rectangle) -> f64 {
        area.extent().length() / self.spacing + 3.0
    }

    /// About how many joints cover `area`, at most.
    pub(super) fn joint_count(&self, area: &Rectangle) -> f64 {
        let per_line = if self.persistence < 1.0 { 2.0 * self.reach(area) * self.persistence / self.length } else { 0.0 };
        self.line_count(area) * (1.0 + per_line)
    }

    /// About how many crossings the lines of two sets have in an `area` (m²), at most.
    pub(super) fn crossings(&self, other: &Self, area: f64) -> f64 {
        let scatter = self.angle_scatter + other.angle_scatter;
        let sine = ((self.angle - other.angle).sin().abs() + scatter).min(1.0);
        // Lines that are almost parallel still cross a few times.
        area / self.spacing / other.spacing * sine.max(1e-3)
    }

    /// How far a line extends from its foot, m.
    fn reach(&self, area: &Rectangle) -> f64 {
        let radius = 0.5 * area.extent().length();
        1.5 * radius + self.spacing.min(radius)
    }

    /// The joints as lines that cover `area`.
    pub(super) fn lines(&self, area: &Rectangle, random: &mut Random) -> Vec<[DVec2; 2]> {
        let (middle, radius) = (0.5 * (area.min + area.max), 0.5 * area.extent().length());
        let across = DVec2::from_angle(self.angle).perp();
        let mut lines = Vec::new();
        // Starts half a spacing from the middle, so that a set without scatter is symmetric about it.
        let mut offset = -((radius / self.spacing).ceil() + 0.5) * self.spacing;
        while offset <= radius + self.spacing {
            let shift = self.spacing_scatter * self.spacing * 0.5 * random.between(-1.0, 1.0);
            let along = DVec2::from_angle(self.angle + self.angle_scatter * random.between(-1.0, 1.0));
            let foot = middle + (offset + shift) * across;
            let reach = self.reach(area);
            if self.persistence >= 1.0 {
                lines.push([foot - reach * along, foot + reach * along]);
            } else {
                let bridge = self.length * (1.0 - self.persistence) / self.persistence;
                let mut place = -reach - random.between(0.0, self.length + bridge);
                while place < reach {
                    let length = self.length * random.between(0.5, 1.5);
                    lines.push([foot + place * along, foot + (place + length) * along]);
                    place += length + bridge * random.between(0.5, 1.5);
                }
            }
            offset += self.spacing;
        }
        lines
    }
}
