//! Edges of a Voronoi diagram of random points in an area, from the Delaunay triangulation of `spade`.

use glam::DVec2;
use plimsoll_base::math::{Random, Rectangle};
use spade::{DelaunayTriangulation, Point2, Triangulation};

/// Edges between cells about `spacing` (m) wide that cover `area`. The points are lattice points, each moved by up to `scatter` (0 to 1)
/// times half the spacing: 0 gives hexagons, 1 irregular polygons.
pub(super) fn borders(area: &Rectangle, spacing: f64, scatter: f64, random: &mut Random) -> Vec<[DVec2; 2]> {
    let mut triangulation = DelaunayTriangulation::<Point2<f64>>::new();
    let row_height = spacing * 0.75_f64.sqrt();
    let margin = 3.0 * spacing;
    let (columns, rows) = ((area.extent() + 2.0 * margin) / DVec2::new(spacing, row_height)).ceil().into();
    for row in 0..rows as i64 {
        for column in 0..columns as i64 {
            let shifted = column as f64 + if row % 2 == 0 { 0.0 } else { 0.5 };
            let moved = 0.5 * scatter * spacing * DVec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0));
            let point = area.min - margin + DVec2::new(shifted * spacing, row as f64 * row_height) + moved;
            triangulation.insert(Point2::new(point.x, point.y)).expect("a point with finite coordinates");
        }
    }
    let center = |edge: spade::handles::DirectedEdgeHandle<'_, Point2<f64>, (), (), ()>| {
        let face = edge.face().as_inner()?;
        let center = face.circumcenter();
        Some(DVec2::new(center.x, center.y))
    };
    let border = |edge: spade::handles::UndirectedEdgeHandle<'_, Point2<f64>, (), (), ()>| {
        let directed = edge.as_directed();
        Some([center(directed)?, center(directed.rev())?])
    };
    let bounds = area.inflated(2.0 * spacing);
    triangulation.undirected_edges().filter_map(border).filter(|ends| ends.iter().all(|&end| bounds.contains(end))).collect()
}
