//! Projected Jacobi iteration: a slow reference solver for the conjugate gradients.
//!
//! `p ← max(0, p − ½ (A p − b) / diagonal)`. If many particles touch one light body, their effects add up, so the body's share of the
//! diagonal is multiplied by the number of its contacts (mass splitting, Tonge et al. 2012).

use glam::Vec3A;

use crate::pressure::{PressureOperator, PressureSystem, SolveLimits, SolveReport};

const RELAXATION: f32 = 0.5;

/// Solves for `p`, starting from its current values.
pub fn solve_by_jacobi(system: &PressureSystem, p: &mut [f32], limits: SolveLimits) -> SolveReport {
    let count = system.count();
    let mut diagonal = vec![0.0; count];
    system.split_diagonal(&mut diagonal);
    let mut gradient = vec![0.0; count];
    let (mut impulses, mut accelerations) = (vec![Vec3A::ZERO; count], vec![Vec3A::ZERO; count]);
    let mut report = SolveReport::default();
    loop {
        system.residual(p, &mut impulses, &mut accelerations, &mut gradient);
        report.iterations += 1;
        let error = |i: usize| f64::from(if p[i] > 0.0 { gradient[i].abs() } else { (-gradient[i]).max(0.0) });
        let total: f64 = (0..count).map(error).sum();
        report.error_percent = limits.percent_per_residual * total / count.max(1) as f64;
        report.converged = report.error_percent <= limits.tolerance_percent;
        if report.converged || report.iterations >= limits.iterations {
            return report;
        }
        for i in 0..count {
            if diagonal[i] > 0.0 {
                p[i] = (p[i] - RELAXATION * gradient[i] / diagonal[i]).max(0.0);
            }
        }
    }
}
