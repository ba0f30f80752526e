//! Sparse Cholesky factorization with `faer`. The elimination order and the structure of the factor are computed once per pattern and
//! reused. It runs on one thread, so the result does not depend on the number of threads.

use faer::{
    Conj, MatMut, Par, Side,
    dyn_stack::{MemBuffer, MemStack},
    sparse::{
        SparseColMatRef, SymbolicSparseColMatRef,
        linalg::cholesky::{CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky},
    },
};

use super::matrix::{BlockMatrix, Pattern};
use crate::block::Dof6;

/// Factors of matrices with one pattern.
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

    /// Solves `matrix · d = right`; `None` if the matrix is not positive definite or the solution is not finite.
    pub fn solve(&mut self, matrix: &BlockMatrix) -> Option<Vec<Dof6>> {
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
