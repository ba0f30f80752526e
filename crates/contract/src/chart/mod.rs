//! Charts as plain data: pictures with panels and lines, and the recorded runs as their input.
//!
//! Simulators and bodies describe their pictures here; `plot` reads runs and draws. This module neither reads files nor draws.

mod diagram;
mod figures;
mod picture;
mod recorded_run;
mod recorded_table;
mod setting;

pub use diagram::{Diagram, Quantity};
pub use figures::{FigureSource, Figures};
pub use picture::{Image, Panel, Picture, Scale, Series};
pub use recorded_run::RecordedRun;
pub use recorded_table::{ColumnGroup, RecordedTable};
pub use setting::Setting;
