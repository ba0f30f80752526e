//! The fluid's particles as a structure of arrays.

use glam::Vec3A;
use plimsoll_base::math::{
    Domain,
    parallel::{InTasks, TASK},
};
use plimsoll_search::{CellGrid, CellLayout};
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ByMaterial;

/// Particles in the order of the grid. All arrays have one value per particle; [`Particles::for_each_array`] lists them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Particles {
    /// m
    pub positions: Vec<Vec3A>,
    /// Rounding errors of the positions, m; carried from step to step so that angular momentum does not drift.
    pub position_remainders: Vec<Vec3A>,
    /// m/s
    pub velocities: Vec<Vec3A>,
    /// Rounding errors of the velocities, m/s; carried from step to step so that small impulses are not lost.
    pub velocity_remainders: Vec<Vec3A>,
    /// Angular velocities of the spins of a micropolar fluid, rad/s; otherwise zero.
    #[serde(default)]
    pub spins: Vec<Vec3A>,
    /// 1/kg; zero where the velocity is prescribed.
    pub inverse_masses: Vec<f32>,
    /// Indices of the materials.
    #[serde(default)]
    pub materials: Vec<u8>,
    /// Never reused; the order of frame files.
    pub ids: Vec<u32>,
    next_id: u32,
    /// Density over rest density at the beginning of the last step; 1 at rest.
    pub relative_densities: Vec<f32>,
    /// Pressure of the constant-density solve, Pa; the initial guess of the next one.
    pub density_pressures: Vec<f32>,
    /// Pressure of the divergence solve, Pa; the initial guess of the next one.
    pub divergence_pressures: Vec<f32>,
    /// Pressure times time since the last output, Pa s.
    pub pressure_impulses: Vec<f32>,
    #[serde(skip)]
    buffers: Buffers,
}

/// An operation on every array of the particles.
trait ArrayOperation {
    fn apply<T: Element>(&mut self, values: &mut Vec<T>, buffers: &mut Buffers);
}

/// An element type of the arrays.
trait Element: Copy + Default + Send + Sync {
    /// The buffer for sorted values, which is then swapped with the old array.
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self>;
}

/// One spare array per type, swapped with each array when it is sorted.
#[derive(Clone, Debug, Default)]
struct Buffers {
    vectors: Vec<Vec3A>,
    scalars: Vec<f32>,
    integers: Vec<u32>,
    bytes: Vec<u8>,
}

impl Element for Vec3A {
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.vectors
    }
}

impl Element for f32 {
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.scalars
    }
}

impl Element for u32 {
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.integers
    }
}

impl Element for u8 {
    fn buffer(buffers: &mut Buffers) -> &mut Vec<Self> {
        &mut buffers.bytes
    }
}

impl Serialize for Particles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

/// States of earlier versions have neither materials nor spins.
impl<'de> Deserialize<'de> for Particles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut saved = Self::deserialize(deserializer)?;
        saved.materials.resize(saved.positions.len(), 0);
        saved.spins.resize(saved.positions.len(), Vec3A::ZERO);
        Ok(saved)
    }
}

/// Adds a value to the end of each array.
struct Append;

impl ArrayOperation for Append {
    fn apply<T: Element>(&mut self, values: &mut Vec<T>, _: &mut Buffers) {
        values.push(T::default());
    }
}

/// Sorts the arrays into the order of a grid.
struct Sort<'a>(&'a CellGrid);

impl ArrayOperation for Sort<'_> {
    fn apply<T: Element>(&mut self, values: &mut Vec<T>, buffers: &mut Buffers) {
        self.0.reorder(values, T::buffer(buffers));
    }
}

/// Removes the particles at these places, which increase, and closes the gaps.
struct Remove<'a>(&'a [u32]);

impl ArrayOperation for Remove<'_> {
    fn apply<T: Element>(&mut self, values: &mut Vec<T>, _: &mut Buffers) {
        let &mut Self(places) = self;
        let Some(&first) = places.first() else { return };
        let mut end = first as usize;
        for (index, &place) in places.iter().enumerate() {
            let (start, next) = (place as usize + 1, places.get(index + 1).map_or(values.len(), |&next| next as usize));
            values.copy_within(start..next, end);
            end += next - start;
        }
        values.truncate(end);
    }
}

