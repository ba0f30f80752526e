//! Conjugate gradients for `A p ≥ b`, `p ≥ 0`, `p · (A p − b) = 0`: no negative pressure, and pressure only where the fluid would be too
//! dense.
//!
//! The solver is preconditioned by the diagonal and works on the set of particles that have pressure or need it. Pressures that a step
//! makes negative are set to zero; if that happens to more than a few, the residual is recomputed. Search directions are kept across this
//! and across changes of the set (the non-negative Polak–Ribière rule discards what no longer fits). A solution is accepted only with its
//! recomputed residual, never with one updated across a cut-off.

use glam::Vec3A;
use plimsoll_base::math::{
    lanes::{self, LaneWork, Lanes},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use crate::pressure::{PressureOperator, PressureSystem, SmoothPart, SolveLimits, SolveReport, multigrid::Multigrid, operator::is_zero};

/// Share of the particles whose pressure may be cut off at zero in a step without recomputing the residual.
const CUT_SHARE: f64 = 0.05;

/// Limit of the mean signed error, as a share of the tolerance. Errors of single particles vanish in the next step, but errors of equal
/// sign mean that the pressure of a whole column is wrong. With the mean of absolute values alone, the force on a floating ball varies by
/// 10 % from step to step; with a tenth it varies by 1.7 %, in fewer sweeps (docs/theory/pressure.md). With grids, 0.03 costs one sweep per step
/// in `benches/scenes/dam_break_19k.toml`, and the force on a fixed box in the wake of a dam break varies by 4 to 8 instead of 7 to 14 %
/// (`cargo test --release --test fluid impact::`, three tolerances).
const COHERENT_SHARE: f64 = 0.03;

/// The grids are weighed again if more than this share of the particles has become free or ceased to be since. A particle without pressure in the
/// midst of others costs a smooth pressure as much energy as one at a surface, so a few holes make long waves much stiffer.
const CHANGED_SHARE: f64 = 1e-2;

/// Sums over particles.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Absolute errors of the complementarity conditions, in units of the residual.
    error: f64,
    /// Signed errors.
    coherent: f64,
    /// Number of pressures that were cut off.
    cut: u32,
    /// Number of particles that have become free or ceased to be since the grids were weighed.
    changed: u32,
}

impl std::ops::AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.error += other.error;
        self.coherent += other.coherent;
        self.cut += other.cut;
        self.changed += other.changed;
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
    /// One for particles that were free when the grids were weighed, otherwise zero.
    weighed: Vec<f32>,
    accelerations: Vec<Vec3A>,
    /// Impulses of the pressures over the step, N s, if they are `known`.
    impulses: Vec<Vec3A>,
    known: bool,
    /// Partial sums, one for each task.
    sums: Vec<Sums>,
    products: Vec<[f64; 2]>,
    grids: Multigrid,
}

impl ConjugateGradients {
    fn resize(&mut self, count: usize) {
        let Self { inverse_diagonal, gradient, last_gradient, direction, image, weighed, .. } = self;
        for buffer in [inverse_diagonal, gradient, last_gradient, direction, image, weighed] {
            buffer.resize(count, 0.0);
        }
        self.accelerations.resize(count, Vec3A::ZERO);
        self.impulses.resize(count, Vec3A::ZERO);
        self.sums.resize(count.div_ceil(TASK), Sums::default());
        self.products.resize(count.div_ceil(TASK), [0.0; 2]);
    }

    /// What the pressures `p` that the last solve found exert on the particles over the step, N s.
    pub fn impulses(&mut self, system: &PressureSystem, p: &[f32]) -> &[Vec3A] {
        if !self.known {
            self.impulses.resize(p.len(), Vec3A::ZERO);
            system.impulses(p, &mut self.impulses);
        }
        self.known = false;
        &self.impulses
    }

