//! Parts that overlap: their common volume counts once in a solid, but twice in sums over the triangles. They are joined into one surface.
//!
//! The solid is where the winding number is positive. The library cuts the triangles at their intersections in exact arithmetic and keeps the
//! walls of that set (Zhou, Grinspun, Zorin and Jacobson 2016, Mesh arrangements for solid geometry, ACM Trans. Graph. 35, 39).

use std::fmt;

use glam::DVec3;
use manifold_rust::{
    manifold::Manifold,
    types::{Error, MeshGL64, WindingRule},
};
use plimsoll_base::math::Aabb;

use super::{
    MassProperties, TriangleMesh,
    extract::extract,
    orient_outwards,
    orientation::remove_inner_parts,
    report::significant,
    self_contact::touching_components,
    sheets::append,
    topology::{EdgeTable, components},
};

/// Difference of volumes that is attributed to rounding, as a share of the volume.
const ROUNDING: f64 = 1e-9;

/// What [`join_overlaps`] found in a closed mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum OverlapReport {
    /// No two parts have a common volume.
    #[default]
    None,
    /// Parts were joined.
    Joined {
        /// Sum of the volumes of all parts less the volume of the solid, m³. Negative if parts that are inside out counted negative.
        excess: f64,
        /// Volume of the solid, m³.
        volume: f64,
    },
    /// The surface has no inside, for example a Klein bottle: the mesh was left unchanged.
    NoInside,
}

impl fmt::Display for OverlapReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => write!(formatter, "common volume of parts {:>10}", 0),
            Self::Joined { excess, .. } => write!(formatter, "common volume of parts {:>10} m³, joined", significant(*excess)),
            Self::NoInside => write!(formatter, "common volume of parts {:>10}, the surface has no inside", "none"),
        }
    }
}

/// Joins the parts of `mesh`, which is closed and wound outward, where they overlap each other or themselves. Parts far from those stay as they
/// are. Parts within others are removed.
pub fn join_overlaps(mesh: &mut TriangleMesh) -> OverlapReport {
    let before = MassProperties::of(mesh).volume;
    match (join_inner_parts(mesh), join_touching(mesh)) {
        (OverlapReport::None, report) | (_, report @ OverlapReport::NoInside) => report,
        _ => joined(before, mesh),
    }
}

/// Removes the closed parts of `mesh`, wound outward, that are within other closed parts and wound like those.
pub fn join_inner_parts(mesh: &mut TriangleMesh) -> OverlapReport {
    let before = MassProperties::of_solid_part(mesh).volume;
    if remove_inner_parts(mesh) { joined(before, mesh) } else { OverlapReport::None }
}

/// The report on a mesh whose parts had the volume `before` (m³) together.
fn joined(before: f64, mesh: &TriangleMesh) -> OverlapReport {
    let volume = MassProperties::of_solid_part(mesh).volume;
    OverlapReport::Joined { excess: before - volume, volume }
}

/// Joins the parts of `mesh` whose surfaces meet.
fn join_touching(mesh: &mut TriangleMesh) -> OverlapReport {
    let concerned = concerned_triangles(mesh);
    if !concerned.contains(&true) {
        return OverlapReport::None;
    }
    let mut places = vec![u32::MAX; mesh.vertices.len()];
    let [given, rest] = [true, false].map(|side| {
        let triangles: Vec<usize> = (0..concerned.len()).filter(|&index| concerned[index] == side).collect();
        extract(mesh, &triangles, &mut places)
    });
    let given = Manifold::from_mesh_gl64_robust(&to_library(&given));
    if given.status() != Error::NoError {
        return OverlapReport::NoInside;
    }
    let joined = given.rebuild_solid(WindingRule::Positive);
    if joined.status() != Error::NoError || joined.is_empty() {
        return OverlapReport::NoInside;
    }
    let mut solid = from_library(&joined.get_mesh_gl64(-1));
    // Where the joined parts touch along edges, these have more than two triangles.
    orient_outwards(&mut solid);
    append(&mut solid, &rest);
    let [before, volume] = [&*mesh, &solid].map(|mesh| MassProperties::of(mesh).volume);
    let excess = before - volume;
    if excess.abs() <= ROUNDING * volume {
        return OverlapReport::None;
    }
    *mesh = solid;
    OverlapReport::Joined { excess, volume }
}

/// For each triangle, whether its component touches another one or itself, or may be within one that does.
fn concerned_triangles(mesh: &TriangleMesh) -> Vec<bool> {
    let edges = EdgeTable::of(mesh);
    let (labels, count) = components(mesh, &edges);
    let touching = touching_components(mesh, &edges, &labels, count);
    let mut boxes = vec![Aabb::EMPTY; count];
    for (index, &label) in labels.iter().enumerate() {
        let aabb = &mut boxes[label as usize];
        *aabb = mesh.corners(index).into_iter().fold(*aabb, Aabb::including);
    }
    let touched: Vec<&Aabb> = boxes.iter().zip(&touching).filter(|(_, touching)| **touching).map(|(aabb, _)| aabb).collect();
    let near: Vec<bool> =
        boxes.iter().zip(&touching).map(|(aabb, &touching)| touching || touched.iter().any(|other| other.overlaps(aabb))).collect();
    labels.iter().map(|&label| near[label as usize]).collect()
}

fn to_library(mesh: &TriangleMesh) -> MeshGL64 {
    MeshGL64 {
        num_prop: 3,
        vert_properties: mesh.vertices.iter().flat_map(DVec3::to_array).collect(),
        tri_verts: mesh.triangles.iter().flatten().map(|&vertex| u64::from(vertex)).collect(),
        ..Default::default()
    }
}

fn from_library(mesh: &MeshGL64) -> TriangleMesh {
    let vertices = mesh.vert_properties.chunks_exact(mesh.num_prop as usize).map(|vertex| DVec3::new(vertex[0], vertex[1], vertex[2]));
    let triangles = mesh.tri_verts.chunks_exact(3).map(|corners| [0, 1, 2].map(|corner| corners[corner] as u32));
    TriangleMesh { vertices: vertices.collect(), triangles: triangles.collect() }
}
