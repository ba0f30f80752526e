//! From the polygons of a file to triangles with shared vertices: welding, triangulation, removal of what has no area, and repair of defects
//! that a file of a solid can have without changing what it encloses.

mod cracks;
mod flat;
mod folds;
mod polygons;
mod weld;

use glam::DVec3;

pub use weld::{distance as weld_distance, weld as welded};

use super::{ImportOptions, ImportSummary, Repair, geometry::Polygons};
use crate::{
    TriangleMesh, fins,
    sheets::append,
    topology::{EdgeTable, EdgeUse, consistent},
};

/// The triangles of `polygons` over `positions` (m), with shared vertices. Repairs are counted in `summary`.
pub fn triangles(positions: &[DVec3], polygons: &Polygons, options: &ImportOptions, summary: &mut ImportSummary) -> TriangleMesh {
    let repairs = options.repair != Repair::Off;
    let (vertices, welded) = weld::weld(positions, weld::distance(positions, repairs));
    summary.vertices_welded = positions.len() - vertices.len();
    let triangles = polygons::triangulate(&vertices, &welded, polygons, summary);
    let mut mesh = TriangleMesh { vertices, triangles };
    summary.degenerate_dropped += flat::remove_flat(&mesh.vertices, &mut mesh.triangles);
    let mut sheets = TriangleMesh::default();
    let is_sound = is_sound(&mesh);
    if repairs && !is_sound {
        sheets = folds::take_sheets(&mut mesh);
        remove_folds(&mut mesh, summary);
        let cracks::Closed { merged, split } = cracks::close(&mut mesh);
        (summary.cracks_merged, summary.cracks_split) = (merged, split);
        if merged + split > 0 {
            summary.degenerate_dropped += flat::remove_flat(&mesh.vertices, &mut mesh.triangles);
            remove_folds(&mut mesh, summary);
        }
    }
    if !is_sound {
        append(&mut sheets, &fins::take(&mut mesh));
        // Fins given from both sides and others may share vertices.
        let (vertices, welded) = weld::weld(&sheets.vertices, 0.0);
        sheets.triangles.iter_mut().flatten().for_each(|vertex| *vertex = welded[*vertex as usize]);
        sheets.vertices = vertices;
    }
    summary.sheets = if mesh.triangles.is_empty() { 0 } else { sheets.triangles.len() };
    append(&mut mesh, &sheets);
    keep_used(mesh)
}

/// Whether each edge has two triangles with opposite directions and different corners: then nothing is there twice, folded or open.
fn is_sound(mesh: &TriangleMesh) -> bool {
    let apex = |side: &EdgeUse| mesh.triangles[side.triangle as usize][(usize::from(side.corner) + 2) % 3];
    EdgeTable::of(mesh).edges().all(|sides| match sides {
        [first, second] => consistent(first, second) && apex(first) != apex(second),
        _ => false,
    })
}

fn remove_folds(mesh: &mut TriangleMesh, summary: &mut ImportSummary) {
    let folds::Removed { duplicates, folded } = folds::remove(mesh);
    summary.duplicates_dropped += duplicates;
    summary.folds_cancelled += folded;
}

/// The mesh without unused vertices; the others keep their order.
fn keep_used(mesh: TriangleMesh) -> TriangleMesh {
    let TriangleMesh { vertices, mut triangles } = mesh;
    let mut used = vec![false; vertices.len()];
    triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
    let mut new_index = vec![0; vertices.len()];
    let mut kept = Vec::with_capacity(vertices.len());
    for (vertex, &position) in vertices.iter().enumerate().filter(|&(vertex, _)| used[vertex]) {
        new_index[vertex] = kept.len() as u32;
        kept.push(position);
    }
    triangles.iter_mut().flatten().for_each(|vertex| *vertex = new_index[*vertex as usize]);
    TriangleMesh { vertices: kept, triangles }
}
