//! The equations of a step: a symmetric positive definite matrix of 6 × 6 blocks, and their solution.

mod cholesky;
mod conjugate_gradients;
mod matrix;
mod solver;
#[cfg(test)]
mod tests;

pub use conjugate_gradients::Accuracy;
pub use matrix::{BlockMatrix, Link, Pattern, Spring};
pub use solver::Solver;
