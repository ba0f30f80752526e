//! Fills: regions filled with a lattice of particles and carved by bodies.

use std::ops::Range;

use glam::Vec3A;
use plimsoll_base::math::Aabb;
use plimsoll_bodies::Body;
use plimsoll_contract::simulator::{Interrupted, Watch};
use plimsoll_shape::BoxTree;

use super::{
    FillOutcome, Obstacles,
    free_region::{FreeRegion, MIN_DISTANCE},
    lattice::Lattice,
    region::Region,
};
use crate::{FluidSettings, particles::Particles};

/// Particles of all fills, in the order of the fills, and what became of each fill.
///
/// # Errors
/// `watch` interrupts.
pub fn place(settings: &FluidSettings, bodies: &[Body], watch: &dyn Watch) -> Result<(Particles, Vec<FillOutcome>), Interrupted> {
    let (domain, radius) = (&settings.domain, settings.particle_radius);
    let present: Vec<&Body> = bodies.iter().filter(|body| body.meets_particles()).collect();
    let obstacles = Obstacles::new(&present, domain, radius);
    let lattice = Lattice::new(settings);
    let regions: Vec<Region> = settings.fills.iter().map(|fill| Region::new(&fill.shape)).collect();
    // With as much room as single particles may be outside, in regions thinner than a particle.
    let boxes: Vec<Aabb> = regions.iter().map(|region| region.aabb().inflated((MIN_DISTANCE + 2.0) * radius)).collect();
    let tree = BoxTree::new(boxes.iter().copied());
    let (mut particles, inverse_masses) = (Particles::default(), settings.inverse_masses());
    let mut ranges: Vec<Range<usize>> = Vec::with_capacity(regions.len());
    let mut outcomes = Vec::with_capacity(regions.len());
    for (index, fill) in settings.fills.iter().enumerate() {
        let images = domain.images().map(|image| boxes[index].translated(domain.shift(image)));
        let earlier: Vec<usize> = tree.overlapping(images).into_iter().take_while(|&other| other < index).collect();
        let placed = earlier.iter().flat_map(|&other| ranges[other].clone());
        let placed: Vec<Vec3A> = placed.map(|particle| particles.positions[particle]).collect();
        let others: Vec<&Region> = earlier.iter().map(|&other| &regions[other]).collect();
        let free = FreeRegion { region: &regions[index], obstacles: &obstacles, others, domain, particle_radius: radius };
        let (points, outcome) = free.fill(&lattice, &placed);
        let first = particles.len();
        for point in points {
            particles.push(point.as_vec3a(), fill.velocity.as_vec3a(), fill.material, &inverse_masses);
        }
        ranges.push(first..particles.len());
        outcomes.push(outcome);
        watch.progress("placing fluid", index + 1, settings.fills.len())?;
    }
    Ok((particles, outcomes))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use plimsoll_base::math::Domain;
    use plimsoll_bodies::BodyDefinition;
    use plimsoll_contract::simulator::Unwatched;
    use plimsoll_shape::TriangleMesh;

    use super::*;
    use crate::{Fill, FillShape, FluidSimulation};

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

    /// A later fill is to have the volume that the earlier one leaves it.
    #[test]
    fn fills_share_the_volume_of_both() {
        let mut settings = FluidSettings::new(0.02);
        let wide = |from: f64, to: f64| FillShape::Box { min: DVec3::new(from, 0.0, 0.0), max: DVec3::new(to, 0.4, 0.4) };
        settings.fills = [wide(0.0, 0.4), wide(0.3, 0.7)].map(Fill::at_rest).to_vec();
        let (_, outcomes) = place(&settings, &[], &Unwatched).unwrap();
        assert!((outcomes[1].shape_volume / 0.048 - 1.0).abs() < 0.01, "{outcomes:?}");
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

    /// Particles fill a box to its top, whatever its height; those of a layer that does not fit are spread over it.
    #[test]
    fn boxes_of_any_height_are_full() {
        // 13 columns across 0.5 m and 100 along 4 m make layers of 41.6 mm, of which 9.6 reach 0.4 m.
        let found = outcome(0.02, block([4.0, 0.4, 0.5]), vec![]);
        assert_eq!(found.describe(DVec3::ZERO), "0.8 m³, up to y = 0.4 m");
        assert!(found.describe(DVec3::Y).ends_with("up to y = 1.4 m"));
        for height in (0..40).map(|index| 0.12 + 0.01 * f64::from(index)) {
            let found = outcome(0.02, block([1.0, height, 0.7]), vec![]);
            assert!((found.particle_volume / found.shape_volume - 1.0).abs() < 0.02, "{height}: {found:?}");
            assert_eq!(found.warning(DVec3::ZERO), None);
        }
    }

    #[test]
    fn a_volume_that_particles_cannot_have_is_warned_of() {
        let found = outcome(0.02, block([0.03; 3]), vec![]);
        assert_eq!(
            found.warning(DVec3::ZERO).unwrap(),
            "the particles have 6.400e-5 m³ instead of 2.700e-5 m³ (+137.0 %): particles 0.04 m in diameter follow the shape only roughly"
        );
        // Half a layer.
        let thin = outcome(0.02, block([0.4, 0.02, 0.4]), vec![]);
        assert_eq!(thin.describe(DVec3::ZERO), "0.0032 m³, up to y = 0.02 m");
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
