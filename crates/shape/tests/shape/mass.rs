//! Mass properties against closed forms and against rapier's.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};
use parry3d_f64::mass_properties::MassProperties as ParryMassProperties;
use plimsoll_base::math::Pose;
use plimsoll_shape::{MassProperties, MeshReport, TriangleMesh, surface_area};

use super::{generate_meshes, inside_out, moved, sample, scaled, skew_pose};

fn largest(matrix: DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0, |largest, entry| largest.max(entry.abs()))
}

fn cuboid(sides: DVec3) -> TriangleMesh {
    let mut mesh = sample("box");
    mesh.vertices.iter_mut().for_each(|vertex| *vertex *= sides);
    mesh
}

#[test]
fn a_box_anywhere_has_its_closed_form() {
    let (sides, pose) = (DVec3::new(0.5, 2.0, 3.0), skew_pose());
    let mass = MassProperties::of(&moved(&cuboid(sides), &pose));
    let volume = sides.element_product();
    let squares = sides * sides;
    let principal = volume / 12.0 * DVec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    let rotation = DMat3::from_quat(pose.rotation);
    let expected = rotation * DMat3::from_diagonal(principal) * rotation.transpose();
    assert!((mass.volume - volume).abs() < 1e-13 * volume);
    assert!(mass.center_of_mass.distance(pose.translation) < 1e-13);
    assert!(largest(mass.inertia - expected) < 1e-13 * largest(expected), "{}", largest(mass.inertia - expected));
}

#[test]
fn a_corner_tetrahedron_has_its_closed_form() {
    let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let mass = MassProperties::of(&TriangleMesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] });
    // Second moments of the unit corner: ∫x² = 1/60, ∫xy = 1/120; about the center of mass 1/60 - 1/96 = 1/160 and 1/120 - 1/96 = -1/480.
    let expected = DMat3::from_diagonal(DVec3::splat(2.0 / 160.0 - 1.0 / 480.0)) + DMat3::from_cols_array(&[1.0 / 480.0; 9]);
    assert!((mass.volume - 1.0 / 6.0).abs() < 1e-16);
    assert!(mass.center_of_mass.distance(DVec3::splat(0.25)) < 1e-15);
    assert!(largest(mass.inertia - expected) < 1e-16, "{:?} {expected:?}", mass.inertia);
}

#[test]
fn finer_spheres_approach_the_ball_by_the_square_of_their_edges() {
    let errors: Vec<[f64; 3]> = (2..5)
        .map(|halvings| {
            let mesh = generate_meshes::solids::sphere(0.5, halvings);
            let mass = MassProperties::of(&mesh);
            let volume = PI / 6.0;
            [1.0 - mass.volume / volume, 1.0 - surface_area(&mesh) / PI, 1.0 - mass.inertia.x_axis.x / (0.1 * volume)]
        })
        .collect();
    for (coarse, fine) in errors.iter().zip(&errors[1..]) {
        for (coarse, fine) in coarse.iter().zip(fine) {
            assert!((3.7..4.2).contains(&(coarse / fine)), "{coarse} {fine}");
        }
    }
}

/// Rapier stores the inertia as principal moments and axes. If two moments are equal and the axes are skew, its axes are inaccurate; so the
/// comparison is made without rotation, and rotation is tested separately.
#[test]
fn every_closed_sample_agrees_with_rapier_and_turns_like_a_tensor() {
    for sample in generate_meshes::samples() {
        if !MeshReport::of(&sample.mesh).is_watertight() {
            continue;
        }
        let pose = skew_pose();
        let mesh = moved(&sample.mesh, &Pose::from_translation(DVec3::new(3.0, -1.0, 2.0)));
        let mass = MassProperties::of(&mesh);
        let theirs = ParryMassProperties::from_trimesh(1.0, &mesh.vertices, &mesh.triangles);
        assert!((mass.volume - theirs.mass()).abs() < 1e-10 * mass.volume, "{} {} {}", sample.name, mass.volume, theirs.mass());
        assert!(mass.center_of_mass.distance(theirs.local_com) < 1e-10, "{}", sample.name);
        let inertia = DMat3::from_cols_array(&theirs.reconstruct_inertia_matrix().to_cols_array());
        assert!(largest(mass.inertia - inertia) < 1e-7 * largest(inertia), "{} {:?} {inertia:?}", sample.name, mass.inertia);

        let turned = MassProperties::of(&moved(&sample.mesh, &pose));
        let rotation = DMat3::from_quat(pose.rotation);
        let expected = rotation * MassProperties::of(&sample.mesh).inertia * rotation.transpose();
        assert!(largest(turned.inertia - expected) < 1e-11 * largest(expected), "{}", sample.name);
        let (moments, axes) = turned.principal();
        let axes = DMat3::from_quat(axes);
        let rebuilt = axes * DMat3::from_diagonal(moments) * axes.transpose();
        assert!(largest(turned.inertia - rebuilt) < 1e-13 * largest(expected), "{}", sample.name);
    }
}

#[test]
fn inside_out_only_changes_the_sign_of_the_volume() {
    let mesh = sample("boat");
    let (mass, turned) = (MassProperties::of(&mesh), MassProperties::of(&inside_out(&mesh)));
    assert!((mass.volume + turned.volume).abs() < 1e-15);
    assert!(mass.center_of_mass.distance(turned.center_of_mass) < 1e-12);
    assert!(largest(mass.inertia - turned.inertia) < 1e-12 * largest(mass.inertia));
}

#[test]
fn units_scale_as_they_should() {
    let mesh = sample("torus");
    let (mass, doubled) = (MassProperties::of(&mesh), MassProperties::of(&scaled(&mesh, 2.0)));
    assert!((doubled.volume / mass.volume - 8.0).abs() < 1e-12);
    assert!((doubled.inertia.y_axis.y / mass.inertia.y_axis.y - 32.0).abs() < 1e-11);
}

#[test]
fn an_open_sheet_encloses_nothing() {
    let report = MeshReport::of(&sample("basin"));
    assert_eq!((report.open_edges.len(), report.components), (4, 1));
    assert!(report.to_string().contains("volume                 none"));
    let flat = MassProperties::of(&sample("sheet"));
    assert!(flat.volume == 0.0 && flat.center_of_mass.length() < 1e-15);
}
