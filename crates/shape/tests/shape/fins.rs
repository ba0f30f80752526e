//! Fins: surfaces that share edges with a solid are walls on it, without a share in its volume and its inside.

use glam::DVec3;
use plimsoll_base::math::Random;
use plimsoll_shape::{InsideTest, MassProperties, MeshReport, Obstacle, OverlapReport, Repair, TriangleMesh, has_inside, solid_part};

use super::{
    generate_meshes::broken::{cube, joined, shifted},
    moved, sample,
    sheets::{PLACES, ball, read},
    skew_pose, together,
};

/// A strip on a path of vertices, whose other side is at `tips`; returns the vertices there. With `both`, its triangles are given from both sides.
fn add_strip(mesh: &mut TriangleMesh, path: &[u32], tips: impl Fn(DVec3) -> DVec3, both: bool) -> Vec<u32> {
    let first = mesh.vertices.len() as u32;
    let others: Vec<u32> = (first..).take(path.len()).collect();
    mesh.vertices.extend(path.iter().map(|&vertex| tips(mesh.vertices[vertex as usize])).collect::<Vec<_>>());
    for (near, far) in path.windows(2).zip(others.windows(2)) {
        for [a, b, c] in [[near[0], near[1], far[0]], [far[0], near[1], far[1]]] {
            mesh.triangles.push([a, b, c]);
            if both {
                mesh.triangles.push([a, c, b]);
            }
        }
    }
    others
}

/// A unit cube of 192 triangles with shared vertices.
fn hull() -> TriangleMesh {
    read(&cube(4), Repair::Safe).0
}

/// The vertices of `hull` where `is_on` is true, by x.
fn path(hull: &TriangleMesh, is_on: impl Fn(DVec3) -> bool) -> Vec<u32> {
    let mut path: Vec<u32> = (0..hull.vertices.len() as u32).filter(|&vertex| is_on(hull.vertices[vertex as usize])).collect();
    path.sort_by(|&a, &b| hull.vertices[a as usize].x.total_cmp(&hull.vertices[b as usize].x));
    path
}

/// What the mesh of a `hull` and fins of so many triangles is as a body, with and without repair: a hull with walls.
fn assert_walls(hull: &TriangleMesh, given: &TriangleMesh, fins: usize, repairs: &[Repair]) {
    let expected = MassProperties::of(hull);
    for &repair in repairs {
        let (mesh, sheets, overlaps) = read(given, repair);
        assert_eq!((sheets, mesh.triangles.len()), (fins, hull.triangles.len() + fins), "{repair:?}");
        assert_eq!(overlaps, OverlapReport::None);
        let report = MeshReport::with_sheets(&mesh, sheets);
        assert!(report.is_watertight() && report.is_consistent() && report.components == 1, "{repair:?}: {report}");
        for found in [report.mass, MassProperties::of_solid_part(&mesh)] {
            assert!((found.volume / expected.volume - 1.0).abs() < 1e-12, "{repair:?}: {} m³", found.volume);
            assert!(found.center_of_mass.distance(expected.center_of_mass) < 1e-12 && found.inertia.abs_diff_eq(expected.inertia, 1e-12));
        }
        assert_inside(hull, &mesh, mesh.triangles.len() - sheets);
    }
}

/// Compares the inside of `mesh` near its triangles from `first` on with that of the hull, and the distance to it with that to both.
fn assert_inside(hull: &TriangleMesh, mesh: &TriangleMesh, first: usize) {
    assert!(has_inside(mesh));
    let (pose, mut random) = (skew_pose(), Random::new(7));
    let (obstacle, solid) = (Obstacle::new(mesh, pose, true), InsideTest::new(hull));
    let fins = InsideTest::new(&TriangleMesh { triangles: mesh.triangles[first..].to_vec(), ..mesh.clone() });
    for index in (0..1000).map(|index| first + index % (mesh.triangles.len() - first)) {
        let point = mesh.corners(index).iter().sum::<DVec3>() / 3.0 + 0.4 * (random.point() - 0.5);
        let to_solid = solid.signed_distance(point);
        let expected = if to_solid > 0.0 { to_solid.min(fins.distance(point)) } else { to_solid };
        let world = pose.transform_point(point);
        assert!((obstacle.signed_distance(world) - expected).abs() < 1e-9, "{point}");
        assert!(to_solid.abs() < 1e-9 || obstacle.contains(world) == (to_solid < 0.0), "{point}");
    }
}

