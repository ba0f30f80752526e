//! The names by which joints and moorings refer to bodies.

use crate::{body::PlacedBody, read::Document};

/// The bodies of a scene, to which joints and moorings refer by name.
pub struct Names<'a> {
    /// Names of all bodies, also of invalid ones.
    pub names: Vec<&'a str>,
    /// The bodies, if all are valid.
    pub bodies: Option<&'a [PlacedBody]>,
}

impl Names<'_> {
    /// The body called `name`; reports a name that no body has as the value of `key` in `line`.
    pub fn find(&self, document: &Document, line: usize, key: &str, name: &str) -> Option<usize> {
        let found = self.names.iter().position(|&other| other == name);
        if found.is_none() {
            document.unknown_name(line, key, name, "body", self.names.iter().copied());
        }
        found
    }

    /// Whether a body floats; assumed of invalid ones.
    pub fn floats(&self, body: usize) -> bool {
        self.bodies.is_none_or(|bodies| bodies[body].is_floating())
    }
}
