//! Fills: regions of a lattice of particles, carved where bodies stand.

use glam::{DVec3, Vec3A};
use rayon::prelude::*;

use crate::{
    bodies::Body,
    fluid::{FillShape, FluidSettings, particles::Particles},
    math::Aabb,
    search::CellGrid,
    shape::{InsideTest, MeshReport, Obstacle},
    simulator::{Interrupted, Watch},
};

/// Lattice points closer to a body than this share of the particle radius are left out; the rest is for relaxation.
const CARVE_SHARE: f64 = 0.4;

/// Particles of all fills, those of earlier ones first.
///
/// # Errors
/// `watch` interrupts.
pub fn place(settings: &FluidSettings, bodies: &[Body], watch: &dyn Watch) -> Result<Particles, Interrupted> {
    let obstacles: Vec<Obstacle> = bodies.par_iter().map(obstacle).collect();
    let distance = CARVE_SHARE * settings.particle_radius;
    let mut particles = Particles::default();
    for (index, fill) in settings.fills.iter().enumerate() {
        let points = Lattice::new(settings).points(&fill.shape);
        let free = |point: &DVec3| !obstacles.iter().any(|obstacle| obstacle.takes(*point, distance));
        let points: Vec<DVec3> = points.into_par_iter().filter(|point| free(point)).collect();
        let overlapping = overlapping(&particles, &points, 1.5 * settings.particle_radius);
        for (point, _) in points.iter().zip(overlapping).filter(|(_, overlapping)| !overlapping) {
            particles.push(point.as_vec3a(), fill.velocity.as_vec3a(), settings.inverse_mass());
        }
        watch.progress("placing fluid", index + 1, settings.fills.len())?;
    }
    Ok(particles)
}

/// How a region is filled: layers as wide as a particle.
struct Lattice {
    spacing: f64,
    /// The axis nearest to that of gravity.
    vertical: usize,
}

impl Lattice {
    fn new(settings: &FluidSettings) -> Self {
        let gravity = settings.gravity.abs();
        let vertical = if gravity.x > gravity.y.max(gravity.z) {
            0
        } else if gravity.z > gravity.y {
            2
        } else {
            1
        };
        Self { spacing: 2.0 * settings.particle_radius, vertical }
    }

    /// Points in `shape`, in increasing (z, y, x).
    fn points(&self, shape: &FillShape) -> Vec<DVec3> {
        match shape {
            FillShape::Box { min, max } => self.points_of(&Aabb { min: *min, max: *max }, |_| true),
            FillShape::Sphere { center, radius } => {
                let aabb = Aabb { min: *center - *radius, max: *center + *radius };
                self.points_of(&aabb, |point| point.distance_squared(*center) < radius * radius)
            }
            FillShape::Mesh(mesh) => {
                let inside = InsideTest::new(mesh);
                self.points_of(&mesh.aabb(), |point| inside.contains(point))
            }
        }
    }

    /// Points of a box that `wanted` keeps. Sideways the box is filled from wall to wall by whole layers, a little wider or narrower than
    /// a particle; upwards the layers are as high as it takes to keep a particle's volume, and what is left of the box stays empty on top.
    fn points_of(&self, aabb: &Aabb, wanted: impl Fn(DVec3) -> bool + Sync) -> Vec<DVec3> {
        let extent = aabb.extent();
        let mut counts = extent.to_array().map(|length| (length / self.spacing).round().max(1.0));
        let mut steps = extent / DVec3::from_array(counts);
        let across = steps.element_product() / steps[self.vertical];
        steps[self.vertical] = self.spacing.powi(3) / across;
        // A thousandth of a layer is forgiven to rounding.
        counts[self.vertical] = (extent[self.vertical] / steps[self.vertical] + 1e-3).floor().max(1.0);
        let counts = counts.map(|count| count as usize);
        let point = |index: usize| {
            let (x, rest) = (index % counts[0], index / counts[0]);
            let (y, z) = (rest % counts[1], rest / counts[1]);
            aabb.min + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * steps
        };
        (0..counts.iter().product()).into_par_iter().map(point).filter(|&point| wanted(point)).collect()
    }
}

/// For each point whether an earlier particle is closer than `distance`.
pub fn overlapping(particles: &Particles, points: &[DVec3], distance: f64) -> Vec<bool> {
    if particles.is_empty() {
        return vec![false; points.len()];
    }
    let mut grid = CellGrid::default();
    grid.update(&particles.positions, distance as f32);
    let sorted: Vec<Vec3A> = grid.order().map(|index| particles.positions[index as usize]).collect();
    let near = |point: &DVec3| {
        let cell = (*point / f64::from(grid.cell_size())).floor().as_ivec3();
        (-1..=1).flat_map(|z| (-1..=1).map(move |y| (y, z))).any(|(y, z)| {
            let range = grid.row_particles(cell.x - 1, cell.x + 1, cell.y + y, cell.z + z);
            sorted[range].iter().any(|other| other.as_dvec3().distance(*point) < distance)
        })
    };
    points.par_iter().map(near).collect()
}

/// A body as an obstacle: where it leaves no room for fluid.
pub fn obstacle(body: &Body) -> Obstacle {
    Obstacle::new(&body.mesh, body.pose, MeshReport::of(&body.mesh).is_watertight())
}
