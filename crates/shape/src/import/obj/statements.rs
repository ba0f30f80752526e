//! The statements of an OBJ file: its lines, with continuations and without comments.

use std::borrow::Cow;

use crate::import::lines::lines;

/// The lines of `text` with their numbers in the file, from 1. A line that ends with a backslash continues on the next one.
pub fn statements(text: &str) -> impl Iterator<Item = (usize, Cow<'_, str>)> {
    let mut lines = lines(text);
    std::iter::from_fn(move || {
        let (number, first) = lines.next()?;
        let Some(begun) = first.strip_suffix('\\') else { return Some((number, first.into())) };
        let mut whole = begun.to_owned();
        for (_, line) in lines.by_ref() {
            let continues = line.strip_suffix('\\');
            whole.push(' ');
            whole.push_str(continues.unwrap_or(line));
            if continues.is_none() {
                break;
            }
        }
        Some((number, whole.into()))
    })
}

/// The words of a statement, up to a comment.
pub fn words(content: &str) -> impl Iterator<Item = &str> + Clone {
    content.split_whitespace().take_while(|word| !word.starts_with('#'))
}

/// The position index of a face corner `position/texture/normal`.
pub fn position_index(corner: &str) -> &str {
    corner.split_once('/').map_or(corner, |(position, _)| position)
}
