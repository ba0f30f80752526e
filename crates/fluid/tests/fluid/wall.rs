//! Wall integrals against brute force: every path of the closed forms, value and gradient.

use crate::generate_meshes::solids;
use glam::DVec3;
use plimsoll_fluid::walls::{
    NearParts, NormalParts, RadialFunction, SurfaceFlow, SurfaceIntegral, WallSurface, WallTriangle, kernel_volume, mirror_layer,
};
use plimsoll_shape::{InsideTest, SegmentLimits, Segmentation, TriangleMesh};
use proptest::prelude::*;

const ALL_SHARP: [bool; 3] = [true; 3];

/// Integral by subdivision of the triangle into small pieces, midpoint rule.
fn brute_force(function: &RadialFunction, corners: [DVec3; 3], point: DVec3, cutoff: f64, divisions: usize) -> f64 {
    let [a, b, c] = corners;
    let piece = 0.5 * (b - a).cross(c - a).length() / (divisions * divisions) as f64 / (cutoff * cutoff);
    let at = |u: f64, v: f64| function.point(point.distance(a + u * (b - a) + v * (c - a)) / cutoff);
    let n = divisions as f64;
    let mut sum = 0.0;
    for i in 0..divisions {
        for j in 0..divisions - i {
            sum += at((i as f64 + 1.0 / 3.0) / n, (j as f64 + 1.0 / 3.0) / n);
            if i + j + 1 < divisions {
                sum += at((i as f64 + 2.0 / 3.0) / n, (j as f64 + 2.0 / 3.0) / n);
            }
        }
    }
    sum * piece
}

/// `½ P(y / cutoff)` above the steepest slope: what an infinite wall contributes.
fn mirror_plane(s: f64) -> f64 {
    if s >= 1.0 {
        0.0
    } else if s >= 0.5 {
        0.8 * (1.0 - s).powi(4) * (1.0 + 4.0 * s)
    } else {
        8.0 * (7.0 / 80.0 - s * s / 2.0 + 1.5 * s.powi(4) - 1.2 * s.powi(5))
    }
}

/// Central difference of `value` along the three axes.
fn numeric_gradient(point: DVec3, step: f64, value: impl Fn(DVec3) -> f64) -> DVec3 {
    let along = |axis: DVec3| (value(point + step * axis) - value(point - step * axis)) / (2.0 * step);
    DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
}

fn wall(mesh: &TriangleMesh, size: f64) -> Vec<WallTriangle> {
    let segmentation = Segmentation::build(mesh, &SegmentLimits::new(size, 16));
    let corners = (0..segmentation.mesh.triangles.len()).map(|index| segmentation.mesh.corners(index));
    corners.zip(&segmentation.sharp_edges).map(|(corners, &sharp)| WallTriangle::new(corners, sharp)).collect()
}

fn integrate(triangles: &[WallTriangle], point: DVec3, cutoff: f64) -> SurfaceIntegral {
    let mut sum = SurfaceIntegral::default();
    for triangle in triangles {
        sum += triangle.integrate(mirror_layer(), point, cutoff);
    }
    sum
}

