//! The fluid surfaces of a frame.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3};
use parry3d_f64::{
    query::{Ray, RayCast},
    shape::TriMesh,
};
use plimsoll_contract::frame::{FieldValues, Frame, ParticleFrame};
use plimsoll_surface::{SurfaceError, SurfaceSettings, reconstruct};
use rayon::prelude::*;

use super::{color::MATERIAL, drawing::WaterMesh};

/// The ray that measures the thickness begins this far behind the surface, in particle radii.
const CLEARANCE: f32 = 0.05;
/// Maximum number of surfaces that a ray crosses.
const CROSSINGS: usize = 6;
const PAST: f64 = 1e-5;
/// Smoothing passes over the thickness.
const SMOOTHING: usize = 30;

/// The surface around the particles of each fluid in `frame`.
///
/// # Errors
/// If the particles have no radius or no position.
pub fn water_surfaces(frame: &Frame) -> Result<Vec<WaterMesh>, SurfaceError> {
    let Some(FieldValues::Integer(materials)) = frame.particles.field(MATERIAL) else {
        return Ok(vec![surface_of(&frame.particles, 0)?]);
    };
    let present: BTreeSet<u32> = materials.iter().copied().collect();
    present.into_iter().map(|material| surface_of(&frame.particles.of_material(material), material)).collect()
}

fn surface_of(particles: &ParticleFrame, material: u32) -> Result<WaterMesh, SurfaceError> {
    let surface = reconstruct(particles, &SurfaceSettings::default())?;
    let vectors = |list: Vec<[f32; 3]>| list.into_iter().map(Vec3::from).collect::<Vec<_>>();
    let (positions, normals, triangles) = (vectors(surface.vertices), vectors(surface.normals), surface.triangles);
    let thicknesses = thicknesses(&positions, &normals, &triangles, CLEARANCE * particles.radius);
    Ok(WaterMesh { material, positions, normals, thicknesses, triangles })
}

/// Thickness of the water behind each vertex along the inward normal, meters.
fn thicknesses(positions: &[Vec3], normals: &[Vec3], triangles: &[[u32; 3]], clearance: f32) -> Vec<f32> {
    let vertices = positions.iter().map(|position| position.as_dvec3()).collect();
    let Ok(mesh) = TriMesh::new(vertices, triangles.to_vec()) else { return vec![0.0; positions.len()] };
    let behind = |(position, normal): (&Vec3, &Vec3)| water_along(&mesh, (*position - clearance * *normal).as_dvec3(), -normal.as_dvec3());
    let mut thicknesses: Vec<f32> = positions.par_iter().zip(normals).map(behind).collect();
    for _ in 0..SMOOTHING {
        thicknesses = smoothed(&thicknesses, triangles);
    }
    thicknesses
}

/// Thickness of the water from `origin`, which is in it, along `direction`, meters; water behind a body or a gap counts too.
fn water_along(mesh: &TriMesh, origin: DVec3, direction: DVec3) -> f32 {
    let (mut length, mut from, mut in_water) = (0.0, origin, true);
    for _ in 0..CROSSINGS {
        let Some(distance) = mesh.cast_local_ray(&Ray::new(from, direction), f64::MAX, false) else { break };
        length += if in_water { distance } else { 0.0 };
        // Moves slightly past the surface so that the ray does not hit it again.
        from += (distance * (1.0 + PAST)) * direction;
        in_water = !in_water;
    }
    length as f32
}

/// Replaces each value by the mean over the triangles around it.
fn smoothed(values: &[f32], triangles: &[[u32; 3]]) -> Vec<f32> {
    let mut sums = vec![(0.0_f32, 0.0_f32); values.len()];
    for triangle in triangles {
        let mean = triangle.iter().map(|&vertex| values[vertex as usize]).sum::<f32>() / 3.0;
        for &vertex in triangle {
            sums[vertex as usize].0 += mean;
            sums[vertex as usize].1 += 1.0;
        }
    }
    sums.into_iter().zip(values).map(|((sum, count), value)| if count > 0.0 { sum / count } else { *value }).collect()
}
