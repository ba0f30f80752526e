//! Poses, boxes and the other plain geometry that every floor above uses.

mod aabb;
mod pose;
mod random;
mod rectangle;

pub use aabb::Aabb;
pub use pose::Pose;
pub use random::Random;
pub use rectangle::Rectangle;
