//! Sparse Cholesky factors by `faer`: the order of elimination and the shape of the factor are found once for a pattern and used again as
//! long as it holds. One thread does all of it, so the result never depends on their number.

use faer::{
    Conj, MatMut, Par, Side,
    dyn_stack::{MemBuffer, MemStack},
    sparse::{
        SparseColMatRef, SymbolicSparseColMatRef,
        linalg::cholesky::{CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky},
    },
};

use super::matrix::{BlockMatrix, Pattern};
use crate::blocks::state::Six;

/// Factors of matrices of one pattern.
pub struct Cholesky {
    pattern: Pattern,
    starts: Vec<usize>,
    rows: Vec<usize>,
    symbolic: SymbolicCholesky<usize>,
    memory: MemBuffer,
    factor: Vec<f64>,
    values: Vec<f64>,
}

impl Cholesky {
    pub fn new(pattern: Pattern) -> Self {
        let (starts, rows) = pattern.compressed_columns();
        let count = 6 * pattern.rows;
        let structure = SymbolicSparseColMatRef::new_checked(count, count, &starts, None, &rows);
        let parameters = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(structure, Side::Lower, SymmetricOrdering::Amd, parameters)
            .expect("memory for the factors of a system of blocks");
        let scratch = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let factor = vec![0.0; symbolic.len_val()];
        Self { pattern, starts, rows, memory: MemBuffer::new(scratch), factor, values: Vec::new(), symbolic }
    }

    /// The solution of `matrix · d = right`; nothing if the matrix is not positive definite or holds what is not a number.
    pub fn solve(&mut self, matrix: &BlockMatrix) -> Option<Vec<Six>> {
        matrix.write_values(&self.pattern, &mut self.values);
        let mut solution = matrix.right.clone();
        if self.pattern.rows == 0 {
            return Some(solution);
        }
        let count = 6 * self.pattern.rows;
        let structure = SymbolicSparseColMatRef::new_checked(count, count, &self.starts, None, &self.rows);
        let values = SparseColMatRef::new(structure, &self.values);
        let stack = MemStack::new(&mut self.memory);
        let (regularization, parameters) = (Default::default(), Default::default());
        self.symbolic.factorize_numeric_llt(&mut self.factor, values, Side::Lower, regularization, Par::Seq, stack, parameters).ok()?;
        let right = MatMut::from_column_major_slice_mut(solution.as_flattened_mut(), count, 1);
        LltRef::new(&self.symbolic, &self.factor).solve_in_place_with_conj(Conj::No, right, Par::Seq, stack);
        solution.iter().flatten().all(|value| value.is_finite()).then_some(solution)
    }
}

impl std::fmt::Debug for Cholesky {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cholesky").field("rows", &self.pattern.rows).field("pairs", &self.pattern.pairs.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::system::Spring;

    /// A chain of blocks with springs between neighbours and one from each to the ground.
    fn chain(count: u32) -> (Pattern, BlockMatrix) {
        let pattern = Pattern::new(count as usize, (1..count).map(|row| [row, row - 1]).chain([[0, count - 1]]));
        let mut matrix = BlockMatrix::default();
        matrix.clear(&pattern);
        let weights = |seed: u32| -> Six { std::array::from_fn(|k| f64::from((seed * 7 + k as u32 * 13) % 11) - 5.0) };
        let unit: [Six; 6] = std::array::from_fn(|line| std::array::from_fn(|column| if line == column { 10.0 } else { 0.0 }));
        for row in 0..count {
            matrix.add_to_diagonal(row as usize, &unit);
            for k in 0..8 {
                let spring = Spring::stretched(2.0 + f64::from(k), 0.3);
                matrix.add_spring(pattern.link([Some(row), None]), &[weights(row + 3 * k), [0.0; 6]], spring);
            }
            let next = (row + 1) % count;
            let link = pattern.link([Some(row), Some(next)]);
            matrix.add_spring(link, &[weights(row), weights(row + 5)], Spring::stretched(40.0, -0.1));
            matrix.count_springs(link, true);
        }
        (pattern, matrix)
    }

    #[test]
    fn the_solution_fulfils_the_equations() {
        let (pattern, matrix) = chain(40);
        let count = 6 * pattern.rows;
        let (starts, rows) = pattern.compressed_columns();
        let mut values = Vec::new();
        matrix.write_values(&pattern, &mut values);
        let mut solver = Cholesky::new(pattern);
        let solution = solver.solve(&matrix).expect("positive definite");
        let x = solution.as_flattened();
        let mut product = vec![0.0; count];
        for column in 0..count {
            for place in starts[column]..starts[column + 1] {
                product[rows[place]] += values[place] * x[column];
                if rows[place] != column {
                    product[column] += values[place] * x[rows[place]];
                }
            }
        }
        for (found, expected) in product.iter().zip(matrix.right.as_flattened()) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
        assert_eq!(solver.solve(&matrix).expect("again"), solution);
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_solution() {
        let (pattern, _) = chain(5);
        let mut matrix = BlockMatrix::default();
        matrix.clear(&pattern);
        assert_eq!(Cholesky::new(pattern).solve(&matrix), None);
    }
}
