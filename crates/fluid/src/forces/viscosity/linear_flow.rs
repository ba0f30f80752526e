//! The linear flow around each particle.

use glam::{Mat3A, Vec3A};
use plimsoll_base::math::{
    lanes::{BlockLists, BlockWork, Blocks, Eight, LANES, Lanes, algebra::*},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use crate::neighbourhood::{AHEAD, Kernel, Pairs, symmetric};

/// Minimum determinant of the neighbours' moment for fitting a flow, normalized to one for isotropic neighbours.
const MIN_DETERMINANT: f32 = 0.05;

/// The same for telling noise from flow. At a surface the determinant is 0.86, at an edge 0.84.
const MIN_DETERMINANT_OF_NOISE: f32 = 0.3;

/// κ, the ratio of the deviations to the velocity gradient, both squared, at which half of the motion counts as noise. With 1 a pool at rest is a fifth calmer,
/// but more of the flow around bodies is damped; with 10 the pool has twice the noise (docs/theory/viscosity.md, "Noise").
const FLOW_TO_NOISE: f32 = 3.0;

/// What the linear flows that best fit the neighbours of each particle exert on them.
#[derive(Clone, Debug, Default)]
pub struct LinearFlows {
    /// Before [`LinearFlows::fit`] the isotropy corrections `L_i`, in the same memory. Then what acts on neighbours along `∇W_ij`: `a` times
    /// twice the deviatoric strain rate times `B_i`, for the viscous force, plus `b` times the velocity gradient `G_i`, for the deviations from
    /// the flow.
    pub stresses: Vec<Mat3A>,
    /// Factor of the deviations from the flow; 0 where the neighbours do not determine it.
    pub deviations: Vec<f32>,
}

/// What the flows are fitted to, and the factors of `stresses`.
#[derive(Clone, Copy)]
pub struct FlowFit<'a> {
    pub pairs: &'a Pairs,
    pub kernel: &'a Kernel,
    pub positions: &'a [Vec3A],
    pub velocities: &'a [Vec3A],
    pub factors: FlowFactors<'a>,
    /// Factor of the divergence in `G + Gᵀ + factor · tr G`: −⅔, plus the bulk viscosity over the viscosity.
    pub of_divergence: f32,
}

/// The factors of particles, each of which is the same for all of them or one per particle.
#[derive(Clone, Copy)]
pub struct FlowFactors<'a> {
    /// `a`
    pub strain: Factor<'a>,
    /// `b` where neighbours move with the flow.
    pub deviations: Factor<'a>,
    /// `b` where they move at random.
    pub noise: Factor<'a>,
}

#[derive(Clone, Copy)]
pub enum Factor<'a> {
    Same(f32),
    Each(&'a [f32]),
}

impl Factor<'_> {
    /// Those of the particles from `first` on.
    #[inline(always)]
    fn load<L: Lanes>(&self, first: usize) -> L {
        match *self {
            Self::Same(factor) => L::splat(factor),
            Self::Each(factors) => load_from(factors[first..].iter().copied()),
        }
    }
}

impl<'a> FlowFactors<'a> {
    /// Those that do not depend on how particles move.
    pub fn linear(strain: Factor<'a>, deviations: Factor<'a>) -> Self {
        Self { strain, deviations, noise: deviations }
    }
}

/// The first eight values; zeros after the last one.
#[inline(always)]
pub fn load_from<L: Lanes>(values: impl Iterator<Item = f32>) -> L {
    let mut lanes = [0.0; LANES];
    lanes.iter_mut().zip(values).for_each(|(lane, value)| *lane = value);
    L::load(&lanes)
}

impl LinearFlows {
    /// Fits `G_i = (Σ_j v_ij ⊗ ∇W_ij) B_i`, `B_i = (Σ_j x_ij ⊗ ∇W_ij)⁻¹`. The stresses must be the isotropy corrections before, with which the
    /// moments are isotropic.
    pub fn fit(&mut self, fit: &FlowFit) {
        let Self { stresses, deviations } = self;
        deviations.resize(fit.positions.len(), 0.0);
        let results = stresses.par_chunks_mut(TASK).zip(deviations.par_chunks_mut(TASK));
        fit.pairs.neighbours.batches().par_iter().zip(results).in_tasks(1).for_each(|(neighbours, (stresses, deviations))| {
            neighbours.compute(FlowPass { fit, neighbours, stresses, deviations });
        });
    }
}

