//! The linear flow around each particle.

use glam::{Mat3A, Vec3A};
use rayon::prelude::*;

use crate::{
    fluid::neighbourhood::{PairBatch, Pairs},
    math::{
        Periods,
        lanes::{self, LANES, LaneWork, Lanes, algebra::*},
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
            lanes::compute(FlowPass { pairs: pairs_of, periods, positions, velocities, gradients, determined, strains });
        });
    }
}

/// The velocity gradient, twice the strain rate and whether they are determined (1 or 0), from a moment and a flux.
#[inline(always)]
fn flow<L: Lanes>(moment: Matrices<L>, flux: Matrices<L>) -> (Matrices<L>, Matrices<L>, L) {
    let (zero, one, least) = (L::splat(0.0), L::splat(1.0), L::splat(MIN_DETERMINANT));
    let scale = L::splat(3.0) / trace(moment).min(L::splat(-f32::MIN_POSITIVE));
    let relative = scaled(moment, scale);
    let determinant = determinant(relative);
    let inverse = scaled(inverse(relative, determinant), scale);
    let gradient = matrix_product(flux, inverse);
    let twice_strain = add_diagonal(add_matrices(gradient, transpose(gradient)), zero - L::splat(2.0 / 3.0) * trace(gradient));
    let strain = scaled(matrix_product(twice_strain, transpose(inverse)), weight(moment));
    let nothing = [[zero; 3]; 3];
    // Also nothing where the determinant is not a number.
    (
        select_matrices(least, determinant, gradient, nothing),
        select_matrices(least, determinant, strain, nothing),
        least.select_less(determinant, one, zero),
    )
}

/// Share of a particle's volume that lies between it and its neighbours, half of it at a surface or a wall: the smallest eigenvalue of the
/// neighbours' `moment` (Smith 1961). With the deviator scaled to a norm of √6, the largest eigenvalue is `2 t` with `4t³ − 3t = det/2`;
/// Newton's method finds it from above.
#[inline(always)]
fn weight<L: Lanes>(moment: Matrices<L>) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let mean = trace(moment) * L::splat(1.0 / 3.0);
    let symmetric = scaled(add_matrices(moment, transpose(moment)), L::splat(0.5));
    let deviator = add_diagonal(symmetric, zero - mean);
    let size = (square(deviator) * L::splat(1.0 / 6.0)).sqrt().max(L::splat(1e-6));
    let half = (L::splat(0.5) * determinant(scaled(deviator, one / size))).max(zero - one).min(one);
    let mut t = one;
    for _ in 0..8 {
        let square = L::splat(4.0) * t * t;
        t = t - ((square - L::splat(3.0)) * t - half) / (L::splat(3.0) * square - L::splat(3.0)).max(L::splat(1e-3));
    }
    // The moment is negative: the largest eigenvalue has the smallest magnitude. Where neighbours nearly coincide, it may be positive.
    (zero - mean - L::splat(2.0) * size * t).max(zero)
}

/// Fits the flows of a batch of particles.
struct FlowPass<'a> {
    pairs: PairBatch<'a>,
    periods: &'a Periods,
    positions: &'a [Vec3A],
    velocities: &'a [Vec3A],
    gradients: &'a mut [Mat3A],
    determined: &'a mut [f32],
    strains: &'a mut [Mat3A],
}

impl LaneWork for FlowPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { pairs, periods, positions, velocities, gradients, determined, strains } = self;
        let PairBatch { neighbours, own, quantum, .. } = pairs;
        // First moments and fluxes, in the places of strains and gradients.
        for (offset, (moment, flux)) in strains.iter_mut().zip(gradients.iter_mut()).enumerate() {
            let i = neighbours.first() + offset;
            let (mut of_x, mut of_v) = ([[L::splat(0.0); 3]; 3], [[L::splat(0.0); 3]; 3]);
            for place in neighbours.range(offset) {
                pairs.prefetch::<L>(own, place);
                let block = &neighbours.places::<L>(offset, place);
                let x = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, block)));
                let v = from::<L>(velocities[i], L::gather_vectors(velocities, block));
                let gradient = L::unpack(&own[place]);
                add_outer(&mut of_x, x, gradient);
                add_outer(&mut of_v, v, gradient);
            }
            *moment = sum::<L>(of_x) * quantum;
            *flux = sum::<L>(of_v) * quantum;
        }
        for at in (0..strains.len()).step_by(LANES) {
            let (gradient, strain, is_determined) = flow(load_matrices::<L>(strains, at), load_matrices::<L>(gradients, at));
            store_matrices(gradient, gradients, at);
            store_matrices(strain, strains, at);
            is_determined.store_at(determined, at);
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
