//! Pressure: what keeps the fluid's density, and how it pushes bodies.

mod conjugate_gradients;
mod jacobi;
mod system;
#[cfg(test)]
mod tests;

pub use conjugate_gradients::ConjugateGradients;
pub use jacobi::solve_by_jacobi;
pub use system::{PressureSystem, RigidMotion, Wrench};

/// How an iterative solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveReport {
    /// Sweeps: applications of the system's matrix.
    pub iterations: u32,
    /// Mean error left, percent of the rest density.
    pub error_percent: f64,
    pub converged: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub struct SolveLimits {
    pub tolerance_percent: f64,
    pub iterations: u32,
    /// Sweeps beyond the first that are made in any case.
    pub least: u32,
    /// Converts a residual (density per second squared) to percent of the rest density: `100 dt²/ρ0`.
    pub percent_per_residual: f64,
}
