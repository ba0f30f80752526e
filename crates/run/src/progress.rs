//! Progress of a run.

/// Progress of a run between two steps.
#[derive(Clone, Copy, Debug)]
pub struct Status {
    /// Simulated seconds.
    pub time: f64,
    /// Simulated time at which this process started or resumed the run, s.
    pub first_time: f64,
    /// Simulated seconds at which the run ends.
    pub end: f64,
    /// Simulated seconds at which the run probably ends: earlier if the simulation has a goal of its own.
    pub expected_end: f64,
    /// Steps since time zero.
    pub steps: u64,
    /// Step count at which this process started or resumed the run.
    pub first_step: u64,
    /// Frames since time zero.
    pub frames: u64,
    /// Number of particles, spheres, grains, clusters or blocks, and what they are.
    pub elements: (usize, &'static str),
    /// Wall time since this process started or resumed the run.
    pub wall_seconds: f64,
}

impl Status {
    /// Simulated seconds per second of wall time.
    pub fn speed(&self) -> f64 {
        (self.time - self.first_time) / self.wall_seconds
    }

    /// Elements times steps per second of wall time.
    pub fn element_steps_per_second(&self) -> f64 {
        (self.steps - self.first_step) as f64 * self.elements.0 as f64 / self.wall_seconds
    }

    /// Seconds of wall time left at the mean speed so far; `None` before the first step.
    pub fn seconds_left(&self) -> Option<f64> {
        let speed = self.speed();
        (speed > 0.0).then(|| (self.expected_end - self.time) / speed)
    }
}

/// An observer of a run.
pub trait Progress {
    /// Called before the first step and after every step.
    fn update(&mut self, status: &Status);

    /// Called once after the last step, even if the run failed.
    fn finish(&mut self);
}

/// Reports nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn update(&mut self, _: &Status) {}

    fn finish(&mut self) {}
}
