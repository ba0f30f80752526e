//! Sheets given from both sides beside a solid: they have no share in its volume and its inside, and stay as walls.

use std::fs;

use glam::DVec3;
use plimsoll_base::math::{Pose, Random};
use plimsoll_shape::{
    ImportOptions, InsideTest, MassProperties, MeshReport, Obstacle, OverlapReport, Repair, TriangleMesh, import, make_solid, solid_part,
};

use super::{sample, scaled, skew_pose, together};

/// A sphere of radius 1 m.
pub fn ball() -> TriangleMesh {
    let ball = sample("sphere");
    let radius = ball.vertices[0].length();
    scaled(&ball, 1.0 / radius)
}

/// A sheet of 18 triangles around a point, from both sides.
fn sail(center: DVec3) -> TriangleMesh {
    let corner = |x: u32, y: u32| center + DVec3::new(0.2 * f64::from(x) - 0.3, 0.2 * f64::from(y) - 0.3, 0.03 * f64::from(x * y));
    let vertices = (0..4).flat_map(|x| (0..4).map(move |y| corner(x, y))).collect();
    let cell = |first: u32| [[first, first + 1, first + 4], [first + 4, first + 1, first + 5]];
    let front = (0..3).flat_map(|x| (0..3).flat_map(move |y| cell(4 * x + y)));
    TriangleMesh { vertices, triangles: front.flat_map(|[a, b, c]| [[a, b, c], [a, c, b]]).collect() }
}

/// The mesh as read from an OBJ file, the number of triangles of sheets, and the report on parts that overlap.
pub fn read(mesh: &TriangleMesh, repair: Repair) -> (TriangleMesh, usize, OverlapReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("given.obj");
    fs::write(&path, mesh.to_obj()).unwrap();
    let (mut mesh, summary) = import::load_with_summary(&path, &ImportOptions { repair, ..ImportOptions::default() }).unwrap();
    let solid = make_solid(&mut mesh, summary.sheets, repair);
    (mesh, summary.sheets, solid.overlaps)
}

/// Inside the ball, through its surface, and outside.
pub const PLACES: [DVec3; 3] = [DVec3::new(0.0, 0.0, 0.2), DVec3::new(0.9, 0.1, 0.0), DVec3::new(0.0, 2.0, 0.0)];

#[test]
fn a_solid_keeps_its_volume_beside_sheets() {
    let ball = ball();
    let expected = MassProperties::of(&ball);
    for (place, repair) in PLACES.into_iter().zip([Repair::Safe, Repair::Fill, Repair::Safe]) {
        let (mesh, sheets, overlaps) = read(&together(&ball, &sail(place)), repair);
        assert_eq!((sheets, mesh.triangles.len(), overlaps), (18, ball.triangles.len() + 18, OverlapReport::None));
        let report = MeshReport::with_sheets(&mesh, sheets);
        assert!(report.is_watertight() && report.components == 1, "{report}");
        assert!(
            report.to_string().contains("of sheets                      18   walls without thickness, not part of the volume"),
            "{report}"
        );
        for found in [report.mass, MassProperties::of_solid_part(&mesh)] {
            assert!((found.volume / expected.volume - 1.0).abs() < 1e-12 && found.center_of_mass.distance(expected.center_of_mass) < 1e-12);
            assert!(found.inertia.abs_diff_eq(expected.inertia, 1e-12));
        }
    }
}

/// Solids that overlap are joined, and one within another is removed, beside a sheet through both.
#[test]
fn parts_are_joined_beside_sheets() {
    let small = scaled(&ball(), 0.3);
    let moved = |by: f64| TriangleMesh { vertices: small.vertices.iter().map(|v| v + by * DVec3::X).collect(), ..small.clone() };
    let volume = MassProperties::of(&ball()).volume;
    for (by, excess) in [(0.4, MassProperties::of(&small).volume), (1.0, f64::NAN)] {
        let (mesh, sheets, overlaps) = read(&together(&together(&ball(), &moved(by)), &sail(DVec3::ZERO)), Repair::Safe);
        let OverlapReport::Joined { excess: found, volume: joined } = overlaps else { panic!("{overlaps}") };
        assert_eq!(sheets, 18);
        assert!(joined >= volume * (1.0 - 1e-12) && (excess.is_nan() || (found / excess - 1.0).abs() < 1e-9), "{overlaps}");
        assert!((MeshReport::with_sheets(&mesh, sheets).mass.volume / joined - 1.0).abs() < 1e-9);
    }
}

#[test]
fn the_inside_of_a_solid_does_not_depend_on_sheets() {
    let mut random = Random::new(3);
    let pose = skew_pose();
    for place in PLACES {
        let (mesh, sheets, _) = read(&together(&ball(), &sail(place)), Repair::Safe);
        let solid = solid_part(&mesh).expect("a solid").into_owned();
        let first = mesh.triangles.len() - sheets;
        let sheet = InsideTest::new(&TriangleMesh { triangles: mesh.triangles[first..].to_vec(), ..mesh.clone() });
        let (brute, naive) = (InsideTest::new(&solid), InsideTest::new(&mesh));
        let obstacle = Obstacle::new(&mesh, pose, true);
        let mut misled = 0;
        for _ in 0..3000 {
            let point = place + 0.9 * (random.point() - 0.5);
            let world = pose.transform_point(point);
            let to_solid = brute.signed_distance(point);
            let expected = if to_solid > 0.0 { to_solid.min(sheet.distance(point)) } else { to_solid };
            assert!((obstacle.signed_distance(world) - expected).abs() < 1e-9, "{point}");
            if to_solid.abs() > 1e-9 {
                assert_eq!(obstacle.contains(world), to_solid < 0.0, "{point}");
                misled += usize::from(naive.contains(point) != (to_solid < 0.0));
            }
        }
        assert!(misled > 100, "the sheet next to these points must mislead a test of the whole mesh: {misled}");
        // Bodies meet it as a wall.
        let at = |point: DVec3| Obstacle::new(&scaled(&ball(), 0.05), Pose::from_translation(pose.transform_point(point)), true);
        assert!(
            obstacle.overlaps(&at(place + 0.07 * DVec3::Z))
                && obstacle.is_hit(pose.transform_point(place - 0.1 * DVec3::Z), pose.rotation * DVec3::Z)
        );
    }
}

/// A damaged surface is not a sheet, and a file of sheets alone has no inside.
#[test]
fn open_surfaces_given_from_one_side_are_no_sheets() {
    let mut sail = sail(DVec3::new(0.0, 2.0, 0.0));
    let both = read(&sail, Repair::Safe);
    assert_eq!((both.1, both.0.triangles.len()), (0, 18));
    assert!(solid_part(&both.0).is_none());
    sail.triangles.pop();
    let (mesh, sheets, _) = read(&together(&ball(), &sail), Repair::Safe);
    assert_eq!(sheets, 0);
    assert!(!MeshReport::of(&mesh).is_watertight());
}
