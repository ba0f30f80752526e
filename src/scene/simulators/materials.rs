//! Names of materials: unique, and known where something is made of one.

use crate::scene::read::Table;

/// Reports names that appear twice under `[[section.material]]`; `None` stands for an invalid material.
pub(super) fn check_names(table: &Table, section: &str, names: &[Option<String>]) {
    for (index, name) in names.iter().enumerate().filter(|(_, name)| name.is_some()) {
        if names[..index].contains(name) {
            let key = format!("{section}.material[{}]", index + 1);
            let found = format!("a second material named \"{}\"", name.as_deref().unwrap_or_default());
            table.document.report(table.line_of("material"), &key, found, "unique names");
        }
    }
}

/// Index of the material named under `key`; the first material if the key is absent.
pub(super) fn read_name(table: &Table, key: &'static str, names: &[Option<String>]) -> Option<u16> {
    if !table.has(key) {
        table.pass(&[key]);
        return Some(0);
    }
    let name = table.text(key, "the name of a material")?;
    let found = names.iter().position(|other| other.as_deref() == Some(name));
    if found.is_none() && names.iter().all(Option::is_some) {
        let known = names.iter().flatten().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        table.document.report(table.line_of(key), &table.key(key), format!("\"{name}\""), format!("one of {known}"));
    }
    found.map(|index| index as u16)
}