const ALL: [Repair; 3] = [Repair::Safe, Repair::Fill, Repair::Off];

#[test]
fn a_fin_on_an_edge_or_in_a_face_of_a_hull_is_a_wall() {
    let hull = hull();
    let inner = |x: f64| (0.2..0.8).contains(&x);
    let paths = [
        path(&hull, |v| v.y == 1.0 && v.z == 1.0),
        path(&hull, |v| v.y == 1.0 && v.z == 1.0 && inner(v.x)),
        path(&hull, |v| v.y == 1.0 && v.z == 0.5),
        path(&hull, |v| v.y == 1.0 && v.z == 0.5 && inner(v.x)),
    ];
    assert_eq!(paths.each_ref().map(Vec::len), [5, 3, 5, 3]);
    // Upward, slanting, in the plane of a face beyond its edge, and into the hull.
    for offset in [DVec3::new(0.0, 0.5, 0.0), DVec3::new(0.2, 0.4, 0.3), DVec3::new(0.0, 0.0, 0.4), DVec3::new(0.1, -0.4, -0.2)] {
        for path in &paths {
            let lies = offset.y == 0.0 && hull.vertices[path[0] as usize].z == 0.5;
            for both in [false, true].into_iter().filter(|_| !lies) {
                let mut given = hull.clone();
                add_strip(&mut given, path, |v| v + offset, both);
                // Without repair, both sides of a fin stay, as they are in the file.
                assert_walls(&hull, &given, 2 * (path.len() - 1), if both { &ALL[..2] } else { &ALL });
                if !both {
                    assert_inside(&hull, &given, hull.triangles.len());
                }
            }
        }
    }
}

#[test]
fn fins_on_fins_and_several_on_one_edge_are_walls() {
    let hull = hull();
    for (z, both) in [(1.0, false), (1.0, true), (0.5, false), (0.5, true)] {
        let path = path(&hull, |v| v.y == 1.0 && v.z == z);
        let repairs = if both { &ALL[..2] } else { &ALL };
        // A keel with a plate across its end.
        let mut given = hull.clone();
        let end = add_strip(&mut given, &path, |v| v + 0.4 * DVec3::Y, both);
        add_strip(&mut given, &end, |v| v + 0.2 * DVec3::Z, both);
        add_strip(&mut given, &end, |v| v - 0.2 * DVec3::Z, both);
        assert_walls(&hull, &given, 24, repairs);
        // A tail in the shape of a V.
        let mut given = hull.clone();
        add_strip(&mut given, &path, |v| v + DVec3::new(0.0, 0.4, 0.2), both);
        add_strip(&mut given, &path, |v| v + DVec3::new(0.0, 0.4, -0.2), both);
        assert_walls(&hull, &given, 16, repairs);
    }
    // One given from both sides, and one from one side.
    let mut given = hull.clone();
    let end = add_strip(&mut given, &path(&hull, |v| v.y == 1.0 && v.z == 0.5), |v| v + 0.4 * DVec3::Y, true);
    add_strip(&mut given, &end, |v| v + 0.2 * DVec3::Z, false);
    assert_walls(&hull, &given, 16, &ALL[..2]);
}

