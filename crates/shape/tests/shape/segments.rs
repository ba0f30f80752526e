//! Guarantees of segments, on samples and on random triangles.

use std::collections::{HashMap, HashSet};

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_shape::{MassProperties, MeshReport, SegmentLimits, Segmentation, SlabCutBall, TriangleMesh, surface_area, triangle_area};
use proptest::prelude::*;

use super::{generate_meshes, moved, random_numbers, sample, skew_pose};

/// What must be true for any mesh and any limits.
fn check(mesh: &TriangleMesh, limits: &SegmentLimits) -> Segmentation {
    let segmentation = Segmentation::build(mesh, limits);
    let pieces = &segmentation.mesh;
    let count = pieces.triangles.len();
    assert_eq!((segmentation.source.len(), segmentation.sharp_edges.len()), (count, count));
    let mut next = 0;
    for segment in &segmentation.segments {
        assert_eq!(segment.triangles.start, next, "segments follow each other");
        next = segment.triangles.end;
        assert!((1..=limits.triangles).contains(&segment.triangles.len()));
        let flat = segment.ball.upper - segment.ball.lower <= 1e-9 * limits.size;
        let size = if flat { limits.flat_size } else { limits.size };
        assert!(segment.aabb.extent().max_element() <= size * (1.0 + 1e-12), "{} {size}", segment.aabb.extent());
        assert!((segment.ball.normal.length() - 1.0).abs() < 1e-12 && segment.ball.lower <= segment.ball.upper);
        for corner in segment.triangles.clone().flat_map(|index| pieces.corners(index as usize)) {
            assert!(segment.ball.contains(corner, 0.0) && segment.aabb.contains(corner));
        }
    }
    assert_eq!(next as usize, count, "every piece lies in a segment");
    check_pieces(mesh, &segmentation);
    segmentation
}

/// The pieces of each original triangle fill it: their areas add up, and each has the same winding.
fn check_pieces(mesh: &TriangleMesh, segmentation: &Segmentation) {
    let mut areas = vec![0.0; mesh.triangles.len()];
    let area_vector = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a);
    for (piece, &source) in segmentation.source.iter().enumerate() {
        let (corners, original) = (segmentation.mesh.corners(piece), mesh.corners(source as usize));
        areas[source as usize] += triangle_area(corners);
        assert!(area_vector(corners).dot(area_vector(original)) >= 0.0);
    }
    for (source, area) in areas.iter().enumerate() {
        let expected = triangle_area(mesh.corners(source));
        let longest = mesh.corners(source).iter().map(|corner| corner.length()).fold(0.0, f64::max);
        assert!((area - expected).abs() <= 1e-9 * expected + 1e-12 * longest * longest, "{area} {expected}");
    }
}

#[test]
fn all_samples_keep_every_promise() {
    for sample in generate_meshes::samples() {
        let diagonal = sample.mesh.aabb().extent().length();
        for (share, triangles) in [(0.3, 1000), (0.06, 64), (0.04, 3), (2.0, 16)] {
            let segmentation = check(&sample.mesh, &SegmentLimits::new(share * diagonal, triangles));
            let (before, after) = (MeshReport::of(&sample.mesh), MeshReport::of(&segmentation.mesh));
            assert_eq!(before.is_watertight(), after.is_watertight(), "{}: cuts must meet corner to corner", sample.name);
            assert!((before.mass.volume - after.mass.volume).abs() < 1e-12, "{}", sample.name);
        }
    }
}

#[test]
fn meshes_within_the_limits_are_only_reordered() {
    let mesh = sample("statue");
    let segmentation = check(&mesh, &SegmentLimits::new(0.1, 64));
    assert_eq!(segmentation.mesh.vertices, mesh.vertices);
    let mut sources = segmentation.source.clone();
    sources.sort_unstable();
    assert!(sources.iter().copied().eq(0..mesh.triangles.len() as u32));
    assert!(
        segmentation
            .source
            .iter()
            .zip(&segmentation.mesh.triangles)
            .all(|(&source, triangle)| mesh.triangles[source as usize] == *triangle)
    );
}

