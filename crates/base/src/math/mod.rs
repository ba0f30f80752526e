//! Basic mathematics for all layers above: poses, boxes, domains, offset lists, random numbers, sums, number formatting.

mod aabb;
mod domain;
mod expression;
pub mod format;
pub mod lanes;
mod offset_lists;
pub mod parallel;
mod pose;
mod random;
mod rectangle;
pub mod ticks;

pub use aabb::Aabb;
pub use domain::{Domain, Image, Periods, round_down, round_up};
pub use expression::{Expression, ExpressionError};
pub use lanes::Places;
pub use offset_lists::{OffsetLists, prefix_sum};
pub use pose::Pose;
pub use random::Random;
pub use rectangle::Rectangle;
