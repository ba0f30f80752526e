//! The section of each simulator.

pub mod aggregates;
pub mod blocks;
pub mod fluid;
pub mod gas;
pub mod grains;
mod spheres;
