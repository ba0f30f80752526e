//! The excess of density, smoothed over the neighbours.
//!
//! The relative densities `s` of single particles scatter by some tenths of a percent even in water at rest, and every strain of the flow shifts
//! particles against one another. If the excess of each particle were corrected, each strain would cause motion at the scale of particles,
//! which the viscosity drains from the flow. The pressure solve therefore corrects the excess of
//!
//! ```text
//! s̄ = s + (S² − 1) max(s, 1),     (S c)_i = (w c_i + Σ_j |L_i g_ij| c_j) / (w + Σ_j |L_i g_ij|),     w = V max |∇W|
//! ```
//!
//! Smoothed twice, no pattern of densities changes its sign; with one S, patterns at the scale of particles do, and the fluid is unstable.
//! Where density is missing, at surfaces and in drops, it is not smoothed: the layers below a surface would be compressed, drops would swing 23 % too
//! slowly, and a splash would take a tenth more sweeps of the pressure solve. Weights W in place of |∇W| give the same figures, but the
//! gradients are at hand.

use plimsoll_base::math::lanes::{BlockLists, BlockWork, Blocks, Lanes, PackedVectors, algebra::*};

use super::{isotropy::MAX_CORRECTION, prefetch::prefetch};

/// `w` in the unit of the packed gradients.
const OWN_WEIGHT: f32 = i16::MAX as f32 / (1.0 + MAX_CORRECTION);

/// Relative density from which on it is smoothed.
pub const MIN_SMOOTHED: f32 = 1.0;

/// A weighted mean of the densities of a particle and its neighbours, eight at a time.
#[derive(Clone, Copy)]
pub struct Mean<L> {
    sum: L,
    weight: L,
}

impl<L: Lanes> Mean<L> {
    #[inline(always)]
    pub fn new() -> Self {
        Self { sum: L::splat(0.0), weight: L::splat(0.0) }
    }

    /// Adds `densities` of neighbours with the squares of their gradients in units of the quantum.
    #[inline(always)]
    pub fn add(&mut self, densities: L, squares: L) {
        let weight = squares.sqrt();
        self.sum = self.sum + weight * densities;
        self.weight = self.weight + weight;
    }

    /// The mean with the density of the particle itself.
    #[inline(always)]
    pub fn with(&self, own: f32) -> f32 {
        (OWN_WEIGHT * own + self.sum.sum()) / (OWN_WEIGHT + self.weight.sum())
    }
}

/// Smooths the densities of a batch of particles for the second time.
pub struct SmoothingPass<'a> {
    pub neighbours: &'a BlockLists,
    /// `L_i g_ij`
    pub gradients: &'a [PackedVectors],
    /// s and S max(s, 1).
    pub densities: &'a [f32],
    pub once: &'a [f32],
    pub smoothed: &'a mut [f32],
}

impl BlockWork for SmoothingPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes, B: Blocks>(self, blocks: B) {
        let Self { neighbours, gradients, densities, once, smoothed } = self;
        for (offset, smoothed) in smoothed.iter_mut().enumerate() {
            let mut mean = Mean::<L>::new();
            for (eight, gradient) in blocks.of(offset).zip(&gradients[neighbours.range(offset)]) {
                prefetch::<L>(eight, gradient);
                let gradient = L::unpack(gradient);
                mean.add(L::gather(once, eight), dot(gradient, gradient));
            }
            let i = neighbours.first() + offset;
            *smoothed = densities[i] + (mean.with(once[i]) - densities[i].max(MIN_SMOOTHED));
        }
    }
}
