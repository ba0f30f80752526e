//! Grids for the smooth part of the pressure, which the diagonal alone corrects by one support radius per sweep.
//!
//! A smooth pressure has the energy `Σ_i V w_i |∇p|²`, and at a surface, where the particles without pressure begin, that of its jump there. The
//! finest grid has linear finite elements of six particle diameters with the same energy: the particles of a cell weigh it, and the energy of a
//! constant pressure, which is one sweep's force half, gives what the nodes near a surface add to the diagonal. Each further level has cells
//! twice as wide (Galerkin). One V-cycle, with a smoothing step before and after each level, is symmetric and positive, as
//! a preconditioner must be. It is added to the diagonal one. Bodies are not part of it: those that move are left to the conjugate gradients.
//!
//! Bramble, Pasciak & Xu 1990, Parallel multilevel preconditioners; Briggs, Henson & McCormick 2000, A multigrid tutorial.

mod axes;
mod level;
mod runs;
#[cfg(test)]
mod tests;

use glam::Vec3A;
use plimsoll_base::math::{
    OffsetLists, Periods, lanes,
    parallel::{InTasks, TASK, for_each_part, parts},
};
use plimsoll_search::{concatenate, reuse};
use rayon::prelude::*;

use axes::Axes;
use level::{FEW_NODES, Level, cycle};
use runs::{Collect, Run, Spread, find_runs};

/// Width of the cells of the finest grid, in particle diameters: 6.3, 5.6, 5.6 and 5.2 sweeps per step with 3, 4, 6 and 8 in
/// `benches/scenes/dam_break_98k.toml`; 12.5, 12.7 and 12.9 with 4, 6 and 8 in `dam_break_19k.toml` (13.3 and 16.2 without grids).
const WIDTH: f32 = 6.0;
const MAX_LEVELS: usize = 12;

/// What the grids need to know of a system.
#[derive(Clone, Copy)]
pub struct SmoothPart<'a> {
    /// m, sorted by cells.
    pub positions: &'a [Vec3A],
    pub periods: &'a Periods,
    /// Volume of a particle, m³.
    pub volume: f32,
    /// 1/kg
    pub inverse_masses: &'a [f32],
}

/// The grids with their buffers.
#[derive(Clone, Debug, Default)]
pub struct Multigrid {
    levels: Vec<Level>,
    /// Number of levels in use.
    depth: usize,
    batches: Vec<Vec<Run>>,
    /// All runs, and the end of those of each batch.
    runs: Vec<Run>,
    ends: Vec<usize>,
    runs_of_cells: OffsetLists,
    run_sums: Vec<[f32; 8]>,
    cell_sums: Vec<[f32; 8]>,
}

impl Multigrid {
    /// Makes the finest grid around the particles that have an unknown, where `inverse_diagonal` is above zero. Drops of one particle have none: each of
    /// them would have a cell and eight nodes of its own, as much as dozens of particles of a pool.
    pub fn place(&mut self, part: &SmoothPart, inverse_diagonal: &[f32]) {
        reuse(&mut self.levels, 1);
        self.levels[0].axes = Axes::new(WIDTH * part.volume.cbrt(), part.periods);
        self.list_cells(part.positions, inverse_diagonal);
        self.levels[0].place_nodes();
    }

    /// Weighs the grids by the particles where `free` is one (otherwise zero); `energies` are those of a pressure of one in the same places, and
    /// are overwritten.
    pub fn weigh(&mut self, part: &SmoothPart, free: &[f32], energies: &mut [f32]) {
        self.collect(part.positions, energies);
        self.levels[0].set_constants(&self.cell_sums);
        let weights = energies.par_chunks_mut(TASK).zip(free.par_chunks(TASK)).zip(part.inverse_masses.par_chunks(TASK));
        weights.for_each(|((weights, free), inverse_masses)| {
            weights.iter_mut().zip(free).zip(inverse_masses).for_each(|((weight, free), w)| *weight = part.volume * w * free);
        });
        self.collect(part.positions, energies);
        let level = &mut self.levels[0];
        // The linear functions of the corners add up to one.
        level.fill(self.cell_sums.iter().map(|sums| sums.iter().sum::<f32>()));
        level.assemble();
        self.depth = 1;
        while self.levels[self.depth - 1].len() > FEW_NODES && self.depth < MAX_LEVELS {
            reuse(&mut self.levels, self.depth + 1);
            let (finer, coarser) = self.levels.split_at_mut(self.depth);
            finer[self.depth - 1].coarsen(&mut coarser[0]);
            coarser[0].assemble();
            self.depth += 1;
        }
    }

