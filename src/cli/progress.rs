//! Shows the progress of a run: a bar on a terminal, otherwise a line from time to time.

use std::{
    io::IsTerminal,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressStyle};

use super::terminal::report;
use crate::{
    math::format::{grouped, significant},
    run::{Progress, Status},
};

const BAR_INTERVAL: Duration = Duration::from_millis(100);
const LINE_INTERVAL: Duration = Duration::from_secs(5);
const BAR_PARTS: u64 = 1000;

/// The progress display for standard error.
pub fn for_stderr() -> Box<dyn Progress> {
    if std::io::stderr().is_terminal() { Box::new(Bar::new()) } else { Box::new(Lines { last: Instant::now() }) }
}

/// Progress of a task over `frames` frames: a bar on a terminal, otherwise a line from time to time.
pub struct FrameCount {
    what: &'static str,
    done: u64,
    frames: u64,
    bar: Option<ProgressBar>,
    last: Instant,
}

impl FrameCount {
    pub fn for_stderr(what: &'static str, frames: u64) -> Self {
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {msg}, {eta} left").expect("the template is well-formed");
        let bar = std::io::stderr().is_terminal().then(|| ProgressBar::new(frames).with_style(style));
        Self { what, done: 0, frames, bar, last: Instant::now() }
    }

    /// Counts one more frame as done.
    pub fn advance(&mut self) {
        self.done += 1;
        let reached = format!("{} of {} frames {}", grouped(self.done), grouped(self.frames), self.what);
        if let Some(bar) = &self.bar {
            bar.set_message(reached);
            bar.set_position(self.done);
        } else if self.last.elapsed() >= LINE_INTERVAL {
            self.last = Instant::now();
            report(&reached);
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

struct Bar {
    bar: ProgressBar,
    last: Option<Instant>,
}

impl Bar {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:24} {percent:>3} %  {prefix}\n{wide_msg}").expect("the template is well-formed");
        Self { bar: ProgressBar::new(BAR_PARTS).with_style(style), last: None }
    }
}

impl Progress for Bar {
    fn update(&mut self, status: &Status) {
        if self.last.is_some_and(|last| last.elapsed() < BAR_INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        self.bar.set_position((status.time / status.end * BAR_PARTS as f64) as u64);
        self.bar.set_prefix(describe_time(status));
        self.bar.set_message(describe_work(status));
    }

    fn finish(&mut self) {
        self.bar.finish_and_clear();
    }
}

struct Lines {
    last: Instant,
}

impl Progress for Lines {
    fn update(&mut self, status: &Status) {
        if self.last.elapsed() >= LINE_INTERVAL {
            self.last = Instant::now();
            report(&format!("{}, {}", describe_time(status), describe_work(status)));
        }
    }

    fn finish(&mut self) {}
}

/// Simulated time and remaining wall time.
fn describe_time(status: &Status) -> String {
    let reached = format!("{} of {} s", significant(status.time), significant(status.end));
    match status.seconds_left() {
        Some(left) => format!("{reached}, {} left", duration(left)),
        None => reached,
    }
}

/// Completed steps and frames, and the speed.
fn describe_work(status: &Status) -> String {
    let (steps, frames, (count, elements)) = (grouped(status.steps), grouped(status.frames), status.elements);
    let done = format!("{steps} steps, {frames} frames, {} {elements}", grouped(count as u64));
    if status.steps == status.first_step {
        return done;
    }
    let work = status.element_steps_per_second() / 1e6;
    format!("{done}, {} simulated s/s, {work:.2} M {} steps/s", significant(status.speed()), elements.trim_end_matches('s'))
}

/// Seconds of wall time: `0.8 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`.
pub fn duration(seconds: f64) -> String {
    if seconds < 59.95 {
        return format!("{seconds:.1} s");
    }
    let seconds = seconds.round() as u64;
    match seconds {
        0..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(
            [0.84, 59.99, 125.2, 3599.7, 12_000.0, 190_000.0].map(duration),
            ["0.8 s", "1 min 0 s", "2 min 5 s", "1 h 0 min", "3 h 20 min", "2 d 4 h"]
        );
    }
}