fn cube() -> TriangleMesh {
    let vertices = (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriangleMesh { vertices, triangles }
}

#[test]
fn a_flat_wall_gives_the_plane_formula_however_it_is_cut() {
    for size in [10.0, 0.3, 0.05] {
        let triangles = wall(&cube(), size);
        for s in [0.31, 0.4, 0.5, 0.7, 0.95, 1.05] {
            let cutoff = 0.1;
            // On the diagonal of the face, where the projection could be counted twice or not at all.
            let found = integrate(&triangles, DVec3::new(0.5, 0.5, 1.0 + s * cutoff), cutoff);
            assert!((found.value - mirror_plane(s)).abs() < 1e-6, "size {size}, s {s}: {} for {}", found.value, mirror_plane(s));
            let slope = (mirror_plane(s + 1e-5) - mirror_plane(s - 1e-5)) / 2e-5 / cutoff;
            assert!((found.gradient - DVec3::new(0.0, 0.0, slope)).length() < 1e-4, "size {size}, s {s}: {}", found.gradient);
        }
    }
}

#[test]
fn a_particle_half_a_spacing_from_the_wall_misses_what_the_lattice_misses() {
    let found = integrate(&wall(&cube(), 0.2), DVec3::new(0.5, 0.5, 1.05), 0.1);
    assert!((found.value - 0.15).abs() < 1e-6, "{}", found.value);
}

/// What a cubic lattice of spacing `2r` beyond the walls would contribute to a particle at `r` from each of them, by summation.
fn lattice_deficit(beyond: impl Fn(DVec3) -> bool) -> f64 {
    let kernel = plimsoll_fluid::Kernel::new(4.0);
    let sites =
        (-3..=3).flat_map(|x| (-3..=3).flat_map(move |y| (-3..=3).map(move |z| DVec3::new(f64::from(x), f64::from(y), f64::from(z)))));
    sites.map(|site| site * 2.0).filter(|&site| beyond(site)).map(|site| 8.0 * f64::from(kernel.value(site.length() as f32))).sum()
}

#[test]
fn concave_edges_and_corners_add_what_the_lattice_misses() {
    // The inside of the unit cube, for a particle at r from two and three faces; r = 1 in lattice units.
    let triangles = wall(&cube(), 0.1);
    let r = 0.02;
    let edge = integrate(&triangles, DVec3::new(r, r, 0.5), 2.0 * r).value;
    let edge_lattice = lattice_deficit(|site| site.x < 0.0 || site.y < 0.0);
    assert!((edge - edge_lattice).abs() < 0.015, "edge {edge}, lattice {edge_lattice}");
    let corner = integrate(&triangles, DVec3::splat(r), 2.0 * r).value;
    let corner_lattice = lattice_deficit(|site| site.x < 0.0 || site.y < 0.0 || site.z < 0.0);
    // Three images meet in a corner, and a small part of them is counted twice.
    assert!((corner - corner_lattice).abs() < 0.04, "corner {corner}, lattice {corner_lattice}");
}

#[test]
fn both_sides_of_a_sheet_count_alike() {
    let sheet = TriangleMesh {
        vertices: vec![DVec3::new(-1.0, 0.0, -1.0), DVec3::new(1.0, 0.0, -1.0), DVec3::new(1.0, 0.0, 1.0), DVec3::new(-1.0, 0.0, 1.0)],
        triangles: vec![[0, 2, 1], [0, 3, 2]],
    };
    let triangles = wall(&sheet, 0.1);
    let (above, below) = (integrate(&triangles, DVec3::new(0.1, 0.05, 0.2), 0.1), integrate(&triangles, DVec3::new(0.1, -0.05, 0.2), 0.1));
    assert!((above.value - below.value).abs() < 1e-5 && (above.value - 0.15).abs() < 1e-5, "{above:?} {below:?}");
    assert!((above.gradient + below.gradient).length() < 1e-3);
}

/// Each triangle cut into four until no edge is longer than `longest`: many triangles of one plane.
fn refined(mesh: &TriangleMesh, longest: f64) -> TriangleMesh {
    let pieces = Segmentation::build(mesh, &SegmentLimits::new(longest, usize::MAX).even()).mesh;
    TriangleMesh { vertices: pieces.vertices, triangles: pieces.triangles }
}

/// Greatest errors of clusters at pseudorandom points.
#[derive(Debug, Default)]
struct ClusterErrors {
    /// In units of what a plane adds to a resting particle (0.15), and of its gradient.
    value: f64,
    gradient: f64,
    /// Of the moment of the normals, in units of what a plane adds (0.4).
    moment: f64,
    /// Of the gradients along the normals, in units of that of a plane.
    slope: f64,
    /// Of the bound of the distance, in cutoffs: how much it is below that of the triangles, and above the distance.
    below: f64,
    above: f64,
    /// Mean number of triangles and clusters in an integral.
    parts: f64,
}

fn errors_of_clusters(mesh: &TriangleMesh, cutoff: f64) -> ClusterErrors {
    let segmentation = Segmentation::build(mesh, &SegmentLimits::new(4.0 * cutoff, 512));
    let surface = WallSurface::new(&segmentation, cutoff);
    let triangles = wall(mesh, 4.0 * cutoff);
    let (aabb, solid) = (mesh.aabb(), InsideTest::new(mesh));
    let mut random = plimsoll_base::math::Random::new(3);
    let (mut parts, mut errors, mut points) = (NearParts::default(), ClusterErrors::default(), 0);
    while points < 300 {
        let point = aabb.min - cutoff + random.point() * (aabb.extent() + 2.0 * cutoff);
        let exact = integrate(&triangles, point, cutoff);
        if exact.value == 0.0 {
            continue;
        }
        let segments = 0..segmentation.segments.len() as u32;
        let bound = segments.map(|segment| surface.choose(segment, point, cutoff, &mut parts)).fold(cutoff, f64::min);
        let distance = triangles.iter().filter_map(|triangle| triangle.distance_bound(point, cutoff)).fold(cutoff, f64::min);
        errors.parts += parts.len() as f64 / 300.0;
        let (found, along_normals) = surface.integrate(point, cutoff, &mut parts, &mut SurfaceFlow::default());
        let mut exact_parts = NormalParts::default();
        for triangle in &triangles {
            exact_parts += triangle.normal_parts(point, &triangle.integrate(mirror_layer(), point, cutoff));
        }
        errors.value = errors.value.max((found.value - exact.value).abs() / 0.15);
        errors.gradient = errors.gradient.max((found.gradient - exact.gradient).length() * cutoff / 0.75);
        let difference = along_normals.moment - exact_parts.moment;
        errors.moment = errors.moment.max(difference.to_cols_array().iter().map(|value| value * value).sum::<f64>().sqrt() / 0.4);
        errors.slope = errors.slope.max((along_normals.slope - exact_parts.slope).abs() * cutoff / 0.75);
        errors.below = errors.below.max((distance - bound) / cutoff);
        errors.above = errors.above.max((bound - solid.distance(point).min(cutoff)) / cutoff);
        points += 1;
    }
    errors
}

#[test]
fn clusters_are_as_good_as_their_triangles() {
    let meshes = [
        ("sphere", solids::sphere(0.3, 5), 0.1),
        ("fine sphere", solids::sphere(0.3, 5), 0.2),
        ("torus", refined(&solids::torus(0.3, 0.08), 0.01), 0.1),
        // All triangles of a face are in one plane: only the edges between clusters have terms.
        ("cube", refined(&cube(), 0.02), 0.15),
        ("coarse cube", refined(&cube(), 0.1), 0.1),
    ];
    for (name, mesh, cutoff) in meshes {
        let errors = errors_of_clusters(&mesh, cutoff);
        println!("{name}: {} triangles, {errors:.4?}", mesh.triangles.len());
        assert!(errors.value < 0.003 && errors.gradient < 0.01 && errors.moment < 0.04 && errors.slope < 0.06, "{name}: {errors:?}");
        // The distance of a particle determines its friction: on the hollow side of a sphere the bound is that of the outermost corners.
        assert!(errors.below < 0.12 && errors.above < 1e-9, "{name}: {errors:?}");
        assert!(errors.parts < 200.0, "{name}: {errors:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// Random triangles from slivers to large ones, points near and far: value by brute force, gradient by differences.
    #[test]
    fn the_mirror_layer_equals_brute_force(
        corners in prop::array::uniform3(prop::array::uniform3(-1.0_f64..1.0)),
        size in prop::sample::select(vec![0.1, 0.5, 2.0]),
        at in prop::array::uniform3(-1.0_f64..1.0),
    ) {
        let corners = corners.map(|corner| DVec3::from_array(corner) * size);
        let point = DVec3::from_array(at);
        let triangle = WallTriangle::new(corners, ALL_SHARP);
        prop_assume!(triangle.area > 1e-4 * size * size && triangle.plane_distance(point).abs() > 0.03);
        let found = triangle.integrate(mirror_layer(), point, 1.0);
        let expected = brute_force(mirror_layer(), corners, point, 1.0, 400);
        prop_assert!((found.value - expected).abs() < 1e-4 * (1.0 + expected), "{} for {expected}", found.value);
        let exactly = triangle.integrate_exactly(mirror_layer(), point, 1.0);
        let gradient = numeric_gradient(point, 1e-4, |x| triangle.integrate_exactly(mirror_layer(), x, 1.0).value);
        prop_assert!((exactly.gradient - gradient).length() < 1e-4 * (1.0 + gradient.length()), "{} for {gradient}", exactly.gradient);
        prop_assert!((found.gradient - exactly.gradient).length() < 3e-3 * (1.0 + exactly.gradient.length()), "{} for {}", found.gradient, exactly.gradient);
    }
}

/// λ by summing the kernel over a fine grid of cells in the box 0..1³.
fn volume_by_cells(point: DVec3, h: f64, n: i32, inside: impl Fn(DVec3) -> bool) -> f64 {
    let kernel = |r: f64| {
        let q = r / h;
        let sigma = 8.0 / (std::f64::consts::PI * h.powi(3));
        if q >= 1.0 {
            0.0
        } else if q > 0.5 {
            2.0 * sigma * (1.0 - q).powi(3)
        } else {
            sigma * (6.0 * (q.powi(3) - q * q) + 1.0)
        }
    };
    let cell = 2.0 * h / f64::from(n);
    let mut sum = 0.0;
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                let offset = (DVec3::new(f64::from(i), f64::from(j), f64::from(k)) + 0.5) * cell - h;
                if inside(point + offset) {
                    sum += kernel(offset.length());
                }
            }
        }
    }
    sum * cell.powi(3)
}

