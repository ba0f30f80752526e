//! `run.json`: scene, settings, machine and result of a run.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use plimsoll_base::{
    clock::{SystemTime, UNIX_EPOCH},
    input,
};
use serde::{Deserialize, Serialize};

use super::file::{OutputError, replace_file};

/// The contents of `run.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Title of the scene.
    pub title: String,
    /// Version of plimsoll.
    pub version: String,
    /// How the run ended, or that it is in progress.
    pub result: RunResult,
    /// Why the run failed.
    pub error: Option<String>,
    /// UTC, ISO 8601.
    pub started: String,
    /// When the run was resumed.
    pub resumed: Vec<String>,
    /// When the run ended, UTC, ISO 8601; absent while it is in progress.
    pub finished: Option<String>,
    /// Steps since time zero.
    pub steps: u64,
    /// Frames written, including frame 0.
    pub frames: u64,
    /// Simulated seconds.
    pub time: f64,
    /// Wall time, excluding pauses between an interruption and a resumption.
    pub wall_seconds: f64,
    /// Particles, grains or blocks, as last counted.
    pub particles: usize,
    /// Summary of the simulation.
    pub summary: Vec<String>,
    /// Seed of the random number generators.
    pub seed: u64,
    /// The settings as read, with defaults filled in.
    pub settings: serde_json::Value,
    /// The machine of the last session.
    pub machine: Machine,
    /// The state of another run from which the run started, if it did.
    pub start: Option<StartRecord>,
    /// The scene file.
    pub scene: SceneRecord,
}

/// State of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunResult {
    /// It is in progress, or was killed.
    Running,
    /// It reached its end.
    Completed,
    /// It was interrupted and can be resumed.
    Interrupted,
    /// It ended with an error.
    Failed,
}

/// The machine on which a run computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system.
    pub os: String,
    /// Processor architecture.
    pub architecture: String,
    /// Number of hardware threads.
    pub cores: usize,
    /// Number of threads used.
    pub threads: usize,
}

/// The state of another run from which a run started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartRecord {
    /// Folder of that run as in the scene.
    pub run: String,
    /// Simulated time of the state, s.
    pub time: f64,
    /// Steps of that run up to the state.
    pub steps: u64,
    /// XXH3 of the state, the checksum in its checkpoint, in hexadecimal.
    pub checksum: String,
    /// Bodies that the state does not have.
    pub new_bodies: Vec<String>,
    /// Bodies of the state that the scene does not have.
    pub gone_bodies: Vec<String>,
    /// Particles that new bodies cover, which were removed.
    pub removed_particles: u64,
}

/// The scene file as it was when the run began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SceneRecord {
    /// Path as given on the command line.
    pub path: PathBuf,
    /// Its whole content.
    pub text: String,
}

impl RunInfo {
    /// Replaces the file at `path`.
    pub fn write(&self, path: &Path) -> Result<(), OutputError> {
        replace_file(path, |file| {
            serde_json::to_writer_pretty(&mut *file, self)?;
            writeln!(file)
        })
    }

    /// Reads the file at `path`.
    pub fn read(path: &Path) -> Result<Self, OutputError> {
        input::read_text(path)
            .and_then(|text| serde_json::from_str(&text).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error)))
            .map_err(|error| OutputError::new(path, "read", error))
    }
}

impl Machine {
    /// The machine and thread pool of this process.
    pub fn here() -> Self {
        Self {
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            threads: rayon::current_num_threads(),
        }
    }
}

/// `time` in UTC with seconds, such as `2026-03-01T12:00:00Z`; for times since 1970.
pub fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of the Gregorian calendar, `days` after 1970-01-01. Years start on 1 March and are grouped in eras of 400 years, so
/// that the leap day is the last day of a year (Howard Hinnant, "chrono-compatible low-level date algorithms", 2013).
fn civil_date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}
