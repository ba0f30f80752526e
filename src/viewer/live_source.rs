//! Frames of a simulation that runs while they are drawn.

use crate::{
    frame::Frame,
    run::{Schedule, Simulation},
    viewer::render::FrameSource,
};

/// A simulation that is advanced from frame to frame.
pub struct LiveSource {
    simulation: Simulation,
    schedule: Schedule,
}

impl LiveSource {
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
        // Landing on every frame time in between, so that the steps are those of any other run of the scene.
        let mut landing = (self.simulation.time() * self.schedule.frames_per_second).floor() as u64;
        while self.simulation.time() < time {
            while self.schedule.frame_time(landing) <= self.simulation.time() {
                landing += 1;
            }
            self.simulation.advance(self.schedule.frame_time(landing).min(time));
        }
        Ok(self.simulation.frame())
    }
}
