//! The sections `[[blocks.material]]` and `[[blocks.joint]]`.

use plimsoll_blocks::{Joint, JointTable, Material};

use crate::read::{Quantity, Range, Table};

const DENSITY: Quantity = Quantity::new(Range::Positive, "a positive density in kg/m³");
const MODULUS: Quantity = Quantity::new(Range::Positive, "a positive modulus in Pa");
const POISSON: Quantity = Quantity::new(Range::NotNegative, "Poisson's ratio, from 0 to below 0.5");
const STRENGTH: Quantity = Quantity::new(Range::NotNegative, "a strength in Pa, 0 or more");
const ANGLE: Quantity = Quantity::new(Range::NotNegative, "an angle in degrees, from 0 to below 90");

/// Maximum number of materials, limited by their 16-bit index.
const MAX_MATERIALS: usize = 65_535;

/// Names of the materials, in order.
pub struct Names(Vec<String>);

impl Names {
    pub fn of(materials: &[Material]) -> Self {
        Self(materials.iter().map(|material| material.name.clone()).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Index of the material named under `key`; the first material if the key is absent.
    pub fn read(&self, table: &Table, key: &'static str) -> u16 {
        if !table.has(key) {
            table.pass(&[key]);
            return 0;
        }
        table.text(key, "the name of a material").and_then(|name| self.find(table, key, name)).unwrap_or(0)
    }

    fn find(&self, table: &Table, key: &'static str, name: &str) -> Option<u16> {
        let place = self.0.iter().position(|other| other == name);
        if place.is_none() {
            let known = self.0.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
            table.document.report(table.line_of(key), &table.key(key), format!("\"{name}\""), format!("one of the materials {known}"));
        }
        place.map(|place| place as u16)
    }
}

/// The materials; if none is given, a default one of typical rock.
pub fn read_materials(table: &Table) -> Vec<Material> {
    let mut materials: Vec<Material> = Vec::new();
    for material in table.tables("material") {
        let name = material.text("name", "the name of the material").unwrap_or_default();
        if materials.iter().any(|other| other.name == name) {
            material.document.report(
                material.line_of("name"),
                &material.key("name"),
                format!("\"{name}\", already the name of another material"),
                "a unique name",
            );
        }
        let density = material.number("density", DENSITY).unwrap_or(1.0);
        let young_modulus = material.number("young_modulus", MODULUS).unwrap_or(1.0);
        let poisson_ratio = material.number_or("poisson_ratio", POISSON, 0.25);
        if poisson_ratio >= 0.5 {
            material.document.report(
                material.line_of("poisson_ratio"),
                &material.key("poisson_ratio"),
                format!("{poisson_ratio}"),
                POISSON.words,
            );
        }
        let initial_stress = material.three_numbers_or("initial_stress", "a stress [σ_x, σ_y, τ_xy] in Pa", [0.0; 3]);
        material.finish();
        materials.push(Material { name: name.to_owned(), density, young_modulus, poisson_ratio, initial_stress });
    }
    if materials.len() > MAX_MATERIALS {
        table.document.report(table.line, "blocks.material", format!("{} materials", materials.len()), format!("at most {MAX_MATERIALS}"));
    }
    if materials.is_empty() {
        let name = "rock".to_owned();
        materials.push(Material { name, density: 2600.0, young_modulus: 5e9, poisson_ratio: 0.25, initial_stress: [0.0; 3] });
    }
    materials
}

/// The joints: entries for pairs of materials, and one for all other pairs.
pub fn read_joints(table: &Table, names: &Names) -> JointTable {
    let ordinary = Joint { friction: 30_f64.to_radians().tan(), cohesion: 0.0, tensile_strength: 0.0 };
    let mut joints = JointTable::uniform(names.len(), ordinary);
    let mut special = Vec::new();
    let mut general = false;
    for entry in table.tables("joint") {
        let angle = entry.number("friction_angle", ANGLE).unwrap_or(0.0);
        if angle >= 90.0 {
            entry.document.report(entry.line_of("friction_angle"), &entry.key("friction_angle"), format!("{angle}"), ANGLE.words);
        }
        let cohesion = entry.number_or("cohesion", STRENGTH, 0.0);
        let tensile_strength = entry.number_or("tensile_strength", STRENGTH, 0.0);
        let joint = Joint { friction: angle.to_radians().tan(), cohesion, tensile_strength };
        let named = entry.has("between");
        if named {
            special.extend(read_between(&entry, names).map(|pair| (pair, joint)));
        } else {
            entry.pass(&["between"]);
            if general {
                entry.document.report(entry.line, &entry.key("between"), "nothing", "two materials: another joint already omits `between`");
            }
            general = true;
            joints = JointTable::uniform(names.len(), joint);
        }
        entry.finish();
    }
    for ((one, other), joint) in special {
        joints.set(one, other, joint);
    }
    joints
}

fn read_between(entry: &Table, names: &Names) -> Option<(usize, usize)> {
    let given = entry.entry("between")?;
    let texts: Option<Vec<&str>> = given.value.as_array().and_then(|items| items.iter().map(|item| item.get_ref().as_str()).collect());
    match texts.as_deref() {
        Some([one, other]) => {
            let (one, other) = (names.find(entry, "between", one), names.find(entry, "between", other));
            Some((usize::from(one?), usize::from(other?)))
        }
        _ => {
            entry.document.wrong(&given, "an array of two material names");
            None
        }
    }
}
