//! The sections `[[fluid.material]]`: several fluids, and which of them a fill or an emitter consists of.

use super::{DENSITY, KINEMATIC};
use crate::{
    fluid::{MAX_MATERIALS, Material, Viscosity},
    scene::{
        read::Table,
        simulators::materials::{check_names, read_name},
    },
};

/// The fluids of a scene by name.
pub(in crate::scene) struct Materials {
    /// `None` stands for an invalid one.
    list: Vec<Option<Material>>,
    names: Vec<Option<String>>,
}

impl Materials {
    /// The materials of the table `[fluid]`; without a viscosity of its own, one has that of the fluid.
    pub fn read(fluid: &Table, viscosity: &Viscosity) -> Self {
        let tables = fluid.tables("material");
        if tables.len() > MAX_MATERIALS {
            let (found, expected) = (format!("{} materials", tables.len()), format!("at most {MAX_MATERIALS}"));
            fluid.document.report(fluid.line_of("material"), "fluid.material", found, expected);
        }
        if !tables.is_empty() {
            fluid.misplaced("density", "with [[fluid.material]]", "it only without: each material has its own");
        }
        let list: Vec<Option<Material>> = tables.into_iter().map(|table| read_material(table, viscosity)).collect();
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

fn read_material(table: Table, viscosity: &Viscosity) -> Option<Material> {
    let name = table.text("name", "a name in quotes").map(str::to_owned);
    let density = table.number("density", DENSITY);
    let kinematic_viscosity = table.number_or("kinematic_viscosity", KINEMATIC, viscosity.kinematic);
    let color = table.optional_color("color");
    table.finish();
    Some(Material { name: name?, density: density?, kinematic_viscosity, color })
}
