//! Where fluid enters and leaves.

mod drains;
mod emitters;
mod nozzle;

pub use emitters::{Inflow, InflowScene};
