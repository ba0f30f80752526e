//! Frames that are read are whole: numbers are finite, fields have a value for each particle or polygon, and corners exist.

use std::fs;

use plimsoll::{
    frame::{Field, Frame},
    output::Recording,
};

use super::{Folder, assert_says_why, seeds};

const SERIES: [&str; 3] = ["particles", "bodies", "polygons"];

/// Reads `file` as particles, as bodies and as polygons of a run.
pub fn check(file: &[u8]) {
    thread_local!(static FOLDERS: [Folder; 2] = seeds::FORMATS.map(seeds::run));
    let is_ply = file.starts_with(b"ply");
    let ending = if is_ply { "ply" } else { "vtu" };
    FOLDERS.with(|folders| {
        let folder = &folders[usize::from(is_ply)];
        for series in SERIES {
            let name = format!("{series}_000001.{ending}");
            let original = fs::read(folder.path().join(&name)).expect("a frame");
            folder.write(&name, file);
            read(folder);
            folder.write(&name, &original);
        }
    });
}

/// Reads `file` as the list of frames of a run.
pub fn check_collection(file: &[u8]) {
    thread_local!(static FOLDER: Folder = seeds::run(seeds::FORMATS[0]));
    FOLDER.with(|folder| {
        for series in SERIES {
            let name = format!("{series}.pvd");
            let original = fs::read(folder.path().join(&name)).expect("a list of frames");
            folder.write(&name, file);
            read(folder);
            folder.write(&name, &original);
        }
    });
}

/// Reads all frames of a run.
pub fn read(folder: &Folder) {
    match Recording::open(folder.path()) {
        Ok(recording) => {
            let times = recording.times();
            assert!(times.iter().all(|time| time.is_finite()) && times.is_sorted(), "frames at {times:?}");
            // A list may name the same frame a thousand times.
            for index in 0..recording.len().min(4) {
                match recording.frame(index) {
                    Ok(frame) => assert_whole(&frame),
                    Err(error) => assert_says_why(&error),
                }
            }
        }
        Err(error) => assert_says_why(&error),
    }
}

fn assert_whole(frame: &Frame) {
    assert_eq!(frame.not_finite(), None);
    assert_fields(&frame.particles.fields, frame.particles.positions.len());
    let polygons = &frame.polygons;
    assert_fields(&polygons.fields, polygons.len());
    assert!(polygons.offsets.is_sorted() && polygons.offsets.first().is_none_or(|&first| first == 0));
    assert_eq!(polygons.offsets.last().map_or(0, |&last| last as usize), polygons.positions.len());
    for body in &frame.bodies {
        let count = body.mesh.vertices.len();
        assert!(body.mesh.triangles.iter().flatten().all(|&corner| (corner as usize) < count), "a corner that does not exist");
        assert!(body.mesh.vertices.iter().all(|vertex| vertex.is_finite()) && body.force.is_finite() && body.torque.is_finite());
    }
}

fn assert_fields(fields: &[Field], count: usize) {
    for field in fields {
        assert_eq!(field.values.len(), count, "field {}", field.name);
    }
}
