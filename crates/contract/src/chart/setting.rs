//! Recorded settings as a tree of plain values.

use std::collections::BTreeMap;

/// A setting, or a collection of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Setting {
    /// Not recorded, or null.
    #[default]
    Missing,
    /// True or false.
    Flag(bool),
    /// An integer or a real.
    Number(f64),
    /// A string, or the name of a variant.
    Text(String),
    /// A list of settings.
    List(Vec<Setting>),
    /// Settings by key.
    Table(BTreeMap<String, Setting>),
}

impl Setting {
    /// The entry `key` of a table.
    pub fn get(&self, key: &str) -> &Self {
        match self {
            Self::Table(entries) => entries.get(key).unwrap_or(&Self::Missing),
            _ => &Self::Missing,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a list.
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(entries) => Some(entries),
            _ => None,
        }
    }
}
