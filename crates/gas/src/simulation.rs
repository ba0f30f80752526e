//! Simulation of a gas: state, constructor and access.

use plimsoll_contract::simulator::{Unwatched, Watch};
use serde::{Deserialize, Serialize};

use super::{counters::ImpactCounters, error::GasError, fast::Gas, settings::GasSettings, state::SphereState, totals::Totals};

/// Hard spheres and their recorded data. The serialized form is a checkpoint.
#[derive(Serialize, Deserialize)]
pub struct GasSimulation {
    pub(super) gas: Gas,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// Spheres whose paths are recorded, by index in the setup.
    pub(super) traced: Vec<u32>,
    pub(super) initial_energy: f64,
    pub(super) last: LastStep,
    pub(super) path: Vec<Turn>,
}

/// Counters at the start of the last step, and its duration.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct LastStep {
    pub before: ImpactCounters,
    pub seconds: f64,
}

/// State of a traced sphere at an impact or at the end of a step.
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
    /// Same as [`GasSettings::set_up`] and [`Gas::new`].
    pub fn new(settings: &GasSettings) -> Result<Self, GasError> {
        Self::prepare(settings, &Unwatched)
    }

    /// [`GasSimulation::new`] that reports progress to `watch`.
    ///
    /// # Errors
    /// As for `new`, or `watch` interrupts.
    pub fn prepare(settings: &GasSettings, watch: &dyn Watch) -> Result<Self, GasError> {
        let setup = settings.set_up_watched(watch)?;
        watch.progress("predicting the first impacts", 0, 1)?;
        let gas = Gas::new(setup)?;
        let traced = (0..).zip(&settings.placed).filter(|(_, sphere)| sphere.traced).map(|(index, _)| index).collect();
        let mut simulation = Self { gas, time: 0.0, steps: 0, traced, initial_energy: 0.0, last: LastStep::default(), path: Vec::new() };
        simulation.initial_energy = Totals::of(&simulation.gas).energy;
        Ok(simulation)
    }

    /// The gas at the current time.
    pub fn gas(&self) -> &Gas {
        &self.gas
    }
}
