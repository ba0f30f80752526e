//! The oracle: every pair looked at.

use glam::Vec3A;

/// Sorted indices of the other particles closer than `radius` (metres) to particle `index`.
pub fn neighbours(positions: &[Vec3A], index: usize, radius: f32) -> Vec<u32> {
    let within = |&other: &usize| other != index && positions[index].distance_squared(positions[other]) < radius * radius;
    (0..positions.len()).filter(within).map(|other| other as u32).collect()
}
