//! The record of a run (`run.json`) and the content of its checkpoint.

use std::path::PathBuf;

use plimsoll_base::{clock::SystemTime, input};
use plimsoll_output::{Machine, Mark, OutputError, RunInfo, RunResult, SceneRecord, checkpoint, timestamp};
use serde::{Deserialize, Serialize};

use super::{
    error::RunError,
    folder::RunFolder,
    outcome::{Ending, Outcome},
    plan::RunPlan,
    plan::Schedule,
    simulation::{Prepared, Simulation},
};

/// The content of a checkpoint. `S` is the simulation, which is borrowed for saving.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedRun<S> {
    pub schedule: Schedule,
    pub next_frame: u64,
    pub wall_seconds: f64,
    /// Identify the tables as they were: `diagnostics.csv`, then those of the simulation in its order.
    pub tables: Vec<Mark>,
    pub simulation: S,
}

/// The run's `run.json`, kept up to date.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    info: RunInfo,
}

impl Record {
    pub fn start(folder: &RunFolder, plan: &RunPlan, prepared: &Prepared) -> Result<Self, OutputError> {
        let simulation = &prepared.simulation;
        let info = RunInfo {
            title: plan.title.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            result: RunResult::Running,
            error: None,
            started: timestamp(SystemTime::now()),
            resumed: Vec::new(),
            finished: None,
            steps: 0,
            frames: 0,
            time: simulation.time(),
            wall_seconds: 0.0,
            particles: simulation.element_count(),
            summary: Vec::new(),
            seed: plan.seed,
            settings: plan.settings.clone(),
            machine: Machine::here(),
            start: prepared.start.clone(),
            scene: plan.scene.clone(),
        };
        let record = Self { path: folder.record(), info };
        record.write()?;
        Ok(record)
    }

    pub fn read(folder: &RunFolder) -> Result<Self, OutputError> {
        Ok(Self { path: folder.record(), info: RunInfo::read(&folder.record())? })
    }

    /// Records that the run is resumed.
    pub fn resume(&mut self) -> Result<(), OutputError> {
        self.info.result = RunResult::Running;
        self.info.error = None;
        self.info.finished = None;
        self.info.resumed.push(timestamp(SystemTime::now()));
        self.info.machine = Machine::here();
        self.write()
    }

    pub fn ended(&mut self, outcome: &Outcome) -> Result<(), OutputError> {
        self.info.result = match outcome.ending {
            Ending::Completed => RunResult::Completed,
            Ending::Interrupted => RunResult::Interrupted,
        };
        self.info.finished = Some(timestamp(SystemTime::now()));
        self.info.steps = outcome.steps;
        self.info.frames = outcome.frames;
        self.info.time = outcome.time;
        self.info.wall_seconds = outcome.wall_seconds;
        self.info.particles = outcome.particles;
        self.info.summary.clone_from(&outcome.summary);
        self.write()
    }

    /// Records why the run failed, if the file can be written.
    pub fn failed(&mut self, error: &RunError, simulation: &Simulation, frames: u64, wall_seconds: f64) {
        self.info.result = RunResult::Failed;
        self.info.error = Some(with_causes(error));
        self.info.finished = Some(timestamp(SystemTime::now()));
        self.info.steps = simulation.steps();
        self.info.frames = frames;
        self.info.time = simulation.time();
        self.info.wall_seconds = wall_seconds;
        // The failure of the run is reported even if it cannot be recorded here.
        let _ = self.write();
    }

    /// A warning if the file of the scene is still there, but has another text than when the run began.
    pub fn changed_scene(&self) -> Option<String> {
        let SceneRecord { path, text } = &self.info.scene;
        // A scene from standard input cannot be read again.
        let now = if path.is_file() { input::read_text(path).ok()? } else { return None };
        (now != *text).then(|| format!("{}: changed since the run began; the run continues with the original scene", path.display()))
    }

    pub fn scene_hash(&self) -> u64 {
        checkpoint::scene_hash(&self.info.scene.text)
    }

    fn write(&self) -> Result<(), OutputError> {
        self.info.write(&self.path)
    }
}

/// The message of `error` and those of its causes.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
