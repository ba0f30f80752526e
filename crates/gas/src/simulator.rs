//! Implements [`plimsoll_contract::simulator`] for a gas.

use plimsoll_contract::{
    frame::{Frame, Row},
    simulator::{Fact, Interaction, Parameter, SimulationError, Simulator, TableRows},
};

use super::{diagnostics, simulation::GasSimulation};

const RESTITUTION: &str = "restitution";

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

    fn elements(&self) -> (usize, &'static str) {
        (self.element_count(), "spheres")
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

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        if name == RESTITUTION {
            self.gas.set_restitution(value);
        }
    }
}
