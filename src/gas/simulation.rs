//! A gas as a run sees it: the constructor and the contract.

use serde::{Deserialize, Serialize};

use super::{counters::ImpactCounters, diagnostics, error::GasError, fast::Gas, settings::GasSettings, state::SphereState};
use crate::{
    frame::{Frame, Row},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

const RESTITUTION: &str = "restitution";

/// Hard spheres with what is recorded of them. Serialized, it is a checkpoint.
#[derive(Serialize, Deserialize)]
pub struct GasSimulation {
    pub(super) gas: Gas,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// Spheres whose paths are recorded, by their place in the setup.
    pub(super) traced: Vec<u32>,
    pub(super) initial_energy: f64,
    pub(super) last: LastStep,
    pub(super) path: Vec<Turn>,
}

/// What the last step began with, and how long it took.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct LastStep {
    pub before: ImpactCounters,
    pub seconds: f64,
}

/// A traced sphere where it turned, or where it was when a step ended.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Turn {
    pub time: f64,
    pub sphere: u32,
    pub state: SphereState,
    pub impacts: u32,
}

impl GasSimulation {
    /// Places the spheres that `settings` describe.
    ///
    /// # Errors
    /// As [`GasSettings::set_up`] and [`Gas::new`].
    pub fn new(settings: &GasSettings) -> Result<Self, GasError> {
        let gas = Gas::new(settings.set_up()?)?;
        let traced = (0..).zip(&settings.placed).filter(|(_, sphere)| sphere.traced).map(|(index, _)| index).collect();
        let mut simulation = Self { gas, time: 0.0, steps: 0, traced, initial_energy: 0.0, last: LastStep::default(), path: Vec::new() };
        simulation.initial_energy = diagnostics::Totals::of(&simulation.gas).energy;
        Ok(simulation)
    }

    pub fn gas(&self) -> &Gas {
        &self.gas
    }
}

impl Simulator for GasSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.gas.len()
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time { self.step(until) } else { Ok(()) }
    }

    fn frame(&self) -> Frame {
        diagnostics::frame(self)
    }

    fn diagnostics(&self) -> Row {
        diagnostics::row(self)
    }

    fn tables(&self) -> Vec<TableRows> {
        diagnostics::tables(self)
    }

    fn summary(&self) -> Vec<String> {
        diagnostics::summary(self)
    }

    fn describe(&self) -> Vec<Fact> {
        diagnostics::facts(self)
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl Interaction for GasSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::linear(RESTITUTION, "", self.gas.setup().impact.restitution, [0.0, 1.0])]
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        if name == RESTITUTION {
            self.gas.set_restitution(value.clamp(0.0, 1.0));
        }
    }
}
