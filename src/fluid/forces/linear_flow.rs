//! The linear flow around each particle.

use glam::{Mat3A, Vec3A, Vec4};
use rayon::prelude::*;

use crate::{
    fluid::neighbourhood::{PairGradients, outer},
    math::parallel::TASK,
};

/// Minimum determinant of the neighbours' moment for fitting a flow, normalized to one for isotropic neighbours.
const MIN_DETERMINANT: f32 = 0.05;

/// The linear flow that best fits the neighbours of a particle.
#[derive(Clone, Copy, Debug)]
pub struct LinearFlow {
    /// Columns of the velocity gradient, 1/s. The fourth lane of the first is 1, or 0 if the neighbours do not determine the flow.
    columns: [Vec4; 3],
}

impl LinearFlow {
    /// Deviation from the flow of a neighbour at distance `x_ij` that moves with `v_ij` relative to the particle.
    #[inline]
    pub fn error(&self, x_ij: Vec3A, v_ij: Vec3A) -> Vec3A {
        let [x, y, z] = self.columns;
        (v_ij - Vec3A::from_vec4(x * x_ij.x + y * x_ij.y + z * x_ij.z)) * x.w
    }
}

/// Fits `G_i = (Σ_j v_ij ⊗ L_i ∇W_ij) B_i`, `B_i = (Σ_j x_ij ⊗ L_i ∇W_ij)⁻¹`: the result does not depend on `L_i`. Also computes
/// `2 S_i B_iᵀ` in m²/s with the deviatoric strain rate `S_i`, of which the viscous force is made.
pub fn fit(pairs: &PairGradients, positions: &[Vec3A], velocities: &[Vec3A], flows: &mut Vec<LinearFlow>, strains: &mut Vec<Mat3A>) {
    let flow = |i: usize| {
        let (mut moment, mut flux) = (Mat3A::ZERO, Mat3A::ZERO);
        for pair in pairs.own(i) {
            let (j, gradient) = (pair.neighbour(), pair.gradient());
            moment += outer(pairs.neighbours.difference(positions[i], positions[j]), gradient);
            flux += outer(velocities[i] - velocities[j], gradient);
        }
        let scale = 3.0 / trace(&moment).min(-f32::MIN_POSITIVE);
        let scaled = moment * scale;
        if scaled.determinant() < MIN_DETERMINANT {
            return (LinearFlow { columns: [Vec4::ZERO; 3] }, Mat3A::ZERO);
        }
        let inverse = scale * scaled.inverse();
        let gradient = flux * inverse;
        let columns = [gradient.x_axis.extend(1.0), gradient.y_axis.extend(0.0), gradient.z_axis.extend(0.0)];
        let twice_strain = gradient + gradient.transpose() - Mat3A::IDENTITY * (2.0 / 3.0 * trace(&gradient));
        (LinearFlow { columns }, weight(&moment) * twice_strain * inverse.transpose())
    };
    (0..positions.len()).into_par_iter().with_min_len(TASK).map(flow).unzip_into_vecs(flows, strains);
}

/// Share of a particle's volume that lies between it and its neighbours, half of it at a surface or a wall: the smallest eigenvalue of the
/// neighbours' `moment` (Smith 1961).
fn weight(moment: &Mat3A) -> f32 {
    let mean = trace(moment) / 3.0;
    let deviator = 0.5 * (*moment + moment.transpose()) - Mat3A::IDENTITY * mean;
    let square = deviator.x_axis.length_squared() + deviator.y_axis.length_squared() + deviator.z_axis.length_squared();
    let size = (square / 6.0).sqrt().max(1e-6);
    let angle = (0.5 * (deviator * (1.0 / size)).determinant()).clamp(-1.0, 1.0).acos() / 3.0;
    // The moment is negative: the largest eigenvalue has the smallest magnitude. Where neighbours nearly coincide, it may be positive.
    (-mean - 2.0 * size * angle.cos()).max(0.0)
}

fn trace(matrix: &Mat3A) -> f32 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}
