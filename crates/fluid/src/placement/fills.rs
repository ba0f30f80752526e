//! Fills: regions filled with a lattice of particles and carved by bodies.

use std::ops::Range;

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_search::{CellCoordinate, CellGrid, CellLayout, CellRow};
use plimsoll_shape::BoxTree;
use rayon::prelude::*;

use super::{
    Obstacles,
    fill_outcome::{FillOutcome, Layers},
    region::Region,
};
use crate::{FillShape, FluidSettings, particles::Particles};

/// Lattice points closer to a body than this share of the particle radius are left out; relaxation moves the others away.
const CARVE_SHARE: f64 = 0.4;

/// Particles of all fills, in the order of the fills, and what became of each fill.
///
/// # Errors
/// `watch` interrupts.
pub fn place(settings: &FluidSettings, bodies: &[Body], watch: &dyn Watch) -> Result<(Particles, Vec<FillOutcome>), Interrupted> {
    let domain = &settings.domain;
    let present: Vec<&Body> = bodies.iter().filter(|body| body.meets_particles()).collect();
    let obstacles = Obstacles::new(&present, domain, CARVE_SHARE * settings.particle_radius);
    let near = 1.5 * settings.particle_radius;
    // With as much room as single particles may be outside, in regions thinner than a particle.
    let regions: Vec<Aabb> = settings.fills.iter().map(|fill| fill.shape.aabb().inflated(near + 2.0 * settings.particle_radius)).collect();
    let tree = BoxTree::new(regions.iter().copied());
    let (mut particles, inverse_masses) = (Particles::default(), settings.inverse_masses());
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(regions.len());
    let mut outcomes = Vec::with_capacity(regions.len());
    for (index, fill) in settings.fills.iter().enumerate() {
        let first = particles.len();
        let lattice = Lattice::new(settings);
        let region = Region::new(&fill.shape);
        let points = lattice.points(&region);
        let all = points.len();
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
        let free = if points.len() < all { region.free_share(&obstacles, all) } else { 1.0 };
        outcomes.push(FillOutcome {
            shape_volume: free * fill.shape.volume(),
            particle_volume: (particles.len() - first) as f64 * settings.particle_volume(),
            particle_diameter: lattice.spacing,
            layers: lattice.layers(&fill.shape),
        });
        watch.progress("placing fluid", index + 1, settings.fills.len())?;
    }
    Ok((particles, outcomes))
}

