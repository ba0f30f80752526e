//! The section `[fluid.micropolar]`.

use plimsoll_fluid::Micropolar;

use crate::read::{Quantity, Range, Table};

const ROTATIONAL: Quantity = Quantity::new(Range::Positive, "a positive kinematic viscosity in m²/s");
const INERTIA: Quantity = Quantity::new(Range::Positive, "a positive moment of inertia per mass in m²");
const DIFFUSION: Quantity = Quantity::new(Range::NotNegative, "a spin viscosity in m⁴/s, 0 or more");

/// The constants of the spin, if the scene has any.
pub(super) fn read(fluid: &Table) -> Option<Micropolar> {
    let table = fluid.table("micropolar", "a table [fluid.micropolar]")?;
    let rotational_viscosity = table.number("rotational_viscosity", ROTATIONAL);
    let inertia = table.number("inertia", INERTIA);
    let spin_viscosity = table.number_or("spin_viscosity", DIFFUSION, 0.0);
    table.finish();
    Some(Micropolar { rotational_viscosity: rotational_viscosity?, inertia: inertia?, spin_viscosity })
}
