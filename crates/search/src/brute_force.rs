//! Test oracle: tests every pair.

use crate::Sphere;
use glam::Vec3A;
use plimsoll_base::math::Domain;

/// Sorted indices of the other particles closer than `radius` (meters) to particle `index`.
pub fn neighbours(positions: &[Vec3A], index: usize, radius: f32) -> Vec<u32> {
    let within = |&other: &usize| other != index && positions[index].distance_squared(positions[other]) < radius * radius;
    (0..positions.len()).filter(within).map(|other| other as u32).collect()
}

/// All pairs of spheres closer than the sum of their radii and `skin` (meters), the lower index first, sorted.
pub fn pairs(spheres: &[Sphere], domain: &Domain, skin: f64) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (first, a) in spheres.iter().enumerate() {
        for (second, b) in spheres.iter().enumerate().skip(first + 1) {
            let reach = a.radius + b.radius + skin;
            if domain.nearest_image(b.center - a.center).length_squared() < reach * reach {
                pairs.push([first as u32, second as u32]);
            }
        }
    }
    pairs
}
