//! What is known of contacts from the step before.

use serde::{Deserialize, Serialize};

use super::state::ContactState;

/// Of a contact that was closed, or that holds together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Vertex and edge in one number.
    pub key: u64,
    /// Open, locked or sliding.
    pub state: ContactState,
    /// Stretch of the shear spring, meters.
    pub shear: f64,
    /// N, compression positive.
    pub normal_force: f64,
    /// Gap at which it is taken to touch, meters.
    pub offset: f64,
    /// Whether cohesion and tensile strength still hold.
    pub bonded: bool,
}

/// Contacts by their keys.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContactMemory {
    /// Ascending by key.
    entries: Vec<Remembered>,
}

impl ContactMemory {
    /// Keeps `entries` in place of all others.
    pub fn replace(&mut self, entries: impl Iterator<Item = Remembered>) {
        self.entries.clear();
        self.entries.extend(entries);
        self.entries.sort_unstable_by_key(|entry| entry.key);
    }

    /// The contact with this key, if it is remembered.
    pub fn get(&self, key: u64) -> Option<&Remembered> {
        self.entries.binary_search_by_key(&key, |entry| entry.key).ok().map(|place| &self.entries[place])
    }

    /// All remembered contacts, ascending by key.
    pub fn entries(&self) -> &[Remembered] {
        &self.entries
    }
}
