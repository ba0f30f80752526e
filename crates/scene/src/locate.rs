//! Locates keys in the text of a scene, for messages about what is found only when a simulation is set up.

use std::path::Path;

use plimsoll_base::input::Disk;
use toml::{Spanned, de::DeTable};

use crate::read::{Document, offset_of};

/// A scene in which keys are located. Its text is parsed once: a scene of thousands of drops may have a warning for each of them.
pub struct KeyLocator<'a> {
    document: Document<'a>,
    /// Absent if the text is not valid TOML.
    root: Option<DeTable<'a>>,
}

impl<'a> KeyLocator<'a> {
    /// The scene `text` of the file at `path`.
    pub fn new(path: &'a Path, text: &'a str) -> Self {
        Self { document: Document::new(&Disk, path, text), root: DeTable::parse(text).ok().map(Spanned::into_inner) }
    }

    /// `message` with file, line and key: `scene.toml:6: gas.group[2].count: message`. The line is absent if the text is not valid TOML.
    pub fn located(&self, key: &str, message: &str) -> String {
        let path = self.document.path.display();
        match self.line_of(key) {
            Some(line) => format!("{path}:{line}: {key}: {message}"),
            None => format!("{path}: {key}: {message}"),
        }
    }

    /// Line (from 1) of `key`, a dotted path as in messages, with items of arrays counted from 1: `gas.group[2].count`. If not all of it exists, the line
    /// of the part that does; the first line if none does.
    fn line_of(&self, key: &str) -> Option<usize> {
        Some(self.document.line(offset_of(self.root.as_ref()?, key)))
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::clock::Instant;

    use super::*;

    const SCENE: &str =
        "title = \"x\"\n\n[gas]\nbox = {\n  min = [0, 0],\n}\n[[gas.group]]\ncount = 3\n[[gas.group]]\nradius = 1\ncount = 5\n";

    fn line_of(text: &str, key: &str) -> Option<usize> {
        KeyLocator::new(Path::new("a.toml"), text).line_of(key)
    }

    #[test]
    fn keys_of_tables_and_arrays_have_their_lines() {
        let keys = ["title", "gas.box", "gas.box.min", "gas.group[1].count", "gas.group[2].count", "gas.group[2]", "gas.group"];
        assert_eq!(keys.map(|key| line_of(SCENE, key)), [1, 4, 5, 8, 11, 9, 7].map(Some));
        assert_eq!(["gas.group[2].mass", "gas.group[3]", "gas.wall", "fluid"].map(|key| line_of(SCENE, key)), [9, 7, 3, 1].map(Some));
        assert_eq!(line_of("title =", "title"), None);
    }

    #[test]
    fn a_message_has_file_line_and_key_once() {
        let found = KeyLocator::new(Path::new("a.toml"), SCENE).located("gas.group[2].count", "only 4 of 5 spheres fit");
        assert_eq!(found, "a.toml:11: gas.group[2].count: only 4 of 5 spheres fit");
    }

    /// Each of the fills of a spray may have a warning. Parsing the text for each of them takes seventy times as long as this allows.
    #[test]
    fn thousands_of_keys_are_located_in_a_second() {
        let text: String = (0..4000).map(|i| format!("[[fluid.fill]]\nsphere = {{ center = [{i}.5, 10, 0], radius = 0.02 }}\n")).collect();
        let start = Instant::now();
        let keys = KeyLocator::new(Path::new("a.toml"), &text);
        for fill in 0..4000 {
            assert_eq!(keys.line_of(&format!("fluid.fill[{}].sphere", fill + 1)), Some(2 * fill + 2));
        }
        assert!(start.elapsed().as_secs_f64() < 1.0, "{:?}", start.elapsed());
    }
}
