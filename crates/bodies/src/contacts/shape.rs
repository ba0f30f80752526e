//! Collision shapes: the triangles of a body that does not float; the convex hull of a floating body that fills it, otherwise convex pieces.

use glam::DVec3;
use plimsoll_shape::{MassProperties, TriangleMesh, is_convex};
use rapier3d_f64::prelude::SharedShape;
use rayon::prelude::*;

use crate::BodyKind;

/// Minimum volume of a body, relative to that of its convex hull, for the hull to be its shape.
const FILLED: f64 = 0.99;
/// Hulls of more vertices are computed only if necessary: that of a sphere of 25,000 vertices takes 80 ms.
const MANY_VERTICES: usize = 4096;
/// Number of directions in which the extreme vertices of a large mesh are found.
const DIRECTIONS: u32 = 128;

/// The shape of a body with this mesh.
pub fn collision_shape(mesh: &TriangleMesh, kind: &BodyKind) -> SharedShape {
    let TriangleMesh { vertices, triangles } = mesh;
    if !matches!(kind, BodyKind::Floating(_)) {
        return SharedShape::trimesh(vertices.clone(), triangles.clone()).expect("a checked mesh has triangles");
    }
    filled_hull(mesh).unwrap_or_else(|| SharedShape::convex_decomposition(vertices, triangles))
}

/// The convex hull of a closed mesh that has the same volume within 1 %.
fn filled_hull(mesh: &TriangleMesh) -> Option<SharedShape> {
    let volume = MassProperties::of_solid_part(mesh).volume;
    let fills = |hull: &SharedShape| volume > FILLED * hull.mass_properties(1.0).mass();
    if mesh.vertices.len() > MANY_VERTICES {
        // A part of the hull that is too large suffices to reject it.
        let core = SharedShape::convex_hull(&extreme_vertices(&mesh.vertices));
        if core.is_some_and(|core| !fills(&core)) {
            return None;
        }
        if is_convex(mesh) {
            return SharedShape::convex_mesh(mesh.vertices.clone(), &mesh.triangles);
        }
    }
    SharedShape::convex_hull(&mesh.vertices).filter(fills)
}

/// The vertices farthest in each of evenly distributed directions (a Fibonacci lattice), without duplicates.
fn extreme_vertices(vertices: &[DVec3]) -> Vec<DVec3> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let extreme = |number: u32| {
        let y = 1.0 - (2.0 * f64::from(number) + 1.0) / f64::from(DIRECTIONS);
        let (sin, cos) = (golden * f64::from(number)).sin_cos();
        let direction = DVec3::new((1.0 - y * y).sqrt() * cos, y, (1.0 - y * y).sqrt() * sin);
        let farther = |best: (f64, usize), (index, vertex): (usize, &DVec3)| {
            let height = direction.dot(*vertex);
            if height > best.0 { (height, index) } else { best }
        };
        vertices.iter().enumerate().fold((f64::NEG_INFINITY, 0), farther).1
    };
    let mut indices: Vec<usize> = (0..DIRECTIONS).into_par_iter().map(extreme).collect();
    indices.sort_unstable();
    indices.dedup();
    indices.into_iter().map(|index| vertices[index]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Floating, MassSource};

    fn floating() -> BodyKind {
        BodyKind::Floating(Floating::new(MassSource::Density(1.0)))
    }

    /// A sphere of radius 1 m with rings and sectors. Around the x axis it is dented by `depth` (m), less so farther away by `decay`.
    fn dented_sphere(rings: u32, sectors: u32, depth: f64, decay: f64) -> TriangleMesh {
        use std::f64::consts::{PI, TAU};
        let point = |ring: u32, sector: u32| {
            let (polar, turn) = (PI * f64::from(ring) / f64::from(rings), TAU * f64::from(sector) / f64::from(sectors));
            let point = DVec3::new(polar.sin() * turn.cos(), polar.cos(), polar.sin() * turn.sin());
            point * (1.0 - depth * (-decay * (1.0 - point.x)).exp())
        };
        let mut vertices = vec![point(0, 0)];
        vertices.extend((1..rings).flat_map(|ring| (0..sectors).map(move |sector| point(ring, sector))));
        vertices.push(point(rings, 0));
        let at = |ring: u32, sector: u32| match ring {
            0 => 0,
            ring if ring == rings => (rings - 1) * sectors + 1,
            ring => (ring - 1) * sectors + 1 + sector % sectors,
        };
        let cell = |ring: u32, sector: u32| {
            let [a, b] = [at(ring, sector), at(ring, sector + 1)];
            let [c, d] = [at(ring + 1, sector), at(ring + 1, sector + 1)];
            [[a, b, c], [c, b, d]]
        };
        let triangles = (0..rings).flat_map(|ring| (0..sectors).flat_map(move |sector| cell(ring, sector)));
        TriangleMesh { vertices, triangles: triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect() }
    }

    #[test]
    fn large_meshes_have_the_hull_of_small_ones() {
        let fine = dented_sphere(90, 120, 0.0, 1.0);
        assert!(fine.vertices.len() > MANY_VERTICES && is_convex(&fine));
        let hull = collision_shape(&fine, &floating());
        let expected = SharedShape::convex_hull(&fine.vertices).expect("a hull");
        let points = |shape: &SharedShape| shape.as_convex_polyhedron().expect("a hull").points().len();
        assert_eq!(points(&hull), points(&expected));
        let (one, other) = (hull.mass_properties(1.0).mass(), expected.mass_properties(1.0).mass());
        assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
    }

    #[test]
    fn a_shallow_dent_is_filled_and_a_deep_one_is_not() {
        let shallow = dented_sphere(90, 120, 0.1, 16.0);
        assert!(!is_convex(&shallow));
        assert!(collision_shape(&shallow, &floating()).as_convex_polyhedron().is_some());
        // Half a sphere, hollowed out.
        let mut deep = dented_sphere(90, 120, 0.0, 1.0);
        for vertex in &mut deep.vertices {
            vertex.y = vertex.y.min(-0.9 * vertex.y);
        }
        assert!(filled_hull(&deep).is_none());
        // The volume of the core alone shows it.
        let core = SharedShape::convex_hull(&extreme_vertices(&deep.vertices)).expect("a hull");
        assert!(MassProperties::of(&deep).volume < FILLED * core.mass_properties(1.0).mass());
    }
}
