//! Conjugate gradients (Hestenes & Stiefel 1952) preconditioned by a symmetric Gauss–Seidel step over 6 × 6 blocks.
//!
//! With `A = L + D + Lᵀ` the preconditioner is `(D + L) D⁻¹ (D + Lᵀ)`. For the unknowns `v = (D + Lᵀ) x` and residuals `s = (D + L)⁻¹ r`
//! the matrix becomes
//!
//! ```text
//! K p = t + (D + L)⁻¹ (p − D t),     t = (D + Lᵀ)⁻¹ p
//! ```
//!
//! so an iteration is one backward and one forward pass through the blocks below the diagonal: the preconditioner costs nothing extra
//! (Eisenstat 1981). `D t` is available in the pass before the division by `D`. Everything runs on one thread, in row order.

use rayon::prelude::*;

use super::matrix::{BlockMatrix, Pattern, SIZE, product, subtract_product, subtract_transposed};
use crate::block::Dof6;

/// Rows that one task inverts.
const TASK: usize = 256;

/// Accuracy of a solution. Residuals are measured with the preconditioner, which approximates the energy norm of the error.
#[derive(Clone, Copy, Debug)]
pub enum Accuracy {
    /// Residual relative to the right-hand side.
    Relative(f64),
    /// Residual in √J.
    Absolute(f64),
}

/// Vectors kept to reuse their memory.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients {
    /// D⁻¹ of each row.
    inverses: Vec<[f64; SIZE]>,
    /// Row and index of the nonzero blocks below the diagonal, column by column; those of column `c` are from `starts[c]` up to
    /// `starts[c + 1]`.
    used: Vec<[u32; 2]>,
    starts: Vec<u32>,
    direction: Vec<Dof6>,
    /// v
    sum: Vec<Dof6>,
    /// s and D s.
    residual: Vec<Dof6>,
    weighted_residual: Vec<Dof6>,
    /// K p and D K p.
    image: Vec<Dof6>,
    weighted_image: Vec<Dof6>,
    /// Remaining right-hand side of the rows below in a forward pass.
    rest: Vec<Dof6>,
}

impl ConjugateGradients {
    /// Solves `matrix · solution = right` to the required accuracy, starting from the value of `solution`. Returns the number of
    /// iterations; `None` if they exceed `most` or the matrix is not positive definite.
    pub fn solve(
        &mut self,
        pattern: &Pattern,
        matrix: &mut BlockMatrix,
        solution: &mut [Dof6],
        accuracy: Accuracy,
        most: u32,
    ) -> Option<u32> {
        self.prepare(pattern, matrix)?;
        let matrix = &*matrix;
        let goal = match accuracy {
            Accuracy::Absolute(norm) => norm * norm,
            Accuracy::Relative(share) => {
                self.residual.clone_from(&matrix.right);
                share * share * self.divide_by_lower(matrix)
            }
        };
        let mut iterations = 0;
        loop {
            self.residual.clone_from(&matrix.right);
            self.subtract_product(matrix, solution);
            let size = self.divide_by_lower(matrix);
            // A second round corrects the rounding errors of the first.
            if size <= goal || (iterations > 0 && size <= 4.0 * goal) {
                return Some(iterations);
            }
            iterations += self.correct(matrix, (size, goal), solution, most.checked_sub(iterations)?)?;
            if let Accuracy::Absolute(_) = accuracy {
                return Some(iterations);
            }
        }
    }

    /// Iterates from a residual with norm² `size` to `goal`, and adds the correction to the solution.
    fn correct(&mut self, matrix: &BlockMatrix, (mut size, goal): (f64, f64), solution: &mut [Dof6], most: u32) -> Option<u32> {
        self.sum.clear();
        self.sum.resize(solution.len(), [0.0; 6]);
        self.direction.clone_from(&self.weighted_residual);
        let mut iterations = 0;
        while size > goal {
            if iterations == most || !size.is_finite() {
                return None;
            }
            iterations += 1;
            let curvature = self.multiply(matrix);
            if curvature <= 0.0 {
                return None;
            }
            let before = size;
            size = self.go(size / curvature);
            let share = size / before;
            for (direction, residual) in self.direction.as_flattened_mut().iter_mut().zip(self.weighted_residual.as_flattened()) {
                *direction = residual + share * *direction;
            }
        }
        self.divide_by_upper(matrix);
        for (x, correction) in solution.as_flattened_mut().iter_mut().zip(self.sum.as_flattened()) {
            *x += correction;
        }
        Some(iterations)
    }

    /// Computes D⁻¹ of the changed rows and lists the nonzero blocks; `None` if a row is not positive definite.
    fn prepare(&mut self, pattern: &Pattern, matrix: &mut BlockMatrix) -> Option<()> {
        self.inverses.resize(pattern.rows, [0.0; SIZE]);
        let rows = self.inverses.par_iter_mut().zip(&matrix.diagonal).zip(&mut matrix.changed).with_min_len(TASK);
        let definite =
            rows.map(|((found, block), changed)| !std::mem::take(changed) || inverse(block).map(|inverse| *found = inverse).is_some());
        let definite = definite.reduce(|| true, |one, other| one && other);
        self.used.clear();
        self.starts.clear();
        self.starts.push(0);
        for column in 0..pattern.rows {
            let used = pattern.below(column).filter(|&place| matrix.is_used(place));
            self.used.extend(used.map(|place| [pattern.pairs[place][1], place as u32]));
            self.starts.push(self.used.len() as u32);
        }
        definite.then_some(())
    }

