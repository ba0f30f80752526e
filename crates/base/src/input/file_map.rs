//! Files in memory, by their names.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    io,
    path::{Component, Path, PathBuf},
};

use super::Files;

/// Files in memory, by their names. Folders follow from the names: a file `meshes/box.obj` is in the folder `meshes`.
#[derive(Clone, Debug, Default)]
pub struct FileMap {
    /// By their names without `.` and `..`.
    files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A name without `.`, and without `..` where a folder is before it: `scenes/fluid/../../meshes/box.obj` is `meshes/box.obj`.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(resolved.components().next_back(), Some(Component::Normal(_))) => drop(resolved.pop()),
            other => resolved.push(other),
        }
    }
    resolved
}

impl FileMap {
    fn has_folder(&self, folder: &Path) -> bool {
        folder.as_os_str().is_empty() || self.files.keys().any(|name| name != folder && name.starts_with(folder))
    }
}

impl<P: AsRef<Path>> FromIterator<(P, Vec<u8>)> for FileMap {
    fn from_iter<I: IntoIterator<Item = (P, Vec<u8>)>>(files: I) -> Self {
        Self { files: files.into_iter().map(|(name, content)| (resolved(name.as_ref()), content)).collect() }
    }
}

impl Files for FileMap {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let name = resolved(path);
        self.files.get(&name).cloned().ok_or_else(|| {
            if self.has_folder(&name) {
                io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, expected a file")
            } else {
                io::Error::new(io::ErrorKind::NotFound, "no such file")
            }
        })
    }

    fn has_file(&self, path: &Path) -> bool {
        self.files.contains_key(&resolved(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<OsString>> {
        let folder = resolved(folder);
        if !self.has_folder(&folder) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no such folder"));
        }
        let inside = self.files.keys().filter(|name| name.parent() == Some(folder.as_path()));
        Ok(inside.filter_map(|name| name.file_name()).map(OsString::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_any_form_of_their_names() {
        let files: FileMap =
            [("a/one.txt", b"1".to_vec()), ("./a/b/../two.txt", b"2\n\xff".to_vec()), ("a/b/three.txt", vec![])].into_iter().collect();
        let path = |name: &'static str| Path::new(name);
        assert_eq!(files.read_text(path("a/../a/./one.txt")).expect("a file"), "1");
        assert_eq!(files.list(path("a/b/..")).expect("a folder"), ["one.txt", "two.txt"]);
        assert!(files.list(path(".")).expect("the folder of all").is_empty());
        assert!(files.has_file(path("a/two.txt")) && !files.has_file(path("a")) && !files.has_file(path("../a/two.txt")));
        let kind = |name: &'static str| files.read(path(name)).expect_err("no file").kind();
        assert_eq!(["a", "two.txt"].map(kind), [io::ErrorKind::IsADirectory, io::ErrorKind::NotFound]);
        assert_eq!(files.list(path("c")).expect_err("no folder").kind(), io::ErrorKind::NotFound);
        assert_eq!(files.read_text(path("a/two.txt")).expect_err("no text").to_string(), "line 2 is not UTF-8");
    }
}