/// The same, without the second-order error (Richardson extrapolation).
fn brute_force_volume(point: DVec3, h: f64, inside: impl Fn(DVec3) -> bool) -> f64 {
    (4.0 * volume_by_cells(point, h, 160, &inside) - volume_by_cells(point, h, 80, &inside)) / 3.0
}

/// Points for which the faces of the cube pass between the cells of the brute-force sum, which is then accurate to about 1e-6.
#[test]
fn kernel_volume_of_a_cube_equals_brute_force() {
    let h = 0.4;
    let cell = 2.0 * h / 80.0;
    let triangles = wall(&cube(), 0.2);
    let aligned = |share: f64| (share / cell).round() * cell;
    for (x, y, z) in
        [(0.5, 0.5, 1.1), (0.5, 1.05, 1.1), (1.05, 1.1, 1.05), (-0.1, 0.2, 0.3), (0.1, 0.1, 0.1), (0.9, 0.5, 0.05), (1.3, 1.2, 0.1)]
    {
        let point = DVec3::new(aligned(x), aligned(y), aligned(z));
        let inside = |p: DVec3| p.cmpgt(DVec3::ZERO).all() && p.cmplt(DVec3::ONE).all();
        let found = kernel_volume(&triangles, point, h, inside(point));
        let expected = brute_force_volume(point, h, inside);
        assert!((found.value - expected).abs() < 1e-5, "{point}: {} for {expected}", found.value);
        let gradient = numeric_gradient(point, 1e-5, |x| kernel_volume(&triangles, x, h, inside(x)).value);
        assert!((found.gradient - gradient).length() < 1e-4, "{point}: {} for {gradient}", found.gradient);
    }
}

