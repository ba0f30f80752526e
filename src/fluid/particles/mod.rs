//! The fluid's particles, structure of arrays, all of one mass.

mod kernel;
mod links;

pub use kernel::Kernel;
pub use links::Links;

use glam::Vec3A;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::{math::parallel::TASK, search::CellGrid};

/// Particles in the grid's order.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Particles {
    /// Metres.
    pub positions: Vec<Vec3A>,
    /// What rounding has kept from the positions so far: handed on from step to step, so that angular momentum does not drift.
    pub position_remainders: Vec<Vec3A>,
    /// m/s.
    pub velocities: Vec<Vec3A>,
    /// Fixed for life and never given twice; the order of frame files.
    pub ids: Vec<u32>,
    next_id: u32,
    /// kg/m³, at the beginning of the last step.
    pub densities: Vec<f32>,
    /// `p/ρ²` of the constant-density solve, m²/s² per kg/m³; where the next solve starts from.
    pub density_pressures: Vec<f32>,
    /// `p/ρ²` of the divergence solve.
    pub divergence_pressures: Vec<f32>,
    /// Pressure times time since the last output, Pa s.
    pub pressure_impulses: Vec<f32>,
}

impl Particles {
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn push(&mut self, position: Vec3A, velocity: Vec3A) {
        self.ids.push(self.next_id);
        self.next_id += 1;
        self.positions.push(position);
        self.position_remainders.push(Vec3A::ZERO);
        self.velocities.push(velocity);
        self.densities.push(0.0);
        self.density_pressures.push(0.0);
        self.divergence_pressures.push(0.0);
        self.pressure_impulses.push(0.0);
    }

    /// Sorts the particles into the cells of `grid`.
    pub fn sort(&mut self, grid: &mut CellGrid, cell_size: f32) {
        grid.update(&self.positions, cell_size);
        let (mut vectors, mut scalars, mut integers) = (Vec::new(), Vec::new(), Vec::new());
        for values in [&mut self.positions, &mut self.position_remainders, &mut self.velocities] {
            grid.reorder(values, &mut vectors);
        }
        for values in [&mut self.densities, &mut self.density_pressures, &mut self.divergence_pressures, &mut self.pressure_impulses] {
            grid.reorder(values, &mut scalars);
        }
        grid.reorder(&mut self.ids, &mut integers);
    }

    /// Where particle `index` is after `dt`, and what rounding keeps from it.
    pub fn moved(&self, index: usize, dt: f32) -> (Vec3A, Vec3A) {
        let displacement = dt * self.velocities[index] + self.position_remainders[index];
        let position = self.positions[index] + displacement;
        (position, displacement - (position - self.positions[index]))
    }

    /// Moves all particles by `dt`.
    pub fn advance(&mut self, dt: f32) {
        let moved: Vec<(Vec3A, Vec3A)> = (0..self.len()).into_par_iter().with_min_len(TASK).map(|index| self.moved(index, dt)).collect();
        let places = self.positions.par_iter_mut().zip(&mut self.position_remainders);
        places.zip(moved).for_each(|((position, remainder), moved)| (*position, *remainder) = moved);
    }

    /// Keeps the particles for which `keep` holds, by index, and numbers them anew.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let old = std::mem::take(self);
        for index in (0..old.len()).filter(|&index| keep(index)) {
            self.push(old.positions[index], old.velocities[index]);
        }
    }

    /// Takes away the particles at `places`, which increase. The others stay as and in the order that they are.
    pub fn remove(&mut self, places: &[u32]) {
        let Some(&first) = places.first() else { return };
        let mut kept = vec![true; self.len() - first as usize];
        places.iter().for_each(|&place| kept[(place - first) as usize] = false);
        for values in [&mut self.positions, &mut self.position_remainders, &mut self.velocities] {
            compact(values, first as usize, &kept);
        }
        for values in [&mut self.densities, &mut self.density_pressures, &mut self.divergence_pressures, &mut self.pressure_impulses] {
            compact(values, first as usize, &kept);
        }
        compact(&mut self.ids, first as usize, &kept);
    }

    /// Adds the impulses of pressures `q = p/ρ²` over `dt` to those since the last output.
    pub fn gather_pressure(&mut self, q: &[f32], dt: f32) {
        let sums = self.pressure_impulses.par_iter_mut().with_min_len(TASK).zip(q).zip(&self.densities);
        sums.for_each(|((sum, q), density)| *sum += dt * q * density * density);
    }

    /// Pressure of particle `index` over the last step, Pa.
    pub fn pressure(&self, index: usize) -> f32 {
        (self.density_pressures[index] + self.divergence_pressures[index]) * self.densities[index] * self.densities[index]
    }
}

/// Keeps of `values` the `first` ones and those further on that are `kept`.
fn compact<T: Copy>(values: &mut Vec<T>, first: usize, kept: &[bool]) {
    let mut end = first;
    for (offset, _) in kept.iter().enumerate().filter(|&(_, &kept)| kept) {
        values[end] = values[first + offset];
        end += 1;
    }
    values.truncate(end);
}