    fn below(&self, column: usize) -> &[[u32; 2]] {
        below(&self.used, &self.starts, column)
    }

    /// `s ← s − A x`.
    fn subtract_product(&mut self, matrix: &BlockMatrix, x: &[Dof6]) {
        for column in 0..x.len() {
            subtract_product(&mut self.residual[column], &matrix.diagonal[column], &x[column]);
            for &[row, place] in below(&self.used, &self.starts, column) {
                let block = &matrix.below[place as usize];
                subtract_product(&mut self.residual[row as usize], block, &x[column]);
                subtract_transposed(&mut self.residual[column], block, &x[row as usize]);
            }
        }
    }

    /// `s ← (D + L)⁻¹ s`, and D s; returns s · D s.
    fn divide_by_lower(&mut self, matrix: &BlockMatrix) -> f64 {
        self.weighted_residual.clone_from(&self.residual);
        for column in 0..self.residual.len() {
            let value = product(&self.inverses[column], &self.weighted_residual[column]);
            self.residual[column] = value;
            for &[row, place] in below(&self.used, &self.starts, column) {
                subtract_product(&mut self.weighted_residual[row as usize], &matrix.below[place as usize], &value);
            }
        }
        dot(&self.residual, &self.weighted_residual)
    }

    /// `v ← (D + Lᵀ)⁻¹ v`.
    fn divide_by_upper(&mut self, matrix: &BlockMatrix) {
        for column in (0..self.sum.len()).rev() {
            let mut value = self.sum[column];
            for &[row, place] in self.below(column) {
                subtract_transposed(&mut value, &matrix.below[place as usize], &self.sum[row as usize]);
            }
            self.sum[column] = product(&self.inverses[column], &value);
        }
    }

    /// K p and D K p of the direction p; returns p · K p.
    fn multiply(&mut self, matrix: &BlockMatrix) -> f64 {
        let count = self.direction.len();
        self.image.resize(count, [0.0; 6]);
        self.weighted_image.resize(count, [0.0; 6]);
        self.rest.resize(count, [0.0; 6]);
        for column in (0..count).rev() {
            let direction = self.direction[column];
            let mut value = direction;
            for &[row, place] in self.below(column) {
                subtract_transposed(&mut value, &matrix.below[place as usize], &self.image[row as usize]);
            }
            self.image[column] = product(&self.inverses[column], &value);
            self.weighted_image[column] = value;
            self.rest[column] = std::array::from_fn(|k| direction[k] - value[k]);
        }
        let mut curvature = [0.0; 6];
        for column in 0..count {
            let rest = self.rest[column];
            let value = product(&self.inverses[column], &rest);
            for &[row, place] in below(&self.used, &self.starts, column) {
                subtract_product(&mut self.rest[row as usize], &matrix.below[place as usize], &value);
            }
            let (image, weighted_image) = (&mut self.image[column], &mut self.weighted_image[column]);
            for k in 0..6 {
                image[k] += value[k];
                weighted_image[k] += rest[k];
                curvature[k] += self.direction[column][k] * image[k];
            }
        }
        curvature.iter().sum()
    }

    /// Moves by `length` along the search direction; returns the norm² of the residual there.
    fn go(&mut self, length: f64) -> f64 {
        let mut sums = [0.0; 6];
        let sum = self.sum.iter_mut().zip(&self.direction);
        let residual = self.residual.iter_mut().zip(&self.image);
        let weighted = self.weighted_residual.iter_mut().zip(&self.weighted_image);
        for (((v, p), (s, image)), (weighted_s, weighted_image)) in sum.zip(residual).zip(weighted) {
            for k in 0..6 {
                v[k] += length * p[k];
                s[k] -= length * image[k];
                weighted_s[k] -= length * weighted_image[k];
                sums[k] += s[k] * weighted_s[k];
            }
        }
        sums.iter().sum()
    }
}

fn below<'a>(used: &'a [[u32; 2]], starts: &[u32], column: usize) -> &'a [[u32; 2]] {
    &used[starts[column] as usize..starts[column + 1] as usize]
}

fn dot(one: &[Dof6], other: &[Dof6]) -> f64 {
    let mut sums = [0.0; 6];
    for (one, other) in one.iter().zip(other) {
        for k in 0..6 {
            sums[k] += one[k] * other[k];
        }
    }
    sums.iter().sum()
}

/// Inverse of a symmetric matrix by its Cholesky factors; `None` if it is not positive definite.
fn inverse(matrix: &[f64; SIZE]) -> Option<[f64; SIZE]> {
    // Computes C with C Cᵀ = A, with inverted diagonal; then C⁻¹ in place, and C⁻ᵀ C⁻¹.
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
