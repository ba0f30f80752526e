//! Output for users: frames, tables, fractal dimension, micrographs, timing.

mod fractal;
mod projection;
mod tables;
mod timing;

pub use fractal::{FractalFit, FractalPoint};
pub use projection::Micrograph;
pub use tables::{facts, frame, row, summary, tables};
pub use timing::AggregateStage;
