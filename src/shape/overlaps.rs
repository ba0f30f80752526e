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

use super::{
    MassProperties, TriangleMesh, orient_outwards,
    report::significant,
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

/// Joins the parts of `mesh`, which is closed and wound outward, where they overlap each other or themselves.
pub fn join_overlaps(mesh: &mut TriangleMesh) -> OverlapReport {
    let given = Manifold::from_mesh_gl64_robust(&to_library(mesh));
    if given.status() != Error::NoError {
        return OverlapReport::NoInside;
    }
    // Parts whose triangles meet only at their edges are not found by this test.
    if components(mesh, &EdgeTable::of(mesh)).1 == 1 && !given.has_self_intersections() {
        return OverlapReport::None;
    }
    let joined = given.rebuild_solid(WindingRule::Positive);
    if joined.status() != Error::NoError || joined.is_empty() {
        return OverlapReport::NoInside;
    }
    let mut solid = from_library(&joined.get_mesh_gl64(-1));
    // Where the joined parts touch along edges, these have more than two triangles.
    orient_outwards(&mut solid);
    let [before, volume] = [&*mesh, &solid].map(|mesh| MassProperties::of(mesh).volume);
    let excess = before - volume;
    if excess.abs() <= ROUNDING * volume {
        return OverlapReport::None;
    }
    *mesh = solid;
    OverlapReport::Joined { excess, volume }
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