#[test]
fn one_thread_or_many_make_the_same_segments() {
    let mesh = sample("statue");
    let build = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| Segmentation::build(&mesh, &SegmentLimits::new(0.05, 20)))
    };
    assert_eq!(build(1), build(5));
}

/// The total length of sharp edges, each counted from both sides.
fn sharp_length(segmentation: &Segmentation) -> f64 {
    let sides = segmentation.sharp_edges.iter().enumerate().flat_map(|(index, sharp)| {
        let corners = segmentation.mesh.corners(index);
        (0..3).filter(|&k| sharp[k]).map(move |k| corners[k].distance(corners[(k + 1) % 3]))
    });
    sides.sum()
}

#[test]
fn sharp_edges_of_a_box_are_its_twelve_however_it_is_cut_and_turned() {
    for pose in [Pose::IDENTITY, skew_pose()] {
        for size in [3.0, 0.5, 0.11] {
            let segmentation = check(&moved(&sample("box"), &pose), &SegmentLimits::new(size, 64));
            assert!((sharp_length(&segmentation) - 24.0).abs() < 1e-11, "{}", sharp_length(&segmentation));
        }
    }
}

#[test]
fn sharp_edges_of_a_tank_leave_out_the_diagonals() {
    let segmentation = check(&sample("tank"), &SegmentLimits::new(0.3, 64));
    let outside = 4.0 * (2.2 + 1.1 + 1.2);
    let inside = 4.0 * (2.0 + 1.0 + 1.0);
    assert!((sharp_length(&segmentation) - 2.0 * (outside + inside)).abs() < 1e-11);
}

/// Flat segments may be larger than others: a sheet of 1 m is one segment, with a limit of 1.2 m for flat ones.
#[test]
fn a_sheet_is_one_flat_segment() {
    let limits = SegmentLimits::new(0.2, 64);
    let sheet = check(&sample("sheet"), &limits);
    assert_eq!((sheet.segments.len(), sheet.mesh.triangles.len()), (1, 8), "edges longer than the limit are cut");
    let even = check(&sample("sheet"), &limits.even());
    assert!(even.segments.len() >= 25, "{} segments of at most 0.2 m", even.segments.len());
}

#[test]
fn open_edges_are_sharp_and_folds_too() {
    let flat = check(&sample("sheet"), &SegmentLimits::new(0.2, 64));
    assert!((sharp_length(&flat) - 4.0).abs() < 1e-12, "an open edge has one side only");
    // A sheet folded back onto itself is coplanar across the fold, but the fold is sharp.
    let vertices = vec![DVec3::ZERO, DVec3::Z, DVec3::X, DVec3::new(0.9, 0.0, 0.1)];
    let folded = Segmentation::build(&TriangleMesh { vertices, triangles: vec![[0, 1, 2], [1, 0, 3]] }, &SegmentLimits::new(9.0, 9));
    assert_eq!(folded.sharp_edges, [[true; 3]; 2]);
}

#[test]
fn a_fine_sphere_is_sharp_everywhere_and_a_flat_wall_of_slivers_nowhere() {
    let sphere = generate_meshes::solids::sphere(0.5, 5);
    let segmentation = Segmentation::build(&sphere, &SegmentLimits::new(0.1, 64));
    assert!(segmentation.sharp_edges.iter().flatten().all(|&sharp| sharp));
    // A fan of slivers in a skew plane, with heights down to a millionth of their length.
    let pose = skew_pose();
    let heights = [0.0, 1e-6, 1e-5, 3e-4, 0.01, 0.3];
    let flat = |x: f64, z: f64| pose.transform_point(DVec3::new(x, 0.0, z));
    let vertices: Vec<DVec3> = std::iter::once(flat(0.0, 0.0)).chain(heights.iter().map(|&z| flat(1.0, z))).collect();
    let triangles: Vec<[u32; 3]> = (1..heights.len() as u32).map(|i| [0, i + 1, i]).collect();
    let fan = Segmentation::build(&TriangleMesh { vertices, triangles }, &SegmentLimits::new(9.0, 64));
    for (index, sharp) in fan.sharp_edges.iter().enumerate() {
        let source = fan.source[index] as usize;
        assert_eq!(sharp[0], source + 2 == heights.len(), "outer edge of sliver {source}");
        assert_eq!(sharp[2], source == 0, "inner edge of sliver {source}");
    }
}

