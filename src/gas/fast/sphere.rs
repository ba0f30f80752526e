//! Data of each sphere: what its neighbours read in one line of cache, its next events in half a line.

use crate::search::brick_grid::NONE;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A sphere as its neighbours see it: one line of cache.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Sphere {
    pub position: DVec3,
    pub velocity: DVec3,
    pub time: f64,
    /// The sphere after it in its cell.
    #[serde(skip)]
    pub next: u32,
    /// Impacts since the clock was last set back, modulo 65,536.
    pub count: u16,
    pub species: u16,
}

/// The next events of a sphere.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(align(32))]
pub struct Agenda {
    pub impact: f64,
    pub leaving: f64,
    pub partner: u32,
    /// The partner's count of impacts when this was found.
    pub partner_count: u16,
    /// Where the sphere is.
    pub cell: [u16; 3],
    /// Where it leaves.
    pub axis: u8,
    pub upwards: bool,
}

impl Agenda {
    pub const EMPTY: Self =
        Self { impact: f64::INFINITY, leaving: f64::INFINITY, partner: NONE, partner_count: 0, cell: [0; 3], axis: 0, upwards: false };

    /// Whether the sphere leaves its cell before its next impact.
    #[inline]
    pub fn leaves(&self) -> bool {
        self.leaving < self.impact
    }

    #[inline]
    pub fn due(&self) -> f64 {
        self.impact.min(self.leaving)
    }
}
