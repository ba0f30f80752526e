//! Conjugate gradients, and Cholesky factors where they take too long.

use super::{
    cholesky::Cholesky,
    conjugate_gradients::{Accuracy, ConjugateGradients},
    matrix::{BlockMatrix, Pattern},
};
use crate::blocks::block::Dof6;

/// Iterations after which factors would have been found sooner: so many, and this times the square root of the rows.
const LEAST: u32 = 40;
const SHARE: f64 = 4.0;

/// Solves systems of one pattern after another.
#[derive(Debug, Default)]
pub struct Solver {
    pattern: Pattern,
    gradients: ConjugateGradients,
    /// Of this pattern, if it was needed.
    cholesky: Option<Cholesky>,
    /// Whether the systems of this step are factorized.
    direct: bool,
}

impl Solver {
    /// Systems from here on are of this pattern.
    pub fn use_pattern(&mut self, pattern: Pattern) {
        if pattern != self.pattern {
            self.cholesky = None;
            self.pattern = pattern;
        }
    }

    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// A step begins: what was too hard for gradients in the last one may not be in this one.
    pub fn begin(&mut self) {
        self.direct = false;
    }

    /// Solves `matrix · solution = right` from the guess in `solution`; nothing if the matrix is not positive definite or holds what is not
    /// a number.
    pub fn solve(&mut self, matrix: &mut BlockMatrix, accuracy: Accuracy, solution: &mut Vec<Dof6>) -> Option<()> {
        if !self.direct {
            let most = LEAST + (SHARE * (self.pattern.rows as f64).sqrt()) as u32;
            let found = self.gradients.solve(&self.pattern, matrix, solution, accuracy, most);
            self.direct = found.is_none();
        }
        if self.direct {
            let cholesky = self.cholesky.get_or_insert_with(|| Cholesky::new(self.pattern.clone()));
            *solution = cholesky.solve(matrix)?;
        }
        Some(())
    }
}
