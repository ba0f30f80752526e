//! A scene file during reading: its text and the errors found so far.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
    path::Path,
};

use glam::DVec3;
use plimsoll_base::input::Files;
use toml::de::DeValue;

use crate::error::{Problem, SceneError};

/// Maximum length of a quotation from the file in a message, characters.
const QUOTE_LENGTH: usize = 60;

/// A value in the file and its key.
#[derive(Clone)]
pub(crate) struct Entry<'a> {
    /// Dotted key, as shown in messages.
    pub key: String,
    pub line: usize,
    pub value: &'a DeValue<'a>,
    pub span: Range<usize>,
}

pub(crate) struct Document<'a> {
    pub path: &'a Path,
    /// Where meshes and other files of the scene are.
    pub files: &'a dyn Files,
    text: &'a str,
    /// Byte offset of each line.
    line_starts: Vec<usize>,
    /// The scene's `origin`, m: positions are read relative to it.
    pub origin: Cell<DVec3>,
    problems: RefCell<Vec<Problem>>,
    warnings: RefCell<Vec<String>>,
    /// Section and name of all keys that were looked up, for the test of the documentation.
    #[cfg(test)]
    pub accepted: RefCell<std::collections::BTreeSet<(String, String)>>,
}

impl<'a> Document<'a> {
    pub fn new(files: &'a dyn Files, path: &'a Path, text: &'a str) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(offset, _)| offset + 1)).collect();
        Self {
            path,
            files,
            text,
            line_starts,
            origin: Cell::default(),
            problems: RefCell::default(),
            warnings: RefCell::default(),
            #[cfg(test)]
            accepted: RefCell::default(),
        }
    }

    /// Line of a byte offset, counted from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.line_starts.partition_point(|&start| start <= offset)
    }

    /// The value as written in the file, shortened to one line.
    pub fn quote(&self, entry: &Entry) -> String {
        match entry.value {
            DeValue::Table(_) => return "a table".to_owned(),
            DeValue::Array(items) if items.iter().any(|item| item.get_ref().is_table()) => return "an array of tables".to_owned(),
            _ => {}
        }
        let text = self.text.get(entry.span.clone()).unwrap_or_default();
        let line = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        if line.chars().count() <= QUOTE_LENGTH {
            return line;
        }
        line.chars().take(QUOTE_LENGTH).chain(std::iter::once('…')).collect()
    }

    /// Reports an unexpected value of `entry`.
    pub fn wrong(&self, entry: &Entry, expected: impl Into<String>) {
        self.report(entry.line, &entry.key, self.quote(entry), expected);
    }

    pub fn report(&self, line: usize, key: &str, found: impl Into<String>, expected: impl Into<String>) {
        self.report_with_hint(line, key, (found.into(), expected.into()), None);
    }

    /// Reports a `name` that no `kind` of thing has ("body"); `known` are those that one has.
    pub fn unknown_name<'n>(&self, line: usize, key: &str, name: &str, kind: &str, known: impl IntoIterator<Item = &'n str>) {
        let known: Vec<String> = known.into_iter().map(|known| format!("\"{known}\"")).collect();
        let expected = match known.is_empty() {
            true => format!("a {kind}, of which the scene has none"),
            false => format!("one of {}", known.join(", ")),
        };
        self.report(line, key, format!("\"{name}\""), expected);
    }

    /// Like [`Self::report`], with a hint on a second line; `texts` are the found and the expected value.
    pub fn report_with_hint(&self, line: usize, key: &str, texts: (String, String), hint: Option<String>) {
        let (found, expected) = texts;
        let problem = Problem { path: self.path.to_path_buf(), line: Some(line), key: key.to_owned(), found, expected, hint };
        self.problems.borrow_mut().push(problem);
    }

    pub fn warn(&self, line: usize, key: &str, text: &str) {
        self.warnings.borrow_mut().push(format!("{}:{line}: {key}: {text}", self.path.display()));
    }

    pub fn is_sound(&self) -> bool {
        self.problems.borrow().is_empty()
    }

    /// Returns the warnings or, if there were errors, all errors in the order of the lines.
    pub fn close(self) -> Result<Vec<String>, SceneError> {
        let mut problems = self.problems.into_inner();
        if problems.is_empty() {
            return Ok(self.warnings.into_inner());
        }
        problems.sort_by_key(|problem| problem.line);
        Err(SceneError { problems })
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::input::Disk;

    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_end_with_their_newline() {
        let document = Document::new(&Disk, Path::new("x.toml"), "ab\n\nc");
        assert_eq!([0, 2, 3, 4].map(|offset| document.line(offset)), [1, 1, 2, 3]);
    }
}
