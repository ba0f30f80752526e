//! Images of particles in walls, which continue a fluid and its surface through a wall.

use glam::Vec3A;
use plimsoll_base::math::{
    lanes::{Lanes, algebra::*},
    parallel::{InTasks, TASK},
};
use rayon::prelude::*;

use crate::{coupling::WallContacts, walls::mirror_layer};

/// Least share of a particle's density that comes from walls for the particle to have an image.
const LEAST_SHARE: f32 = 1e-4;
/// Least distance from a wall, in particle diameters: the image of a particle on the wall would have no direction.
const LEAST_DISTANCE: f64 = 0.02;
/// Halvings of the interval in which the distance is sought.
const HALVINGS: u32 = 20;

/// The vector from each particle to its image, m; zero away from walls. Walls near a particle count as one plane, whose distance follows from
/// their share of the density, with particles of `diameter` (m).
pub fn find_images(contacts: &WallContacts, diameter: f32, images: &mut Vec<Vec3A>, particles: usize) {
    let image = |i: usize| {
        let contacts = contacts.of(i);
        let gradient = contacts.iter().fold(Vec3A::ZERO, |sum, contact| sum + contact.gradient);
        let share: f32 = contacts.iter().map(|contact| contact.value).sum();
        if share < LEAST_SHARE { Vec3A::ZERO } else { 2.0 * diameter * distance(share) * gradient.normalize_or_zero() }
    };
    (0..particles).into_par_iter().map(image).in_tasks(TASK).collect_into(images);
}

/// Distance from a plane wall, in particle diameters, at which its share of the relative density is `share`.
fn distance(share: f32) -> f32 {
    let (function, wanted) = (mirror_layer(), f64::from(share));
    let (mut low, mut high) = (LEAST_DISTANCE, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if function.plane(middle) > wanted { low = middle } else { high = middle }
    }
    low as f32
}

/// `x`, the vector to a particle from others, becomes that from their images, if `image` is the vector to its own one.
#[inline(always)]
pub fn from_images<L: Lanes>(x: [L; 3], image: Vec3A) -> [L; 3] {
    let towards = splat(image);
    let along = L::splat(2.0 / image.length_squared()) * dot(x, towards) + L::splat(1.0);
    plus(x, times(towards, L::splat(0.0) - along))
}

/// The directions that `x` have in the image.
#[inline(always)]
pub fn reflected<L: Lanes>(x: [L; 3], image: Vec3A) -> [L; 3] {
    let towards = splat(image);
    plus(x, times(towards, L::splat(-2.0 / image.length_squared()) * dot(x, towards)))
}

/// A vector in all lanes.
#[inline(always)]
pub fn splat<L: Lanes>(x: Vec3A) -> [L; 3] {
    [L::splat(x.x), L::splat(x.y), L::splat(x.z)]
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::lanes::{LaneWork, compute};

    use super::*;

    #[test]
    fn the_distance_gives_the_share() {
        for step in 3..99 {
            let wanted = 0.01 * step as f32;
            let found = distance(mirror_layer().plane(f64::from(wanted)) as f32);
            assert!((found - wanted).abs() < 2e-3, "{found} for {wanted}");
        }
    }

    struct Reflections(Vec3A, Vec3A);

    impl LaneWork for Reflections {
        type Output = [Vec3A; 2];

        #[inline(always)]
        fn run<L: Lanes>(self) -> Self::Output {
            let Self(x, image) = self;
            let first = |vectors: [L; 3]| Vec3A::from_array(vectors.map(|lanes| lanes.store()[0]));
            [first(from_images::<L>(splat(x), image)), first(reflected::<L>(splat(x), image))]
        }
    }

    /// A particle at height 0.2 above the plane y = 0, another at height 0.5.
    #[test]
    fn images_are_behind_the_wall() {
        let (own, other) = (Vec3A::new(1.0, 0.2, 3.0), Vec3A::new(0.6, 0.5, 2.9));
        let [x, direction] = compute(Reflections(own - other, Vec3A::new(0.0, -0.4, 0.0)));
        assert!(x.distance(own - Vec3A::new(0.6, -0.5, 2.9)) < 1e-6, "{x}");
        assert!(direction.distance((own - other) * Vec3A::new(1.0, -1.0, 1.0)) < 1e-6, "{direction}");
    }
}
