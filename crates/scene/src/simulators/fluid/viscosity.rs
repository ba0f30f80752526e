//! The section `[fluid.viscosity]`.

use plimsoll_fluid::{Viscosity, ViscositySolver};

use crate::{
    read::{Quantity, Range, Table},
    rheology::{KINEMATIC, read_law},
};

const NOT_NEGATIVE: Quantity = Quantity::new(Range::NotNegative, "a number of 0 or more");
const FRACTION: Quantity = Quantity::new(Range::Fraction, "a number from 0 to 1");
const TOLERANCE: Quantity = Quantity::new(Range::PositiveUpTo(0.5), "a number above 0, at most 0.5");

/// The viscosity of a fluid without materials, and of materials without one of their own.
pub fn read(fluid: &Table) -> Viscosity {
    let defaults = Viscosity::default();
    let Some(table) = fluid.table("viscosity", "a table [fluid.viscosity]") else { return defaults };
    let kinematic = table.number_or("kinematic", KINEMATIC, defaults.kinematic);
    let viscosity = Viscosity {
        kinematic,
        law: read_law(&table, "kinematic", kinematic),
        artificial: table.number_or("artificial", NOT_NEGATIVE, defaults.artificial),
        noise: table.number_or("noise", NOT_NEGATIVE, defaults.noise),
        hyperviscosity: table.flag_or("hyperviscosity", defaults.hyperviscosity),
        xsph: table.number_or("xsph", FRACTION, defaults.xsph),
        wall: table.optional_number("wall", KINEMATIC),
        solver: read_solver(&table),
        tolerance: table.number_or("tolerance", TOLERANCE, defaults.tolerance),
        iterations: u32::try_from(table.integer_or("iterations", 1, defaults.iterations.into())).unwrap_or(u32::MAX),
    };
    if viscosity.hyperviscosity && viscosity.artificial == 0.0 {
        table.misplaced("hyperviscosity", "with artificial = 0", "it only with an artificial viscosity, which it applies twice");
    }
    if viscosity.artificial == 0.0 || viscosity.hyperviscosity {
        let found = if viscosity.hyperviscosity { "with hyperviscosity" } else { "with artificial = 0" };
        table.misplaced("noise", found, "it only with an artificial viscosity that is applied once");
    }
    if viscosity.solver == ViscositySolver::Explicit {
        for key in ["tolerance", "iterations"] {
            table.misplaced(key, "with solver = \"explicit\"", "it only with solver = \"implicit\" or \"auto\"");
        }
    }
    table.finish();
    viscosity
}

fn read_solver(table: &Table) -> ViscositySolver {
    let solver = if table.has("solver") { table.choice("solver", &["auto", "explicit", "implicit"]) } else { None };
    table.pass(&["solver"]);
    match solver {
        Some("explicit") => ViscositySolver::Explicit,
        Some("implicit") => ViscositySolver::Implicit,
        _ => ViscositySolver::Auto,
    }
}
