//! Instruments: what an engineer measures in the fluid and on bodies, with a sampling rate of its own.
//!
//! Each probe measures one or more quantities of a [`FluidSample`]: the fluid over one step of a running simulation, or one recorded frame.

mod instruments;
mod kinds;
mod marks;
mod placed;
mod quantity;
mod recorded;
mod sample;
mod sampler;
mod surface;

use serde::{Deserialize, Serialize};

pub use instruments::recorded_instruments;
pub use kinds::{BodyForce, BodyMotion, Flow, FluidTotals, Patch, PressurePoint, ProbeKind, Velocities, Volume, WaterHeight};
use plimsoll_contract::{frame::Value, simulator::TableRows};
pub use quantity::{Quantity, Signal};
pub use recorded::{MissingField, RecordedProbes};
pub use sample::FluidSample;
use sampler::Sampler;

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

/// The probes of a running simulation with the state of their sampling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Probes {
    list: Vec<RunningProbe>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RunningProbe {
    probe: Probe,
    sampler: Sampler,
    /// Rows of the last step.
    #[serde(skip)]
    rows: Vec<Vec<f64>>,
}

impl Probes {
    /// Probes that begin at `start` (s).
    pub fn new(probes: &[Probe], start: f64) -> Self {
        let running = |probe: &Probe| {
            let signals = probe.kind.quantities().iter().map(|quantity| quantity.signal).collect();
            RunningProbe { probe: probe.clone(), sampler: Sampler::new(start, probe.rate, signals), rows: Vec::new() }
        };
        Self { list: probes.iter().map(running).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Measures one step.
    pub fn measure(&mut self, sample: &FluidSample) {
        for RunningProbe { probe, sampler, rows } in &mut self.list {
            let values = probe.kind.measure(sample);
            sampler.add(sample.time - sample.dt, sample.time, &values, rows);
        }
    }

    /// The rows that step `step` adds to the table of each probe.
    pub fn tables(&self, step: u64) -> impl Iterator<Item = TableRows> {
        self.list.iter().map(move |RunningProbe { probe, rows, .. }| {
            let mut columns = vec!["step".into(), "time [s]".into()];
            for quantity in probe.kind.quantities() {
                let Quantity { name, unit, .. } = &quantity;
                columns.extend(["", "_mean", "_min", "_max"].map(|part| format!("{name}{part} [{unit}]").into()));
            }
            let cells = |row: &Vec<f64>| std::iter::once(Value::Integer(step)).chain(row.iter().copied().map(Value::Real)).collect();
            TableRows { name: table_name(&probe.name).into(), columns, rows: rows.iter().map(cells).collect() }
        })
    }
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
