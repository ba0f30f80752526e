//! The source of the window: a live simulation or a recorded run.

use super::{playback::Playback, worker::Worker};

/// The source of frames.
pub enum Source {
    Live(Worker),
    Recorded(Box<Playback>),
}
