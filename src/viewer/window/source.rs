//! What a window shows: a live simulation or a recorded run.

use super::{playback::Playback, worker::Worker};

/// What is shown.
pub enum Source {
    Live(Worker),
    Recorded(Box<Playback>),
}
