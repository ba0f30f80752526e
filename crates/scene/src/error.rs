//! Errors of a scene file: location, key, found and expected value.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// An error in a scene file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Path of the scene file as given when it was opened.
    pub path: PathBuf,
    /// Line number, counted from 1; absent if the file could not be read at all.
    pub line: Option<usize>,
    /// Dotted key, for example `fluid.particle_radius` or `body "tank".mesh`; empty if the error concerns the whole file.
    pub key: String,
    /// The value in the file.
    pub found: String,
    /// Description of a valid value.
    pub expected: String,
    /// A suggestion.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(formatter, "{line}:")?;
        }
        if !self.key.is_empty() {
            write!(formatter, " {}:", self.key)?;
        }
        write!(formatter, " found {}, expected {}", self.found, self.expected)?;
        if let Some(hint) = &self.hint {
            write!(formatter, "\n    hint: {hint}")?;
        }
        Ok(())
    }
}

/// All errors in a scene file, in the order of its lines; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// In the order of the lines.
    pub problems: Vec<Problem>,
}

impl SceneError {
    /// The file itself cannot be read.
    pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        let problem = Problem {
            path: path.to_path_buf(),
            line: None,
            key: String::new(),
            found: error.to_string(),
            expected: "a readable scene file in TOML (UTF-8)".to_owned(),
            hint: None,
        };
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            problem.fmt(formatter)?;
        }
        Ok(())
    }
}

impl std::error::Error for SceneError {}
