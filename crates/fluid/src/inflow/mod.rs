//! Where fluid enters and leaves.

mod course;
mod drains;
mod emitters;
mod nozzle;

pub use course::SpeedCourse;
pub use emitters::{Inflow, InflowScene};
