//! The source of the window: a live simulation or a recorded run.

use plimsoll_contract::{frame::Frame, simulator::Instrument};

use super::{playback::Playback, worker::Worker};

/// The source of frames.
pub enum Source {
    Live(Worker),
    Recorded(Box<Playback>),
}

impl Source {
    /// The instruments of a recorded run at `frame`; none in a live simulation, whose snapshots have them.
    pub fn recorded_instruments(&self, frame: &Frame) -> Vec<Instrument> {
        match self {
            Self::Live(_) => Vec::new(),
            Self::Recorded(playback) => playback.instruments(frame),
        }
    }
}