#[test]
fn kernel_volume_of_a_half_space_is_the_plane_formula() {
    let triangles = wall(&cube(), 0.3);
    let h = 0.3;
    for q in [0.05, 0.2, 0.45, 0.5, 0.7, 0.9] {
        let found = kernel_volume(&triangles, DVec3::new(0.5, 0.5, 1.0 + q * h), h, false);
        let u = 1.0 - q;
        let expected = if q >= 0.5 {
            1.6 * f64::powi(u, 5) - 16.0 / 15.0 * f64::powi(u, 6)
        } else {
            0.5 - 1.4 * q + 8.0 / 3.0 * f64::powi(q, 3) - 4.8 * f64::powi(q, 5) + 3.2 * f64::powi(q, 6)
        };
        assert!((found.value - expected).abs() < 1e-6, "q {q}: {} for {expected}", found.value);
    }
}

/// A surface that moves as one changes the integral as its rigid motion says, at any point: `v + ω × (x − c)` at the point itself, not at the surface.
#[test]
fn the_velocity_of_a_surface_that_turns_is_that_of_its_rigid_motion() {
    let mesh = solids::cuboid([0.4, 0.7, 0.5]);
    let cutoff = 0.15;
    let segmentation = Segmentation::deformable(&mesh, &SegmentLimits::new(4.0 * cutoff, 512));
    let (linear, angular) = (DVec3::new(0.3, -0.2, 0.5), DVec3::new(1.0, 2.0, -0.7));
    let rigid = |x: DVec3| linear + angular.cross(x);
    let velocities: Vec<DVec3> = segmentation.mesh.vertices.iter().map(|&vertex| rigid(vertex)).collect();
    let surface = WallSurface::deforming(&segmentation, &velocities);
    let mut random = plimsoll_base::math::Random::new(9);
    let (mut parts, mut points) = (NearParts::default(), 0);
    while points < 200 {
        let point = (random.point() - 0.5) * (mesh.aabb().extent() + 2.0 * cutoff);
        let choose = |parts: &mut NearParts| {
            (0..segmentation.segments.len() as u32).for_each(|segment| _ = surface.choose(segment, point, cutoff, parts))
        };
        let mut flow = SurfaceFlow::default();
        choose(&mut parts);
        let gradient = surface.integrate(point, cutoff, &mut parts, &mut flow).0.gradient;
        if gradient.length() * cutoff < 1e-3 {
            continue;
        }
        assert!(flow.velocity().distance(rigid(point)) < 1e-9, "{} {} at {point}", flow.velocity(), rigid(point));
        points += 1;
    }
}
