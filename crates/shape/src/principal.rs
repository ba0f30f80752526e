//! Principal directions of a point cloud.

use glam::{DMat3, DVec3};

/// The unit vector in the direction of minimum variance of the points: the eigenvector for the smallest eigenvalue of their covariance
/// matrix, computed by cyclic Jacobi rotations.
pub fn min_extent(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    let count = points.clone().count().max(1) as f64;
    let mean = points.clone().sum::<DVec3>() / count;
    let scatter: DMat3 = points.map(|point| outer(point - mean)).sum();
    let (values, vectors) = eigen(scatter);
    let least = (0..3).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
    vectors.col(least).normalize_or(DVec3::Y)
}

/// `v vᵀ`.
pub fn outer(vector: DVec3) -> DMat3 {
    DMat3::from_cols(vector * vector.x, vector * vector.y, vector * vector.z)
}

/// Eigenvalues and eigenvectors (columns, a rotation) of a symmetric matrix.
pub fn eigen(symmetric: DMat3) -> (DVec3, DMat3) {
    let mut matrix = symmetric.to_cols_array_2d();
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    // Convergence is quadratic: six sweeps reach rounding accuracy from any matrix.
    for _ in 0..6 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if matrix[p][q] == 0.0 {
                continue;
            }
            let theta: f64 = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let sine = tangent * cosine;
            for row in &mut matrix {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
            let (upper, lower) = (DVec3::from_array(matrix[p]), DVec3::from_array(matrix[q]));
            matrix[p] = (cosine * upper - sine * lower).to_array();
            matrix[q] = (sine * upper + cosine * lower).to_array();
            for row in &mut vectors {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
        }
    }
    let columns = [0, 1, 2].map(|column| DVec3::new(vectors[0][column], vectors[1][column], vectors[2][column]));
    (DVec3::new(matrix[0][0], matrix[1][1], matrix[2][2]), DMat3::from_cols(columns[0], columns[1], columns[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_thin_direction_of_a_turned_slab() {
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.2, 0.8);
        let points: Vec<DVec3> = (0..27)
            .map(|i| DVec3::new(f64::from(i % 3), 0.1 * f64::from(i / 3 % 3), 2.0 * f64::from(i / 9)))
            .map(|point| turn * point + DVec3::new(5.0, -3.0, 1.0))
            .collect();
        let direction = min_extent(points.into_iter());
        assert!((direction.dot(turn * DVec3::Y).abs() - 1.0).abs() < 1e-12);
    }
}
