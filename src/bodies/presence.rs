//! Bodies that appear and vanish at given times.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Body;
use crate::shape::Segmentation;

/// When a body is there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presence {
    /// Time at which it appears, s.
    pub from: f64,
    /// Time at which it vanishes, s; it stays if absent.
    pub until: Option<f64>,
}

impl Default for Presence {
    /// Always.
    fn default() -> Self {
        Self { from: f64::MIN, until: None }
    }
}

impl Presence {
    /// Whether the body is there at `time` (s).
    pub fn contains(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }

    /// The times in words, after a comma; empty if the body is always there.
    pub(super) fn describe(&self) -> String {
        let from = if self.from > f64::MIN { format!(", appears at {} s", self.from) } else { String::new() };
        let until = self.until.map_or_else(String::new, |until| format!(", vanishes at {until} s"));
        from + &until
    }

    /// Whether the body appears or vanishes at some time.
    pub fn changes(&self) -> bool {
        *self != Self::default()
    }
}

impl Body {
    /// Whether the body is there; otherwise nothing meets it, and it has neither momentum nor energy.
    pub fn is_present(&self) -> bool {
        !self.absent
    }

    /// Lets the body appear or vanish as `time` (s) demands; returns whether anything changes.
    pub(super) fn come_and_go(&mut self, time: f64) -> bool {
        let absent = !self.presence.contains(time);
        if absent == self.absent {
            return false;
        }
        self.absent = absent;
        self.contact_impulse = Default::default();
        if absent {
            self.hide_segments();
        } else {
            self.segmentation = std::mem::take(&mut self.hidden_segmentation);
            self.refit_segments();
        }
        true
    }

    /// Takes the segments away from the search of an absent body.
    pub(super) fn hide_segments(&mut self) {
        if self.absent {
            self.hidden_segmentation = std::mem::take(&mut self.segmentation);
        }
    }

    /// The segments, also while the body is absent.
    pub fn whole_segmentation(&self) -> &Arc<Segmentation> {
        if self.absent { &self.hidden_segmentation } else { &self.segmentation }
    }
}
