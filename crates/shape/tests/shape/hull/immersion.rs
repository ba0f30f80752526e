//! Displaced volume, center of buoyancy, waterplane and wetted area.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec2, DVec3, EulerRot};
use plimsoll_base::math::Pose;
use plimsoll_shape::{
    TriangleMesh,
    hydrostatics::{Attitude, Bow, Hold, Hull, HydrostaticsError, Loading, Particulars},
};

use super::{
    bodies::{circle, cuboid, hull, prism, random_numbers, sample, together, turned_inside_out, upright_cylinder, wigley},
    close,
};

#[test]
fn a_box_has_its_particulars() {
    let (length, breadth, depth, draft) = (3.0, 0.8, 0.5, 0.2);
    let mesh = cuboid(DVec3::new(10.0, 2.0, -7.0), DVec3::new(10.0 + length, 2.0 + depth, -7.0 + breadth));
    let immersion = hull(&mesh).at_draft(draft).unwrap();
    let center = DVec3::new(10.0 + 0.5 * length, 2.3, -7.0 + 0.5 * breadth);
    let loading = Loading { mass: 1025.0 * immersion.volume, center_of_gravity: center, water_density: 1025.0 };
    let particulars = Particulars::of(&immersion, &loading, Bow::MinusX);
    let volume = length * breadth * draft;
    let gm_t = 0.5 * draft + breadth * breadth / (12.0 * draft) - 0.3;
    let gm_l = 0.5 * draft + length * length / (12.0 * draft) - 0.3;
    for (what, found, expected) in [
        ("volume", immersion.volume, volume),
        ("wetted area", immersion.wetted_area, length * breadth + 2.0 * draft * (length + breadth)),
        ("waterplane", immersion.waterplane.area, length * breadth),
        ("length", particulars.waterline_length, length),
        ("breadth", particulars.waterline_breadth, breadth),
        ("block coefficient", particulars.block_coefficient, 1.0),
        ("waterplane coefficient", particulars.waterplane_coefficient, 1.0),
        ("I_T", particulars.transverse_second_moment, length * breadth.powi(3) / 12.0),
        ("I_L", particulars.longitudinal_second_moment, breadth * length.powi(3) / 12.0),
        ("KB", particulars.kb, 0.5 * draft),
        ("KG", particulars.kg, 0.3),
        ("BM_T", particulars.bm_t, breadth * breadth / (12.0 * draft)),
        ("BM_L", particulars.bm_l, length * length / (12.0 * draft)),
        ("GM_T", particulars.gm_t, gm_t),
        ("GM_L", particulars.gm_l, gm_l),
        ("mass per cm", particulars.mass_per_centimeter(), 10.25 * length * breadth),
        // A mass m moved by x trims a wall-sided body by m x / (mass GM_L), times the length as a difference of drafts.
        ("moment per cm", particulars.moment_per_centimeter(), 1025.0 * volume * gm_l * 0.01 / length),
    ] {
        close(what, found, expected, 1e-12 * expected.abs());
    }
    assert!(immersion.center_of_buoyancy.distance(DVec3::new(center.x, 2.1, center.z)) < 1e-13);
    assert!(immersion.waterplane.centroid.distance(DVec3::new(center.x, 2.2, center.z)) < 1e-13);
    assert!(!immersion.flooded && immersion.dry_volume == 0.0);
    // With the bow along z, length and breadth change places.
    assert_eq!(Particulars::of(&immersion, &loading, Bow::PlusZ).bm_l, particulars.bm_t);
}

#[test]
fn a_heeled_box_has_its_wedges() {
    // Until an edge passes the plane, the wedges move B by BM tan φ across and BM tan² φ / 2 upwards (Scribanti).
    let (breadth, draft) = (0.8, 0.2);
    let body = hull(&cuboid(DVec3::new(-1.0, 0.0, -0.4), DVec3::new(1.0, 0.5, 0.4)));
    let bm = breadth * breadth / (12.0 * draft);
    for heel in [0.05_f64, -0.3, 0.4] {
        let immersion = body.sunk(Attitude::new(heel, 0.0).up(Bow::PlusX), 2.0 * breadth * draft, Hold::Dry).unwrap();
        let t = heel.tan();
        let expected = DVec3::new(0.0, 0.5 * draft + 0.5 * bm * t * t, bm * t);
        assert!(immersion.center_of_buoyancy.distance(expected) < 1e-12, "{:?} {expected:?}", immersion.center_of_buoyancy);
        close("waterplane", immersion.waterplane.area, 2.0 * breadth / heel.cos(), 1e-12);
        close("wetted area", immersion.wetted_area, 2.0 * breadth + 2.0 * breadth * draft + 4.0 * draft, 1e-12);
    }
}

