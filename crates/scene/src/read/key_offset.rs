//! Where keys are in the text of a scene.

use toml::de::{DeTable, DeValue};

/// Where in the text of the scene `root` the `key` is, or the part of it that exists; zero if none does.
pub fn offset_of(root: &DeTable, key: &str) -> usize {
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
