//! The linear flow around each particle.

use glam::{Mat3A, Vec3A};
use rayon::prelude::*;

use crate::{
    fluid::neighbourhood::{PairBatch, Pairs, from},
    math::{
        Periods,
        lanes::{self, LaneWork, Lanes},
        parallel::TASK,
    },
};

/// Minimum determinant of the neighbours' moment for fitting a flow, normalized to one for isotropic neighbours.
const MIN_DETERMINANT: f32 = 0.05;

/// The linear flow that best fits the neighbours of each particle.
#[derive(Clone, Debug, Default)]
pub struct LinearFlows {
    /// Velocity gradients `G_i`, 1/s.
    pub gradients: Vec<Mat3A>,
    /// 1, or 0 where the neighbours do not determine the flow.
    pub determined: Vec<f32>,
    /// `2 S_i B_iᵀ` in m²/s with the deviatoric strain rate `S_i`, of which the viscous force is made.
    pub strains: Vec<Mat3A>,
}

impl LinearFlows {
    /// Fits `G_i = (Σ_j v_ij ⊗ L_i ∇W_ij) B_i`, `B_i = (Σ_j x_ij ⊗ L_i ∇W_ij)⁻¹`: the result does not depend on `L_i`.
    pub fn fit(&mut self, pairs: &Pairs, positions: &[Vec3A], velocities: &[Vec3A]) {
        self.gradients.resize(positions.len(), Mat3A::ZERO);
        self.determined.resize(positions.len(), 0.0);
        self.strains.resize(positions.len(), Mat3A::ZERO);
        let results = self.gradients.par_chunks_mut(TASK).zip(self.determined.par_chunks_mut(TASK)).zip(self.strains.par_chunks_mut(TASK));
        pairs.batches().zip(results).for_each(|(pairs_of, ((gradients, determined), strains))| {
            let periods = pairs.neighbours.periods();
            lanes::compute(MomentPass { pairs: pairs_of, periods, positions, velocities, moments: strains, fluxes: gradients });
            for ((gradient, determined), strain) in gradients.iter_mut().zip(determined).zip(strains) {
                (*gradient, *determined, *strain) = flow(strain, gradient);
            }
        });
    }
}

/// The velocity gradient, whether it is determined, and twice the strain rate, from a moment and a flux.
fn flow(moment: &Mat3A, flux: &Mat3A) -> (Mat3A, f32, Mat3A) {
    let scale = 3.0 / trace(moment).min(-f32::MIN_POSITIVE);
    let scaled = *moment * scale;
    if scaled.determinant() < MIN_DETERMINANT {
        return (Mat3A::ZERO, 0.0, Mat3A::ZERO);
    }
    let inverse = scale * scaled.inverse();
    let gradient = *flux * inverse;
    let twice_strain = gradient + gradient.transpose() - Mat3A::IDENTITY * (2.0 / 3.0 * trace(&gradient));
    (gradient, 1.0, weight(moment) * twice_strain * inverse.transpose())
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

/// Sums `x_ij ⊗ L_i ∇W_ij` and `v_ij ⊗ L_i ∇W_ij` for each particle of a batch.
struct MomentPass<'a> {
    pairs: PairBatch<'a>,
    periods: &'a Periods,
    positions: &'a [Vec3A],
    velocities: &'a [Vec3A],
    moments: &'a mut [Mat3A],
    fluxes: &'a mut [Mat3A],
}

impl LaneWork for MomentPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pairs, periods, positions, velocities, moments, fluxes } = self;
        let PairBatch { neighbours, own, quantum, .. } = pairs;
        for (offset, (moment, flux)) in moments.iter_mut().zip(fluxes).enumerate() {
            let i = neighbours.first() + offset;
            let (mut of_x, mut of_v) = ([[L::splat(0.0); 3]; 3], [[L::splat(0.0); 3]; 3]);
            for place in neighbours.range(offset) {
                pairs.prefetch::<L>(own, place);
                let block = &neighbours.blocks()[place];
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, block)));
                let v = from::<L>(velocities[i], L::gather_vectors(velocities, block));
                let gradient = L::unpack(&own[place]);
                add_outer(&mut of_x, x, gradient);
                add_outer(&mut of_v, v, gradient);
            }
            *moment = sum::<L>(of_x) * quantum;
            *flux = sum::<L>(of_v) * quantum;
        }
    }
}

/// `sum += a ⊗ b`, by columns.
#[inline(always)]
fn add_outer<L: Lanes>(sum: &mut [[L; 3]; 3], [x, y, z]: [L; 3], [p, q, r]: [L; 3]) {
    let [a, b, c] = *sum;
    *sum = [
        [a[0] + x * p, a[1] + y * p, a[2] + z * p],
        [b[0] + x * q, b[1] + y * q, b[2] + z * q],
        [c[0] + x * r, c[1] + y * r, c[2] + z * r],
    ];
}

#[inline(always)]
fn sum<L: Lanes>([a, b, c]: [[L; 3]; 3]) -> Mat3A {
    Mat3A::from_cols(L::sums(a), L::sums(b), L::sums(c))
}
