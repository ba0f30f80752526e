//! One TOML table read key by key: keys that are never looked up are unknown keys.

use std::{cell::RefCell, collections::BTreeSet};

use glam::DVec3;
use plimsoll_base::math::format::list;
use plimsoll_shape::Repair;
use toml::de::{DeTable, DeValue};

use super::{
    document::{Document, Entry},
    key_offset::offset_of,
    quantity::{Quantity, to_number, to_vector},
};

const COLOR: &str = "a color [red, green, blue], each from 0 to 1";

/// Minimum similarity (Jaro-Winkler, 0 to 1) of an unknown key to a known one for a suggestion.
const ALIKE: f64 = 0.8;

/// A table of the scene. Reading does not stop at an error: the document records it, and the caller gets a default or `None`.
pub(crate) struct Table<'a> {
    pub document: &'a Document<'a>,
    /// As shown in messages: `body "tank".motion`; empty for the top level.
    pub name: RefCell<String>,
    /// As documented: `body.motion`.
    section: String,
    pub line: usize,
    entries: &'a DeTable<'a>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'a> Table<'a> {
    pub fn root(document: &'a Document<'a>, entries: &'a DeTable<'a>) -> Self {
        Self { document, name: RefCell::default(), section: String::new(), line: 1, entries, asked: RefCell::default() }
    }

    /// `key` with the name of the table before it.
    pub fn key(&self, key: &str) -> String {
        let name = self.name.borrow();
        if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") }
    }

    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Whether the value at `path`, keys joined by dots, is the string `text`.
    pub fn has_text(&self, path: &str, text: &str) -> bool {
        let (mut entries, mut found) = (Some(self.entries), None);
        for key in path.split('.') {
            let value = entries.and_then(|entries| entries.get(key)).map(|value| value.get_ref());
            (entries, found) = (value.and_then(DeValue::as_table), value.and_then(DeValue::as_str));
        }
        found == Some(text)
    }

    pub fn entry(&self, key: &'static str) -> Option<Entry<'a>> {
        self.asked.borrow_mut().insert(key);
        let (name, value) = self.entries.get_key_value(key)?;
        Some(Entry { key: self.key(key), line: self.document.line(name.span().start), value: value.get_ref(), span: value.span() })
    }

    /// Accepts `keys` without reading them.
    pub fn pass(&self, keys: &[&'static str]) {
        self.asked.borrow_mut().extend(keys);
    }

    /// The line of the last existing key of `path`, keys joined by dots; that of the table if the first key is absent.
    pub fn line_of(&self, path: &str) -> usize {
        let (mut line, mut entries) = (self.line, Some(self.entries));
        for key in path.split('.') {
            let Some((name, value)) = entries.and_then(|entries| entries.get_key_value(key)) else { break };
            line = self.document.line(name.span().start);
            entries = value.get_ref().as_table();
        }
        line
    }

    /// Warns of a value that is found by its `path` in this table, with items of arrays counted from 1 (`body[2].position`); messages show it as `key`.
    pub fn warn_of(&self, path: &str, key: &str, text: &str) {
        self.document.warn(self.document.line(offset_of(self.entries, path)), key, text);
    }

    pub fn missing(&self, key: &str, expected: impl Into<String>) {
        self.document.report(self.line, &self.key(key), "nothing", expected);
    }

    fn required(&self, key: &'static str, expected: &str) -> Option<Entry<'a>> {
        let entry = self.entry(key);
        if entry.is_none() {
            self.missing(key, expected);
        }
        entry
    }

    /// Returns `value`; if it is absent, reports that `expected` was expected.
    fn checked<T>(&self, entry: &Entry, value: Option<T>, expected: &str) -> Option<T> {
        if value.is_none() {
            self.document.wrong(entry, expected);
        }
        value
    }

    fn as_number(&self, entry: &Entry, quantity: Quantity) -> Option<f64> {
        self.checked(entry, to_number(entry.value).filter(|&number| quantity.accepts(number)), quantity.words)
    }

    pub fn number(&self, key: &'static str, quantity: Quantity) -> Option<f64> {
        self.as_number(&self.required(key, quantity.words)?, quantity)
    }

    pub fn optional_number(&self, key: &'static str, quantity: Quantity) -> Option<f64> {
        self.as_number(&self.entry(key)?, quantity)
    }

    pub fn number_or(&self, key: &'static str, quantity: Quantity, default: f64) -> f64 {
        self.optional_number(key, quantity).unwrap_or(default)
    }

    pub fn flag_or(&self, key: &'static str, default: bool) -> bool {
        let Some(entry) = self.entry(key) else { return default };
        match entry.value {
            DeValue::Boolean(flag) => *flag,
            _ => {
                self.document.wrong(&entry, "true or false");
                default
            }
        }
    }

    /// Which defects of a mesh are repaired: true, false or "fill".
    pub fn repair_or(&self, key: &'static str, default: Repair) -> Repair {
        let Some(entry) = self.entry(key) else { return default };
        let repair = match entry.value {
            DeValue::Boolean(true) => Some(Repair::Safe),
            DeValue::Boolean(false) => Some(Repair::Off),
            value => (value.as_str() == Some("fill")).then_some(Repair::Fill),
        };
        self.checked(&entry, repair, "true, false or \"fill\"").unwrap_or(default)
    }

    /// An integer from `least` up to `2⁶³ − 1`.
    pub fn integer_or(&self, key: &'static str, least: u64, default: u64) -> u64 {
        let Some(entry) = self.entry(key) else { return default };
        let integer = match entry.value {
            DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok(),
            _ => None,
        };
        let integer = integer.and_then(|integer| u64::try_from(integer).ok()).filter(|&integer| integer >= least);
        let words = if least == 0 { "a whole number, 0 or more" } else { "a whole number, 1 or more" };
        self.checked(&entry, integer, words).unwrap_or(default)
    }

    /// A count, 1 or more.
    pub fn count(&self, key: &'static str) -> Option<usize> {
        self.required(key, "a whole number, 1 or more")?;
        usize::try_from(self.integer_or(key, 1, 0)).ok().filter(|&count| count > 0)
    }

    /// Three finite numbers; `words` describe them: "a velocity [x, y, z] in m/s".
    pub fn vector(&self, key: &'static str, words: &str) -> Option<DVec3> {
        let entry = self.required(key, words)?;
        self.checked(&entry, to_vector(entry.value), words)
    }

    pub fn optional_vector(&self, key: &'static str, words: &str) -> Option<DVec3> {
        let entry = self.entry(key)?;
        self.checked(&entry, to_vector(entry.value), words)
    }

    pub fn vector_or(&self, key: &'static str, words: &str, default: DVec3) -> DVec3 {
        self.optional_vector(key, words).unwrap_or(default)
    }

    /// A position in the world, relative to the scene's origin.
    pub fn position(&self, key: &'static str, words: &str) -> Option<DVec3> {
        self.vector(key, words).map(|position| position - self.document.origin.get())
    }

    /// Same as [`Self::position`], if it is given.
    pub fn optional_position(&self, key: &'static str, words: &str) -> Option<DVec3> {
        self.optional_vector(key, words).map(|position| position - self.document.origin.get())
    }

    /// A unit vector, given as three numbers that are not all zero.
    pub fn direction(&self, key: &'static str, words: &str) -> Option<DVec3> {
        let direction = self.vector(key, words)?;
        let unit = direction.try_normalize();
        if unit.is_none() {
            self.document.report(self.line_of(key), &self.key(key), list(direction), "a nonzero direction");
        }
        unit
    }

    /// Three rows of three finite numbers.
    pub fn optional_rows(&self, key: &'static str, words: &str) -> Option<[DVec3; 3]> {
        let entry = self.entry(key)?;
        let rows = entry.value.as_array().and_then(|rows| rows.iter().map(|row| to_vector(row.get_ref())).collect::<Option<Vec<_>>>());
        self.checked(&entry, rows.and_then(|rows| rows.try_into().ok()), words)
    }

    /// Red, green, blue from 0 to 1, as on a screen.
    pub fn optional_color(&self, key: &'static str) -> Option<[f32; 3]> {
        let color = self.optional_vector(key, COLOR)?;
        if color.cmplt(DVec3::ZERO).any() || color.cmpgt(DVec3::ONE).any() {
            let found = format!("[{}, {}, {}]", color.x, color.y, color.z);
            self.document.report(self.line_of(key), &self.key(key), found, COLOR);
            return None;
        }
        Some(color.as_vec3().to_array())
    }

    /// One positive number for all axes, or three.
    pub fn scale_or(&self, key: &'static str, words: &str, default: DVec3) -> DVec3 {
        let Some(entry) = self.entry(key) else { return default };
        let scale = to_number(entry.value).map(DVec3::splat).or_else(|| to_vector(entry.value));
        let scale = scale.filter(|scale| scale.is_finite() && scale.cmpgt(DVec3::ZERO).all());
        self.checked(&entry, scale, words).unwrap_or(default)
    }

    /// Text that is not blank.
    pub fn text(&self, key: &'static str, words: &str) -> Option<&'a str> {
        let entry = self.required(key, words)?;
        let text = self.checked(&entry, entry.value.as_str().filter(|text| !text.trim().is_empty()), words)?;
        // They would move the cursor of a terminal, and are not allowed in SVG.
        let is_printable = !text.chars().any(char::is_control);
        self.checked(&entry, is_printable.then_some(text), "text without control characters")
    }

    /// Names this table, which is a `what`, by `name` in messages. Reports a name that an earlier one has; `earlier` are the names and lines of those.
    pub fn call(&self, what: &str, name: &'a str, earlier: &mut Vec<(&'a str, usize)>) {
        if let Some((_, line)) = earlier.iter().find(|(other, _)| *other == name) {
            let found = format!("\"{name}\", already the name of the {what} in line {line}");
            self.document.report(self.line_of("name"), &self.key("name"), found, "a unique name");
        }
        earlier.push((name, self.line));
        *self.name.borrow_mut() = format!("{what} \"{name}\"");
    }

    /// The text under `key`, without checking it.
    pub fn peek_text(&self, key: &str) -> Option<&'a str> {
        self.entries.get(key).and_then(|value| value.get_ref().as_str())
    }

    /// An array of `count` texts, which must be given.
    pub fn texts(&self, key: &'static str, count: std::ops::RangeInclusive<usize>, words: &str) -> Option<Vec<&'a str>> {
        self.required(key, words)?;
        self.optional_texts(key, count, words)
    }

    /// The same; `None` if the key is absent.
    pub fn optional_texts(&self, key: &'static str, count: std::ops::RangeInclusive<usize>, words: &str) -> Option<Vec<&'a str>> {
        let entry = self.entry(key)?;
        let items = entry.value.as_array().filter(|items| count.contains(&items.len()));
        let texts = items.and_then(|items| items.iter().map(|item| item.get_ref().as_str()).collect());
        self.checked(&entry, texts, words)
    }

    /// Two finite numbers.
    pub fn optional_pair(&self, key: &'static str, words: &str) -> Option<[f64; 2]> {
        let entry = self.entry(key)?;
        let items = entry.value.as_array().map(|items| items.iter().map(|item| to_number(item.get_ref())).collect::<Option<Vec<_>>>());
        let pair = items.flatten().and_then(|items| <[f64; 2]>::try_from(items).ok());
        self.checked(&entry, pair.filter(|pair| pair.iter().all(|number| number.is_finite())), words)
    }

    /// Pairs of finite numbers.
    pub fn optional_pairs(&self, key: &'static str, words: &str) -> Option<Vec<[f64; 2]>> {
        let entry = self.entry(key)?;
        let pair = |value: &DeValue| -> Option<[f64; 2]> {
            let numbers = value.as_array()?.iter().map(|item| to_number(item.get_ref())).collect::<Option<Vec<_>>>()?;
            <[f64; 2]>::try_from(numbers).ok().filter(|pair| pair.iter().all(|number| number.is_finite()))
        };
        let pairs = entry.value.as_array().and_then(|items| items.iter().map(|item| pair(item.get_ref())).collect());
        self.checked(&entry, pairs, words)
    }

    /// Whether `key` has an array.
    pub fn is_array(&self, key: &str) -> bool {
        self.entries.get(key).is_some_and(|value| value.get_ref().as_array().is_some())
    }

    fn as_choice(&self, entry: &Entry, value: &DeValue, options: &[&'static str]) -> Option<&'static str> {
        let found = value.as_str();
        if let Some(option) = options.iter().find(|&&option| Some(option) == found) {
            return Some(option);
        }
        let expected = format!("one of {}", quoted(options));
        let hint = found.and_then(|found| nearest(found, options.iter().copied())).map(|option| format!("did you mean \"{option}\"?"));
        self.document.report_with_hint(entry.line, &entry.key, (self.document.quote(entry), expected), hint);
        None
    }

    /// One of `options`, which must be given.
    pub fn choice(&self, key: &'static str, options: &[&'static str]) -> Option<&'static str> {
        let entry = self.required(key, &format!("one of {}", quoted(options)))?;
        self.as_choice(&entry, entry.value, options)
    }

    pub fn choice_or(&self, key: &'static str, options: &[&'static str], default: &'static str) -> &'static str {
        let Some(entry) = self.entry(key) else { return default };
        self.as_choice(&entry, entry.value, options).unwrap_or(default)
    }

    /// An array of some of `options`; `None` if the key is absent.
    pub fn choices(&self, key: &'static str, options: &[&'static str]) -> Option<Vec<&'static str>> {
        let entry = self.entry(key)?;
        let Some(items) = entry.value.as_array() else {
            self.document.wrong(&entry, format!("an array of {}", quoted(options)));
            return None;
        };
        items.iter().map(|item| self.as_choice(&Entry { span: item.span(), ..entry.clone() }, item.get_ref(), options)).collect()
    }

    /// The table under `key`; `None` if the key is absent.
    pub fn table(&self, key: &'static str, words: &str) -> Option<Table<'a>> {
        let entry = self.entry(key)?;
        let entries = self.checked(&entry, entry.value.as_table(), words)?;
        Some(self.child(key, entry.key, entry.line, entries))
    }

    /// The table under `key`, which must be given.
    pub fn required_table(&self, key: &'static str, words: &str) -> Option<Table<'a>> {
        self.required(key, words)?;
        self.table(key, words)
    }

    /// The tables of the array `[[key]]`; empty if the key is absent. They are named `key[1]`, `key[2]` and so on.
    pub fn tables(&self, key: &'static str) -> Vec<Table<'a>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        let items = entry.value.as_array().and_then(|items| {
            items.iter().map(|item| item.get_ref().as_table().map(|entries| (item.span(), entries))).collect::<Option<Vec<_>>>()
        });
        let header = if self.section.is_empty() { key.to_owned() } else { format!("{}.{key}", self.section) };
        let items = self.checked(&entry, items, &format!("tables under [[{header}]]")).unwrap_or_default();
        let number = |index| format!("{}[{}]", entry.key, index + 1);
        let child = |(index, (span, entries)): (usize, (std::ops::Range<usize>, &'a DeTable<'a>))| {
            self.child(key, number(index), self.document.line(span.start), entries)
        };
        items.into_iter().enumerate().map(child).collect()
    }

    fn child(&self, key: &str, name: String, line: usize, entries: &'a DeTable<'a>) -> Table<'a> {
        let section = if self.section.is_empty() { key.to_owned() } else { format!("{}.{key}", self.section) };
        Table { document: self.document, name: RefCell::new(name), section, line, entries, asked: RefCell::default() }
    }

    /// Reports `key`, if present, as invalid in this context: `found` describes the context, `expected` the valid one.
    pub fn misplaced(&self, key: &'static str, found: &str, expected: &str) {
        if let Some(entry) = self.entry(key) {
            self.document.report(entry.line, &entry.key, format!("this key {found}"), expected);
        }
    }

    /// Reports every key that was never looked up.
    pub fn finish(self) {
        let asked = self.asked.borrow();
        for (name, _) in self.entries.iter().filter(|(name, _)| !asked.contains(name.get_ref().as_ref())) {
            let key = name.get_ref().as_ref();
            let hint = nearest(key, asked.iter().copied()).map(|known| format!("did you mean `{known}`?"));
            let known = asked.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
            let texts = ("an unknown key".to_owned(), format!("one of {known}"));
            self.document.report_with_hint(self.document.line(name.span().start), &self.key(key), texts, hint);
        }
        #[cfg(test)]
        self.document.accepted.borrow_mut().extend(asked.iter().map(|key| (self.section.clone(), (*key).to_owned())));
    }
}

fn quoted(options: &[&str]) -> String {
    options.iter().map(|option| format!("\"{option}\"")).collect::<Vec<_>>().join(", ")
}

/// The option most similar to `found`, if one is similar enough.
pub(crate) fn nearest<'o>(found: &str, options: impl Iterator<Item = &'o str>) -> Option<&'o str> {
    let likeness = |option: &str| strsim::jaro_winkler(&found.to_lowercase(), option);
    let scored = options.map(|option| (likeness(option), option)).filter(|(likeness, _)| *likeness >= ALIKE);
    scored.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, option)| option)
}
