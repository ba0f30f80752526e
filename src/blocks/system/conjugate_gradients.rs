//! Conjugate gradients (Hestenes & Stiefel 1952) preconditioned by symmetric successive over-relaxation over 6 × 6 blocks.
//!
//! With `A = L + D + Lᵀ` and `E = D/ω` the preconditioner is `(E + L) E⁻¹ (E + Lᵀ)`. In the unknowns `v = (E + Lᵀ) x` and residuals
//! `s = (E + L)⁻¹ r` the matrix becomes
//!
//! ```text
//! K p = t + (E + L)⁻¹ (p + (ω − 2) E t),     t = (E + Lᵀ)⁻¹ p
//! ```
//!
//! so an iteration is one pass upwards and one downwards through the blocks below the diagonal: the preconditioner comes free (Eisenstat
//! 1981). `E t` is what the pass has before it divides by `E`. One thread does all of it, in the order of the rows.

use super::matrix::{BlockMatrix, Pattern, SIZE, product, subtract_product, subtract_transposed};
use crate::blocks::state::Six;

/// ω
const RELAXATION: f64 = 1.0;

/// When a solution is good enough. Residuals are measured by the preconditioner, which gives about the norm of the error in energy.
#[derive(Clone, Copy, Debug)]
pub enum Accuracy {
    /// Residual as a share of the right-hand side.
    Relative(f64),
    /// Residual in √J.
    Absolute(f64),
}

/// Vectors kept for their memory.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients {
    /// E⁻¹ of each row.
    inverses: Vec<[f64; SIZE]>,
    direction: Vec<Six>,
    /// v
    sum: Vec<Six>,
    /// s and E s.
    residual: Vec<Six>,
    weighted_residual: Vec<Six>,
    /// K p and E K p.
    image: Vec<Six>,
    weighted_image: Vec<Six>,
    /// What is left to the rows below in a pass down.
    rest: Vec<Six>,
}

impl ConjugateGradients {
    /// Brings `solution` of `matrix · solution = right` to the accuracy asked for, from the guess that it holds; returns the iterations
    /// that it took, nothing if it took more than `most` or the matrix is not positive definite.
    pub fn solve(&mut self, pattern: &Pattern, matrix: &BlockMatrix, solution: &mut [Six], accuracy: Accuracy, most: u32) -> Option<u32> {
        self.invert(matrix)?;
        let goal = match accuracy {
            Accuracy::Absolute(norm) => norm * norm,
            Accuracy::Relative(share) => {
                self.residual.clone_from(&matrix.right);
                share * share * self.divide_by_lower(pattern, matrix)
            }
        };
        let mut iterations = 0;
        loop {
            self.residual.clone_from(&matrix.right);
            matrix.subtract_product(pattern, solution, &mut self.residual);
            let size = self.divide_by_lower(pattern, matrix);
            if size <= goal || (iterations > 0 && size <= 4.0 * goal) {
                return Some(iterations);
            }
            iterations += self.correct(pattern, matrix, (size, goal), solution, most.checked_sub(iterations)?)?;
            // A second round mends what rounding has left of the first, where that matters.
            if let Accuracy::Absolute(_) = accuracy {
                return Some(iterations);
            }
        }
    }

    fn correct(&mut self, pattern: &Pattern, matrix: &BlockMatrix, (mut size, goal): (f64, f64), solution: &mut [Six], most: u32) -> Option<u32> {
        self.sum.clear();
        self.sum.resize(pattern.rows, [0.0; 6]);
        self.direction.clone_from(&self.weighted_residual);
        let mut iterations = 0;
        while size > goal {
            if iterations == most || !size.is_finite() {
                return None;
            }
            iterations += 1;
            self.multiply(pattern, matrix);
            let curvature = dot(&self.direction, &self.image);
            if curvature <= 0.0 {
                return None;
            }
            let length = size / curvature;
            add(&mut self.sum, length, &self.direction);
            add(&mut self.residual, -length, &self.image);
            add(&mut self.weighted_residual, -length, &self.weighted_image);
            let before = std::mem::replace(&mut size, dot(&self.residual, &self.weighted_residual));
            let share = size / before;
            for (direction, residual) in self.direction.as_flattened_mut().iter_mut().zip(self.weighted_residual.as_flattened()) {
                *direction = residual + share * *direction;
            }
        }
        // x += (E + Lᵀ)⁻¹ v
        self.divide_by_upper(pattern, matrix);
        add(solution, 1.0, &self.sum);
        Some(iterations)
    }

