//! The equations of a step: a symmetric positive definite matrix of 6 × 6 blocks, and their solution.

mod cholesky;
mod matrix;

pub use cholesky::Cholesky;
pub use matrix::{BlockMatrix, Pattern};
