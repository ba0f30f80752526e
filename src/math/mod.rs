//! Poses, boxes and the other plain geometry that every floor above uses.

mod aabb;
mod pose;

pub use aabb::Aabb;
pub use pose::Pose;
