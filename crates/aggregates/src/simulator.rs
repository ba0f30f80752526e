//! Implements [`plimsoll_contract::simulator`] for aggregates.

use plimsoll_contract::{
    frame::{Frame, Row},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

use super::{diagnostics, simulation::AggregateSimulation};

const STICKING: &str = "sticking probability";

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

    fn elements(&self) -> (usize, &'static str) {
        (self.population.len(), "clusters")
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
        self.reaches_stop(self.population.len())
    }

    /// The number of clusters decreases as `n = n_0 / (1 + t/t_h)` while the rate constant stays the same (Smoluchowski 1917).
    fn expected_finish(&self) -> Option<f64> {
        let (now, goal) = (self.primaries as f64 / self.population.len() as f64, self.settings.stop.mean_size_of(self.primaries)?);
        (now > 1.0).then(|| self.time * ((goal - 1.0) / (now - 1.0)).max(1.0))
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

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        if name == STICKING {
            self.settings.sticking = value;
        }
    }
}