/// A bulwark around the deck of a box: its rim is closed.
#[test]
fn a_wall_around_a_face_is_a_fin() {
    let hull = TriangleMesh::cuboid(DVec3::new(2.0, 0.5, 1.0));
    let top = hull.aabb().max.y;
    let mut rim: Vec<u32> = (0..8).filter(|&vertex: &u32| hull.vertices[vertex as usize].y == top).collect();
    rim.sort_by(|&a, &b| {
        let angle = |vertex: u32| hull.vertices[vertex as usize].z.atan2(hull.vertices[vertex as usize].x);
        angle(a).total_cmp(&angle(b))
    });
    rim.push(rim[0]);
    for both in [false, true] {
        let mut given = hull.clone();
        add_strip(&mut given, &rim, |v| v + 0.3 * DVec3::Y, both);
        assert_walls(&hull, &given, 8, if both { &ALL[..2] } else { &ALL });
    }
}

/// Along edges of a sphere of 5,120 triangles that is turned and far away.
#[test]
fn fins_on_a_round_hull_are_walls() {
    let sphere = sample("sphere");
    let next = |from: u32| {
        let neighbours = sphere.triangles.iter().filter(|triangle| triangle.contains(&from)).flatten().copied();
        neighbours.max_by(|&a, &b| sphere.vertices[a as usize].x.total_cmp(&sphere.vertices[b as usize].x)).expect("a neighbour")
    };
    let lowest = (0..sphere.vertices.len() as u32).min_by(|&a, &b| sphere.vertices[a as usize].x.total_cmp(&sphere.vertices[b as usize].x));
    let mut path = vec![lowest.expect("a vertex")];
    while path.len() < 12 {
        path.push(next(path[path.len() - 1]));
    }
    let hull = moved(&sphere, &skew_pose());
    for both in [false, true] {
        let mut given = sphere.clone();
        add_strip(&mut given, &path, |v| 1.3 * v, both);
        assert_walls(&hull, &moved(&given, &skew_pose()), 22, if both { &ALL[..2] } else { &ALL });
    }
}

/// What lies on the hull, closes it, or goes on at a rim is no fin, and neither is a hull with a hole.
#[test]
fn other_surfaces_that_share_edges_are_no_fins() {
    let hull = hull();
    let path = path(&hull, |v| v.y == 1.0 && v.z == 0.5);
    for both in [false, true] {
        let mut given = hull.clone();
        add_strip(&mut given, &path, |v| v + 0.1 * DVec3::Z, both);
        let (mesh, sheets, _) = read(&given, Repair::Safe);
        assert_eq!((sheets, mesh.triangles.len()), (0, hull.triangles.len() + if both { 0 } else { 8 }), "a flap on a face");
        assert_eq!(MeshReport::of(&mesh).is_watertight(), both);
    }
    // A wall between two rooms of a hull, connected on all of its sides.
    let mut room = shifted(&cube(4), DVec3::X);
    room.triangles.drain(..32);
    let (mesh, sheets, _) = read(&joined(&[cube(4), room]), Repair::Safe);
    assert!(sheets == 0 && !MeshReport::of(&mesh).is_watertight());
    // A tetrahedron on an edge of a hull with a hole: the hull is not a fin of the tetrahedron.
    let mut given = hull.clone();
    let [a, b] = [path[1], path[2]];
    let first = given.vertices.len() as u32;
    given.vertices.extend([DVec3::new(0.3, 1.2, 0.4), DVec3::new(0.4, 1.2, 0.6)]);
    let [c, d] = [first, first + 1];
    given.triangles.extend([[a, b, c], [b, a, d], [a, c, d], [b, d, c]]);
    given.triangles.remove(0);
    for repair in ALL {
        assert_eq!(read(&given, repair).1, 0, "{repair:?}");
    }
    // Open surfaces alone.
    let mut sheet = sample("sheet");
    let edge = sheet.triangles[0];
    add_strip(&mut sheet, &edge[..2], |v| v + DVec3::Y, false);
    assert_eq!(read(&sheet, Repair::Safe).1, 0);
    assert!(solid_part(&read(&sheet, Repair::Off).0).is_none());
    // Beside a solid, they are damage.
    for place in PLACES {
        let beside = TriangleMesh { vertices: sheet.vertices.iter().map(|v| 0.3 * *v + place).collect(), ..sheet.clone() };
        assert_eq!(read(&together(&ball(), &beside), Repair::Safe).1, 0);
    }
}