    /// Solves for `p`, starting from its current values.
    pub fn solve(&mut self, system: &impl PressureOperator, p: &mut [f32], limits: SolveLimits) -> SolveReport {
        let count = system.count();
        self.resize(count);
        system.diagonal(&mut self.inverse_diagonal);
        self.inverse_diagonal.par_iter_mut().in_tasks(TASK).for_each(|value| *value = if *value > 0.0 { 1.0 / *value } else { 0.0 });
        let mut report = SolveReport::default();
        let mut sums = self.refresh(system, p, &mut report);
        // Whether the updated residual is exactly that of `p`: cutting off negative pressures makes it differ.
        let mut exact = true;
        let mut last_product = 0.0;
        let mut smooth_part = None;
        let share = 1.0 / count.max(1) as f64;
        loop {
            report.error_percent = limits.percent_per_residual * share * sums.error;
            let coherent_percent = limits.percent_per_residual * share * sums.coherent.abs();
            // A minimum number of steps: pressures that are only reused would push the same particles in the same way in every step.
            report.converged = report.error_percent <= limits.tolerance_percent
                && coherent_percent <= COHERENT_SHARE * limits.tolerance_percent
                && report.iterations > limits.least;
            if (report.converged && exact) || report.iterations >= limits.iterations {
                return report;
            }
            if !report.converged {
                self.update_grids(system, p, &mut smooth_part, last_product == 0.0, sums.changed);
                let [product, overlap] = self.precondition(smooth_part, p);
                // Polak–Ribière.
                let keep = if last_product > 0.0 { ((product - overlap) / last_product).max(0.0) as f32 } else { 0.0 };
                last_product = product;
                self.turn(p, keep);
                self.known = false;
                let length = self.length(system);
                report.iterations += 1;
                sums = self.advance(p, length);
                exact &= sums.cut == 0;
                if f64::from(sums.cut) <= CUT_SHARE * count as f64 {
                    continue;
                }
            }
            sums = self.refresh(system, p, &mut report);
            exact = true;
        }
    }