    /// E⁻¹ of every row; nothing if one is not positive definite.
    fn invert(&mut self, matrix: &BlockMatrix) -> Option<()> {
        self.inverses.clear();
        for block in &matrix.diagonal {
            self.inverses.push(inverse(block)?.map(|value| RELAXATION * value));
        }
        Some(())
    }

    /// `s ← (E + L)⁻¹ s`, and E s; returns s · E s.
    fn divide_by_lower(&mut self, pattern: &Pattern, matrix: &BlockMatrix) -> f64 {
        self.weighted_residual.clone_from(&self.residual);
        for row in 0..pattern.rows {
            let value = product(&self.inverses[row], &self.weighted_residual[row]);
            self.residual[row] = value;
            for place in pattern.below(row) {
                subtract_product(&mut self.weighted_residual[pattern.pairs[place][1] as usize], &matrix.below[place], &value);
            }
        }
        dot(&self.residual, &self.weighted_residual)
    }

    /// `v ← (E + Lᵀ)⁻¹ v`.
    fn divide_by_upper(&mut self, pattern: &Pattern, matrix: &BlockMatrix) {
        for row in (0..pattern.rows).rev() {
            let mut value = self.sum[row];
            for place in pattern.below(row) {
                subtract_transposed(&mut value, &matrix.below[place], &self.sum[pattern.pairs[place][1] as usize]);
            }
            self.sum[row] = product(&self.inverses[row], &value);
        }
    }

    /// K p and E K p of the direction p.
    fn multiply(&mut self, pattern: &Pattern, matrix: &BlockMatrix) {
        let count = pattern.rows;
        self.image.resize(count, [0.0; 6]);
        self.weighted_image.resize(count, [0.0; 6]);
        for row in (0..count).rev() {
            let mut value = self.direction[row];
            for place in pattern.below(row) {
                subtract_transposed(&mut value, &matrix.below[place], &self.image[pattern.pairs[place][1] as usize]);
            }
            self.image[row] = product(&self.inverses[row], &value);
            self.weighted_image[row] = value;
        }
        self.rest.clear();
        let rests = self.direction.iter().zip(&self.weighted_image);
        self.rest.extend(rests.map(|(p, et)| -> Six { std::array::from_fn(|k| p[k] + (RELAXATION - 2.0) * et[k]) }));
        for row in 0..count {
            let value = product(&self.inverses[row], &self.rest[row]);
            for place in pattern.below(row) {
                subtract_product(&mut self.rest[pattern.pairs[place][1] as usize], &matrix.below[place], &value);
            }
            for k in 0..6 {
                self.image[row][k] += value[k];
                self.weighted_image[row][k] += self.rest[row][k];
            }
        }
    }
}

fn dot(one: &[Six], other: &[Six]) -> f64 {
    let mut sums = [0.0; 6];
    for (one, other) in one.iter().zip(other) {
        for k in 0..6 {
            sums[k] += one[k] * other[k];
        }
    }
    sums.iter().sum()
}

/// `sum += factor · term`.
fn add(sum: &mut [Six], factor: f64, term: &[Six]) {
    for (sum, term) in sum.as_flattened_mut().iter_mut().zip(term.as_flattened()) {
        *sum += factor * term;
    }
}

/// Of a symmetric matrix, by its Cholesky factors; nothing if it is not positive definite.
fn inverse(matrix: &[f64; SIZE]) -> Option<[f64; SIZE]> {
    // C with C Cᵀ = A, its diagonal as one over it; then C⁻¹ in place, and C⁻ᵀ C⁻¹.
    let mut lower = [[0.0; 6]; 6];
    for row in 0..6 {
        for column in 0..=row {
            let known: f64 = (0..column).map(|k| lower[row][k] * lower[column][k]).sum();
            let rest = matrix[6 * row + column] - known;
            if row > column {
                lower[row][column] = rest * lower[column][column];
            } else if rest > 0.0 && rest.is_finite() {
                lower[row][row] = 1.0 / rest.sqrt();
            } else {
                return None;
            }
        }
    }
    for column in 0..6 {
        for row in column + 1..6 {
            let sum: f64 = (column..row).map(|k| lower[row][k] * lower[k][column]).sum();
            lower[row][column] = -sum * lower[row][row];
        }
    }
    Some(std::array::from_fn(|place| {
        let (row, column) = (place / 6, place % 6);
        (row.max(column)..6).map(|k| lower[k][row] * lower[k][column]).sum()
    }))
}
