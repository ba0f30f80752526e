//! Polygons become triangles.

use glam::DVec3;

use crate::{
    import::{ImportSummary, geometry::Polygons},
    polygon,
};

/// Triangles of all `polygons`, whose corners are welded into `vertices`. Those without area are counted and left out.
pub fn triangulate(vertices: &[DVec3], welded: &[u32], polygons: &Polygons, summary: &mut ImportSummary) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(polygons.len());
    let mut corners: Vec<u32> = Vec::new();
    for polygon in polygons.iter() {
        corners.clear();
        corners.extend(polygon.iter().map(|&corner| welded[corner as usize]));
        corners.dedup();
        while corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        match corners[..] {
            [a, b, c] if a != c => triangles.push([a, b, c]),
            [_, _, _, _, ..] => {
                let points: Vec<DVec3> = corners.iter().map(|&corner| vertices[corner as usize]).collect();
                let pieces = polygon::triangulate(&points);
                *(if pieces.is_empty() { &mut summary.degenerate_dropped } else { &mut summary.polygons_triangulated }) += 1;
                triangles.extend(pieces.iter().map(|piece| piece.map(|corner| corners[corner])));
            }
            _ => summary.degenerate_dropped += 1,
        }
    }
    triangles
}