#[test]
fn cut_points_on_a_shared_edge_are_one_vertex() {
    let segmentation = Segmentation::build(&sample("tank"), &SegmentLimits::new(0.17, 64));
    let bits = |vertex: &DVec3| vertex.to_array().map(f64::to_bits);
    let distinct: HashSet<[u64; 3]> = segmentation.mesh.vertices.iter().map(bits).collect();
    assert_eq!(distinct.len(), segmentation.mesh.vertices.len());
    let mut sides: HashMap<[u32; 2], i32> = HashMap::new();
    for triangle in &segmentation.mesh.triangles {
        for k in 0..3 {
            let (from, to) = (triangle[k], triangle[(k + 1) % 3]);
            *sides.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    assert!(sides.values().all(|&balance| balance == 0));
}

#[test]
fn slab_cut_balls_have_their_volume_and_move_rigidly() {
    let mut random = random_numbers(11);
    let ball =
        SlabCutBall { center: DVec3::new(0.2, -0.1, 0.3), radius: 0.7, normal: DVec3::new(2.0, 3.0, 6.0) / 7.0, lower: -0.1, upper: 0.35 };
    let pose = skew_pose();
    let there = ball.transformed(&pose);
    let count = 400_000;
    let mut hits = 0;
    for _ in 0..count {
        let point = ball.center + 1.4 * (DVec3::new(random(), random(), random()) - 0.5);
        let inside = ball.contains(point, 0.0);
        hits += u32::from(inside);
        assert!(!inside || there.contains(pose.transform_point(point), 1e-12));
        assert!(inside || !there.contains(pose.transform_point(point), -1e-12));
    }
    let sampled = f64::from(hits) / f64::from(count) * 1.4_f64.powi(3);
    assert!((sampled / ball.volume() - 1.0).abs() < 5e-3, "{sampled} {}", ball.volume());
    let whole = SlabCutBall { lower: -0.7, upper: 0.7, ..ball };
    assert!((whole.volume() - whole.ball_volume()).abs() < 1e-15);
}

#[test]
fn a_flat_wall_has_flat_balls_across_its_normal() {
    let segmentation = Segmentation::build(&sample("sheet"), &SegmentLimits::new(0.3, 64));
    assert!(segmentation.segments.iter().all(|segment| (segment.ball.normal.y.abs() - 1.0).abs() < 1e-15 && segment.ball.volume() < 1e-15));
    // A whole thin plate: its normals cancel, and its smallest extent is across it.
    let plate = Segmentation::build(&sample("paddle"), &SegmentLimits::new(1.0, 64));
    assert_eq!(plate.segments.len(), 1);
    assert!((plate.segments[0].ball.normal.z.abs() - 1.0).abs() < 1e-12);
    assert!((plate.segments[0].ball.upper - plate.segments[0].ball.lower - 0.04).abs() < 1e-12);
}

#[test]
fn the_colored_ply_holds_every_piece_once() {
    let segmentation = Segmentation::build(&sample("torus"), &SegmentLimits::new(0.1, 32));
    let mut bytes = Vec::new();
    segmentation.write_colored_ply(&mut bytes).unwrap();
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = std::str::from_utf8(&bytes[..end]).unwrap();
    let number = |key: &str| -> usize { header.split(key).nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap() };
    let (vertices, faces) = (number("element vertex "), number("element face "));
    assert_eq!(faces, segmentation.mesh.triangles.len());
    assert_eq!(bytes.len(), end + 15 * vertices + 13 * faces);
    let color = |vertex: usize| &bytes[end + 15 * vertex + 12..end + 15 * vertex + 15];
    let corner = |face: usize, k: usize| {
        let at = end + 15 * vertices + 13 * face + 1 + 4 * k;
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    };
    let mut colors = HashSet::new();
    for segment in &segmentation.segments {
        let of_segment: HashSet<&[u8]> = segment
            .triangles
            .clone()
            .flat_map(|face| (0..3).map(move |k| (face, k)))
            .map(|(face, k)| color(corner(face as usize, k)))
            .collect();
        assert_eq!(of_segment.len(), 1);
        colors.extend(of_segment);
    }
    assert!(colors.len() * 10 > segmentation.segments.len() * 9);
}

fn any_mesh() -> impl Strategy<Value = TriangleMesh> {
    let vertex = (-3.0..3.0, -1.0..1.0, 0.0..0.5).prop_map(|(x, y, z): (f64, f64, f64)| DVec3::new(x, y, z));
    (prop::collection::vec(vertex, 3..60), prop::collection::vec(any::<[prop::sample::Index; 3]>(), 1..120)).prop_filter_map(
        "needs a triangle",
        |(vertices, picks)| {
            let pick = |picks: &[prop::sample::Index; 3]| picks.map(|index| index.index(vertices.len()) as u32);
            let triangles: Vec<[u32; 3]> = picks.iter().map(pick).filter(|[a, b, c]| a != b && b != c && c != a).collect();
            (!triangles.is_empty()).then(|| TriangleMesh { vertices: vertices.clone(), triangles })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_meshes_keep_every_promise(mesh in any_mesh(), size in 0.3..8.0_f64, triangles in 1..40_usize) {
        let segmentation = check(&mesh, &SegmentLimits::new(size, triangles));
        prop_assert!((surface_area(&mesh) - surface_area(&segmentation.mesh)).abs() <= 1e-9 * surface_area(&mesh));
        let flux = |mesh: &TriangleMesh| MassProperties::of(mesh).volume;
        prop_assert!((flux(&mesh) - flux(&segmentation.mesh)).abs() < 1e-9);
    }
}

/// Far from the region, pieces grow with the distance, and still match at their corners.
#[test]
fn a_plane_of_a_kilometer_has_thousands_of_pieces() {
    let corner = |x: f64, z: f64| DVec3::new(500.0 * x, 0.0, 500.0 * z);
    let vertices = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    let mesh = TriangleMesh { vertices, triangles: vec![[0, 3, 2], [0, 2, 1]] };
    let region = plimsoll_base::math::Aabb { min: DVec3::new(-0.5, 0.0, 100.0), max: DVec3::new(0.5, 0.5, 101.0) };
    let limits = SegmentLimits::new(0.16, 512).around(region);
    let segmentation = Segmentation::build(&mesh, &limits);
    check_pieces(&mesh, &segmentation);
    let pieces = &segmentation.mesh;
    let count = pieces.triangles.len();
    assert!((100..10_000).contains(&count), "{count} pieces");
    let mut faces_of_edges = HashMap::new();
    for index in 0..count {
        let corners = pieces.corners(index);
        let longest = [0, 1, 2].map(|k| corners[k].distance(corners[(k + 1) % 3])).into_iter().fold(0.0, f64::max);
        let far = plimsoll_base::math::Aabb::around(corners).distance_to(&region);
        assert!(longest <= limits.flat_size.max(0.25 * (far + longest)), "{longest} m at {far} m");
        for k in 0..3 {
            let ends = [pieces.triangles[index][k], pieces.triangles[index][(k + 1) % 3]];
            *faces_of_edges.entry([ends[0].min(ends[1]), ends[0].max(ends[1])]).or_insert(0) += 1;
        }
    }
    let on_rim = |vertex: u32| {
        let position = pieces.vertices[vertex as usize].abs();
        [position.x == 500.0, position.z == 500.0]
    };
    for (ends, faces) in faces_of_edges {
        let [a, b] = ends.map(on_rim);
        let is_rim = (0..2).any(|side| a[side] && b[side]);
        assert_eq!(faces, if is_rim { 1 } else { 2 }, "{ends:?}");
    }
    assert!(Segmentation::exceeds(&mesh, &limits, count - 1) && !Segmentation::exceeds(&mesh, &limits, count));
    assert!(Segmentation::exceeds(&mesh, &limits.everywhere(), 1_000_000));
}
