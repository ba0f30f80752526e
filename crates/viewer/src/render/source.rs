//! Sources of frames: a running simulation, or a run on disk.

use plimsoll_contract::frame::Frame;
use plimsoll_output::Recording;
use plimsoll_run::{Schedule, Simulation};
use plimsoll_scene::{Scene, SceneError};

use super::FrameSource;

/// A simulation that advances from frame to frame.
pub struct LiveSource {
    simulation: Simulation,
    schedule: Schedule,
}

impl LiveSource {
    /// Frames of a simulation that runs while it is drawn.
    pub fn new(simulation: Simulation, schedule: Schedule) -> Self {
        Self { simulation, schedule }
    }
}

impl FrameSource for LiveSource {
    fn count(&self) -> u64 {
        self.schedule.frame_count(self.schedule.end(None))
    }

    fn frames_per_second(&self) -> f64 {
        self.schedule.frames_per_second
    }

    fn frame(&mut self, index: u64) -> anyhow::Result<Frame> {
        let time = self.schedule.frame_time(index);
        // Stops at every frame time in between, so that the steps are those of any other run of the scene.
        while self.simulation.time() < time {
            let landing = self.schedule.next_frame(self.simulation.time());
            self.simulation.advance(self.schedule.frame_time(landing).min(time))?;
        }
        Ok(self.simulation.take_checked_frame()?)
    }
}

/// Number of frames for choosing the color range, evenly spread over all of them.
const PREVIEWED: usize = 9;

impl FrameSource for Recording {
    fn count(&self) -> u64 {
        self.len() as u64
    }

    fn frames_per_second(&self) -> f64 {
        match self.times() {
            [first, .., last] if last > first => (self.len() - 1) as f64 / (last - first),
            _ => 1.0,
        }
    }

    fn frame(&mut self, index: u64) -> anyhow::Result<Frame> {
        Ok(Recording::frame(self, index as usize)?)
    }

    fn preview(&mut self) -> Vec<Frame> {
        let last = self.len().saturating_sub(1);
        let indices = (0..PREVIEWED).map(|number| number * last / (PREVIEWED - 1));
        // A frame that cannot be read is reported when it is drawn.
        indices.filter_map(|index| Recording::frame(self, index).ok()).collect()
    }
}

/// The scene of a run.
///
/// # Errors
/// If the files it was made from are not where they were, seen from the current folder.
pub fn scene_of(recording: &Recording) -> Result<Scene, SceneError> {
    let record = &recording.info().scene;
    Scene::parse(&record.text, &record.path)
}
