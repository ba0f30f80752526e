//! The section `[fluid.air]`.

use plimsoll_fluid::Air;

use crate::read::{Quantity, Range, Table};

const DENSITY: Quantity = Quantity::new(Range::Positive, "a positive density in kg/m³");
const VISCOSITY: Quantity = Quantity::new(Range::Positive, "a positive dynamic viscosity in Pa s");
const TENSION: Quantity = Quantity::new(Range::Positive, "a positive surface tension in N/m");

/// The air, if the scene has any.
pub(super) fn read(fluid: &Table) -> Option<Air> {
    let table = fluid.table("air", "a table [fluid.air]")?;
    let defaults = Air::default();
    let air = Air {
        density: table.number_or("density", DENSITY, defaults.density),
        viscosity: table.number_or("viscosity", VISCOSITY, defaults.viscosity),
        velocity: table.vector_or("velocity", "a velocity [x, y, z] in m/s", defaults.velocity),
        surface_tension: table.number_or("surface_tension", TENSION, defaults.surface_tension),
    };
    table.finish();
    Some(air)
}