    /// Lists the runs with unknowns, and the cells of the finest grid.
    fn list_cells(&mut self, positions: &[Vec3A], inverse_diagonal: &[f32]) {
        let Self { levels, batches, runs, ends, runs_of_cells, .. } = self;
        let level = &mut levels[0];
        let batches = reuse(batches, positions.len().div_ceil(TASK));
        batches.par_iter_mut().zip(positions.par_chunks(TASK)).zip(inverse_diagonal.par_chunks(TASK)).in_tasks(1).for_each(
            |((runs, positions), inverse_diagonal)| {
                find_runs(&level.axes, positions, runs);
                runs.retain(|run| run.has_unknown(inverse_diagonal));
            },
        );
        concatenate(batches, |runs| runs, ends, runs);
        level.cells.clear();
        level.cells.extend(runs.iter().map(|run| run.key));
        level.cells.par_sort_unstable();
        level.cells.dedup();
        let cells = &level.cells;
        runs.par_iter_mut().in_tasks(TASK).for_each(|run| run.cell = cells.binary_search(&run.key).expect("a listed cell") as u32);
        runs_of_cells.rebuild(cells.len(), runs.iter().zip(0..).map(|(run, index)| (run.cell, index)));
    }

    /// Sums the `values` of particles at `positions` at the corners of the finest cells.
    fn collect(&mut self, positions: &[Vec3A], values: &[f32]) {
        let Self { levels, runs, ends, runs_of_cells, run_sums, cell_sums, .. } = self;
        let axes = &levels[0].axes;
        run_sums.resize(runs.len(), [0.0; 8]);
        let end = |batch: usize| ends[batch];
        for_each_part(parts(run_sums, end), 0..ends.len(), &|batch, sums| {
            let first = batch * TASK;
            let particles = first..(first + TASK).min(values.len());
            let runs = &runs[ends[batch] - sums.values.len()..ends[batch]];
            lanes::compute(Collect { axes, runs, positions: &positions[particles.clone()], values: &values[particles], sums: sums.values });
        });
        let run_sums = &*run_sums;
        let sum = |cell: usize| {
            runs_of_cells
                .of(cell)
                .iter()
                .fold([0.0; 8], |sum: [f32; 8], &run| std::array::from_fn(|corner| sum[corner] + run_sums[run as usize][corner]))
        };
        (0..levels[0].cells.len()).into_par_iter().map(sum).in_tasks(TASK).collect_into(cell_sums);
    }

    /// Solves approximately for the `residual` of particles at `positions` (m); [`Multigrid::spread`] then interpolates the solution.
    pub fn solve(&mut self, positions: &[Vec3A], residual: &[f32]) {
        self.collect(positions, residual);
        self.levels[0].set_load(&self.cell_sums);
        cycle(&mut self.levels[..self.depth]);
    }

    /// The solution at the particles of `batch`, which are at `positions` (m), into `values`. Those of particles in no run are unspecified.
    pub fn spread(&self, batch: usize, positions: &[Vec3A], values: &mut [f32]) {
        let Level { axes, corners, solution, .. } = &self.levels[0];
        let start = if batch == 0 { 0 } else { self.ends[batch - 1] };
        lanes::compute(Spread { axes, runs: &self.runs[start..self.ends[batch]], positions, corners, solution, values });
    }
}
