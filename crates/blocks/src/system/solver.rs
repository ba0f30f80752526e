//! Conjugate gradients, with Cholesky factorization if they take too long.

use super::{
    cholesky::Cholesky,
    conjugate_gradients::{Accuracy, ConjugateGradients},
    matrix::{BlockMatrix, Pattern},
};
use crate::block::Dof6;

/// Maximum iterations, beyond which a factorization would have been faster: this number plus `SHARE` times the square root of the rows.
const MIN_ITERATIONS: u32 = 40;
const SHARE: f64 = 4.0;

/// Solves successive systems of one pattern.
#[derive(Debug, Default)]
pub struct Solver {
    pattern: Pattern,
    gradients: ConjugateGradients,
    /// Factorization for this pattern, once it has been needed.
    cholesky: Option<Cholesky>,
    /// Whether the systems of this step are solved by factorization.
    direct: bool,
}

impl Solver {
    /// Sets the pattern of the following systems.
    pub fn use_pattern(&mut self, pattern: Pattern) {
        if pattern != self.pattern {
            self.cholesky = None;
            self.pattern = pattern;
        }
    }

    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Begins a step: tries gradients again, even if they failed in the last step.
    pub fn begin(&mut self) {
        self.direct = false;
    }

    /// Solves `matrix · solution = right` with `solution` as initial guess; `None` if the matrix is not positive definite or the solution
    /// is not finite.
    pub fn solve(&mut self, matrix: &mut BlockMatrix, accuracy: Accuracy, solution: &mut Vec<Dof6>) -> Option<()> {
        if !self.direct {
            let most = MIN_ITERATIONS + (SHARE * (self.pattern.rows as f64).sqrt()) as u32;
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