#[test]
fn an_upright_cylinder_and_a_lying_one() {
    let (radius, length, sides) = (0.5, 2.0, 720);
    let standing = hull(&upright_cylinder(radius, length, sides)).at_draft(0.7).unwrap();
    close("standing volume", standing.volume, PI * radius * radius * 0.7, 1e-12);
    for axis in [DVec3::X, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
        close("standing second moment", standing.waterplane.second_moment(axis), PI / 4.0 * radius.powi(4), 1e-9);
    }
    let lying = hull(&prism(&circle(radius, sides), length));
    for draft in [0.1, 0.5, 0.83] {
        let immersion = lying.below(DVec3::Y, draft - radius, Hold::Dry);
        let half = ((radius - draft) / radius).acos();
        let segment = radius * radius * (half - half.sin() * half.cos());
        let chord = 2.0 * radius * half.sin();
        close("volume", immersion.volume, segment * length, 3e-5);
        close("waterplane", immersion.waterplane.area, chord * length, 1e-4);
        close("I_T", immersion.waterplane.second_moment(DVec3::Z), length * chord.powi(3) / 12.0, 1e-4);
        close("I_L", immersion.waterplane.second_moment(DVec3::X), chord * length.powi(3) / 12.0, 1e-4);
        close("wetted area", immersion.wetted_area, 2.0 * segment + 2.0 * half * radius * length, 3e-4);
        close("height of B", immersion.center_of_buoyancy.y, -chord.powi(3) / (12.0 * segment), 1e-4);
        // The metacenter of a circle is its center.
        close("metacenter", immersion.metacentric_height(DVec3::ZERO, DVec3::Z), 0.0, 1e-4);
    }
}

#[test]
fn finer_spheres_approach_the_spherical_cap_by_the_square_of_their_edges() {
    let (radius, level) = (0.5, -0.13);
    let height = radius + level;
    let volume = PI * height * height * (radius - height / 3.0);
    let disc = radius * radius - level * level;
    let centroid = -3.0 * (2.0 * radius - height).powi(2) / (4.0 * (3.0 * radius - height));
    let errors = |halvings: u32| {
        let immersion = hull(&icosphere(radius, halvings)).below(DVec3::new(0.48, 0.6, 0.64), level, Hold::Dry);
        let up = immersion.up;
        [
            1.0 - immersion.volume / volume,
            1.0 - immersion.waterplane.area / (PI * disc),
            1.0 - immersion.wetted_area / (2.0 * PI * radius * height),
            1.0 - immersion.waterplane.second_moment(up.any_orthonormal_vector()) / (PI / 4.0 * disc * disc),
            1.0 - immersion.center_of_buoyancy.dot(up) / centroid,
        ]
    };
    let errors: Vec<_> = (2..6).map(errors).collect();
    println!("{errors:?}");
    for pair in errors.windows(2) {
        // The places of the triangles relative to the plane scatter the order.
        assert!(pair[0].iter().zip(&pair[1]).all(|(coarse, fine)| fine.abs() < 0.45 * coarse.abs()), "{pair:?}");
    }
    assert!(errors[3].iter().all(|error| error.abs() < 2e-3));
}

