//! Materials: the sections `[[fluid.material]]`, and names, which are unique and known where something is made of one.

use plimsoll_fluid::{CONTACT_ANGLES, MAX_MATERIALS, Material, Viscosity};

use super::{
    read::{Quantity, Range, Table},
    rheology::{KINEMATIC, read_law},
};

// Pressures and their squares are computed in single precision.
pub(super) const DENSITY: Quantity = Quantity::new(Range::Between(1e-6, 1e9), "a density in kg/m³ from 1e-6 to 1e9");
pub(super) const TENSION: Quantity = Quantity::new(Range::NotNegative, "a surface tension in N/m, 0 or more");
const CONTACT_ANGLE: Quantity =
    Quantity::new(Range::Between(*CONTACT_ANGLES.start(), *CONTACT_ANGLES.end()), "a contact angle in degrees from 60 to 120");

/// The fluids of a scene by name.
pub(super) struct Materials {
    /// `None` stands for an invalid one.
    list: Vec<Option<Material>>,
    names: Vec<Option<String>>,
}

impl Materials {
    /// The materials of the table `[fluid]`; without a viscosity, surface tension or contact angle of its own, one has that of the fluid.
    pub fn read(fluid: &Table, viscosity: &Viscosity, tension: f64, contact_angle: f64) -> Self {
        let tables = fluid.tables("material");
        if tables.len() > MAX_MATERIALS {
            let (found, expected) = (format!("{} materials", tables.len()), format!("at most {MAX_MATERIALS}"));
            fluid.document.report(fluid.line_of("material"), "fluid.material", found, expected);
        }
        if !tables.is_empty() {
            fluid.misplaced("density", "with [[fluid.material]]", "it only without: each material has its own");
        }
        let list: Vec<Option<Material>> = tables.into_iter().map(|table| read_material(table, viscosity, tension, contact_angle)).collect();
        let names: Vec<Option<String>> = list.iter().map(|material| material.as_ref().map(|material| material.name.clone())).collect();
        check_names(fluid, "fluid", &names);
        Self { list, names }
    }

    /// Index of the material that the fill or emitter in `table` names; of the first one if it names none.
    pub fn index(&self, table: &Table) -> u8 {
        if self.list.is_empty() {
            table.misplaced("material", "in a scene without [[fluid.material]]", "it only with the material that it names");
            return 0;
        }
        read_name(table, "material", &self.names).and_then(|index| u8::try_from(index).ok()).unwrap_or(0)
    }

    /// The valid materials.
    pub fn into_list(self) -> Vec<Material> {
        self.list.into_iter().flatten().collect()
    }
}

/// The contact angle in `table` for a surface with this `tension` (N/m), rad, or else the `default`.
pub(super) fn read_contact_angle(table: &Table, tension: f64, default: f64) -> f64 {
    if tension == 0.0 {
        table.misplaced("contact_angle", "without surface tension", "it only with a `surface_tension` above 0");
    }
    table.number_or("contact_angle", CONTACT_ANGLE, default.to_degrees()).to_radians()
}

fn read_material(table: Table, viscosity: &Viscosity, tension: f64, contact_angle: f64) -> Option<Material> {
    let name = table.text("name", "a name in quotes").map(str::to_owned);
    let density = table.number("density", DENSITY);
    let kinematic_viscosity = table.number_or("kinematic_viscosity", KINEMATIC, viscosity.kinematic);
    // A viscosity of its own is Newtonian unless it has a law.
    let inherits = !table.has("kinematic_viscosity") && !table.has("law");
    let law = read_law(&table, "kinematic_viscosity", kinematic_viscosity);
    let surface_tension = table.number_or("surface_tension", TENSION, tension);
    let contact_angle = read_contact_angle(&table, surface_tension, contact_angle);
    let color = table.optional_color("color");
    table.finish();
    Some(Material {
        name: name?,
        density: density?,
        kinematic_viscosity,
        law: if inherits { viscosity.law } else { law },
        surface_tension,
        contact_angle,
        color,
    })
}

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
        let known = names.iter().flatten().map(String::as_str);
        table.document.unknown_name(table.line_of(key), &table.key(key), name, "material", known);
    }
    found.map(|index| index as u16)
}
