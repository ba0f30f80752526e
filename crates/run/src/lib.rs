//! Runs a simulation: advances it from frame time to frame time, writes output and checkpoints, and resumes runs.
//!
//! The sequence of steps depends only on the scene: every step ends no later than the next frame time `k / fps` or the end, interruptions
//! happen between steps, and a checkpoint contains the whole state. An interrupted and resumed run therefore writes the same bytes as an
//! uninterrupted one, except for measured wall time.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

mod error;
mod figures;
mod folder;
mod outcome;
mod plan;
mod progress;
mod record;
mod simulation;
mod start;

use std::{
    any::Any,
    iter,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

pub use error::RunError;
pub use figures::{figure_tables, figures, simulator_settings};
pub use folder::RunFolder;
pub use outcome::{Ending, Outcome};
pub use plan::{RunPlan, Schedule};
use plimsoll_base::{clock::Instant, timing};
use plimsoll_contract::{frame::Value, simulator::SimulationError};
use plimsoll_output::{FrameFiles, FrameWriter, Mark, OutputError, Table, checkpoint};
pub use progress::{Progress, Silent, Status};
pub use simulation::{Prepared, SetupError, Simulation};

use record::{Record, SavedRun, with_causes};

/// A simulation and the folder it writes to.
pub struct Run {
    simulation: Simulation,
    schedule: Schedule,
    /// Number of the next frame to be written.
    next_frame: u64,
    folder: RunFolder,
    record: Record,
    frames: FrameWriter,
    /// `diagnostics.csv`, then the additional tables of the simulation in its order.
    tables: Vec<Table>,
    warnings: Vec<String>,
    /// Simulated time of the checkpoint on disk, s, if there is one.
    checkpoint_time: Option<f64>,
    /// Wall time of the run before this process resumed it, seconds.
    earlier_wall_seconds: f64,
    start: Instant,
}

impl Run {
    /// Starts a run in `folder`, which must have been claimed for it.
    pub fn start(plan: RunPlan, prepared: impl Into<Prepared>, folder: RunFolder) -> Result<Self, RunError> {
        let prepared = prepared.into();
        let record = Record::start(&folder, &plan, &prepared)?;
        let simulation = prepared.simulation;
        Ok(Self {
            frames: FrameWriter::new(FrameFiles::new(folder.path(), plan.schedule.formats.clone(), &[])),
            tables: table_paths(&folder, &simulation).map(Table::new).collect(),
            simulation,
            schedule: plan.schedule,
            next_frame: 0,
            folder,
            record,
            warnings: Vec::new(),
            checkpoint_time: None,
            earlier_wall_seconds: 0.0,
            start: Instant::now(),
        })
    }

    /// Resumes the run in the folder at `path` from its checkpoint, or from the one before if that is damaged. [`Run::warnings`] reports this, and what
    /// is missing of the run's files.
    pub fn resume(path: &Path) -> Result<Self, RunError> {
        let folder = RunFolder::existing(path)?;
        let mut record = Record::read(&folder)?;
        let mut warnings = Vec::new();
        let SavedRun { schedule, next_frame, wall_seconds, tables: marks, simulation } = last_state(&folder, &record, &mut warnings)?;
        warnings.extend(record.changed_scene());
        // The last frame of a run that finished by itself is earlier than its place in the schedule.
        let written: Vec<f64> = (0..next_frame).map(|frame| schedule.frame_time(frame).min(simulation.time())).collect();
        let frames = FrameFiles::new(folder.path(), schedule.formats.clone(), &written);
        warnings.extend(missing_frames(&folder, &frames.missing(next_frame)));
        let mut tables = Vec::new();
        // A table of a later version than that of the checkpoint had no rows.
        let marks = marks.into_iter().chain(iter::repeat(Mark::default()));
        for (path, mark) in table_paths(&folder, &simulation).zip(marks) {
            let (table, warning) = Table::resume(path, simulation.steps(), mark)?;
            tables.push(table);
            warnings.extend(warning);
        }
        record.resume()?;
        Ok(Self {
            frames: FrameWriter::new(frames),
            tables,
            checkpoint_time: Some(simulation.time()),
            simulation,
            schedule,
            next_frame,
            folder,
            record,
            warnings,
            earlier_wall_seconds: wall_seconds,
            start: Instant::now(),
        })
    }

    /// What was damaged, missing or changed when the run was resumed, in a sentence each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs to the end of the scene, or to `until` (simulated seconds) if given, or until `interrupted` is set, which is checked between
    /// steps. When it returns, everything is on disk, including a checkpoint.
    ///
    /// `until` may be before or after the scene's end. A step ends at it exactly. If it is not a frame time, a run resumed from there
    /// therefore differs in its later steps from one that did not stop there.
    ///
    /// # Errors
    /// A file that cannot be written, an error of the simulation, or a panic in it. The error is also recorded in `run.json`.
    pub fn go(mut self, until: Option<f64>, interrupted: &AtomicBool, progress: &mut dyn Progress) -> Result<Outcome, RunError> {
        let end = self.schedule.end(until);
        // After a panic, only the clock of the simulation is used, for the message.
        let advanced = catch_unwind(AssertUnwindSafe(|| self.advance_to(end, interrupted, progress)));
        progress.finish();
        let ending = match advanced {
            Ok(ending) => ending,
            Err(panic) => Err(RunError::Panic {
                step: self.simulation.steps() + 1,
                time: self.simulation.time(),
                reason: panic_message(&*panic).to_owned(),
            }),
        };
        let closed = ending.and_then(|ending| {
            let outcome = self.outcome(ending);
            self.close(&outcome).map(|()| outcome).map_err(RunError::from)
        });
        closed.inspect_err(|error| {
            // Save what can still be saved for inspection; the original error is the one to report.
            let _ = (self.flush_tables(), self.frames.finish());
            self.record.failed(error, &self.simulation, self.next_frame, self.wall_seconds());
        })
    }

    /// The simulation in its current state.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// The folder that the run writes to.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn advance_to(&mut self, end: f64, interrupted: &AtomicBool, progress: &mut dyn Progress) -> Result<Ending, RunError> {
        let (first_time, first_step) = (self.simulation.time(), self.simulation.steps());
        let mut last_checkpoint = Instant::now();
        loop {
            let (time, finished) = (self.simulation.time(), self.simulation.is_finished());
            // A simulation that finishes by itself between two frames gets one more frame, unless a run that is resumed has it.
            let last_frame = self.next_frame.checked_sub(1).map_or(f64::NEG_INFINITY, |frame| self.schedule.frame_time(frame));
            if time == self.schedule.frame_time(self.next_frame) || finished && last_frame < time {
                self.write_frame()?;
            }
            if self.checkpoint_time.is_none() {
                self.save_checkpoint()?;
            }
            progress.update(&Status {
                time: self.simulation.time(),
                first_time,
                end,
                expected_end: self.simulation.expected_finish().map_or(end, |finish| finish.clamp(time.min(end), end)),
                steps: self.simulation.steps(),
                first_step,
                frames: self.next_frame,
                elements: self.simulation.elements(),
                wall_seconds: self.start.elapsed().as_secs_f64(),
            });
            if time >= end || finished {
                return Ok(Ending::Completed);
            }
            if interrupted.load(Ordering::Relaxed) {
                return Ok(Ending::Interrupted);
            }
            if last_checkpoint.elapsed().as_secs_f64() >= self.schedule.checkpoint_interval {
                self.save_checkpoint()?;
                last_checkpoint = Instant::now();
            }
            self.step(end)?;
        }
    }

    fn step(&mut self, end: f64) -> Result<(), RunError> {
        let before = self.simulation.time();
        let landing = self.schedule.frame_time(self.next_frame).min(end);
        let timings = self.simulation.timings();
        let advanced = self.simulation.advance(landing);
        self.write_rows(&timings)?;
        advanced.map_err(|error| self.broken_down(error))?;
        let time = self.simulation.time();
        assert!(before < time && time <= landing, "a step from {before} s that may go as far as {landing} s ended at {time} s");
        Ok(())
    }

    /// Writes the rows of the last step; `timings` are the stage timings before it.
    fn write_rows(&mut self, timings: &[(&'static str, f64)]) -> Result<(), OutputError> {
        let mut row = self.simulation.diagnostics();
        let now = self.simulation.timings();
        row.extend(now.iter().zip(timings).map(|(&(stage, now), (_, before))| (stage, Value::Real(now - before))));
        row.push(("wall_seconds", Value::Real(self.wall_seconds())));
        let [diagnostics, tables @ ..] = self.tables.as_mut_slice() else { unreachable!("every run has diagnostics") };
        diagnostics.write(&row)?;
        tables.iter_mut().zip(self.simulation.tables()).try_for_each(|(table, rows)| table.write_rows(&rows))
    }

    fn flush_tables(&mut self) -> Result<(), OutputError> {
        self.tables.iter_mut().try_for_each(Table::flush)
    }

    fn write_frame(&mut self) -> Result<(), RunError> {
        let frame = self.simulation.take_checked_frame().map_err(|error| self.broken_down(error))?;
        self.frames.write(self.next_frame, frame)?;
        self.next_frame += 1;
        Ok(self.flush_tables()?)
    }

    fn broken_down(&self, error: SimulationError) -> RunError {
        RunError::Simulation { error, checkpoint: self.checkpoint_time.map(|time| (self.folder.checkpoint(), time)) }
    }

    /// Saves a checkpoint after everything it depends on: all rows and frames so far.
    fn save_checkpoint(&mut self) -> Result<(), OutputError> {
        let tables = self.tables.iter_mut().map(Table::sync).collect::<Result<_, _>>()?;
        self.frames.flush()?;
        let saved = SavedRun {
            schedule: self.schedule.clone(),
            next_frame: self.next_frame,
            wall_seconds: self.wall_seconds(),
            tables,
            simulation: &self.simulation,
        };
        checkpoint::save(&self.folder.checkpoint(), self.record.scene_hash(), &saved)?;
        self.checkpoint_time = Some(self.simulation.time());
        Ok(())
    }

    fn close(&mut self, outcome: &Outcome) -> Result<(), OutputError> {
        self.save_checkpoint()?;
        self.record.ended(outcome)
    }

    fn outcome(&self, ending: Ending) -> Outcome {
        Outcome {
            ending,
            folder: self.folder.path().to_owned(),
            steps: self.simulation.steps(),
            frames: self.next_frame,
            time: self.simulation.time(),
            wall_seconds: self.wall_seconds(),
            particles: self.simulation.element_count(),
            elements: self.simulation.elements(),
            summary: self.simulation.summary().into_iter().chain(timing::summary(&self.simulation.timings())).collect(),
        }
    }

    fn wall_seconds(&self) -> f64 {
        self.earlier_wall_seconds + self.start.elapsed().as_secs_f64()
    }
}

/// Paths of `diagnostics.csv` and of the additional tables of `simulation`, in its order.
fn table_paths(folder: &RunFolder, simulation: &Simulation) -> impl Iterator<Item = PathBuf> + use<> {
    let additional: Vec<PathBuf> = simulation.tables().iter().map(|table| folder.table(&table.name)).collect();
    iter::once(folder.diagnostics()).chain(additional)
}

/// The state in the checkpoint of `folder`, or in the previous one if that is damaged.
fn last_state(folder: &RunFolder, record: &Record, warnings: &mut Vec<String>) -> Result<SavedRun<Simulation>, RunError> {
    let path = folder.checkpoint();
    let damage = match checkpoint::load(&path, record.scene_hash()) {
        Err(error) if error.is_damage() => error,
        read => return Ok(read?),
    };
    let previous = checkpoint::previous(&path);
    if !previous.is_file() {
        return Err(damage.into());
    }
    let saved: SavedRun<Simulation> = checkpoint::load(&previous, record.scene_hash())?;
    checkpoint::take_previous(&path)?;
    warnings.push(format!("{}; the run resumes from the checkpoint before it", with_causes(&damage)));
    Ok(saved)
}

/// Reports the frames without a file.
fn missing_frames(folder: &RunFolder, missing: &[u64]) -> Option<String> {
    let (first, count) = (missing.first()?, missing.len());
    let what = if count == 1 {
        format!("the file of frame {first} is")
    } else {
        format!("the files of {count} frames, the first is {first}, are")
    };
    Some(format!("{}: {what} missing", folder.path().display()))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("panicked without a message")
}
