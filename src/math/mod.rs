//! Poses, boxes, random numbers, sums, numbers in words: the plain mathematics that every floor above uses.

mod aabb;
pub(crate) mod format;
pub(crate) mod parallel;
mod pose;
mod random;
mod rectangle;

pub use aabb::Aabb;
pub use pose::Pose;
pub use random::Random;
pub use rectangle::Rectangle;
