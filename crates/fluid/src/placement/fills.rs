//! Fills: regions filled with a lattice of particles and carved by bodies.

use std::ops::Range;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_search::{CellCoordinate, CellGrid, CellLayout, CellRow};
use plimsoll_shape::{BoxTree, InsideTest};
use rayon::prelude::*;

use super::Obstacles;
use crate::{FillShape, FluidSettings, particles::Particles};

/// Lattice points closer to a body than this share of the particle radius are left out; relaxation moves the others away.
const CARVE_SHARE: f64 = 0.4;

/// Particles of all fills, in the order of the fills.
///
/// # Errors
/// `watch` interrupts.
pub fn place(settings: &FluidSettings, bodies: &[Body], watch: &dyn Watch) -> Result<Particles, Interrupted> {
    let domain = &settings.domain;
    let present: Vec<&Body> = bodies.iter().filter(|body| body.is_present()).collect();
    let obstacles = Obstacles::new(&present, domain, CARVE_SHARE * settings.particle_radius);
    let near = 1.5 * settings.particle_radius;
    // With as much room as single particles may be outside, in regions thinner than a particle.
    let regions: Vec<Aabb> = settings.fills.iter().map(|fill| fill.shape.aabb().inflated(near + 2.0 * settings.particle_radius)).collect();
    let tree = BoxTree::new(regions.iter().copied());
    let (mut particles, inverse_masses) = (Particles::default(), settings.inverse_masses());
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(regions.len());
    for (index, fill) in settings.fills.iter().enumerate() {
        let first = particles.len();
        let points = Lattice::new(settings).points(&fill.shape);
        let points: Vec<DVec3> = points.into_par_iter().filter(|&point| !obstacles.take(point)).collect();
        let images = domain.images().map(|image| regions[index].translated(domain.shift(image)));
        let earlier = tree.overlapping(images).into_iter().take_while(|&other| other < index);
        let placed = earlier.flat_map(|other: usize| ranges[other].clone());
        let placed: Vec<Vec3A> = placed.map(|particle| particles.positions[particle]).collect();
        let overlapping = overlapping(&placed, domain, &points, near);
        for (point, _) in points.iter().zip(overlapping).filter(|(_, overlapping)| !overlapping) {
            particles.push(point.as_vec3a(), fill.velocity.as_vec3a(), fill.material, &inverse_masses);
        }
        ranges.push(first..particles.len());
        watch.progress("placing fluid", index + 1, settings.fills.len())?;
    }
    Ok(particles)
}

/// How a region is filled: in layers one particle thick.
struct Lattice {
    spacing: f64,
    /// The axis closest to the direction of gravity.
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

    /// Points in `shape`, ordered by (z, y, x).
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

    /// Points of a box for which `wanted` is true. Horizontally, whole layers fill the box from wall to wall, slightly wider or narrower
    /// than a particle. Vertically, the height of the layers preserves a particle's volume, and the remainder at the top of the box stays
    /// empty.
    fn points_of(&self, aabb: &Aabb, wanted: impl Fn(DVec3) -> bool + Sync) -> Vec<DVec3> {
        let extent = aabb.extent();
        let mut counts = extent.to_array().map(|length| (length / self.spacing).round().max(1.0));
        let mut steps = extent / DVec3::from_array(counts);
        let across = steps.element_product() / steps[self.vertical];
        steps[self.vertical] = self.spacing.powi(3) / across;
        // Tolerate rounding of up to a thousandth of a layer.
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

/// For each point in `domain`, whether one of the particles at `positions` is closer than `distance`.
pub fn overlapping(positions: &[Vec3A], domain: &Domain, points: &[DVec3], distance: f64) -> Vec<bool> {
    if positions.is_empty() {
        return vec![false; points.len()];
    }
    let mut grid = CellGrid::default();
    grid.update(positions, CellLayout::new(distance as f32, domain));
    let sorted: Vec<Vec3A> = grid.order().map(|index| positions[index as usize]).collect();
    let near = |point: &DVec3| {
        let (first, last) = grid.layout().cells_around(*point, distance);
        (first.z..=last.z).flat_map(|z| (first.y..=last.y).map(move |y| (y, z))).any(|(y, z)| {
            let row = CellRow { first: CellCoordinate::new(first.x, y, z), length: last.x - first.x + 1 };
            grid.particles_in(row).any(|(range, image)| {
                sorted[range].iter().any(|other| (other.as_dvec3() + domain.shift(image)).distance(*point) < distance)
            })
        })
    };
    points.par_iter().map(near).collect()
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::simulator::Unwatched;

    use super::*;
    use crate::Fill;

    /// The number of particles in boxes with these lowest corners, 0.4 m wide, in a domain with a period of 2 m along x.
    fn count(corners: &[DVec3]) -> usize {
        let mut settings = FluidSettings::new(0.05);
        settings.domain = Domain { low: DVec3::ZERO, size: DVec3::splat(2.0), periodic: [true, false, false], dimension: 3 };
        let fill = |&min: &DVec3| Fill::at_rest(FillShape::Box { min, max: min + 0.4 });
        settings.fills = corners.iter().map(fill).collect();
        place(&settings, &[], &Unwatched).unwrap().len()
    }

    #[test]
    fn no_place_is_filled_twice() {
        let (one, beside, above) = (DVec3::ZERO, 0.4 * DVec3::X, DVec3::Y);
        assert_eq!(count(&[one]), 64);
        assert_eq!(count(&[one, beside, above]), 3 * 64);
        assert_eq!(count(&[one, above, one]), 2 * 64);
        // The image of the first one.
        assert_eq!(count(&[one, above, 2.0 * DVec3::X]), 2 * 64);
        // Half of it is where the first one is.
        assert_eq!(count(&[one, 0.2 * DVec3::X]), 64 + 32);
    }
}
