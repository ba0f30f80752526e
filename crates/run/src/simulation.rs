//! A simulation of any kind: built from a scene, saved in a checkpoint, used through the contract of [`plimsoll_contract::simulator`].

use std::{
    ops::{Deref, DerefMut},
    path::Path,
};

use plimsoll_aggregates::{AggregateError, AggregateSimulation};
use plimsoll_blocks::{BlocksError, BlocksSimulation};
use plimsoll_contract::{
    frame::Frame,
    simulator::{SetupWarning, SimulationError, Simulator, Watch},
};
use plimsoll_fluid::{self as fluid, FluidSimulation};
use plimsoll_gas::{GasError, GasSimulation};
use plimsoll_grains::{GrainsError, GrainsSimulation};
use plimsoll_output::{
    OutputError, SceneRecord, StartRecord,
    checkpoint::{self, CheckpointError},
};
use plimsoll_scene::{Definition, KeyLocator, Problem, SceneError};
use serde::{Deserialize, Serialize};

/// Why a simulation cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The run from which the scene starts does not fit it.
    #[error(transparent)]
    Start(SceneError),
    /// An error of the fluid.
    #[error(transparent)]
    Fluid(#[from] fluid::SetupError),
    /// An error of the gas.
    #[error(transparent)]
    Gas(#[from] GasError),
    /// An error of the aggregates.
    #[error(transparent)]
    Aggregates(#[from] AggregateError),
    /// An error of the blocks.
    #[error(transparent)]
    Blocks(#[from] BlocksError),
    /// An error of the grains.
    #[error(transparent)]
    Grains(#[from] GrainsError),
}

impl SetupError {
    /// A problem with the run from which a scene starts.
    pub(super) fn start(problem: Problem) -> Self {
        Self::Start(SceneError { problems: vec![problem] })
    }

    /// The message with file, line and key of the scene at `path`, which contains `text`.
    pub fn in_scene(&self, path: &Path, text: &str) -> String {
        let key = match self {
            Self::Start(error) => return error.to_string(),
            Self::Fluid(_) => "fluid.fill".to_owned(),
            Self::Gas(error) => error.key(),
            Self::Aggregates(error) => error.key().to_owned(),
            Self::Blocks(error) => error.key().to_owned(),
            Self::Grains(error) => error.key(),
        };
        KeyLocator::new(path, text).located(&key, &self.to_string())
    }

    /// Whether the user interrupted the setup.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Fluid(fluid::SetupError::Interrupted(_))
                | Self::Gas(GasError::Interrupted(_))
                | Self::Aggregates(AggregateError::Interrupted(_))
                | Self::Blocks(BlocksError::Interrupted(_))
                | Self::Grains(GrainsError::Interrupted(_))
        )
    }
}

/// A simulation of any kind.
#[derive(Serialize, Deserialize)]
pub enum Simulation {
    /// Fluid and rigid bodies.
    Fluid(Box<FluidSimulation>),
    /// Hard spheres or discs.
    Gas(Box<GasSimulation>),
    /// Brownian aggregates.
    Aggregates(Box<AggregateSimulation>),
    /// Polygonal blocks.
    Blocks(Box<BlocksSimulation>),
    /// Grains and rigid bodies.
    Grains(Box<GrainsSimulation>),
}

impl Simulation {
    /// Saves the simulation alone, without the run around it, as a checkpoint of the scene with this hash.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, scene_hash: u64) -> Result<(), OutputError> {
        checkpoint::save(path, scene_hash, self)
    }

    /// The simulation that [`Simulation::save`] saved.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, or belongs to another scene.
    pub fn load(path: &Path, scene_hash: u64) -> Result<Self, CheckpointError> {
        checkpoint::load(path, scene_hash)
    }
}

/// A simulation that is ready to run.
pub struct Prepared {
    /// The simulation at its first instant.
    pub simulation: Simulation,
    /// The state from which it starts, if that is the state of another run.
    pub start: Option<StartRecord>,
}

impl Prepared {
    /// What the setup has found that is valid but probably not meant, with file, line and key of `scene`.
    pub fn warnings(&self, scene: &SceneRecord) -> Vec<String> {
        let warnings = self.simulation.warnings();
        if warnings.is_empty() {
            return Vec::new();
        }
        let keys = KeyLocator::new(&scene.path, &scene.text);
        warnings.iter().map(|SetupWarning { key, text }| keys.located(key, text)).collect()
    }
}

/// A simulation of a scene alone.
impl From<Simulation> for Prepared {
    fn from(simulation: Simulation) -> Self {
        Self { simulation, start: None }
    }
}

impl Simulation {
    /// The simulation defined by a scene alone, at time zero; progress is reported to `watch`.
    ///
    /// # Errors
    /// The simulation cannot be set up, or `watch` interrupts.
    pub fn new(definition: Definition, watch: &dyn Watch) -> Result<Self, SetupError> {
        match definition {
            Definition::Fluid { settings, bodies } => Ok(Self::Fluid(Box::new(FluidSimulation::prepare(*settings, bodies, watch)?))),
            Definition::Gas(settings) => Ok(Self::Gas(Box::new(GasSimulation::prepare(&settings, watch)?))),
            Definition::Aggregates(settings) => Ok(Self::Aggregates(Box::new(AggregateSimulation::prepare(&settings, watch)?))),
            Definition::Blocks(settings) => Ok(Self::Blocks(Box::new(BlocksSimulation::prepare(*settings, watch)?))),
            Definition::Grains { settings, bodies } => Ok(Self::Grains(Box::new(GrainsSimulation::prepare(*settings, bodies, watch)?))),
        }
    }

    fn as_simulator(&self) -> &(dyn Simulator + 'static) {
        match self {
            Self::Fluid(fluid) => fluid.as_ref(),
            Self::Gas(gas) => gas.as_ref(),
            Self::Aggregates(aggregates) => aggregates.as_ref(),
            Self::Blocks(blocks) => blocks.as_ref(),
            Self::Grains(grains) => grains.as_ref(),
        }
    }

    fn as_simulator_mut(&mut self) -> &mut (dyn Simulator + 'static) {
        match self {
            Self::Fluid(fluid) => fluid.as_mut(),
            Self::Gas(gas) => gas.as_mut(),
            Self::Aggregates(aggregates) => aggregates.as_mut(),
            Self::Blocks(blocks) => blocks.as_mut(),
            Self::Grains(grains) => grains.as_mut(),
        }
    }

    /// [`Simulator::take_frame`] with a check of its numbers.
    ///
    /// # Errors
    /// The frame contains a number that is not finite.
    pub fn take_checked_frame(&mut self) -> Result<Frame, SimulationError> {
        let frame = self.take_frame();
        match frame.not_finite() {
            Some(what) => Err(SimulationError::not_finite(frame.time, self.steps(), &what, "check the units of the scene")),
            None => Ok(frame),
        }
    }
}

/// A simulation is used only through the contract.
impl Deref for Simulation {
    type Target = dyn Simulator;

    fn deref(&self) -> &Self::Target {
        self.as_simulator()
    }
}

impl DerefMut for Simulation {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.as_simulator_mut()
    }
}