/// How a region is filled: in layers one particle thick.
struct Lattice {
    spacing: f64,
    /// The axis closest to the direction of gravity.
    vertical: usize,
    /// Whether gravity points to lower coordinates along that axis.
    falls: bool,
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
        Self { spacing: 2.0 * settings.particle_radius, vertical, falls: settings.gravity[vertical] < 0.0 }
    }

    /// Points in `region`, ordered by (z, y, x).
    fn points(&self, region: &Region) -> Vec<DVec3> {
        let aabb = region.aabb();
        let (counts, steps) = self.cells(&aabb);
        let point = |index: usize| {
            let (x, rest) = (index % counts[0], index / counts[0]);
            let (y, z) = (rest % counts[1], rest / counts[1]);
            aabb.min + (DVec3::new(x as f64, y as f64, z as f64) + 0.5) * steps
        };
        (0..counts.iter().product()).into_par_iter().map(point).filter(|&point| region.contains(point)).collect()
    }

    /// Number and edges (m) of the cells in a box, one for each point. Horizontally, whole layers fill the box from wall to wall, slightly wider or
    /// narrower than a particle. Vertically, the height of the layers preserves a particle's volume, and the remainder at the top of the box stays
    /// empty.
    fn cells(&self, aabb: &Aabb) -> ([usize; 3], DVec3) {
        let extent = aabb.extent();
        let mut counts = extent.to_array().map(|length| (length / self.spacing).round().max(1.0));
        let mut steps = extent / DVec3::from_array(counts);
        let across = steps.element_product() / steps[self.vertical];
        steps[self.vertical] = self.spacing.powi(3) / across;
        // Tolerate rounding of up to a thousandth of a layer.
        counts[self.vertical] = (extent[self.vertical] / steps[self.vertical] + 1e-3).floor().max(1.0);
        (counts.map(|count| count as usize), steps)
    }

    /// The layers of a box that fluid fills from the bottom.
    fn layers(&self, shape: &FillShape) -> Option<Layers> {
        let (axis, aabb) = (self.vertical, shape.aabb());
        let (counts, steps) = self.cells(&aabb);
        let layers = Layers { count: counts[axis], height: steps[axis], axis, span: [aabb.min[axis], aabb.max[axis]] };
        (matches!(shape, FillShape::Box { .. }) && self.falls).then_some(layers)
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
    use plimsoll_bodies::BodyDefinition;
    use plimsoll_contract::simulator::Unwatched;
    use plimsoll_shape::TriangleMesh;

    use super::*;
    use crate::{Fill, FluidSimulation};

    /// The number of particles in boxes with these lowest corners, 0.4 m wide, in a domain with a period of 2 m along x.
    fn count(corners: &[DVec3]) -> usize {
        let mut settings = FluidSettings::new(0.05);
        settings.domain = Domain { low: DVec3::ZERO, size: DVec3::splat(2.0), periodic: [true, false, false], dimension: 3 };
        let fill = |&min: &DVec3| Fill::at_rest(FillShape::Box { min, max: min + 0.4 });
        settings.fills = corners.iter().map(fill).collect();
        place(&settings, &[], &Unwatched).unwrap().0.len()
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

    /// What becomes of one fill of `shape` among `bodies`.
    fn outcome(radius: f64, shape: FillShape, bodies: Vec<BodyDefinition>) -> FillOutcome {
        let mut settings = FluidSettings::new(radius);
        settings.fills = vec![Fill::at_rest(shape)];
        let simulation = FluidSimulation::new(settings, bodies).unwrap();
        let [outcome] = simulation.fills[..] else { panic!("one fill") };
        assert_eq!(outcome.particle_volume, simulation.particle_count() as f64 * (2.0 * radius).powi(3));
        outcome
    }

    fn block(size: [f64; 3]) -> FillShape {
        FillShape::Box { min: DVec3::ZERO, max: DVec3::from_array(size) }
    }

    #[test]
    fn a_level_below_the_top_of_the_box_is_warned_of() {
        // 13 columns across 0.5 m and 100 along 4 m make layers of 41.6 mm, of which 9.6 would reach 0.4 m.
        let found = outcome(0.02, block([4.0, 0.4, 0.5]), vec![]);
        assert_eq!(found.describe(DVec3::ZERO), "0.7488 m³ of 0.8 m³, up to y = 0.3744 m of 0.4 m");
        assert!(found.describe(DVec3::Y).ends_with("up to y = 1.374 m of 1.4 m"));
        assert_eq!(
            found.warning(DVec3::ZERO).unwrap(),
            "the particles have 0.7488 m³ instead of 0.8 m³ (-6.4 %) and reach up to y = 0.3744 m instead of 0.4 m: layers are 0.0416 m high; a box \
             0.3744 m or 0.416 m high has a whole number of layers"
        );
        for height in [0.3744, 0.416] {
            let exact = outcome(0.02, block([4.0, height, 0.5]), vec![]);
            assert_eq!(exact.warning(DVec3::ZERO), None);
        }
        // The volume is within two percent, the level is half a particle too low.
        let deep = outcome(0.05, block([0.4, 3.05, 0.4]), vec![]);
        assert!(deep.warning(DVec3::ZERO).unwrap().contains("(-1.6 %) and reach up to y = 3 m instead of 3.05 m"));
    }

    #[test]
    fn spheres_of_few_particles_are_warned_of() {
        let sphere = |radius: f64| outcome(0.02, FillShape::Sphere { center: DVec3::ZERO, radius }, vec![]).warning(DVec3::ZERO);
        let text = sphere(0.1).unwrap();
        assert!(text.contains("m³ (+") && text.ends_with(": particles 0.04 m in diameter follow the shape only roughly"), "{text}");
        assert_eq!(sphere(0.6), None);
    }

    /// Bodies in a fill are not missing fluid, wherever they are in the lattice.
    #[test]
    fn the_volume_of_bodies_is_not_wanted() {
        for shift in [0.0, 0.013, 0.029] {
            let cube = BodyDefinition::fixed("cube".to_owned(), TriangleMesh::cuboid(DVec3::splat(0.5))).at(DVec3::splat(0.5 + shift));
            let found = outcome(0.02, block([1.0; 3]), vec![cube]);
            assert!((found.shape_volume - 0.875).abs() < 2e-3, "{found:?}");
            assert!((found.particle_volume / found.shape_volume - 1.0).abs() < 0.03, "{found:?}");
        }
    }
}
