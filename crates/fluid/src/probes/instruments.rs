//! Probes as instruments to be shown, live and in a recorded run.

use plimsoll_bodies::Body;
use plimsoll_contract::{
    frame::Frame,
    simulator::{Instrument, Reading},
};

use super::{Probe, Probes, Quantity, placed::Placed};
use crate::FluidSettings;

impl Probes {
    /// The probes as instruments to be shown, with the bodies where they are now.
    pub fn instruments(&self, settings: &FluidSettings, bodies: &[Body]) -> Vec<Instrument> {
        let bodies: Vec<Placed> = bodies.iter().map(Placed::from).collect();
        self.list.iter().map(|running| running.probe.instrument(settings, &bodies, running.sampler.last())).collect()
    }
}

/// The probes of a run as instruments to be shown at `frame`; `value` returns what the quantity (second argument) of a probe (first) was.
/// Quantities without a value are left out.
pub fn recorded_instruments(settings: &FluidSettings, frame: &Frame, value: &dyn Fn(&str, &str) -> Option<f64>) -> Vec<Instrument> {
    let bodies: Vec<Placed> = frame.bodies.iter().map(Placed::from).collect();
    let instrument = |probe: &Probe| {
        let quantities = probe.kind.quantities();
        let values: Option<Vec<f64>> = quantities.iter().map(|quantity| value(&probe.name, &quantity.name)).collect();
        probe.instrument(settings, &bodies, &values.unwrap_or_default())
    };
    settings.probes.iter().map(instrument).collect()
}

impl Probe {
    /// The probe as an instrument to be shown, with `last` values.
    fn instrument(&self, settings: &FluidSettings, bodies: &[Placed], last: &[f64]) -> Instrument {
        let quantities = self.kind.quantities().into_iter().zip(last);
        let readings = quantities.map(|(Quantity { name, unit, .. }, &value)| Reading { quantity: name, unit, value }).collect();
        Instrument { name: self.name.clone(), lines: self.lines(settings, bodies, last), readings }
    }
}
