//! Pressure: keeps the fluid's density constant and pushes bodies.

mod conjugate_gradients;
mod enclosed;
mod equation_of_state;
#[cfg(test)]
mod jacobi;
mod multigrid;
mod operator;
mod solve;
mod system;
#[cfg(test)]
mod tests;

pub use conjugate_gradients::ConjugateGradients;
pub use enclosed::{is_enclosed, max_speed};
pub use multigrid::SmoothPart;
pub use operator::{PressureOperator, SolveLimits, SolveReport};
pub use solve::{PressureSolve, mean_compression};
pub use system::{Load, PressureSystem};
