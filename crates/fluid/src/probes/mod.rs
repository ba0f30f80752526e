//! Instruments: what an engineer measures in the fluid and on bodies, with a sampling rate of its own.
//!
//! Each probe measures one or more quantities of a [`FluidSample`]: the fluid over one step of a running simulation, or one recorded frame.

mod contents;
mod grid_frames;
mod instruments;
mod kinds;
mod marks;
mod means;
mod placed;
mod quantity;
mod recorded;
mod running;
mod sample;
mod sample_grid;
mod sampler;
mod surface;

use serde::{Deserialize, Serialize};

pub(super) use grid_frames::GridFrames;
pub use instruments::recorded_instruments;
pub use kinds::{BodyForce, BodyMotion, BoxEvents, Flow, FluidTotals, Patch, PressurePoint, ProbeKind, Velocities, Volume, WaterHeight};
use plimsoll_contract::frame::Value;
pub use quantity::{Quantity, Signal};
pub use recorded::{MissingField, RecordedProbes};
pub use running::Probes;
pub use sample::FluidSample;
pub use sample_grid::SampleGrid;

/// An instrument.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// Unique among the probes of a scene; the name of its file.
    pub name: String,
    /// Samples per simulated second.
    pub rate: f64,
    /// What it measures.
    pub kind: ProbeKind,
}

impl Probe {
    /// The measured values at one instant as a row: the time and a column for each quantity, with its unit.
    pub fn row(&self, sample: &FluidSample) -> Vec<(String, Value)> {
        let time = ("time [s]".to_owned(), Value::Real(sample.time));
        let values = self.kind.quantities().into_iter().zip(self.kind.measure(sample));
        let column = |(Quantity { name, unit, .. }, value)| (format!("{name} [{unit}]"), Value::Real(value));
        std::iter::once(time).chain(values.map(column)).collect()
    }
}

/// Name of the table of the probe `name`, a path without extension.
pub fn table_name(name: &str) -> String {
    format!("probes/{name}")
}
