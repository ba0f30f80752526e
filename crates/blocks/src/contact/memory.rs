//! Contact data from the previous step.

use serde::{Deserialize, Serialize};

use super::state::ContactState;

/// Data of a closed or bonded contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Vertex and edge as one number.
    pub key: u64,
    /// Open, locked or sliding.
    pub state: ContactState,
    /// Stretch of the shear spring, meters.
    pub shear: f64,
    /// N, compression positive.
    pub normal_force: f64,
    /// Gap at which the contact counts as touching, meters.
    pub offset: f64,
    /// Whether cohesion and tensile strength still apply.
    pub bonded: bool,
}

/// Contacts by key.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ContactMemory {
    /// Ascending by key.
    entries: Vec<Remembered>,
}

impl ContactMemory {
    /// Replaces all entries.
    pub fn replace(&mut self, entries: impl Iterator<Item = Remembered>) {
        self.entries.clear();
        self.entries.extend(entries);
        self.entries.sort_unstable_by_key(|entry| entry.key);
    }

    /// The contact with this key, if there is one.
    pub fn get(&self, key: u64) -> Option<&Remembered> {
        self.entries.binary_search_by_key(&key, |entry| entry.key).ok().map(|place| &self.entries[place])
    }

    /// All remembered contacts, ascending by key.
    pub fn entries(&self) -> &[Remembered] {
        &self.entries
    }
}
