//! Both solvers satisfy the equations and detect a system without a solution.

use super::{
    cholesky::Cholesky,
    conjugate_gradients::{Accuracy, ConjugateGradients},
    matrix::{BlockMatrix, Pattern, Spring},
};
use crate::block::Dof6;

/// A ring of blocks with springs between neighbours, and from some of them to the ground.
fn ring(count: u32) -> (Pattern, BlockMatrix) {
    let pattern = Pattern::new(count as usize, (1..count).map(|row| [row, row - 1]).chain([[0, count - 1], [0, count / 2]]));
    let mut matrix = BlockMatrix::default();
    matrix.clear(&pattern);
    let weights = |seed: u32| -> Dof6 { std::array::from_fn(|k| f64::from((seed * 7 + k as u32 * 13) % 11) - 5.0) };
    let unit: [Dof6; 6] = std::array::from_fn(|line| std::array::from_fn(|column| if line == column { 10.0 } else { 0.0 }));
    for row in 0..count {
        matrix.add_to_diagonal(row as usize, &unit);
        for k in 0..8 {
            let spring = Spring::stretched(2.0 + f64::from(k), 0.3);
            matrix.add_spring(pattern.link([Some(row), None]), &[weights(row + 3 * k), [0.0; 6]], spring);
        }
        let link = pattern.link([Some(row), Some((row + 1) % count)]);
        matrix.add_spring(link, &[weights(row), weights(row + 5)], Spring::stretched(40.0, -0.1));
        matrix.count_springs(link, true);
    }
    (pattern, matrix)
}

/// `A x − b` as a flat list.
fn residual(pattern: &Pattern, matrix: &BlockMatrix, x: &[Dof6]) -> Vec<f64> {
    let (starts, rows) = pattern.compressed_columns();
    let mut values = Vec::new();
    matrix.write_values(pattern, &mut values);
    let x = x.as_flattened();
    let mut result: Vec<f64> = matrix.right.as_flattened().iter().map(|right| -right).collect();
    for column in 0..x.len() {
        for place in starts[column]..starts[column + 1] {
            result[rows[place]] += values[place] * x[column];
            if rows[place] != column {
                result[column] += values[place] * x[rows[place]];
            }
        }
    }
    result
}

fn greatest(values: &[f64]) -> f64 {
    values.iter().map(|value| value.abs()).fold(0.0, f64::max)
}

#[test]
fn factors_give_a_solution_that_fulfils_the_equations() {
    let (pattern, matrix) = ring(40);
    let mut solver = Cholesky::new(pattern.clone());
    let solution = solver.solve(&matrix).expect("positive definite");
    assert!(greatest(&residual(&pattern, &matrix, &solution)) < 1e-8);
    assert_eq!(solver.solve(&matrix).expect("again"), solution);
}

#[test]
fn gradients_lead_to_the_same_solution_as_factors() {
    let (pattern, mut matrix) = ring(40);
    let expected = Cholesky::new(pattern.clone()).solve(&matrix).expect("positive definite");
    let mut solver = ConjugateGradients::default();
    let mut solution = vec![[0.0; 6]; pattern.rows];
    let iterations = solver.solve(&pattern, &mut matrix, &mut solution, Accuracy::Relative(1e-12), 300).expect("within 300 iterations");
    let apart: Vec<f64> = solution.iter().flatten().zip(expected.iter().flatten()).map(|(found, expected)| found - expected).collect();
    println!("{iterations} iterations, {:.1e} apart", greatest(&apart));
    assert!(greatest(&apart) < 1e-9 * greatest(expected.as_flattened()));
    // Starting from the solution takes no iterations; from zero, one is not enough.
    assert_eq!(solver.solve(&pattern, &mut matrix, &mut solution, Accuracy::Relative(1e-11), 300), Some(0));
    assert_eq!(solver.solve(&pattern, &mut matrix, &mut [[0.0; 6]; 40], Accuracy::Relative(1e-12), 1), None);
}

#[test]
fn springs_that_are_taken_away_leave_nothing() {
    let (pattern, mut matrix) = ring(12);
    let mut before = Vec::new();
    matrix.write_values(&pattern, &mut before);
    let link = pattern.link([Some(6), Some(0)]);
    let (weights, spring) = ([[0.1; 6], [0.7; 6]], Spring::stretched(1e9, 0.2));
    matrix.add_spring(link, &weights, spring);
    matrix.count_springs(link, true);
    matrix.add_spring(link, &weights, Spring::default() - spring);
    matrix.count_springs(link, false);
    let mut after = Vec::new();
    matrix.write_values(&pattern, &mut after);
    let zeros = |values: &[f64]| values.iter().filter(|value| **value == 0.0).count();
    assert_eq!(zeros(&before), zeros(&after));
    assert!(before.iter().zip(&after).all(|(before, after)| (before - after).abs() < 1e-6));
}

#[test]
fn a_matrix_that_is_not_positive_definite_has_no_solution() {
    let (pattern, _) = ring(5);
    let mut matrix = BlockMatrix::default();
    matrix.clear(&pattern);
    assert_eq!(Cholesky::new(pattern.clone()).solve(&matrix), None);
    let mut solution = vec![[0.0; 6]; 5];
    assert_eq!(ConjugateGradients::default().solve(&pattern, &mut matrix, &mut solution, Accuracy::Relative(1e-12), 100), None);
}
