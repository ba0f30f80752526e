//! What is kept of a simulation for people: frames, tables, fractal dimension, pictures.

mod fractal;
mod projection;
mod tables;
mod timing;

pub use fractal::{FractalFit, FractalPoint};
pub use projection::Micrograph;
pub use timing::Stage;
