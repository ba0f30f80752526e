//! The probes of a running simulation.

use plimsoll_contract::{
    frame::{Row, Value},
    simulator::TableRows,
};
use serde::{Deserialize, Serialize};

use super::{BoxEvents, FluidSample, Probe, ProbeKind, Quantity, contents::Contents, sampler::Sampler, table_name};

/// The probes of a running simulation with the state of their sampling.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Probes {
    pub(super) list: Vec<RunningProbe>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct RunningProbe {
    pub probe: Probe,
    pub sampler: Sampler,
    /// What is in the box of a probe of events.
    #[serde(default)]
    contents: Contents,
    /// Rows of the last step.
    #[serde(skip)]
    rows: Vec<Vec<f64>>,
    /// Events of the last step.
    #[serde(skip)]
    events: Vec<Row>,
}

impl Probes {
    /// Probes that begin at `start` (s).
    pub fn new(probes: &[Probe], start: f64) -> Self {
        let running = |probe: &Probe| {
            let signals = probe.kind.quantities().iter().map(|quantity| quantity.signal).collect();
            let sampler = Sampler::new(start, probe.rate, signals);
            RunningProbe { probe: probe.clone(), sampler, contents: Contents::default(), rows: Vec::new(), events: Vec::new() }
        };
        Self { list: probes.iter().map(running).collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Measures one step.
    pub fn measure(&mut self, sample: &FluidSample) {
        for RunningProbe { probe, sampler, contents, rows, events } in &mut self.list {
            if let ProbeKind::Events(BoxEvents { region }) = &probe.kind {
                *events = contents.update(region, sample);
                continue;
            }
            let values = probe.kind.measure(sample);
            sampler.add(sample.time - sample.dt, sample.time, &values, rows);
        }
    }

    /// The rows that step `step` adds to the table of each probe.
    pub fn tables(&self, step: u64) -> impl Iterator<Item = TableRows> {
        self.list.iter().map(move |RunningProbe { probe, rows, events, .. }| {
            let step_first =
                |values: &mut dyn Iterator<Item = Value>| -> Vec<Value> { std::iter::once(Value::Integer(step)).chain(values).collect() };
            if let ProbeKind::Events(_) = probe.kind {
                let columns = std::iter::once("step").chain(Contents::columns()).map(Into::into).collect();
                let rows = events.iter().map(|row| step_first(&mut row.iter().map(|(_, value)| value.clone()))).collect();
                return TableRows { name: format!("events/{}", probe.name).into(), columns, rows };
            }
            let mut columns = vec!["step".into(), "time [s]".into()];
            for quantity in probe.kind.quantities() {
                let Quantity { name, unit, .. } = &quantity;
                columns.extend(["", "_mean", "_min", "_max"].map(|part| format!("{name}{part} [{unit}]").into()));
            }
            let cells = |row: &Vec<f64>| step_first(&mut row.iter().copied().map(Value::Real));
            TableRows { name: table_name(&probe.name).into(), columns, rows: rows.iter().map(cells).collect() }
        })
    }
}