    /// Makes the grids if they are `new`, or weighs them if enough particles have `changed`. The buffer of the image has the gradient on the free set
    /// before and after.
    fn update_grids<'a>(
        &mut self,
        system: &'a impl PressureOperator,
        p: &[f32],
        part: &mut Option<SmoothPart<'a>>,
        new: bool,
        changed: u32,
    ) {
        if !new && (part.is_none() || f64::from(changed) <= CHANGED_SHARE * p.len() as f64) {
            return;
        }
        let Self { inverse_diagonal, gradient, weighed, image, accelerations, grids, .. } = self;
        let is_free = |i: usize| inverse_diagonal[i] > 0.0 && (p[i] > 0.0 || gradient[i] < 0.0);
        weighed.par_iter_mut().enumerate().in_tasks(TASK).for_each(|(i, free)| *free = f32::from(u8::from(is_free(i))));
        *part = system.smooth_part(weighed, accelerations, image);
        let Some(part) = part else { return };
        if new {
            grids.place(part, inverse_diagonal);
        }
        grids.weigh(part, weighed, image);
        let free = image.par_iter_mut().zip(&*gradient).zip(&*weighed).in_tasks(TASK);
        free.for_each(|((value, gradient), weighed)| *value = weighed * gradient);
    }

    /// Computes the preconditioned gradient `z` on the free set, in the buffer of the image, which has the gradient there; returns its products
    /// with the gradient and the last gradient.
    fn precondition(&mut self, smooth_part: Option<SmoothPart>, p: &[f32]) -> [f64; 2] {
        let Self { gradient, last_gradient, inverse_diagonal, image, grids, products, .. } = self;
        if let Some(part) = smooth_part {
            grids.solve(part.positions, image);
        }
        let state = p.par_chunks(TASK).zip(gradient.par_chunks(TASK)).zip(last_gradient.par_chunks(TASK));
        let values = state.zip(inverse_diagonal.par_chunks(TASK)).zip(image.par_chunks_mut(TASK)).zip(&mut *products);
        values.enumerate().in_tasks(1).for_each(|(batch, (((((p, gradient), last), inverse), z), products))| {
            match smooth_part {
                Some(part) => grids.spread(batch, &part.positions[batch * TASK..batch * TASK + z.len()], z),
                None => z.fill(0.0),
            }
            *products = lanes::compute(Precondition { p, gradient, last, inverse, z });
        });
        add(products)
    }

    /// Computes the gradient at `p`, which is half a sweep if there is no pressure.
    fn refresh(&mut self, system: &impl PressureOperator, p: &[f32], report: &mut SolveReport) -> Sums {
        report.iterations += u32::from(!is_zero(p));
        system.residual(p, &mut self.impulses, &mut self.accelerations, &mut self.gradient);
        self.known = true;
        let values = p.par_chunks(TASK).zip(self.inverse_diagonal.par_chunks(TASK)).zip(self.gradient.par_chunks(TASK));
        let free = self.weighed.par_chunks(TASK).zip(self.image.par_chunks_mut(TASK));
        values.zip(free).zip(&mut self.sums).in_tasks(1).for_each(|((((p, inverse), gradient), (weighed, free)), sums)| {
            *sums = lanes::compute(Residual { p, inverse, gradient, weighed, free });
        });
        total(&self.sums)
    }

    /// Computes the next search direction, with the share `keep` of the last one.
    fn turn(&mut self, p: &[f32], keep: f32) {
        let values = p.par_chunks(TASK).zip(self.gradient.par_chunks(TASK)).zip(self.image.par_chunks(TASK));
        values.zip(self.direction.par_chunks_mut(TASK)).in_tasks(1).for_each(|(((p, gradient), z), direction)| {
            lanes::compute(Turn { p, gradient, z, keep, direction });
        });
    }

    /// Computes the image of the direction; returns the distance to the minimum of the energy along it.
    fn length(&mut self, system: &impl PressureOperator) -> f32 {
        let Self { direction, gradient, image, accelerations, products, .. } = self;
        system.apply(direction, accelerations, image, products, |first, image| {
            let of_task = first..first + image.len();
            lanes::compute(Slopes { direction: &direction[of_task.clone()], gradient: &gradient[of_task], image })
        });
        let [slope, curvature] = add(products);
        if curvature > 0.0 { (-slope / curvature) as f32 } else { 0.0 }
    }

    /// Moves by `length` along the direction and cuts off negative pressures.
    fn advance(&mut self, p: &mut [f32], length: f32) -> Sums {
        let values = self.direction.par_chunks(TASK).zip(self.inverse_diagonal.par_chunks(TASK)).zip(self.weighed.par_chunks(TASK));
        let state = p.par_chunks_mut(TASK).zip(self.gradient.par_chunks_mut(TASK)).zip(self.last_gradient.par_chunks_mut(TASK));
        let results = self.image.par_chunks_mut(TASK).zip(&mut self.sums);
        values.zip(state).zip(results).in_tasks(1).for_each(|((((direction, inverse), weighed), ((p, gradient), last)), (image, sums))| {
            *sums = lanes::compute(Advance { direction, inverse, weighed, length, p, gradient, last, image });
        });
        total(&self.sums)
    }
}

fn total(sums: &[Sums]) -> Sums {
    let mut total = Sums::default();
    sums.iter().for_each(|&sums| total += sums);
    total
}

fn add(products: &[[f64; 2]]) -> [f64; 2] {
    products.iter().fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d])
}

/// Sums in lanes.
struct LaneSums<L> {
    error: L,
    coherent: L,
    cut: u32,
    changed: u32,
}

impl<L: Lanes> LaneSums<L> {
    #[inline(always)]
    fn new() -> Self {
        Self { error: L::splat(0.0), coherent: L::splat(0.0), cut: 0, changed: 0 }
    }

    /// Adds eight particles, which were free when the grids were weighed where `weighed` is one; returns the gradient of those that are free now.
    #[inline(always)]
    fn add(&mut self, p: L, gradient: L, inverse: L, weighed: L) -> L {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        // A row without an unknown has no error.
        let error = zero.select_less(inverse, zero.select_less(p, gradient, gradient.min(zero)), zero);
        self.error = self.error + error.max(zero - error);
        self.coherent = self.coherent + error;
        let share = zero.select_less(inverse, free(p, gradient, one), zero);
        let change = share - weighed;
        self.changed += zero.bits_less(change * change).count_ones();
        share * gradient
    }

    #[inline(always)]
    fn total(self) -> Sums {
        Sums { error: self.error.sum().into(), coherent: self.coherent.sum().into(), cut: self.cut, changed: self.changed }
    }
}