/// Shear rates `√(2 D:D)` of the flows, with the deviatoric strain rates D, 1/s; zero where the neighbours do not determine a flow.
pub fn shear_rates(fit: &FlowFit, corrections: &[Mat3A], rates: &mut Vec<f32>) {
    rates.resize(fit.positions.len(), 0.0);
    let results = corrections.par_chunks(TASK).zip(rates.par_chunks_mut(TASK));
    fit.pairs.neighbours.batches().par_iter().zip(results).in_tasks(1).for_each(|(neighbours, (corrections, rates))| {
        neighbours.compute(RatePass { fit, neighbours, corrections, rates });
    });
}

/// The linear flows around eight particles; zeros where the neighbours do not determine a flow.
pub struct Flows<L> {
    /// Velocity gradients `G_i`.
    pub gradient: Matrices<L>,
    /// Share of the volume, as a number density (1/m³), that lies between a particle and its neighbours.
    pub weight: L,
    /// `B_iᵀ` times the weight: what a stress acts with.
    pub lever: Matrices<L>,
    /// 1 or 0.
    pub is_determined: L,
    /// Share of noise in the motion of the neighbours, 0 to 1.
    pub noise: L,
}

impl<L: Lanes> Flows<L> {
    /// The flows, from the neighbours' moments and fluxes, and from both and the energies without the corrections of gradients.
    #[inline(always)]
    fn new(moment: Matrices<L>, flux: Matrices<L>, raw: (L, Matrices<L>, L)) -> Self {
        let (zero, one, least) = (L::splat(0.0), L::splat(1.0), L::splat(MIN_DETERMINANT));
        let scale = L::splat(3.0) / trace(moment).min(L::splat(-f32::MIN_POSITIVE));
        let relative = scaled(moment, scale);
        let determinant = determinant(relative);
        let inverse = scaled(inverse(relative, determinant), scale);
        let (weight, nothing) = (weight(moment), [[zero; 3]; 3]);
        // Also nothing where the determinant is not a number.
        let gradient = select_matrices(least, determinant, matrix_product(flux, inverse), nothing);
        Self {
            noise: L::splat(MIN_DETERMINANT_OF_NOISE).select_less(determinant, share_of_noise(gradient, raw), zero),
            gradient,
            weight: least.select_less(determinant, weight, zero),
            lever: select_matrices(least, determinant, scaled(transpose(inverse), weight), nothing),
            is_determined: least.select_less(determinant, one, zero),
        }
    }

    /// `G + Gᵀ + of_divergence · tr G`
    #[inline(always)]
    fn twice_strain(&self, of_divergence: f32) -> Matrices<L> {
        let gradient = self.gradient;
        add_diagonal(add_matrices(gradient, transpose(gradient)), L::splat(of_divergence) * trace(gradient))
    }
}

/// `R²/(R² + (κ |G|²)²)` of the mean square R of the deviations from the flow, in the units of the velocity gradient G. The deviations of a flow that changes
/// over a length l are `0.2 (h/l)² |G|²`, those of random velocities `20 |G|²`. `raw` holds tr M, the flux F and the energy `Σ_j w_ij |v_ij|²`, and the least
/// squares leave `Σ_j w_ij |e_ij|² = Σ_j w_ij |v_ij|² − G : F` (both negative here, as the gradients are).
#[inline(always)]
fn share_of_noise<L: Lanes>(gradient: Matrices<L>, (trace, flux, energy): (L, Matrices<L>, L)) -> L {
    let rest = (0..3).fold(energy, |rest, column| rest - dot(gradient[column], flux[column])).min(L::splat(0.0));
    let noise = L::splat(3.0) * rest / trace.min(L::splat(-f32::MIN_POSITIVE));
    let flow = L::splat(FLOW_TO_NOISE) * square(gradient);
    // Where neighbours nearly coincide the trace may vanish; the squares must stay finite.
    let largest = L::splat(1e15);
    let (noise, flow) = (noise.min(largest), flow.min(largest));
    let (noise, flow) = (noise * noise, flow * flow);
    noise / (noise + flow).max(L::splat(f32::MIN_POSITIVE))
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
    fit: &'a FlowFit<'a>,
    neighbours: &'a BlockLists,
    stresses: &'a mut [Mat3A],
    deviations: &'a mut [f32],
}

