//! What probes measure: the fluid and the bodies over one step, or in one recorded frame.

use glam::{DVec3, Vec3A};
use plimsoll_bodies::Body;

use crate::{
    FluidSettings,
    coupling::{Load, WallSearch},
    neighbourhood::Kernel,
};

/// The fluid and the bodies over an interval: a step, or the time since the previous frame.
#[derive(Clone, Copy)]
pub struct FluidSample<'a> {
    /// Settings of the fluid.
    pub settings: &'a FluidSettings,
    /// End of the interval, s.
    pub time: f64,
    /// Length of the interval, s.
    pub dt: f64,
    /// Positions to which pressures and wall contacts belong, m.
    pub positions: &'a [Vec3A],
    /// Identifiers of the particles.
    pub ids: &'a [u32],
    /// Indices of the materials.
    pub materials: &'a [u8],
    /// Positions at the beginning of the interval, m.
    pub before: &'a [Vec3A],
    /// Positions at the end of the interval, m.
    pub after: &'a [Vec3A],
    /// Velocities at the end of the interval, m/s.
    pub velocities: &'a [Vec3A],
    /// Mean pressures over the interval, Pa.
    pub pressures: &'a [f32],
    /// The bodies at the end of the interval; their `previous_pose` belongs to `positions`.
    pub bodies: &'a [Body],
    /// Impulses of the fluid on each body over the interval.
    pub loads: &'a [Load],
    /// Wall contacts at `positions`.
    pub walls: &'a WallSearch,
}

impl FluidSample<'_> {
    pub(super) fn kernel(&self) -> Kernel {
        self.settings.kernel()
    }

    /// Unit vector against gravity; y without gravity.
    pub(super) fn up(&self) -> DVec3 {
        self.settings.up()
    }

    /// Distance vector from `point` (m) to a position, across periodic ends.
    pub(super) fn offset(&self, point: DVec3, position: Vec3A) -> DVec3 {
        self.settings.domain.nearest_image(position.as_dvec3() - point)
    }
}
