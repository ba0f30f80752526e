//! Conjugate gradients for `A p ≥ b`, `p ≥ 0`, `p · (A p − b) = 0`: no negative pressure, and pressure only where the fluid would be too
//! dense.
//!
//! The solver is preconditioned by the diagonal and works on the set of particles that have pressure or need it. Pressures that a step
//! makes negative are set to zero; if that happens to more than a few, the residual is recomputed. Search directions are kept across this
//! and across changes of the set (the non-negative Polak–Ribière rule discards what no longer fits). A solution is accepted only with its
//! recomputed residual, never with one updated across a cut-off.

use glam::Vec3A;
use rayon::prelude::*;

use crate::{
    fluid::pressure::{PressureOperator, SolveLimits, SolveReport},
    math::parallel::{TASK, sum},
};

/// Share of the particles whose pressure may be cut off at zero in a step without recomputing the residual.
const CUT_SHARE: f64 = 0.05;

/// Limit of the mean signed error, as a share of the tolerance. Errors of single particles vanish in the next step, but errors of equal
/// sign mean that the pressure of a whole column is wrong. With the mean of absolute values alone, the force on a floating ball varies by
/// 10 % from step to step; with this limit it varies by 1.7 %, in fewer sweeps (docs/theory/pressure.md).
const COHERENT_SHARE: f64 = 0.1;

/// Means of absolute and of signed errors over the particles.
#[derive(Clone, Copy, Default)]
struct Errors {
    mean: f64,
    coherent: f64,
}

impl std::ops::AddAssign for Errors {
    fn add_assign(&mut self, other: Self) {
        self.mean += other.mean;
        self.coherent += other.coherent;
    }
}

/// Buffers of the solve, reused from step to step.
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients {
    inverse_diagonal: Vec<f32>,
    /// `g = A p − b`
    gradient: Vec<f32>,
    last_gradient: Vec<f32>,
    direction: Vec<f32>,
    image: Vec<f32>,
    accelerations: Vec<Vec3A>,
}

impl ConjugateGradients {
    fn resize(&mut self, count: usize) {
        for buffer in [&mut self.inverse_diagonal, &mut self.gradient, &mut self.last_gradient, &mut self.direction, &mut self.image] {
            buffer.resize(count, 0.0);
        }
        self.accelerations.resize(count, Vec3A::ZERO);
    }

    /// Solves for `p`, starting from its current values.
    pub fn solve(&mut self, system: &impl PressureOperator, b: &[f32], p: &mut [f32], limits: SolveLimits) -> SolveReport {
        let count = system.count();
        self.resize(count);
        system.diagonal(&mut self.inverse_diagonal);
        self.inverse_diagonal.par_iter_mut().for_each(|value| *value = if *value > 0.0 { 1.0 / *value } else { 0.0 });
        let mut report = SolveReport::default();
        self.refresh(system, b, p, &mut report);
        // Whether the updated residual is exactly that of `p`: cutting off negative pressures makes it differ.
        let mut exact = true;
        let mut last_product = None;
        loop {
            let errors = self.errors(p);
            report.error_percent = limits.percent_per_residual * errors.mean;
            let coherent_percent = limits.percent_per_residual * errors.coherent.abs();
            // A minimum number of steps: pressures that are only reused would push the same particles in the same way in every step.
            report.converged = report.error_percent <= limits.tolerance_percent
                && coherent_percent <= COHERENT_SHARE * limits.tolerance_percent
                && report.iterations > limits.least;
            if (report.converged && exact) || report.iterations >= limits.iterations {
                return report;
            }
            if !report.converged {
                let product = self.update_direction(p, last_product);
                system.apply(&self.direction, &mut self.accelerations, &mut self.image);
                report.iterations += 1;
                let cut = self.advance(p);
                exact &= cut == 0;
                last_product = Some(product);
                if cut as f64 <= CUT_SHARE * count as f64 {
                    continue;
                }
            }
            self.refresh(system, b, p, &mut report);
            exact = true;
        }
    }

    fn refresh(&mut self, system: &impl PressureOperator, b: &[f32], p: &[f32], report: &mut SolveReport) {
        system.apply(p, &mut self.accelerations, &mut self.gradient);
        self.gradient.par_iter_mut().zip(b).for_each(|(g, b)| *g -= b);
        report.iterations += 1;
    }

    /// Errors of the complementarity conditions, in units of the residual.
    fn errors(&self, p: &[f32]) -> Errors {
        let error = |i: usize| {
            // A row without an unknown has no error.
            let g = if self.inverse_diagonal[i] > 0.0 { self.gradient[i] } else { 0.0 };
            let error = f64::from(if p[i] > 0.0 { g } else { g.min(0.0) });
            Errors { mean: error.abs(), coherent: error }
        };
        let sums = sum(p.len(), error);
        let share = 1.0 / p.len().max(1) as f64;
        Errors { mean: share * sums.mean, coherent: share * sums.coherent }
    }

    /// Computes the next search direction; returns the product `g · z` over the free set.
    fn update_direction(&mut self, p: &[f32], last_product: Option<f64>) -> f64 {
        let free = |i: usize| p[i] > 0.0 || self.gradient[i] < 0.0;
        let square =
            |i: usize| if free(i) { f64::from(self.gradient[i]) * f64::from(self.gradient[i] * self.inverse_diagonal[i]) } else { 0.0 };
        let product = sum(p.len(), square);
        let overlap = |i: usize| {
            if free(i) { f64::from(self.gradient[i]) * f64::from(self.last_gradient[i] * self.inverse_diagonal[i]) } else { 0.0 }
        };
        let keep = match last_product {
            Some(last) if last > 0.0 => ((product - sum(p.len(), overlap)) / last).max(0.0) as f32,
            _ => 0.0,
        };
        let (gradient, inverse) = (&self.gradient, &self.inverse_diagonal);
        self.direction.par_chunks_mut(TASK).enumerate().for_each(|(task, chunk)| {
            for (offset, direction) in chunk.iter_mut().enumerate() {
                let i = task * TASK + offset;
                let free = p[i] > 0.0 || gradient[i] < 0.0;
                *direction = if free { keep * *direction - gradient[i] * inverse[i] } else { 0.0 };
            }
        });
        product
    }

    /// Moves along the direction to the minimum of the energy and cuts off negative pressures; returns how many were cut off.
    fn advance(&mut self, p: &mut [f32]) -> usize {
        let (direction, image, gradient) = (&self.direction, &self.image, &self.gradient);
        let slope = sum(p.len(), |i| f64::from(direction[i]) * f64::from(gradient[i]));
        let curvature = sum(p.len(), |i| f64::from(direction[i]) * f64::from(image[i]));
        let length = if curvature > 0.0 { (-slope / curvature) as f32 } else { 0.0 };
        self.last_gradient.copy_from_slice(&self.gradient);
        let (direction, image) = (&self.direction, &self.image);
        let tasks = p.par_chunks_mut(TASK).zip(self.gradient.par_chunks_mut(TASK)).enumerate();
        let cut = tasks.map(|(task, (p, gradient))| {
            let mut cut = 0;
            for (offset, (p, g)) in p.iter_mut().zip(gradient).enumerate() {
                let i = task * TASK + offset;
                *g += length * image[i];
                *p += length * direction[i];
                if *p < 0.0 {
                    *p = 0.0;
                    cut += 1;
                }
            }
            cut
        });
        cut.sum()
    }
}
