//! The simulators behind one face.

use serde::{Deserialize, Serialize};

use crate::{
    aggregates::{AggregateError, AggregateSimulation},
    blocks::{BlocksError, BlocksSimulation},
    fluid::{self, Breakdown, FluidSimulation},
    frame::{Frame, Row},
    gas::{GasError, GasSimulation},
    grains::{GrainsError, GrainsSimulation},
    scene::Definition,
    stages,
};

/// Why a simulation cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error(transparent)]
    Fluid(#[from] fluid::SetupError),
    #[error("gas: {0}")]
    Gas(#[from] GasError),
    #[error("aggregates: {0}")]
    Aggregates(#[from] AggregateError),
    #[error("blocks: {0}")]
    Blocks(#[from] BlocksError),
    #[error("grains: {0}")]
    Grains(#[from] GrainsError),
}

/// Why a simulation cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    #[error(transparent)]
    Fluid(#[from] Breakdown),
    #[error("gas: {0}")]
    Gas(#[from] GasError),
    #[error("blocks: {0}")]
    Blocks(#[from] BlocksError),
    #[error("{what} is no longer finite at {time} s: numbers too large or too small to compute with. Check the units of the scene")]
    NotFinite { what: String, time: f64 },
}

/// A simulation of any kind.
#[derive(Serialize, Deserialize)]
pub enum Simulation {
    Fluid(Box<FluidSimulation>),
    Gas(Box<GasSimulation>),
    Aggregates(Box<AggregateSimulation>),
    Blocks(Box<BlocksSimulation>),
    Grains(Box<GrainsSimulation>),
}

impl Simulation {
    /// The simulation that a scene defines, at time zero.
    pub fn new(definition: Definition) -> Result<Self, SetupError> {
        match definition {
            Definition::Fluid { settings, bodies } => Ok(Self::Fluid(Box::new(FluidSimulation::new(settings, bodies)?))),
            Definition::Gas(settings) => Ok(Self::Gas(Box::new(GasSimulation::new(&settings)?))),
            Definition::Aggregates(settings) => Ok(Self::Aggregates(Box::new(AggregateSimulation::new(&settings)?))),
            Definition::Blocks(settings) => Ok(Self::Blocks(Box::new(BlocksSimulation::new(*settings)?))),
            Definition::Grains { settings, bodies } => Ok(Self::Grains(Box::new(GrainsSimulation::new(settings, bodies)?))),
        }
    }

    /// The fluid, if it is one.
    pub fn fluid(&self) -> Option<&FluidSimulation> {
        if let Self::Fluid(fluid) = self { Some(fluid) } else { None }
    }

    /// The fluid, if it is one.
    pub fn fluid_mut(&mut self) -> Option<&mut FluidSimulation> {
        if let Self::Fluid(fluid) = self { Some(fluid) } else { None }
    }

    /// Simulated seconds.
    pub fn time(&self) -> f64 {
        match self {
            Self::Fluid(fluid) => fluid.time(),
            Self::Gas(gas) => gas.time(),
            Self::Aggregates(aggregates) => aggregates.time(),
            Self::Blocks(blocks) => blocks.time(),
            Self::Grains(grains) => grains.time(),
        }
    }

    /// Steps from time zero.
    pub fn steps(&self) -> u64 {
        match self {
            Self::Fluid(fluid) => fluid.steps(),
            Self::Gas(gas) => gas.steps(),
            Self::Aggregates(aggregates) => aggregates.steps(),
            Self::Blocks(blocks) => blocks.steps(),
            Self::Grains(grains) => grains.steps(),
        }
    }

    /// One step, not past the time `until`.
    ///
    /// # Errors
    /// The simulation is in a state from which it cannot go on.
    pub fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        match self {
            Self::Fluid(fluid) => fluid.advance(until)?,
            Self::Gas(gas) => gas.advance(until)?,
            Self::Aggregates(aggregates) => aggregates.advance(until),
            Self::Blocks(blocks) => blocks.advance(until)?,
            Self::Grains(grains) => grains.advance(until),
        }
        Ok(())
    }

    /// Returns the current frame and starts a new averaging interval.
    ///
    /// # Errors
    /// [`SimulationError::NotFinite`]
    pub fn take_frame(&mut self) -> Result<Frame, SimulationError> {
        let frame = match self {
            Self::Fluid(fluid) => fluid.take_frame(),
            other => other.frame(),
        };
        match frame.not_finite() {
            Some(what) => Err(SimulationError::NotFinite { what, time: frame.time }),
            None => Ok(frame),
        }
    }

    pub fn frame(&self) -> Frame {
        match self {
            Self::Fluid(fluid) => fluid.frame(),
            Self::Gas(gas) => gas.frame(),
            Self::Aggregates(aggregates) => aggregates.frame(),
            Self::Blocks(blocks) => blocks.frame(),
            Self::Grains(grains) => grains.frame(),
        }
    }

    /// Of the last step.
    pub fn diagnostics(&self) -> Row {
        match self {
            Self::Fluid(fluid) => fluid.diagnostics(),
            Self::Gas(gas) => gas.diagnostics(),
            Self::Aggregates(aggregates) => aggregates.diagnostics(),
            Self::Blocks(blocks) => blocks.diagnostics(),
            Self::Grains(grains) => grains.diagnostics(),
        }
    }

    /// Of the last step, one row a body.
    pub fn body_diagnostics(&self) -> Vec<Row> {
        match self {
            Self::Fluid(fluid) => fluid.body_diagnostics(),
            Self::Gas(gas) => gas.body_diagnostics(),
            Self::Aggregates(_) => Vec::new(),
            Self::Blocks(blocks) => blocks.body_diagnostics(),
            Self::Grains(grains) => grains.body_diagnostics(),
        }
    }

    /// Of the last step: rows of further tables, by their names.
    pub fn tables(&self) -> Vec<(&'static str, Vec<Row>)> {
        match self {
            Self::Fluid(_) | Self::Gas(_) | Self::Blocks(_) | Self::Grains(_) => Vec::new(),
            Self::Aggregates(aggregates) => aggregates.tables(),
        }
    }

    /// Whether it has reached what it was to reach, so that a run may end before its time.
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Fluid(_) | Self::Gas(_) | Self::Blocks(_) | Self::Grains(_) => false,
            Self::Aggregates(aggregates) => aggregates.is_finished(),
        }
    }

    /// Particles, or blocks.
    pub fn particle_count(&self) -> usize {
        match self {
            Self::Fluid(fluid) => fluid.particle_count(),
            Self::Gas(gas) => gas.particle_count(),
            Self::Aggregates(aggregates) => aggregates.particle_count(),
            Self::Blocks(blocks) => blocks.block_count(),
            Self::Grains(grains) => grains.particle_count(),
        }
    }

    /// Wall time of each stage of a step, seconds since the simulation was built or restored; named as columns of the diagnostics.
    pub fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Fluid(fluid) => fluid.stage_times().columns(),
            Self::Gas(_) => Vec::new(),
            Self::Aggregates(aggregates) => aggregates.stage_times().columns(),
            Self::Blocks(blocks) => blocks.stage_times().columns(),
            Self::Grains(grains) => grains.stage_times().columns(),
        }
    }

    /// Lines to show at the end of a run.
    pub fn summary(&self) -> Vec<String> {
        let mut lines = match self {
            Self::Fluid(fluid) => fluid.summary(),
            Self::Gas(gas) => gas.summary(),
            Self::Aggregates(aggregates) => aggregates.summary(),
            Self::Blocks(blocks) => blocks.summary(),
            Self::Grains(grains) => grains.summary(),
        };
        lines.extend(stages::summary(&self.stage_seconds()));
        lines
    }

    /// Rebuilds what a checkpoint leaves out; called once after reading one.
    pub fn restore(&mut self) {
        match self {
            Self::Fluid(fluid) => fluid.restore(),
            Self::Gas(gas) => gas.restore(),
            Self::Aggregates(aggregates) => aggregates.restore(),
            Self::Blocks(blocks) => blocks.restore(),
            Self::Grains(grains) => grains.restore(),
        }
    }
}
