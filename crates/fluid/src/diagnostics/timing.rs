//! Stages of a step.

use plimsoll_base::timing;

/// Parts of a step that are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Sorting into cells, neighbour lists.
    Neighbours,
    /// Mapping of slab-cut balls, wall integrals.
    Walls,
    /// Densities and kernel gradients.
    Densities,
    /// The divergence solve.
    Divergence,
    /// Viscosity, shear at walls, gravity, stirring.
    Forces,
    /// The constant-density solve.
    Pressure,
    /// Motion of bodies and contacts between them.
    Bodies,
    /// The check that no path crosses a triangle.
    Collisions,
    /// Motion, ledger, diagnostics.
    Rest,
}

impl timing::Stage for Stage {
    const COLUMNS: &'static [&'static str] = &[
        "neighbours_seconds",
        "walls_seconds",
        "densities_seconds",
        "divergence_seconds",
        "forces_seconds",
        "pressure_seconds",
        "bodies_seconds",
        "collisions_seconds",
        "rest_seconds",
    ];

    fn place(self) -> usize {
        self as usize
    }
}
