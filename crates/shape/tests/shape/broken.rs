//! What happens to floating bodies whose meshes have the defects of real files, with each value of `repair`.

use std::{fs, path::Path};

use plimsoll_scene::{Definition, Scene};
use plimsoll_shape::MassProperties;

use super::generate_meshes::{broken, obj_text};

const SCENE: &str = r#"title = "A broken mesh"
simulator = "fluid"
duration = 1.0
frames_per_second = 10

[fluid]
particle_radius = 0.02

[[fluid.fill]]
box = { min = [5, 0, 0], max = [6, 1, 1] }

[[body]]
name = "broken"
mesh = "given.obj"
kind = "floating"
density = 500
"#;

/// What is expected of one value of `repair`.
enum Outcome {
    /// No warning.
    Sound,
    /// A warning with this text.
    Repaired(&'static str),
    /// An error with this text.
    Refused(&'static str),
}

use Outcome::{Refused, Repaired, Sound};

/// Name of the mesh, volume of the solid, and what happens with `repair = true`, `false` and `"fill"`.
const EXPECTED: [(&str, f64, [Outcome; 3]); 19] = [
    ("duplicate", 1.0, {
        let dropped = "2 duplicate triangles dropped";
        [Repaired(dropped), Refused("6 shared edges"), Repaired(dropped)]
    }),
    ("fold", 1.0, {
        let kept = "1 triangle kept as a wall without thickness";
        [Repaired(kept), Sound, Repaired(kept)]
    }),
    ("fin", 1.0, {
        let kept = "1 triangle kept as a wall without thickness";
        [Repaired(kept), Sound, Repaired(kept)]
    }),
    ("pinhole", 0.522_467, {
        let closed = "1 hole (0.1198 m around [-0.05556, 0.02058, 0.4959]) closed";
        [Repaired(closed), Refused("3 open edges"), Repaired(closed)]
    }),
    ("crack", 1.001, {
        let merged = "24 vertices merged with others across cracks";
        [Repaired(merged), Refused("48 open edges"), Repaired(merged)]
    }),
    ("junction", 1.0, [Repaired("24 edges split at vertices"), Refused("72 open edges"), Repaired("24 edges split at vertices")]),
    ("flipped", 1.0, [Sound, Sound, Sound]),
    ("inside_out", 1.0, [Sound, Sound, Sound]),
    ("part_in_part", 1.0, [Repaired("parts that overlap joined"), Refused("parts that overlap"), Repaired("parts that overlap joined")]),
    ("sliver", 0.505_880, [Sound, Sound, Sound]),
    ("edge_contact", 2.0, [Sound, Sound, Sound]),
    ("glued", 2.0, [Repaired("144 triangles of folds cancelled"), Sound, Repaired("144 triangles of folds cancelled")]),
    ("overlap", 1.875, {
        let joined = "parts that overlap joined (the sum of their volumes is 2 m³, the volume of the solid is 1.875 m³)";
        [Repaired(joined), Refused("their volumes sum up to 2 m³, that of the solid is 1.875 m³"), Repaired(joined)]
    }),
    ("coplanar_overlap", 1.5, {
        let joined = "the volume of the solid is 1.5 m³";
        [Repaired(joined), Refused("repair = true joins parts that overlap"), Repaired(joined)]
    }),
    ("pushed_through", 0.687_062, {
        let joined = "(the sum of their volumes is 0.6717 m³, the volume of the solid is 0.6871 m³)";
        [Repaired(joined), Refused("parts that overlap"), Repaired(joined)]
    }),
    ("open_side", 1.0, {
        let closed = "1 hole (4 m around [0.5, 1, 0.5]) closed";
        [
            Refused("1 hole (4 m around [0.5, 1, 0.5]) too large to be closed"),
            Refused("repair = true or \"fill\" closes holes"),
            Repaired(closed),
        ]
    }),
    ("open_overlap", 0.862_119, [Refused("2 holes"), Refused("2 holes"), Repaired("closed, parts that overlap joined")]),
    ("moebius", f64::NAN, [Refused(NO_INSIDE), Refused(NO_INSIDE), Refused(NO_INSIDE)]),
    ("klein", f64::NAN, [Refused(NO_INSIDE), Refused(NO_INSIDE), Refused(NO_INSIDE)]),
];

const NO_INSIDE: &str = "found a surface without an inside, expected a closed mesh";

/// The volume of the body of the scene in `folder`, m³, and the warnings, or the text of the error.
fn load(folder: &Path, repair: &str) -> Result<(f64, Vec<String>), String> {
    let path = folder.join("broken.toml");
    fs::write(&path, format!("{SCENE}repair = {repair}\n")).unwrap();
    let scene = Scene::load(&path).map_err(|error| error.to_string())?;
    let Definition::Fluid { bodies, .. } = scene.definition else { panic!("no fluid") };
    Ok((MassProperties::of_solid_part(&bodies[0].mesh).volume, scene.warnings))
}

#[test]
fn each_defect_is_repaired_or_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = broken::meshes();
    assert_eq!(meshes.iter().map(|sample| sample.name).collect::<Vec<_>>(), EXPECTED.iter().map(|(name, ..)| *name).collect::<Vec<_>>());
    for (sample, (name, volume, outcomes)) in meshes.iter().zip(&EXPECTED) {
        fs::write(folder.path().join("given.obj"), obj_text(sample)).unwrap();
        for (repair, expected) in ["true", "false", "\"fill\""].iter().zip(outcomes) {
            let found = load(folder.path(), repair);
            match (&found, expected) {
                (Err(error), Refused(text)) => assert!(error.contains(text), "{name}, {repair}: {error}"),
                (Ok((found, warnings)), Sound | Repaired(_)) => {
                    let text = if let Repaired(text) = expected { text } else { "" };
                    assert_eq!(warnings.len(), usize::from(!text.is_empty()), "{name}, {repair}: {warnings:?}");
                    assert!(warnings.iter().all(|warning| warning.contains(text)), "{name}, {repair}: {warnings:?}");
                    assert!((found / volume - 1.0).abs() < 2e-6, "{name}, {repair}: {found} m³");
                }
                _ => panic!("{name}, {repair}: {found:?}"),
            }
        }
    }
}
