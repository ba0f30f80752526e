//! Aggregates: state, constructor and access.

use plimsoll_base::{math::Random, timing::StageTimes};
use plimsoll_contract::simulator::{Unwatched, Watch};
use serde::{Deserialize, Serialize};

use super::{
    diagnostics::AggregateStage,
    engine::Engine,
    error::AggregateError,
    placement::{MOTIONS, place},
    settings::{AggregateSettings, MotionLaw},
    state::{Merger, Population},
};

/// Clusters and their counters. Serialized, it is a checkpoint.
#[derive(Serialize, Deserialize)]
pub struct AggregateSimulation {
    pub(super) settings: AggregateSettings,
    pub(super) population: Population,
    pub(super) random: Random,
    pub(super) time: f64,
    pub(super) steps: u64,
    /// When all clusters draw new velocities.
    pub(super) step_end: f64,
    /// With individual clocks, when each cluster draws a new velocity.
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
    /// Contacts at which two clusters became one.
    pub mergers: u64,
    /// Searches for the next collision.
    pub rounds: u64,
    /// Flights of a cluster from one new velocity to the next, or through a step.
    pub moves: u64,
    /// Contacts without sticking, and contacts with walls.
    pub bounces: u64,
    /// Contacts of a cluster with a wall.
    pub wall_bounces: u64,
    /// Contacts accepted deeper than `ε = 0.95`, which occur only with sampling.
    pub deep_contacts: u64,
    /// Pairs of clusters for which windows were computed.
    pub pairs: u64,
    /// Pairs passed to the narrow phase.
    pub narrow: u64,
}

/// Results of the last step.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LastStep {
    pub seconds: f64,
    pub mergers: Vec<Merger>,
    /// Whether the step reached the requested time.
    pub arrived: bool,
    pub clusters_before: usize,
}

impl AggregateSimulation {
    /// Places the spheres that `settings` describe.
    ///
    /// # Errors
    /// If they do not fit.
    pub fn new(settings: &AggregateSettings) -> Result<Self, AggregateError> {
        Self::prepare(settings, &Unwatched)
    }

    /// [`AggregateSimulation::new`] that reports progress to `watch`.
    ///
    /// # Errors
    /// As for `new`, or `watch` interrupts.
    pub fn prepare(settings: &AggregateSettings, watch: &dyn Watch) -> Result<Self, AggregateError> {
        Ok(Self::with_population(settings, place(settings, watch)?))
    }

    /// A simulation of the clusters in `population`; ignores number, size and placement of the spheres in `settings`.
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

    /// All clusters, at the current time.
    pub fn population(&self) -> &Population {
        &self.population
    }

    /// The settings, with changes made during the run.
    pub fn settings(&self) -> &AggregateSettings {
        &self.settings
    }

    /// Totals since time zero.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The mergers of the last step, in order.
    pub fn mergers(&self) -> &[Merger] {
        &self.last.mergers
    }

    /// Whether a run ends with `clusters` left.
    pub(super) fn reaches_stop(&self, clusters: usize) -> bool {
        let stop = self.settings.stop;
        stop.clusters.is_some_and(|few| clusters as u64 <= few)
            || stop.mean_size.is_some_and(|size| self.primaries as f64 >= size * clusters as f64)
    }

    /// Seconds until all clusters draw new velocities; infinite with individual clocks.
    pub fn remaining(&self) -> f64 {
        if self.settings.law == MotionLaw::Relaxation { f64::INFINITY } else { self.step_end - self.time }
    }
}
