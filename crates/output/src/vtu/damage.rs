//! What is wrong with a file.

use std::fmt::Display;

/// What was found in a file instead of what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What the file contains.
    pub found: String,
    /// What it should contain.
    pub expected: &'static str,
}

impl Damage {
    /// Something else than `expected`.
    pub fn new(found: impl Display, expected: &'static str) -> Self {
        Self { found: found.to_string(), expected }
    }

    /// The file ends before `expected`.
    pub fn cut_short(expected: &'static str) -> Self {
        Self::new("the end of the file", expected)
    }
}
