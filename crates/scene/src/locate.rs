//! Locates a key in the text of a scene, for errors found only when a simulation is set up.

use std::path::Path;

use toml::de::{DeTable, DeValue};

/// `message` with file, line and key: `scene.toml:6: gas.group[2].count: message`. The line is absent if `text` is not valid TOML.
pub fn located(path: &Path, text: &str, key: &str, message: &str) -> String {
    match line_of(text, key) {
        Some(line) => format!("{}:{line}: {key}: {message}", path.display()),
        None => format!("{}: {key}: {message}", path.display()),
    }
}

/// Line (from 1) of `key` in the scene `text`. `key` is a dotted path as in messages, with items of arrays counted from 1:
/// `gas.group[2].count`. If not all of it exists, the line of the part that does; the first line if none does.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    Some(1 + text[..offset_of(root.get_ref(), key)].matches('\n').count())
}

/// Where in the text of the scene `root` the `key` is, or the part of it that exists; zero if none does.
pub(crate) fn offset_of(root: &DeTable, key: &str) -> usize {
    let (mut offset, mut entries) = (0, Some(root));
    for part in key.split('.') {
        let (name, item) = split_index(part);
        let Some((found, value)) = entries.and_then(|entries| entries.get_key_value(name)) else { break };
        (offset, entries) = (found.span().start, value.get_ref().as_table());
        let Some(item) = item else { continue };
        let Some(value) = value.get_ref().as_array().and_then(|items| items.get(item)) else { break };
        (offset, entries) = (value.span().start, DeValue::as_table(value.get_ref()));
    }
    offset
}

/// `group[2]` as `group` and the index 1.
fn split_index(part: &str) -> (&str, Option<usize>) {
    let index = |(name, rest): (_, &str)| Some((name, rest.strip_suffix(']')?.parse::<usize>().ok()?.checked_sub(1)?));
    match part.split_once('[').and_then(index) {
        Some((name, index)) => (name, Some(index)),
        None => (part, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str =
        "title = \"x\"\n\n[gas]\nbox = {\n  min = [0, 0],\n}\n[[gas.group]]\ncount = 3\n[[gas.group]]\nradius = 1\ncount = 5\n";

    #[test]
    fn keys_of_tables_and_arrays_have_their_lines() {
        let keys = ["title", "gas.box", "gas.box.min", "gas.group[1].count", "gas.group[2].count", "gas.group[2]", "gas.group"];
        assert_eq!(keys.map(|key| line_of(SCENE, key)), [1, 4, 5, 8, 11, 9, 7].map(Some));
        assert_eq!(["gas.group[2].mass", "gas.group[3]", "gas.wall", "fluid"].map(|key| line_of(SCENE, key)), [9, 7, 3, 1].map(Some));
        assert_eq!(line_of("title =", "title"), None);
    }

    #[test]
    fn a_message_has_file_line_and_key_once() {
        let found = located(Path::new("a.toml"), SCENE, "gas.group[2].count", "only 4 of 5 spheres fit");
        assert_eq!(found, "a.toml:11: gas.group[2].count: only 4 of 5 spheres fit");
    }
}
