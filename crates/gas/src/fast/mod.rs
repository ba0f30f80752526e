//! The fast engine: event queue, order of spheres in memory, prefetch, checks of the initial state.

mod engine;
mod order;
mod prefetch;
mod queue;
mod sphere;
mod validate;

pub use engine::Gas;