/// `value` for particles of the free set, otherwise zero.
#[inline(always)]
fn free<L: Lanes>(p: L, gradient: L, value: L) -> L {
    let zero = L::splat(0.0);
    zero.select_less(p, value, gradient.select_less(zero, value, zero))
}

/// Sums the errors, and finds the gradient on the free set.
struct Residual<'a> {
    p: &'a [f32],
    inverse: &'a [f32],
    gradient: &'a [f32],
    weighed: &'a [f32],
    free: &'a mut [f32],
}

impl LaneWork for Residual<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let mut sums = LaneSums::<L>::new();
        for at in (0..self.p.len()).step_by(lanes::LANES) {
            let (p, gradient) = (L::load_at(self.p, at), L::load_at(self.gradient, at));
            sums.add(p, gradient, L::load_at(self.inverse, at), L::load_at(self.weighed, at)).store_at(self.free, at);
        }
        sums.total()
    }
}

/// Adds the gradient times the inverse diagonal to `z`, which is zero outside the free set; returns the products of `z` with the gradient
/// and the last gradient.
struct Precondition<'a> {
    p: &'a [f32],
    gradient: &'a [f32],
    last: &'a [f32],
    inverse: &'a [f32],
    z: &'a mut [f32],
}

impl LaneWork for Precondition<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 2] {
        let (zero, mut product, mut overlap) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
        for at in (0..self.p.len()).step_by(lanes::LANES) {
            let (gradient, inverse) = (L::load_at(self.gradient, at), L::load_at(self.inverse, at));
            let z = L::load_at(self.z, at) + gradient * inverse;
            let z = zero.select_less(inverse, free(L::load_at(self.p, at), gradient, z), zero);
            z.store_at(self.z, at);
            product = product + gradient * z;
            overlap = overlap + L::load_at(self.last, at) * z;
        }
        [product.sum().into(), overlap.sum().into()]
    }
}

/// The next direction.
struct Turn<'a> {
    p: &'a [f32],
    gradient: &'a [f32],
    z: &'a [f32],
    keep: f32,
    direction: &'a mut [f32],
}

impl LaneWork for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for at in (0..self.p.len()).step_by(lanes::LANES) {
            let gradient = L::load_at(self.gradient, at);
            let next = L::splat(self.keep) * L::load_at(self.direction, at) - L::load_at(self.z, at);
            free(L::load_at(self.p, at), gradient, next).store_at(self.direction, at);
        }
    }
}

/// Slope and curvature of the energy along the direction.
struct Slopes<'a> {
    direction: &'a [f32],
    gradient: &'a [f32],
    image: &'a [f32],
}

impl LaneWork for Slopes<'_> {
    type Output = [f64; 2];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [f64; 2] {
        let (mut slope, mut curvature) = (L::splat(0.0), L::splat(0.0));
        for at in (0..self.direction.len()).step_by(lanes::LANES) {
            let direction = L::load_at(self.direction, at);
            slope = slope + direction * L::load_at(self.gradient, at);
            curvature = curvature + direction * L::load_at(self.image, at);
        }
        [slope.sum().into(), curvature.sum().into()]
    }
}

/// A step of `length` along the direction, whose `image` the gradient on the free set replaces.
struct Advance<'a> {
    direction: &'a [f32],
    inverse: &'a [f32],
    weighed: &'a [f32],
    length: f32,
    p: &'a mut [f32],
    gradient: &'a mut [f32],
    last: &'a mut [f32],
    image: &'a mut [f32],
}

impl LaneWork for Advance<'_> {
    type Output = Sums;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Sums {
        let (zero, length) = (L::splat(0.0), L::splat(self.length));
        let mut sums = LaneSums::<L>::new();
        for at in (0..self.p.len()).step_by(lanes::LANES) {
            let last = L::load_at(self.gradient, at);
            let gradient = last + length * L::load_at(self.image, at);
            let p = L::load_at(self.p, at) + length * L::load_at(self.direction, at);
            sums.cut += p.bits_less(zero).count_ones();
            let p = p.max(zero);
            last.store_at(self.last, at);
            gradient.store_at(self.gradient, at);
            p.store_at(self.p, at);
            sums.add(p, gradient, L::load_at(self.inverse, at), L::load_at(self.weighed, at)).store_at(self.image, at);
        }
        sums.total()
    }
}