impl Particles {
    /// Applies `operation` to every array.
    fn for_each_array(&mut self, operation: &mut impl ArrayOperation) {
        let Self {
            positions,
            position_remainders,
            velocities,
            velocity_remainders,
            spins,
            inverse_masses,
            materials,
            ids,
            next_id: _,
            relative_densities,
            density_pressures,
            divergence_pressures,
            pressure_impulses,
            buffers,
        } = self;
        for vectors in [positions, position_remainders, velocities, velocity_remainders, spins] {
            operation.apply(vectors, buffers);
        }
        for scalars in [inverse_masses, relative_densities, density_pressures, divergence_pressures, pressure_impulses] {
            operation.apply(scalars, buffers);
        }
        operation.apply(materials, buffers);
        operation.apply(ids, buffers);
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a free particle (m, m/s) of the material with this index to a fluid with `inverse_masses` (1/kg); its pressure is zero.
    pub fn push(&mut self, position: Vec3A, velocity: Vec3A, material: u8, inverse_masses: &ByMaterial<f32>) {
        let index = self.len();
        self.for_each_array(&mut Append);
        (self.positions[index], self.velocities[index]) = (position, velocity);
        (self.materials[index], self.inverse_masses[index]) = (material, inverse_masses.of(material));
        self.ids[index] = self.next_id;
        self.next_id += 1;
    }

    /// Gives each particle an impulse (N s): `v += w J`.
    pub fn accelerate(&mut self, impulses: &[Vec3A]) {
        let particles = self.velocities.par_iter_mut().zip(&mut self.velocity_remainders).zip(&self.inverse_masses).zip(impulses);
        particles.in_tasks(TASK).for_each(|(((velocity, remainder), &w), &impulse)| {
            (*velocity, *remainder) = compensated_sum(*velocity, w * impulse + *remainder);
        });
    }

    /// Sets the velocity (m/s) of particle `index`.
    pub fn set_velocity(&mut self, index: usize, velocity: Vec3A) {
        (self.velocities[index], self.velocity_remainders[index]) = (velocity, Vec3A::ZERO);
    }

    /// Sorts the particles into the cells of `grid` with this `layout`.
    pub fn sort(&mut self, grid: &mut CellGrid, layout: &CellLayout) {
        grid.update(&self.positions, *layout);
        self.for_each_array(&mut Sort(grid));
    }

    /// Moves particles that have left `domain` back through its periodic ends; `moved` gets the index of each and its last position (m).
    pub fn wrap(&mut self, domain: &Domain, mut moved: impl FnMut(&Self, usize, Vec3A)) {
        if !domain.is_periodic() {
            return;
        }
        let outside = |i: &usize| domain.wrap(self.positions[*i].as_dvec3()) != self.positions[*i].as_dvec3();
        let outside: Vec<usize> = (0..self.len()).into_par_iter().with_min_len(TASK).filter(outside).collect();
        for i in outside {
            let last = self.positions[i];
            // In double precision: the remainder keeps what the rounded position loses.
            let exact = last.as_dvec3() + self.position_remainders[i].as_dvec3();
            let within = exact + (domain.wrap(last.as_dvec3()) - last.as_dvec3());
            self.positions[i] = within.as_vec3a();
            self.position_remainders[i] = (within - self.positions[i].as_dvec3()).as_vec3a();
            moved(self, i, last);
        }
    }

    /// Position of particle `index` after `dt` (s), and its rounding error.
    pub fn moved(&self, index: usize, dt: f32) -> (Vec3A, Vec3A) {
        moved(self.positions[index], self.position_remainders[index], self.velocities[index], dt)
    }

    /// Moves all particles by `dt` (s).
    pub fn advance(&mut self, dt: f32) {
        let places = self.positions.par_iter_mut().zip(&mut self.position_remainders).zip(&self.velocities).in_tasks(TASK);
        places.for_each(|((position, remainder), &velocity)| (*position, *remainder) = moved(*position, *remainder, velocity, dt));
    }

    /// Moves each particle by a shift (m).
    pub fn shift(&mut self, shifts: &[Vec3A]) {
        let places = self.positions.par_iter_mut().zip(&mut self.position_remainders).zip(shifts).in_tasks(TASK);
        places.for_each(|((position, remainder), &shift)| (*position, *remainder) = moved(*position, *remainder, shift, 1.0));
    }

    /// Keeps the particles for which `keep(index)` is true and gives them new ids, starting at 0.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let removed: Vec<u32> = (0..self.len()).filter(|&index| !keep(index)).map(|index| index as u32).collect();
        self.remove(&removed);
        self.ids = (0..self.len() as u32).collect();
        self.next_id = self.len() as u32;
    }

    /// Removes the particles at `places`, which must be increasing. The others keep their order.
    pub fn remove(&mut self, places: &[u32]) {
        self.for_each_array(&mut Remove(places));
    }

    /// Indices of the particles at positions (m) that are `wanted`, increasing.
    pub fn places_where(&self, wanted: impl Fn(Vec3A) -> bool + Sync) -> Vec<u32> {
        let wanted = |place: &usize| wanted(self.positions[*place]);
        (0..self.len()).into_par_iter().filter(wanted).map(|place| place as u32).collect()
    }

    /// Lets every particle move freely, with the inverse mass (1/kg) of its material, and begins a new output interval.
    pub fn release(&mut self, inverse_masses: &ByMaterial<f32>) {
        self.inverse_masses.iter_mut().zip(&self.materials).for_each(|(w, &material)| *w = inverse_masses.of(material));
        self.pressure_impulses.fill(0.0);
    }

    /// Pressure of particle `index` over the last step, Pa.
    pub fn pressure(&self, index: usize) -> f32 {
        self.density_pressures[index] + self.divergence_pressures[index]
    }
}

fn moved(position: Vec3A, remainder: Vec3A, velocity: Vec3A, dt: f32) -> (Vec3A, Vec3A) {
    compensated_sum(position, dt * velocity + remainder)
}

/// `value + change`, rounded, and the rounding error.
fn compensated_sum(value: Vec3A, change: Vec3A) -> (Vec3A, Vec3A) {
    let sum = value + change;
    (sum, change - (sum - value))
}
