//! Meshes of a solid and sheets given from both sides count as closed.

use std::path::Path;

use plimsoll_bodies::BodyDefinition;
use plimsoll_fluid::FillShape;
use plimsoll_scene::{Definition, Scene};
use plimsoll_shape::{MassProperties, has_inside};

const HEAD: &str =
    "title = \"Sail\"\nsimulator = \"fluid\"\nduration = 1.0\nframes_per_second = 20\n[fluid]\nparticle_radius = 0.05\n[[fluid.fill]]\n";

fn scene(fill: &str, body: &str) -> Scene {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("tests/scenes/sail.toml");
    Scene::parse(&format!("{HEAD}{fill}\n{body}"), &path).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_body_with_a_sail_floats_and_a_fill_has_none() {
    let basin = "box = { min = [0, 0, 0], max = [2, 1, 2] }";
    for kind in ["kind = \"floating\"\ndensity = 500", "kind = \"static\"", "kind = \"static\"\nvessel = true"] {
        let body = format!("[[body]]\nname = \"boat\"\nmesh = \"meshes/cube_with_sail.obj\"\nposition = [0.5, 0.2, 0.5]\n{kind}\n");
        let scene = scene(basin, &body);
        assert!(scene.warnings[0].contains("1 triangle kept as a wall without thickness"), "{:?}", scene.warnings);
        let Definition::Fluid { bodies, .. } = scene.definition else { panic!("a scene of fluid") };
        let [BodyDefinition { mesh, .. }] = &bodies[..] else { panic!("one body") };
        assert_eq!(mesh.triangles.len(), 13);
        let volume = if kind.contains("vessel") { -1.0 } else { 1.0 };
        assert!(has_inside(mesh) && (MassProperties::of_solid_part(mesh).volume - volume).abs() < 1e-12);
    }
    let scene = scene("mesh = \"meshes/cube_with_sail.obj\"", "");
    let Definition::Fluid { settings, .. } = scene.definition else { panic!("a scene of fluid") };
    let FillShape::Mesh(mesh) = &settings.fills[0].shape else { panic!("a fill of a mesh") };
    assert_eq!((mesh.triangles.len(), mesh.vertices.len()), (12, 8));
    assert!((settings.fills[0].shape.volume() - 1.0).abs() < 1e-12);
}
