//! Aggregates as a run sees them: the constructor and the contract.

use serde::{Deserialize, Serialize};

use super::{
    diagnostics::{self, AggregateStage},
    engine::Engine,
    error::AggregateError,
    placement::{MOTIONS, place},
    settings::{AggregateSettings, MotionLaw},
    state::{Merger, Population},
};
use crate::{
    frame::{Frame, Row},
    math::Random,
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
    timing::StageTimes,
};

const STICKING: &str = "sticking probability";

/// Clusters with what is recorded of them. Serialized, it is a checkpoint.
#[derive(Serialize, Deserialize)]
pub struct AggregateSimulation {
    pub(super) settings: AggregateSettings,
    pub(super) population: Population,
    pub(super) random: Random,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// When all draw new velocities.
    pub(super) step_end: f64,
    /// With clocks of their own, when each cluster draws a new velocity.
    pub(super) due: Vec<f64>,
    pub(super) last: LastStep,
    pub(super) totals: Totals,
    pub(super) primaries: usize,
    #[serde(skip)]
    pub(super) engine: Engine,
    #[serde(skip)]
    pub(super) times: StageTimes<AggregateStage>,
}

/// Totals since time zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    pub mergers: u64,
    /// Searches for the next collision.
    pub rounds: u64,
    /// Flights of a cluster from one new velocity to the next, or through a step.
    pub moves: u64,
    /// Contacts that did not stick, and with walls.
    pub bounces: u64,
    pub wall_bounces: u64,
    /// Contacts taken deeper than `ε = 0.95`, which only sampling lets happen.
    pub deep_contacts: u64,
    pub pairs: u64,
    pub narrow: u64,
}

/// What the last step brought.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LastStep {
    pub seconds: f64,
    pub mergers: Vec<Merger>,
    /// Whether it reached the time that was requested.
    pub arrived: bool,
    pub clusters_before: usize,
}

impl AggregateSimulation {
    /// Places the spheres that `settings` describe.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn new(settings: &AggregateSettings) -> Result<Self, AggregateError> {
        Ok(Self::with_population(settings, place(settings)?))
    }

    /// A simulation of the clusters in `population`, independent of number, size and place in `settings`.
    pub fn with_population(settings: &AggregateSettings, mut population: Population) -> Self {
        population.turns = settings.rotation > 0.0;
        let mut simulation = Self {
            primaries: population.clusters.iter().map(|cluster| cluster.len()).sum(),
            random: Random::stream(settings.seed, MOTIONS),
            settings: settings.clone(),
            population,
            time: 0.0,
            steps: 0,
            step_end: 0.0,
            due: Vec::new(),
            last: LastStep::default(),
            totals: Totals::default(),
            engine: Engine::default(),
            times: StageTimes::default(),
        };
        simulation.draw_all();
        simulation
    }

    pub fn population(&self) -> &Population {
        &self.population
    }

    pub fn settings(&self) -> &AggregateSettings {
        &self.settings
    }

    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The mergers of the last step, in their order.
    pub fn mergers(&self) -> &[Merger] {
        &self.last.mergers
    }

    /// Seconds until all clusters draw new velocities; infinite with clocks of their own.
    pub fn remaining(&self) -> f64 {
        if self.settings.law == MotionLaw::Relaxation { f64::INFINITY } else { self.step_end - self.time }
    }
}

impl Simulator for AggregateSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.primaries
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

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time {
            self.step(until);
        }
        Ok(())
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.times.columns()
    }

    fn is_finished(&self) -> bool {
        let (clusters, stop) = (self.population.len() as u64, self.settings.stop);
        stop.clusters.is_some_and(|few| clusters <= few)
            || stop.mean_size.is_some_and(|size| self.primaries as f64 >= size * clusters as f64)
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

impl Interaction for AggregateSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::linear(STICKING, "", self.settings.sticking, [0.0, 1.0])]
    }

    fn set_parameter(&mut self, name: &str, value: f64) {
        if name == STICKING {
            self.settings.sticking = value.clamp(0.0, 1.0);
        }
    }
}
