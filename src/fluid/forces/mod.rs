//! Forces other than pressure and gravity.

mod viscosity;
mod wall_friction;

pub use viscosity::{ViscousState, viscous_changes};
pub use wall_friction::wall_friction;
