//! How the speed of an emitter changes in time.

use glam::DVec3;
use plimsoll_base::math::Expression;
use serde::{Deserialize, Serialize};

/// The speed of an emitter as a function of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpeedCourse {
    /// Pairs of a time (s) and a speed (m/s) in ascending order of time, with straight lines between them. The first and last speed apply before and after.
    Table(Vec<[f64; 2]>),
    /// An expression of the time, m/s.
    Expression(Expression),
}

impl SpeedCourse {
    /// The speed at `time` (s), m/s; an expression may have any value.
    pub fn value(&self, time: f64) -> f64 {
        match self {
            Self::Expression(expression) => expression.value(DVec3::ZERO, time),
            Self::Table(rows) => {
                let after = rows.partition_point(|[at, _]| *at <= time);
                match (after.checked_sub(1).map(|before| rows[before]), rows.get(after)) {
                    (Some([from, before]), Some([to, next])) => before + (time - from) / (to - from) * (next - before),
                    (Some([_, speed]), None) | (None, Some(&[_, speed])) => speed,
                    (None, None) => 0.0,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_of_a_table_are_on_straight_lines() {
        let course = SpeedCourse::Table(vec![[1.0, 2.0], [2.0, 4.0], [4.0, 0.0]]);
        for (time, speed) in [(0.0, 2.0), (1.0, 2.0), (1.5, 3.0), (2.0, 4.0), (3.0, 2.0), (4.0, 0.0), (9.0, 0.0)] {
            assert_eq!(course.value(time), speed, "{time} s");
        }
    }
}
