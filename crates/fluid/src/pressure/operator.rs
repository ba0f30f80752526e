//! Interface between a solver and the pressure system, with limits and report of a solve.

use glam::Vec3A;
use plimsoll_base::math::parallel::TASK;
use rayon::prelude::*;

use super::multigrid::SmoothPart;

/// The matrix `A` of a problem `A p ≥ b`, `p ≥ 0`, `p · (A p − b) = 0`: symmetric and positive semi-definite.
pub trait PressureOperator: Sync {
    /// Number of unknowns.
    fn count(&self) -> usize;

    /// `A p` into `result`, and for each task of `TASK` unknowns `product(first unknown, its result)` into `products`; `accelerations` is a
    /// buffer with a value per unknown.
    fn apply(
        &self,
        p: &[f32],
        accelerations: &mut [Vec3A],
        result: &mut [f32],
        products: &mut [[f64; 2]],
        product: impl Fn(usize, &[f32]) -> [f64; 2] + Sync,
    );

    /// `A p − b` into `result`, and what the pressures exert on the particles over a step into `impulses` (N s); `accelerations` is a buffer.
    fn residual(&self, p: &[f32], impulses: &mut [Vec3A], accelerations: &mut [Vec3A], result: &mut [f32]);

    /// The diagonal of `A`. A row whose value is zero has no unknown: its pressure does not change.
    fn diagonal(&self, diagonal: &mut [f32]);

    /// What a preconditioner on grids needs, and the energies of a pressure that is one at the particles where `free` is one (otherwise zero);
    /// `None` if the unknowns are not in space.
    fn smooth_part(&self, _free: &[f32], _accelerations: &mut [Vec3A], _energies: &mut [f32]) -> Option<SmoothPart<'_>> {
        None
    }
}

/// Result of an iterative solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Sweeps, i.e. applications of the system's matrix.
    pub iterations: u32,
    /// Mean residual error, percent of the rest density.
    pub error_percent: f64,
    pub converged: bool,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct SolveLimits {
    pub tolerance_percent: f64,
    pub iterations: u32,
    /// Minimum number of sweeps after the first.
    pub least: u32,
    /// Converts a residual (1/s²) to percent of the rest density: `100 dt²`.
    pub percent_per_residual: f64,
}

/// Whether all of `p` are zero.
pub fn is_zero(p: &[f32]) -> bool {
    p.par_chunks(TASK).all(|p| p.iter().all(|&p| p == 0.0))
}
