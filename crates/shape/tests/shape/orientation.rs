//! Winding: consistent within a component, outward around a solid, inward around a cavity.

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_shape::{MassProperties, MeshReport, Repair, TriangleMesh, make_solid, orient_outwards};

use super::{inside_out, moved, random_numbers, sample, scaled, together};

#[test]
fn random_windings_are_undone() {
    for name in ["torus", "boat", "propeller"] {
        let original = sample(name);
        let mut random = random_numbers(7);
        let mut mesh = original.clone();
        let mut turned = 0;
        for triangle in &mut mesh.triangles {
            if random() < 0.3 {
                triangle.swap(1, 2);
                turned += 1;
            }
        }
        assert!(!MeshReport::of(&mesh).is_consistent());
        let report = orient_outwards(&mut mesh);
        assert_eq!((report.triangles_turned, report.components_turned, report.unorientable), (turned, 0, 0), "{name}");
        assert!((MassProperties::of(&mesh).volume - MassProperties::of(&original).volume).abs() < 1e-14);
    }
}

#[test]
fn an_inside_out_solid_is_turned() {
    let mut mesh = inside_out(&sample("torus"));
    let report = orient_outwards(&mut mesh);
    assert_eq!((report.triangles_turned, report.components_turned, report.cavities), (0, 1, 0));
    assert!(MassProperties::of(&mesh).volume > 0.0);
}

#[test]
fn nested_boxes_are_solid_and_cavity_in_turn() {
    let outer = sample("box");
    let (middle, inner) = (scaled(&outer, 0.5), scaled(&outer, 0.25));
    let aside = moved(&outer, &Pose::from_translation(DVec3::new(3.0, 0.0, 0.0)));
    for turn_middle in [false, true] {
        let middle = if turn_middle { inside_out(&middle) } else { middle.clone() };
        let mut mesh = together(&together(&together(&inner, &middle), &inside_out(&outer)), &aside);
        let report = orient_outwards(&mut mesh);
        // Wound like the outer box, which is inside out in the file, the middle one is a part of it, and the inner one, wound against it, is of no effect.
        let (cavities, turned, middle_volume) = if turn_middle { (0, 3, 0.125) } else { (1, 2, -0.125) };
        assert_eq!((report.cavities, report.components_turned), (cavities, turned), "{turn_middle}");
        let expected = 1.0 + middle_volume + if turn_middle { -0.015_625 } else { 0.015_625 } + 1.0;
        assert!((MassProperties::of(&mesh).volume - expected).abs() < 1e-14);
    }
}

/// A part within another one, of the same winding, is a part of the solid, and adds nothing to it. Wound against it, it is a cavity.
#[test]
fn parts_within_parts_are_joined_and_cavities_stay() {
    let outer = sample("box");
    let inner = scaled(&outer, 0.5);
    for all_inside_out in [false, true] {
        for (inner, volume, repaired) in [(inner.clone(), 1.0, true), (inside_out(&inner), 0.875, false)] {
            let given = together(&outer, &inner);
            let given = if all_inside_out { inside_out(&given) } else { given };
            let mut mesh = given.clone();
            let report = make_solid(&mut mesh, 0, Repair::Safe);
            assert!((MassProperties::of(&mesh).volume - volume).abs() < 1e-14 && report.winding.cavities == usize::from(!repaired));
            let found = report.repairs();
            assert_eq!(found.len(), usize::from(repaired), "{found:?}");
            assert!(!repaired || found[0].contains("the sum of their volumes is 1.125 m³, the volume of the solid is 1 m³"), "{found:?}");
            // As it is in the file.
            let mut kept = given;
            make_solid(&mut kept, 0, Repair::Off);
            assert_eq!(kept.triangles.len(), outer.triangles.len() + inner.triangles.len());
        }
    }
}

#[test]
fn solids_that_overlap_are_no_cavities() {
    let first = sample("box");
    let second = moved(&first, &Pose::from_translation(DVec3::new(0.5, 0.2, 0.1)));
    let mut mesh = together(&first, &second);
    assert_eq!(orient_outwards(&mut mesh), plimsoll_shape::OrientationReport::default());
}

#[test]
fn a_moebius_strip_is_left_alone() {
    let count = 12_u32;
    let point = |step: u32, side: f64| {
        let angle = std::f64::consts::TAU * f64::from(step) / f64::from(count);
        let radius = 1.0 + side * (0.5 * angle).cos();
        DVec3::new(radius * angle.cos(), side * (0.5 * angle).sin(), radius * angle.sin())
    };
    let vertices = (0..count).flat_map(|step| [point(step, -0.3), point(step, 0.3)]).collect();
    let triangles: Vec<[u32; 3]> = (0..count)
        .flat_map(|step| {
            let (a, b) = (2 * step, 2 * step + 1);
            let (c, d) = if step + 1 < count { (a + 2, b + 2) } else { (1, 0) };
            [[a, b, c], [b, d, c]]
        })
        .collect();
    let mut mesh = TriangleMesh { vertices, triangles: triangles.clone() };
    let report = orient_outwards(&mut mesh);
    assert_eq!((report.unorientable, report.triangles_turned, report.components_turned), (1, 0, 0));
    assert_eq!(mesh.triangles, triangles);
}
