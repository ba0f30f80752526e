//! Implements [`crate::simulator`] for aggregates.

use super::{diagnostics, simulation::AggregateSimulation};
use crate::{
    frame::{Frame, Row},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

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

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        if name == STICKING {
            self.settings.sticking = value;
        }
    }
}
