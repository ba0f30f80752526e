//! Sets up the simulation of a scene: from the scene alone, or from the last state of another run.

use std::path::Path;

use plimsoll_bodies::Mismatch;
use plimsoll_contract::simulator::{Simulator, Watch};
use plimsoll_fluid::{Continuation, ContinuationError, FluidSimulation};
use plimsoll_output::{StartRecord, checkpoint};
use plimsoll_scene::{Definition, Problem, SceneError, Start};

use super::{
    folder::checkpoint_of,
    record::SavedRun,
    simulation::{Prepared, SetupError, Simulation},
};

impl Simulation {
    /// The simulation of a scene: from the last state of the run that `start` names, or from `definition` alone. Reports progress to `watch`.
    ///
    /// # Errors
    /// The other run does not fit the scene, the simulation cannot be set up, or `watch` interrupts.
    pub fn prepare(definition: Definition, start: Option<&Start>, watch: &dyn Watch) -> Result<Prepared, SetupError> {
        match (start, definition) {
            (Some(start), Definition::Fluid { settings, bodies }) => {
                let State { fluid, checksum } = State::load(start).map_err(|problem| SetupError::start(*problem))?;
                let (time, steps) = (fluid.time(), fluid.steps());
                let continued = FluidSimulation::continue_from(*settings, bodies, fluid, start.time, watch);
                let (simulation, continuation) = continued.map_err(|error| misfit(start, error))?;
                let Continuation { new_bodies, gone_bodies, removed_particles } = continuation;
                let record = StartRecord {
                    run: start.name.clone(),
                    time,
                    steps,
                    checksum: format!("{checksum:016x}"),
                    new_bodies,
                    gone_bodies,
                    removed_particles,
                };
                Ok(Prepared { simulation: Self::Fluid(Box::new(simulation)), start: Some(record) })
            }
            (_, definition) => Ok(Self::new(definition, watch)?.into()),
        }
    }

    /// Name of the simulator in a scene.
    fn simulator_name(&self) -> &'static str {
        match self {
            Self::Fluid(_) => "fluid",
            Self::Gas(_) => "gas",
            Self::Aggregates(_) => "aggregates",
            Self::Blocks(_) => "blocks",
            Self::Grains(_) => "grains",
        }
    }
}

/// The last state of another run.
struct State {
    fluid: FluidSimulation,
    /// Of its checkpoint.
    checksum: u64,
}

impl State {
    fn load(start: &Start) -> Result<Self, Box<Problem>> {
        let folder = &start.folder;
        if !folder.is_dir() {
            return Err(start.no_run(&format!("missing folder {}", folder.display())).into());
        }
        let path = checkpoint_of(folder);
        if !path.is_file() {
            return Err(start.no_run(&format!("a folder without {}", file_name(&path))).into());
        }
        let loaded = checkpoint::load_any::<SavedRun<Simulation>>(&path);
        let (saved, checksum) = loaded.map_err(|error| start.problem(&error.to_string(), "a run of this version of plimsoll"))?;
        match saved.simulation {
            Simulation::Fluid(fluid) => Ok(Self { fluid: *fluid, checksum }),
            other => {
                Err(start.problem(&format!("a run of simulator \"{}\"", other.simulator_name()), "a run of simulator \"fluid\"").into())
            }
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Locates in the scene why it does not fit the other run.
fn misfit(start: &Start, error: ContinuationError) -> SetupError {
    let problems = match error {
        ContinuationError::Setup(error) => return error.into(),
        ContinuationError::Fluid { found, expected } => {
            vec![start.problem(&format!("a run with {found}"), format!("a run with {expected}, as in this scene"))]
        }
        ContinuationError::Bodies(mismatches) => {
            let problem = |Mismatch { body, key, found, expected }| start.body_problem(&body, key, found, expected);
            mismatches.into_iter().map(problem).collect()
        }
    };
    SetupError::Start(SceneError { problems })
}
