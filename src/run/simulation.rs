//! The simulators behind one face.

use serde::{Deserialize, Serialize};

use crate::{
    fluid::{self, FluidSimulation},
    frame::{Frame, Row},
    gas::{GasError, GasSimulation},
    grains::{GrainsError, GrainsSimulation},
    scene::Definition,
};

/// Why a simulation cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Fluid(#[from] fluid::SetupError),
    #[error("gas: {0}")]
    Gas(#[from] GasError),
    #[error("grains: {0}")]
    Grains(#[from] GrainsError),
}

/// A simulation of any kind.
#[derive(Serialize, Deserialize)]
pub enum Simulation {
    Fluid(Box<FluidSimulation>),
    Gas(Box<GasSimulation>),
    Grains(Box<GrainsSimulation>),
}

impl Simulation {
    /// The simulation that a scene defines, at time zero.
    pub fn new(definition: Definition) -> Result<Self, SetupError> {
        match definition {
            Definition::Fluid { settings, bodies } => Ok(Self::Fluid(Box::new(FluidSimulation::new(settings, bodies)?))),
            Definition::Gas(settings) => Ok(Self::Gas(Box::new(GasSimulation::new(&settings)?))),
            Definition::Grains { settings, bodies } => Ok(Self::Grains(Box::new(GrainsSimulation::new(settings, bodies)?))),
        }
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        match self {
            Self::Fluid(fluid) => fluid.time(),
            Self::Gas(gas) => gas.time(),
            Self::Grains(grains) => grains.time(),
        }
    }

    /// Steps from time zero.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Fluid(fluid) => fluid.steps(),
            Self::Gas(gas) => gas.steps(),
            Self::Grains(grains) => grains.steps(),
        }
    }

    /// One step, not past the time `until`.
    pub fn advance(&mut self, until: f64) {
        match self {
            Self::Fluid(fluid) => fluid.advance(until),
            // The run tells of a panic with step and time, and leaves what it has written.
            Self::Gas(gas) => gas.advance(until).unwrap_or_else(|error| panic!("{error}")),
            Self::Grains(grains) => grains.advance(until),
        }
    }

    pub fn frame(&self) -> Frame {
        match self {
            Self::Fluid(fluid) => fluid.frame(),
            Self::Gas(gas) => gas.frame(),
            Self::Grains(grains) => grains.frame(),
        }
    }

    /// Of the last step.
    pub fn diagnostics(&self) -> Row {
        match self {
            Self::Fluid(fluid) => fluid.diagnostics(),
            Self::Gas(gas) => gas.diagnostics(),
            Self::Grains(grains) => grains.diagnostics(),
        }
    }

    /// Of the last step, one row a body.
    pub fn body_diagnostics(&self) -> Vec<Row> {
        match self {
            Self::Fluid(fluid) => fluid.body_diagnostics(),
            Self::Gas(gas) => gas.body_diagnostics(),
            Self::Grains(grains) => grains.body_diagnostics(),
        }
    }

    pub fn particle_count(&self) -> usize {
        match self {
            Self::Fluid(fluid) => fluid.particle_count(),
            Self::Gas(gas) => gas.particle_count(),
            Self::Grains(grains) => grains.particle_count(),
        }
    }

    /// Lines to show at the end of a run.
    pub fn summary(&self) -> Vec<String> {
        match self {
            Self::Fluid(fluid) => fluid.summary(),
            Self::Gas(gas) => gas.summary(),
            Self::Grains(grains) => grains.summary(),
        }
    }

    /// Rebuilds what a checkpoint leaves out; called once after reading one.
    pub fn restore(&mut self) {
        match self {
            Self::Fluid(fluid) => fluid.restore(),
            Self::Gas(gas) => gas.restore(),
            Self::Grains(grains) => grains.restore(),
        }
    }
}
