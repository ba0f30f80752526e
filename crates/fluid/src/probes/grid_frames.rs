//! The fluid at the points of grids, at one instant.

use std::ops::Range;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::Image;
use plimsoll_contract::frame::{Field, GridFrame};
use rayon::prelude::*;

use super::{
    FluidSample, SampleGrid,
    means::{PressureMean, PressureSums, VelocityMean, VelocitySums},
};

/// Number of parts of a grid per thread. Each part looks at all particles near the grid; the sums at a point do not depend on the parts.
const PARTS_PER_THREAD: usize = 4;

/// The grids of the last output.
#[derive(Clone, Debug, Default)]
pub struct GridFrames {
    time: f64,
    list: Vec<GridFrame>,
}

impl GridFrames {
    /// The fluid of a sample whose pressures are means since the last output.
    pub fn measure(grids: &[SampleGrid], sample: &FluidSample) -> Self {
        Self { time: sample.time, list: grids.iter().map(|grid| frame(grid, sample)).collect() }
    }

    /// Those measured at `time` (s).
    pub fn at(&self, time: f64) -> Vec<GridFrame> {
        if self.time == time { self.list.clone() } else { Vec::new() }
    }
}

/// What is summed at a point.
#[derive(Clone, Copy, Default)]
struct PointSums {
    velocity: VelocitySums,
    pressure: PressureSums,
    /// Sum of masses times weights, kg/m³.
    density: f64,
}

fn frame(grid: &SampleGrid, sample: &FluidSample) -> GridFrame {
    let axis = if grid.counts[2] > 1 { 2 } else { 1 };
    let (layers, mut sums) = (grid.counts[axis], vec![PointSums::default(); grid.len()]);
    // Layers along z, or rows along y of a plane, are contiguous.
    let thickness = layers.div_ceil(PARTS_PER_THREAD * rayon::current_num_threads());
    let whole = Part { grid, window: grid.counts.map(|count| 0..count) };
    let near = whole.near_particles(sample);
    let parts = sums.par_chunks_mut(thickness * grid.len() / layers).enumerate();
    parts.for_each(|(part, sums)| {
        let mut window = grid.counts.map(|count| 0..count);
        window[axis] = part * thickness..layers.min((part + 1) * thickness);
        Part { grid, window }.add_all(sample, &near, sums);
    });
    let (velocity, pressure) = (VelocityMean::new(sample), PressureMean::new(sample));
    let volume = sample.settings.particle_volume();
    let scalars = |name, value: &dyn Fn(&PointSums) -> f64| Field::scalars(name, sums.iter().map(|sums| value(sums) as f32).collect());
    let fields = vec![
        Field::vectors("velocity", sums.iter().map(|sums| velocity.value(sums.velocity).as_vec3().to_array()).collect()),
        scalars("pressure", &|sums| pressure.value(sums.pressure)),
        scalars("fraction", &|sums| volume * sums.velocity.0),
        scalars("density", &|sums| sums.density),
    ];
    GridFrame { name: grid.name.clone(), origin: grid.first, spacing: grid.spacing, counts: grid.counts, fields }
}

/// Displacements of the images of the particles, m.
fn images(sample: &FluidSample) -> Vec<DVec3> {
    let domain = sample.settings.domain;
    if domain.is_periodic() { domain.images().map(|image| domain.shift(image)).collect() } else { vec![domain.shift(Image::HOME)] }
}

/// Some points of a grid.
struct Part<'a> {
    grid: &'a SampleGrid,
    /// Indices along each axis.
    window: [Range<usize>; 3],
}

impl Part<'_> {
    /// The particles that may add to any of the points, in ascending order.
    fn near_particles(&self, sample: &FluidSample) -> Vec<usize> {
        let (velocity, pressure) = (VelocityMean::new(sample).support, PressureMean::new(sample).support);
        let images = images(sample);
        let reaches = |i: &usize| {
            let after = images.iter().any(|&shift| !self.around(sample.after[*i], shift, velocity).iter().any(Range::is_empty));
            after || images.iter().any(|&shift| !self.around(sample.positions[*i], shift, pressure).iter().any(Range::is_empty))
        };
        (0..sample.after.len()).into_par_iter().filter(reaches).collect()
    }

    /// Adds the particles `near` the grid to the sums of the points, particle by particle, as probes at single points do.
    fn add_all(&self, sample: &FluidSample, near: &[usize], sums: &mut [PointSums]) {
        let (velocity, pressure) = (VelocityMean::new(sample), PressureMean::new(sample));
        let images = images(sample);
        let masses = sample.settings.masses();
        for &i in near {
            for &shift in &images {
                let (after, mass) = (sample.after[i], masses.of(sample.materials[i]));
                self.near(after, shift, velocity.support, |place, point| {
                    let weight = velocity.add(&mut sums[place].velocity, sample.offset(point, after), sample.velocities[i]);
                    sums[place].density += mass * weight;
                });
                let start = sample.positions[i];
                self.near(start, shift, pressure.support, |place, point| {
                    pressure.add(&mut sums[place].pressure, sample.offset(point, start), i);
                });
            }
        }
    }

    /// Indices of the points in the cube with half the edge `reach` (m) around a particle.
    fn around(&self, position: Vec3A, shift: DVec3, reach: f64) -> [Range<usize>; 3] {
        let SampleGrid { first, spacing, .. } = *self.grid;
        let center = (position.as_dvec3() + shift - first) / spacing;
        [0, 1, 2].map(|axis| {
            let (window, around) = (&self.window[axis], reach / spacing[axis]);
            let (low, high) = ((center[axis] - around).ceil(), (center[axis] + around).floor() + 1.0);
            // The conversion saturates.
            (low.max(0.0) as usize).max(window.start)..(high.max(0.0) as usize).min(window.end)
        })
    }

    /// Visits the points in the cube with half the edge `reach` (m) around a particle, each with its place in the part and its position.
    fn near(&self, position: Vec3A, shift: DVec3, reach: f64, mut visit: impl FnMut(usize, DVec3)) {
        let [x, y, z] = self.around(position, shift, reach);
        let [width, height] = [0, 1].map(|axis| self.window[axis].len());
        for k in z {
            for j in y.clone() {
                for i in x.clone() {
                    let place = ((k - self.window[2].start) * height + (j - self.window[1].start)) * width + (i - self.window[0].start);
                    visit(place, self.grid.point([i, j, k]));
                }
            }
        }
    }
}
