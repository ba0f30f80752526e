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
    /// Fixed for life; the order of frame files.
    pub ids: Vec<u32>,
    /// kg/m³, at the beginning of the last step.
    pub densities: Vec<f32>,
    /// `p/ρ²` of the constant-density solve, m²/s² per kg/m³; where the next solve starts from.
    pub density_pressures: Vec<f32>,
    /// `p/ρ²` of the divergence solve.
    pub divergence_pressures: Vec<f32>,
}

impl Particles {
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub fn push(&mut self, position: Vec3A, velocity: Vec3A) {
        self.ids.push(self.positions.len() as u32);
        self.positions.push(position);
        self.position_remainders.push(Vec3A::ZERO);
        self.velocities.push(velocity);
        self.densities.push(0.0);
        self.density_pressures.push(0.0);
        self.divergence_pressures.push(0.0);
    }

    /// Sorts the particles into the cells of `grid`.
    pub fn sort(&mut self, grid: &mut CellGrid, cell_size: f32) {
        grid.update(&self.positions, cell_size);
        let (mut vectors, mut scalars, mut integers) = (Vec::new(), Vec::new(), Vec::new());
        for values in [&mut self.positions, &mut self.position_remainders, &mut self.velocities] {
            grid.reorder(values, &mut vectors);
        }
        for values in [&mut self.densities, &mut self.density_pressures, &mut self.divergence_pressures] {
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

    /// Pressure of particle `index` over the last step, Pa.
    pub fn pressure(&self, index: usize) -> f32 {
        (self.density_pressures[index] + self.divergence_pressures[index]) * self.densities[index] * self.densities[index]
    }
}
