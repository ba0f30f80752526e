//! Data of each sphere: one cache line with what its neighbours read, half a line with its next events.

use glam::DVec3;
use plimsoll_search::brick_grid::NONE;
use serde::{Deserialize, Serialize};

/// The data of a sphere that its neighbours read: one cache line.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Sphere {
    pub position: DVec3,
    pub velocity: DVec3,
    pub time: f64,
    /// The next sphere in the same cell.
    #[serde(skip)]
    pub next: u32,
    /// Impacts since the last clock reset, modulo 65,536.
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
    /// The partner's impact counter when the impact was predicted.
    pub partner_count: u16,
    /// Cell of the sphere.
    pub cell: [u16; 3],
    /// Axis along which it leaves the cell.
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
