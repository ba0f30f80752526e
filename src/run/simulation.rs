//! The simulators behind one face.

use serde::{Deserialize, Serialize};

use crate::{
    fluid::{FluidSimulation, SetupError},
    frame::{Frame, Row},
    scene::Definition,
};

/// A simulation of any kind.
#[derive(Serialize, Deserialize)]
pub enum Simulation {
    Fluid(Box<FluidSimulation>),
}

impl Simulation {
    /// The simulation that a scene defines, at time zero.
    pub fn new(definition: Definition) -> Result<Self, SetupError> {
        match definition {
            Definition::Fluid { settings, bodies } => Ok(Self::Fluid(Box::new(FluidSimulation::new(settings, bodies)?))),
        }
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        match self {
            Self::Fluid(fluid) => fluid.time(),
        }
    }

    /// Steps from time zero.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Fluid(fluid) => fluid.steps(),
        }
    }

    /// One step, not past the time `until`.
    pub fn advance(&mut self, until: f64) {
        match self {
            Self::Fluid(fluid) => fluid.advance(until),
        }
    }

    pub fn frame(&self) -> Frame {
        match self {
            Self::Fluid(fluid) => fluid.frame(),
        }
    }

    /// Of the last step.
    pub fn diagnostics(&self) -> Row {
        match self {
            Self::Fluid(fluid) => fluid.diagnostics(),
        }
    }

    /// Of the last step, one row a body.
    pub fn body_diagnostics(&self) -> Vec<Row> {
        match self {
            Self::Fluid(fluid) => fluid.body_diagnostics(),
        }
    }

    pub fn particle_count(&self) -> usize {
        match self {
            Self::Fluid(fluid) => fluid.particle_count(),
        }
    }

    /// Lines to show at the end of a run.
    pub fn summary(&self) -> Vec<String> {
        match self {
            Self::Fluid(fluid) => fluid.summary(),
        }
    }

    /// Rebuilds what a checkpoint leaves out; called once after reading one.
    pub fn restore(&mut self) {
        match self {
            Self::Fluid(fluid) => fluid.restore(),
        }
    }
}
