//! Bodies that appear and vanish at given times, and bodies that fluid and grains do not meet.

use serde::{Deserialize, Serialize};

/// When a body is there, and for what.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Time at which it appears, s.
    pub from: f64,
    /// Time at which it vanishes, s; it stays if absent.
    pub until: Option<f64>,
    /// Whether fluid and grains meet it; otherwise only other bodies do.
    #[serde(default = "yes")]
    pub for_particles: bool,
}

fn yes() -> bool {
    true
}

impl Default for Presence {
    /// Always, for all.
    fn default() -> Self {
        Self { from: f64::MIN, until: None, for_particles: true }
    }
}

impl Presence {
    /// Whether the body is there at `time` (s).
    pub fn contains(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }

    /// The times in words, after a comma, and whether particles meet it; empty if the body is always there for all.
    pub(super) fn describe(&self) -> String {
        let from = if self.from > f64::MIN { format!(", appears at {} s", self.from) } else { String::new() };
        let until = self.until.map_or_else(String::new, |until| format!(", vanishes at {until} s"));
        from + &until + if self.for_particles { "" } else { ", not met by particles" }
    }

    /// Whether the body appears or vanishes at some time.
    pub fn changes(&self) -> bool {
        self.from > f64::MIN || self.until.is_some()
    }
}
