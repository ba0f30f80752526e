//! Impulses between two outputs: frames contain their means, because the pressure of a single step is mostly noise in a moving fluid.

use plimsoll_bodies::Impulse;
use serde::{Deserialize, Serialize};

use crate::coupling::Load;

/// Time since the last output, s, and the impulse of the fluid on each body. The impulses of pressure are stored with the particles.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OutputInterval {
    pub seconds: f64,
    loads: Vec<Impulse>,
}

impl OutputInterval {
    /// Adds a step of `dt` seconds with its loads.
    pub fn add(&mut self, loads: &[Load], dt: f64) {
        self.seconds += dt;
        self.loads.resize(loads.len(), Impulse::default());
        for (sum, load) in self.loads.iter_mut().zip(loads) {
            *sum += load.total();
        }
    }

    /// Impulse on body `index`, about its center.
    pub fn load(&self, index: usize) -> Impulse {
        self.loads.get(index).copied().unwrap_or_default()
    }

    pub fn clear(&mut self) {
        self.seconds = 0.0;
        self.loads.clear();
    }
}