impl BlockWork for FlowPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { fit, neighbours, stresses, deviations } = self;
        for at in (0..neighbours.len()).step_by(LANES) {
            let correction = load_matrices::<L>(stresses, at);
            let flow = eight_flows::<L, B>(fit, blocks, neighbours, at, correction);
            let first = neighbours.first() + at;
            let FlowFactors { strain, deviations: still, noise } = fit.factors;
            let (of_strain, of_flow, of_noise) = (strain.load::<L>(first), still.load::<L>(first), noise.load::<L>(first));
            let of_gradient = of_flow + flow.noise * (of_noise - of_flow);
            let strain = matrix_product(flow.twice_strain(fit.of_divergence), flow.lever);
            let strain = scaled(matrix_product(strain, correction), of_strain);
            store_matrices(add_matrices(strain, scaled(flow.gradient, of_gradient)), stresses, at);
            (L::splat(0.0) - flow.is_determined * of_gradient).store_at(deviations, at);
        }
    }
}

/// Shear rates of a batch of particles.
struct RatePass<'a> {
    fit: &'a FlowFit<'a>,
    neighbours: &'a BlockLists,
    corrections: &'a [Mat3A],
    rates: &'a mut [f32],
}

impl BlockWork for RatePass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { fit, neighbours, corrections, rates } = self;
        for at in (0..neighbours.len()).step_by(LANES) {
            let correction = load_matrices::<L>(corrections, at);
            let flow = eight_flows::<L, B>(fit, blocks, neighbours, at, correction);
            let deviator = flow.twice_strain(-2.0 / 3.0);
            (L::splat(0.5) * square(deviator)).sqrt().store_at(rates, at);
        }
    }
}

/// The flows around the particles from `at` on, with their isotropy corrections.
#[inline(always)]
pub fn eight_flows<L: Lanes, B: Blocks>(fit: &FlowFit, blocks: B, neighbours: &BlockLists, at: usize, correction: Matrices<L>) -> Flows<L> {
    let (mut moments, mut fluxes, mut energies) = ([Mat3A::ZERO; LANES], [Mat3A::ZERO; LANES], [0.0; LANES]);
    for offset in at..neighbours.len().min(at + LANES) {
        let lane = offset - at;
        (moments[lane], fluxes[lane], energies[lane]) = neighbours_motion::<L, B>(fit, blocks, neighbours, offset);
    }
    let corrected = transpose(correction);
    let (moment, flux) = (load_matrices::<L>(&moments, 0), load_matrices::<L>(&fluxes, 0));
    let raw = (trace(moment), flux, L::load(&energies));
    Flows::new(matrix_product(moment, corrected), matrix_product(flux, corrected), raw)
}

/// `Σ_j x_ij ⊗ ∇W_ij`, `Σ_j v_ij ⊗ ∇W_ij` and `−Σ_j w_ij |v_ij|²` of the particle `offset` after the first.
#[inline(always)]
fn neighbours_motion<L: Lanes, B: Blocks>(fit: &FlowFit, blocks: B, neighbours: &BlockLists, offset: usize) -> (Mat3A, Mat3A, f32) {
    let &FlowFit { pairs, kernel, positions, velocities, .. } = fit;
    let (i, periods, zero) = (neighbours.first() + offset, pairs.neighbours.periods(), L::splat(0.0));
    let (mut xx, mut xy, mut xz, mut yy, mut yz, mut zz) = (zero, zero, zero, zero, zero, zero);
    let (mut flux, mut energy) = ([[zero; 3]; 3], zero);
    for eight in blocks.of(offset) {
        eight.prefetch::<L>(AHEAD);
        let [x, y, z] = periods.shortest(from::<L>(positions[i], L::gather_vectors(positions, eight)));
        let v = from::<L>(velocities[i], L::gather_vectors(velocities, eight));
        let factor = kernel.gradient_factors((x * x + y * y + z * z).sqrt());
        let (gx, gy, gz) = (factor * x, factor * y, factor * z);
        (xx, xy, xz) = (xx + gx * x, xy + gx * y, xz + gx * z);
        (yy, yz, zz) = (yy + gy * y, yz + gy * z, zz + gz * z);
        add_outer(&mut flux, v, [gx, gy, gz]);
        energy = energy + factor * dot(v, v);
    }
    (symmetric(L::sums([xx, xy, xz]), L::sums([yy, yz, zz])), sum::<L>(flux), energy.sum())
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
