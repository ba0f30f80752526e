//! A checkpoint that was changed is refused, unless what was changed is not part of the state.

use std::sync::OnceLock;

use plimsoll::{run::Simulation, scene::Scene, simulator::Unwatched};
use xxhash_rust::xxh3::xxh3_64;

use super::{Folder, assert_says_why, repository, seeds};

/// Bytes before the state: see `output::checkpoint`.
const HEADER: usize = 52;
/// Of the header: the checksum of what follows.
const CHECKSUM: std::ops::Range<usize> = 44..52;
/// The scene to which the checkpoints belong.
const SCENE: u64 = 7;

/// Checkpoints of all simulators.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = Folder::new();
    let checkpoint = |scene: Vec<u8>| {
        let text = String::from_utf8(scene).expect("a scene");
        let scene = Scene::parse(&text, &repository().join("tests/scenes/viewer/good.toml")).unwrap_or_else(|error| panic!("{error}"));
        let simulation = Simulation::new(scene.definition, &Unwatched).unwrap_or_else(|error| panic!("{error}"));
        saved(&simulation, &folder)
    };
    seeds::small_scenes().into_iter().map(checkpoint).collect()
}

fn saved(simulation: &Simulation, folder: &Folder) -> Vec<u8> {
    let path = folder.path().join("saved.plimsoll");
    simulation.save(&path, SCENE).expect("a checkpoint");
    std::fs::read(path).expect("a checkpoint")
}

pub fn check(file: &[u8]) {
    thread_local!(static FOLDER: Folder = Folder::new());
    static ORIGINALS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    FOLDER.with(|folder| {
        let path = folder.write("state.plimsoll", file);
        match Simulation::load(&path, SCENE) {
            Ok(simulation) => {
                let checksum = file[CHECKSUM].try_into().map(u64::from_le_bytes).expect("eight bytes");
                assert_eq!(xxh3_64(&file[HEADER..]), checksum, "a damaged checkpoint was read");
                // A fuzzer can correct the checksum; what it makes then is another state.
                let originals = ORIGINALS.get_or_init(seeds);
                if let Some(original) = originals.iter().find(|original| original[HEADER..] == file[HEADER..]) {
                    assert!(saved(&simulation, folder) == *original, "the state is not the one that was saved");
                }
            }
            Err(error) => assert_says_why(&error),
        }
    });
}
