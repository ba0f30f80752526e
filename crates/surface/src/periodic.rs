//! Surfaces across periodic ends: the particles beyond each end take part, and the surface is cut off at the ends, where its next image
//! continues.

use glam::Vec3;
use plimsoll_base::math::{Domain, Image};
use plimsoll_contract::frame::{FieldValues, ParticleFrame};
use plimsoll_shape::clip::cut_off;

use super::mesh::Surface;

/// `particles` and their images up to `margin` (m) beyond the ends.
pub fn extend(particles: &ParticleFrame, margin: f64) -> ParticleFrame {
    let domain = particles.domain;
    let mut copied: Vec<(u32, Vec3)> = Vec::new();
    for image in domain.images().filter(|&image| image != Image::HOME) {
        let shift = domain.shift(image);
        for (index, &position) in (0..).zip(&particles.positions) {
            let moved = Vec3::from(position).as_dvec3() + shift;
            let outside = |axis: usize| {
                domain.periodic[axis] && (moved[axis] < domain.low[axis] - margin || moved[axis] > domain.high()[axis] + margin)
            };
            if !(0..3).any(outside) {
                copied.push((index, moved.as_vec3()));
            }
        }
    }
    let mut all = particles.clone();
    all.positions.extend(copied.iter().map(|(_, position)| position.to_array()));
    for field in &mut all.fields {
        match &mut field.values {
            FieldValues::Integer(values) => repeat(values, &copied),
            FieldValues::Scalar(values) => repeat(values, &copied),
            FieldValues::Vector(values) => repeat(values, &copied),
        }
    }
    all
}

fn repeat<T: Copy>(values: &mut Vec<T>, copied: &[(u32, Vec3)]) {
    values.reserve(copied.len());
    for &(index, _) in copied {
        values.push(values[index as usize]);
    }
}

/// The part of `surface` between the periodic ends of `domain`; open there.
pub fn cut(mut surface: Surface, domain: &Domain) -> Surface {
    for axis in (0..3).filter(|&axis| domain.periodic[axis]) {
        for (limit, side) in [(domain.low[axis], -1.0), (domain.high()[axis], 1.0)] {
            let excesses: Vec<f64> = surface.vertices.iter().map(|vertex| side * (f64::from(vertex[axis]) - limit)).collect();
            let triangles = std::mem::take(&mut surface.triangles);
            surface.triangles = cut_off(&triangles, &excesses, |a, b, share| {
                let share = share as f32;
                let between = |values: &mut Vec<[f32; 3]>| {
                    let [a, b] = [a, b].map(|vertex| Vec3::from(values[vertex as usize]));
                    values.push(a.lerp(b, share).to_array());
                };
                between(&mut surface.vertices);
                between(&mut surface.normals);
                surface.velocities.as_mut().map(between);
                surface.vertices.len() as u32 - 1
            });
        }
    }
    without_unused(surface)
}

/// Removes vertices without triangles, and makes interpolated normals unit vectors.
fn without_unused(mut surface: Surface) -> Surface {
    let mut places = vec![u32::MAX; surface.vertices.len()];
    let mut kept: Vec<u32> = Vec::new();
    for corner in surface.triangles.as_flattened_mut() {
        let place = &mut places[*corner as usize];
        if *place == u32::MAX {
            *place = kept.len() as u32;
            kept.push(*corner);
        }
        *corner = *place;
    }
    let pick = |values: &[[f32; 3]]| kept.iter().map(|&vertex| values[vertex as usize]).collect::<Vec<_>>();
    surface.vertices = pick(&surface.vertices);
    surface.normals = pick(&surface.normals);
    surface.normals.iter_mut().for_each(|normal| *normal = Vec3::from(*normal).normalize_or(Vec3::Y).to_array());
    surface.velocities = surface.velocities.map(|velocities| pick(&velocities));
    surface
}
