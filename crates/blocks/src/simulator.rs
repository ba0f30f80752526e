//! Implements [`plimsoll_contract::simulator`] for blocks.

use plimsoll_base::math::parallel::run_awake;
use plimsoll_contract::{
    frame::{Frame, Row},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

use super::{diagnostics, simulation::BlocksSimulation};

const GRAVITY: &str = "gravity";
const VELOCITY_KEPT: &str = "velocity kept per step";

impl Simulator for BlocksSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.block_count()
    }

    fn elements(&self) -> (usize, &'static str) {
        (self.element_count(), "blocks")
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time { run_awake(|| self.step(until)) } else { Ok(()) }
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

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.working.times.columns()
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

impl Interaction for BlocksSimulation {
    fn parameters(&self) -> Vec<Parameter> {
        vec![
            Parameter::linear(GRAVITY, "m/s²", self.settings.gravity.y, [-20.0, 5.0]),
            Parameter::linear(VELOCITY_KEPT, "", self.settings.step.velocity_kept, [0.0, 1.0]),
        ]
    }

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        match name {
            GRAVITY => self.settings.gravity.y = value,
            VELOCITY_KEPT => self.settings.step.velocity_kept = value,
            _ => {}
        }
    }
}
