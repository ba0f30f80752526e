//! Playback of a run. A separate thread reads the frames on request.

use std::{
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Instant,
};

use plimsoll_contract::{frame::Frame, simulator::Instrument};
use plimsoll_output::Recording;
use plimsoll_scene::{CameraPath, Definition, PictureSettings};

use super::readings::Readings;
use crate::{
    playback_rate::playback_rate,
    render::{FrameSource, scene_of},
};

/// A frame and its number, or why it could not be read.
type Read = Result<(usize, Arc<Frame>), String>;

/// The player of a recorded run.
pub struct Playback {
    pub title: String,
    pub times: Vec<f64>,
    pub camera: Option<CameraPath>,
    pub picture: PictureSettings,
    /// The simulator of the run with its settings; absent if its meshes are missing.
    definition: Option<Definition>,
    /// What the instruments have recorded. It is complete before the first frame.
    readings: Arc<Mutex<Readings>>,
    wanted: Sender<usize>,
    ready: Arc<Mutex<Option<Read>>>,
    /// Simulated time that is shown.
    pub time: f64,
    /// Playback speed relative to the normal rate.
    pub speed: f64,
    /// Simulated seconds per second of playback at speed one.
    rate: f64,
    pub running: bool,
    asked: Option<usize>,
    last: Instant,
}

impl Playback {
    /// The player of the run in `folder`, `running` or paused.
    ///
    /// # Errors
    /// If the folder does not contain a run with frames.
    pub fn open(folder: &Path, running: bool) -> anyhow::Result<Self> {
        let recording = Recording::open(folder)?;
        anyhow::ensure!(!recording.is_empty(), "{}: found no frames, expected some", folder.display());
        let (definition, camera, picture) = match scene_of(&recording) {
            Ok(scene) => (Some(scene.definition), scene.camera, scene.picture),
            Err(_) => (None, None, PictureSettings::default()),
        };
        let recording_rate = recording.frames_per_second();
        let (wanted, receiver) = channel();
        let ready = Arc::new(Mutex::new(None));
        let (title, times) = (recording.title().to_owned(), recording.times().to_vec());
        let of_thread = Arc::clone(&ready);
        let readings = Arc::new(Mutex::new(Readings::default()));
        let measured = Arc::clone(&readings);
        thread::spawn(move || {
            *measured.lock().unwrap_or_else(PoisonError::into_inner) = Readings::read(recording.folder());
            read(&recording, &receiver, &of_thread);
        });
        let time = times[0];
        let rate = playback_rate(recording_rate);
        let (asked, last) = (None, Instant::now());
        let speed = 1.0;
        Ok(Self { title, times, camera, picture, definition, readings, wanted, ready, time, speed, rate, running, asked, last })
    }

    /// Number of the frame that is due: the last one not after the current time.
    pub fn index(&self) -> usize {
        self.times.partition_point(|&time| time <= self.time).saturating_sub(1)
    }

    /// Advances the time, loops at the end, and requests the frame that is due.
    pub fn advance(&mut self) {
        let elapsed = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        let (begin, end) = (self.times[0], self.times[self.times.len() - 1]);
        if self.running {
            self.time += self.speed * self.rate * elapsed;
            if self.time > end {
                // Keeps the excess time, as if every picture had been drawn in time; a run of one frame stays at that frame.
                self.time = begin + (self.time - end) % (end - begin).max(f64::MIN_POSITIVE);
            }
        }
        let index = self.index();
        if self.asked != Some(index) && self.wanted.send(index).is_ok() {
            self.asked = Some(index);
        }
    }

    /// Advances by one frame and pauses.
    pub fn step(&mut self) {
        self.running = false;
        self.time = self.times[(self.index() + 1) % self.times.len()];
    }

    /// What the instruments have recorded.
    pub fn readings(&self) -> Arc<Mutex<Readings>> {
        Arc::clone(&self.readings)
    }

    /// The instruments at `frame`.
    pub fn instruments(&self, frame: &Frame) -> Vec<Instrument> {
        let readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let value = |instrument: &str, quantity: &str| readings.value(instrument, quantity, frame.time);
        self.definition.as_ref().map_or_else(Vec::new, |definition| definition.instruments(frame, &value))
    }

    /// The last frame that was read, or why it could not be read.
    pub fn latest(&self) -> Option<Read> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Reads requested frames; if several are requested, only the last one.
fn read(recording: &Recording, wanted: &Receiver<usize>, ready: &Mutex<Option<Read>>) {
    while let Ok(first) = wanted.recv() {
        let index = wanted.try_iter().last().unwrap_or(first);
        let frame = recording.frame(index).map(|frame| (index, Arc::new(frame))).map_err(|error| error.to_string());
        *ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(frame);
    }
}
