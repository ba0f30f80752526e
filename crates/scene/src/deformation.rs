//! The section `[body.deformation]`: a surface from a sequence of mesh files.

use std::path::{Path, PathBuf};

use plimsoll_base::input::Files;
use plimsoll_bodies::Deformation;
use plimsoll_shape::import::MeshSequence;
use rayon::prelude::*;

use super::{
    mesh_source::{self, ReadMesh},
    read::{Quantity, Range, Table},
};

const FILES: &str =
    "the path of at least two mesh files, relative to the folder of the scene, with * for their numbers, as \"fin/fin_*.obj\"";
const INTERVAL: Quantity = Quantity::new(Range::Positive, "a positive time between two files in s");

/// The first mesh and the shapes of a `body` with the table `[body.deformation]`.
pub(super) fn read(body: &Table, table: &Table) -> Option<(ReadMesh, Deformation)> {
    for key in ["mesh", "repair"] {
        body.misplaced(key, "with `deformation`", "it only without");
    }
    let interval = table.number("interval", INTERVAL);
    let repeats = table.flag_or("repeat", false);
    let files = table.text("files", FILES).and_then(|pattern| {
        let report =
            |found: String| table.document.report(table.line_of("files"), &table.key("files"), format!("\"{pattern}\"{found}"), FILES);
        let folder = table.document.path.parent().unwrap_or(Path::new(""));
        match matching(table.document.files, folder, pattern) {
            Ok(files) if files.len() >= 2 => Some(files),
            Ok(files) => {
                report(if files.is_empty() { ", which no file matches" } else { ", which one file matches" }.to_owned());
                None
            }
            Err(found) => {
                report(found);
                None
            }
        }
    });
    let options = mesh_source::read_options(body);
    let files = files?;
    let load = || -> Result<_, plimsoll_shape::import::MeshError> {
        let sequence = MeshSequence::begin(table.document.files, &files[0], &options)?;
        let shapes = files.par_iter().map(|file| sequence.positions(file)).collect::<Result<Vec<_>, _>>()?;
        Ok((sequence.mesh, shapes))
    };
    match load() {
        Ok((mesh, shapes)) => {
            let read = ReadMesh::of_sequence(files[0].clone(), options, mesh);
            Some((read, Deformation { interval: interval?, repeats, shapes }))
        }
        Err(error) => {
            let found = format!("files that make no sequence ({})", mesh_source::describe(&error));
            table.document.report(table.line_of("files"), &table.key("files"), found, "mesh files with the same faces");
            None
        }
    }
}

/// The files of `folder` that `pattern` matches, in the order of the numbers, or else the texts, in place of its star.
fn matching(files: &dyn Files, folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let path = folder.join(pattern);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some((start, end)) = name.split_once('*').filter(|(_, end)| !end.contains('*')) else {
        return Err(", without exactly one * in the file name".to_owned());
    };
    let parent = path.parent().unwrap_or(folder);
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let mut found = Vec::new();
    for name in files.list(parent).map_err(|error| format!(": {}: {error}", parent.display()))? {
        let name = name.to_string_lossy();
        if let Some(middle) = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)) {
            found.push((middle.parse::<u64>().unwrap_or(u64::MAX), middle.to_owned(), parent.join(&*name)));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(.., path)| path).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use plimsoll_base::input::{Disk, FileMap};

    use super::*;

    #[test]
    fn files_are_in_the_order_of_their_numbers() {
        let folder = std::env::temp_dir().join(format!("plimsoll_sequence_{}", std::process::id()));
        fs::create_dir_all(folder.join("fin")).expect("a folder");
        let paths =
            ["fin_10.obj", "fin_9.obj", "fin_1.obj", "fin_x.obj", "fin_2.stl", "tail_3.obj"].map(|name| folder.join("fin").join(name));
        for path in &paths {
            fs::write(path, "").expect("a file");
        }
        let in_memory: FileMap = paths.into_iter().map(|path| (path, Vec::new())).collect();
        for files in [&Disk as &dyn Files, &in_memory] {
            let names = |pattern: &str| -> Vec<String> {
                let found = matching(files, &folder, pattern).expect("a valid pattern");
                found.iter().map(|file| file.file_name().expect("a name").to_string_lossy().into_owned()).collect()
            };
            assert_eq!(names("fin/fin_*.obj"), ["fin_1.obj", "fin_9.obj", "fin_10.obj", "fin_x.obj"]);
            assert_eq!(names("fin/*.stl"), ["fin_2.stl"]);
            assert!(matching(files, &folder, "fin/fin.obj").is_err() && matching(files, &folder, "fin/*_*.obj").is_err());
            assert!(matching(files, &folder, "none/*.obj").expect_err("no folder").contains("none"));
        }
        fs::remove_dir_all(&folder).expect("a folder");
    }
}
