//! What is kept of a simulation for people: frames, tables, fractal dimension, pictures.

mod fractal;
mod projection;
mod stages;
mod tables;

pub use fractal::{FractalFit, FractalPoint};
pub use projection::Micrograph;
pub use stages::Stage;