fn icosphere(radius: f64, halvings: u32) -> TriangleMesh {
    let golden = 0.5 * (1.0 + 5_f64.sqrt());
    let mut corners = Vec::new();
    for (a, b) in [(-1.0, -golden), (-1.0, golden), (1.0, -golden), (1.0, golden)] {
        corners.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let is_edge = |a: DVec3, b: DVec3| (a.distance(b) - 2.0).abs() < 1e-9;
    let mut triangles = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                let [a, b, c] = [i, j, k].map(|k| corners[k]);
                if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                    triangles.push(if a.dot(b.cross(c)) > 0.0 { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..halvings {
        let middle = |a: DVec3, b: DVec3| (a + b).normalize() * a.length();
        let quarters = |[a, b, c]: [DVec3; 3]| {
            let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
            [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
        };
        triangles = triangles.into_iter().flat_map(quarters).collect();
    }
    let mut numbers = std::collections::HashMap::new();
    let mut mesh = TriangleMesh::default();
    for triangle in triangles {
        mesh.triangles.push(triangle.map(|corner| {
            let corner = corner.normalize() * radius;
            *numbers.entry((corner * 1e9).round().to_array().map(|x| x as i64)).or_insert_with(|| {
                mesh.vertices.push(corner);
                mesh.vertices.len() as u32 - 1
            })
        }));
    }
    mesh
}

/// V = 4/9 L B T, A = ⅔ L B, KB = ⅝ T, I_T = 4/105 L B³, I_L = L³ B / 30.
#[test]
fn the_wigley_hull_has_its_closed_forms() {
    let (length, breadth, draft) = (10.0, 1.0, 0.625);
    let errors = |halves: usize| {
        let immersion = hull(&wigley(length, breadth, draft, 0.4, halves)).below(DVec3::Y, 0.0, Hold::Dry);
        let waterplane = &immersion.waterplane;
        [
            immersion.volume / (4.0 / 9.0 * length * breadth * draft) - 1.0,
            waterplane.area / (2.0 / 3.0 * length * breadth) - 1.0,
            (immersion.center_of_buoyancy.y + draft) / (0.625 * draft) - 1.0,
            waterplane.second_moment(DVec3::Z) / (4.0 / 105.0 * length * breadth.powi(3)) - 1.0,
            waterplane.second_moment(DVec3::X) / (length.powi(3) * breadth / 30.0) - 1.0,
        ]
    };
    let errors: Vec<_> = [10, 20, 40, 80].map(errors).to_vec();
    println!("{errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[0].iter().zip(&pair[1]).all(|(coarse, fine)| (3.8..4.2).contains(&(coarse / fine))), "{pair:?}");
    }
    assert!(errors[3].iter().all(|error| error.abs() < 4e-4));
}

#[test]
fn vertices_in_the_plane_make_no_difference() {
    let mut octahedron = vec![DVec3::X, DVec3::Z, DVec3::NEG_X, DVec3::NEG_Z, DVec3::Y, DVec3::NEG_Y];
    let triangles: Vec<[u32; 3]> = (0..4).flat_map(|k| [[k, 4, (k + 1) % 4], [(k + 1) % 4, 5, k]]).collect();
    let body = hull(&TriangleMesh { vertices: octahedron.clone(), triangles: triangles.clone() });
    let half = body.below(DVec3::Y, 0.0, Hold::Dry);
    close("volume", half.volume, 2.0 / 3.0, 1e-15);
    close("waterplane", half.waterplane.area, 2.0, 1e-15);
    close("second moment", half.waterplane.second_moment(DVec3::X), 1.0 / 3.0, 1e-15);
    close("height of B", half.center_of_buoyancy.y, -0.25, 1e-15);
    // One corner in the plane, one just above and one just below it.
    for (k, offset) in [(0, 1e-17), (1, -1e-17), (2, 1e-9)] {
        octahedron[k].y = offset;
    }
    let moved = hull(&TriangleMesh { vertices: octahedron, triangles }).below(DVec3::Y, 0.0, Hold::Dry);
    close("volume", moved.volume, half.volume, 1e-8);
    close("waterplane", moved.waterplane.area, half.waterplane.area, 1e-8);
    // A box between the levels of its faces, and exactly at them.
    let body = hull(&cuboid(DVec3::ZERO, DVec3::ONE));
    for (level, volume, area) in [(-0.1, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (1.1, 1.0, 0.0)] {
        let immersion = body.below(DVec3::Y, level, Hold::Dry);
        close("volume", immersion.volume, volume, 1e-15);
        close("waterplane", immersion.waterplane.area, area, 1e-15);
    }
    for name in ["torus", "sphere", "boat", "statue", "propeller", "paddle"] {
        let mesh = sample(name);
        let body = hull(&mesh);
        for index in (0..mesh.vertices.len()).step_by(mesh.vertices.len() / 40 + 1) {
            let up = DQuat::from_euler(EulerRot::XYZ, 0.1 * (index % 5) as f64, 0.0, 0.0) * DVec3::Y;
            let level = up.dot(mesh.vertices[index]);
            let near = [-1e-10, 0.0, 1e-10].map(|shift| body.below(up, level + shift, Hold::Flooded));
            for pair in near.windows(2) {
                // The section may change at a flat face, from one limit to the other.
                let areas = near.map(|immersion| immersion.waterplane.area);
                let (least, most) = (areas.into_iter().fold(f64::INFINITY, f64::min), areas.into_iter().fold(0.0, f64::max));
                let change = pair[1].volume - pair[0].volume;
                assert!((0.9e-10 * least - 1e-15..=1.1e-10 * most + 1e-15).contains(&change), "{name}: {change:e} for {areas:?}");
            }
        }
    }
}

#[test]
fn two_hulls_have_the_second_moment_of_the_parallel_axis_theorem() {
    let (length, breadth, spacing, draft) = (4.0, 0.3, 0.9, 0.25);
    let half = |z: f64| cuboid(DVec3::new(-2.0, 0.0, z - 0.5 * breadth), DVec3::new(2.0, 0.6, z + 0.5 * breadth));
    let immersion = hull(&together(&[half(-spacing), half(spacing)])).at_draft(draft).unwrap();
    let area = 2.0 * length * breadth;
    close("volume", immersion.volume, area * draft, 1e-14);
    close("waterplane", immersion.waterplane.area, area, 1e-14);
    let expected = length * breadth.powi(3) / 6.0 + area * spacing * spacing;
    close("I_T", immersion.waterplane.second_moment(DVec3::Z), expected, 1e-13);
    close("I_L", immersion.waterplane.second_moment(DVec3::X), breadth * length.powi(3) / 6.0, 1e-13);
    close("wetted area", immersion.wetted_area, area + 4.0 * draft * (length + breadth), 1e-13);
    // A hull on one side only: the second moment is about its own centroid, which is off the middle.
    let one = hull(&half(spacing)).at_draft(draft).unwrap();
    close("I_T of one", one.waterplane.second_moment(DVec3::Z), length * breadth.powi(3) / 12.0, 1e-14);
    close("its center", one.waterplane.centroid.z, spacing, 1e-14);
}

#[test]
fn waterplanes_have_holes() {
    // A ring: its hole is open at the bottom, so that water stands in it.
    let body = hull(&sample("torus"));
    let immersion = body.below(DVec3::Y, 0.0, Hold::Dry);
    let (major, minor) = (0.35, 0.15);
    close("half of it", immersion.volume, 0.5 * body.solid().volume, 1e-14);
    close("volume", immersion.volume, PI * PI * major * minor * minor, 0.01 * immersion.volume);
    close("waterplane", immersion.waterplane.area, 4.0 * PI * major * minor, 4e-3 * immersion.waterplane.area);
    let (outer, inner) = (major + minor, major - minor);
    let expected = PI / 4.0 * (outer.powi(4) - inner.powi(4));
    close("second moment", immersion.waterplane.second_moment(DVec3::X), expected, 5e-3 * expected);
    assert!(immersion.dry_volume == 0.0 && !immersion.flooded);
}

#[test]
fn a_concave_section_is_its_parts() {
    // A U-shaped prism, cut above its floor, is a catamaran with a floor.
    let u = |z: [f64; 2], y: [f64; 2]| cuboid(DVec3::new(-1.0, y[0], z[0]), DVec3::new(1.0, y[1], z[1]));
    let outline = [(0.0, -0.5), (0.6, -0.5), (0.6, -0.3), (0.1, -0.3), (0.1, 0.3), (0.6, 0.3), (0.6, 0.5), (0.0, 0.5)];
    let outline: Vec<DVec2> = outline.iter().map(|&(y, z)| DVec2::new(y, z)).collect();
    let count = outline.len() as u32;
    let end = |x: f64| outline.iter().map(move |point| DVec3::new(x, point.x, point.y));
    let mut mesh = TriangleMesh { vertices: end(-1.0).chain(end(1.0)).collect(), triangles: Vec::new() };
    for k in 0..count {
        let next = (k + 1) % count;
        mesh.triangles.extend([[k, next, count + next], [k, count + next, count + k]]);
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 7], [4, 5, 7], [5, 6, 7]] {
        mesh.triangles.extend([[a, c, b], [count + a, count + b, count + c]]);
    }
    let body = hull(&super::bodies::oriented(mesh));
    let immersion = body.at_draft(0.4).unwrap();
    let parts = [u([-0.5, 0.5], [0.0, 0.1]), u([-0.5, -0.3], [0.1, 0.6]), u([0.3, 0.5], [0.1, 0.6])];
    let sum = hull(&together(&parts)).at_draft(0.4).unwrap();
    close("volume", immersion.volume, sum.volume, 1e-14);
    close("waterplane", immersion.waterplane.area, 0.8, 1e-14);
    close("I_T", immersion.waterplane.second_moment(DVec3::Z), sum.waterplane.second_moment(DVec3::Z), 1e-14);
    assert!(immersion.center_of_buoyancy.distance(sum.center_of_buoyancy) < 1e-14);
    assert_eq!(immersion.dry_volume, 0.0, "the channel is open at its ends");
}

#[test]
fn volume_and_moments_are_the_integrals_of_the_waterplane() {
    let mut random = random_numbers(3);
    for name in ["sphere", "torus", "statue", "boat", "propeller"] {
        let body = hull(&sample(name));
        let size = body.diagonal();
        for _ in 0..12 {
            let up = DVec3::new(random() - 0.5, random() - 0.5, random() - 0.5).normalize();
            let middle = up.dot(body.aabb().center());
            let level = middle + 0.3 * size * (random() - 0.5);
            let step = 1e-5 * size;
            let [low, here, high] = [-step, 0.0, step].map(|shift| body.below(up, level + shift, Hold::Flooded));
            let area = here.waterplane.area;
            let slope = (high.volume - low.volume) / (2.0 * step);
            let moment = |immersion: &plimsoll_shape::hydrostatics::Immersion| immersion.volume * immersion.center_of_buoyancy;
            let first = (moment(&high) - moment(&low)) / (2.0 * step);
            close("dV/dT", slope, area, 2e-3 * area + 1e-6 * size * size);
            assert!(first.distance(area * here.waterplane.centroid) < 2e-3 * area * size + 1e-6 * size.powi(3), "{name}: {first}");
            // A small inclination about an axis through the center of flotation moves B by I / V.
            let (axis, tilt) = (up.any_orthonormal_vector(), 1e-4);
            let across = axis.cross(up);
            let turned = [-tilt, tilt].map(|tilt: f64| {
                let up = (up * tilt.cos() + across * tilt.sin()).normalize();
                body.below(up, up.dot(here.waterplane.centroid), Hold::Flooded)
            });
            let moved = (moment(&turned[1]) - moment(&turned[0])) / (2.0 * tilt);
            let second = here.waterplane.second_moment(across);
            close("d(V B)/dφ", -moved.dot(across), second, 1e-2 * second.abs() + 1e-6 * size.powi(4));
        }
    }
}

#[test]
fn a_pose_is_the_same_as_an_inclined_plane() {
    let mesh = sample("boat");
    let pose = Pose::new(DQuat::from_euler(EulerRot::XYZ, 0.2, 1.0, -0.1), DVec3::new(3.0, -1.0, 2.0));
    let world =
        TriangleMesh { vertices: mesh.vertices.iter().map(|&x| pose.transform_point(x)).collect(), triangles: mesh.triangles.clone() };
    let level = -0.9;
    let at_pose = hull(&mesh).at_pose(&pose, level, Hold::Dry);
    let in_world = hull(&world).below(DVec3::Y, level, Hold::Dry);
    assert!(at_pose.dry_volume > 0.0);
    close("volume", at_pose.volume, in_world.volume, 1e-14);
    close("dry volume", at_pose.dry_volume, in_world.dry_volume, 1e-14);
    assert!(pose.transform_point(at_pose.center_of_buoyancy).distance(in_world.center_of_buoyancy) < 1e-12);
    let rotation = DMat3::from_quat(pose.rotation);
    let rotated = rotation * at_pose.waterplane.second_moments * rotation.transpose();
    assert!((rotated - in_world.waterplane.second_moments).to_cols_array().iter().all(|entry| entry.abs() < 1e-14));
}

#[test]
fn what_displaces_no_definite_volume_is_an_error() {
    assert_eq!(Hull::new(&sample("sheet")).unwrap_err(), HydrostaticsError::NotClosed { open: 8, crowded: 0 });
    let inside_out = turned_inside_out(&cuboid(DVec3::ZERO, DVec3::ONE));
    assert!(matches!(Hull::new(&inside_out), Err(HydrostaticsError::NoVolume(volume)) if volume < 0.0));
    let flat = TriangleMesh { vertices: vec![DVec3::ZERO, DVec3::X, DVec3::Z], triangles: vec![[0, 1, 2], [0, 2, 1]] };
    assert!(matches!(Hull::new(&flat), Err(HydrostaticsError::NoVolume(_))));
    let mut twisted = cuboid(DVec3::ZERO, DVec3::ONE);
    twisted.triangles[0].swap(0, 1);
    assert_eq!(Hull::new(&twisted).unwrap_err(), HydrostaticsError::NotOriented(3));
    let body = hull(&cuboid(DVec3::ZERO, DVec3::ONE));
    for draft in [0.0, -0.1, 1.0, f64::NAN] {
        assert!(matches!(body.at_draft(draft), Err(HydrostaticsError::Draft { height, .. }) if height == 1.0));
    }
}
