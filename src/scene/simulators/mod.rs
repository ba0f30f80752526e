//! What each simulator reads of a scene.

pub mod aggregates;
pub mod blocks;
pub mod fluid;
pub mod gas;
pub mod grains;
mod spheres;
