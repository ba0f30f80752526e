//! Why grains cannot begin.

use glam::DVec3;

/// Why grains cannot begin.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrainsError {
    #[error(
        "{count} grains of about radius {radius} m: found room for {placed} of them, expected room for all; take fewer, or a larger region"
    )]
    NoRoom { count: usize, radius: f64, placed: usize },
    #[error("axis {axis}: found a period of {found} m, expected at least {least} m, so that no grain touches another twice")]
    PeriodTooShort { axis: &'static str, found: f64, least: f64 },
    #[error("grain at {position}: found it to overlap {other} by {overlap} m, expected at most a tenth of its radius, {radius} m")]
    Overlap { position: DVec3, other: String, overlap: f64, radius: f64 },
    #[error("a time step of {found} s, expected at most {most} s: {reason}; about {advised} s would do")]
    TimeStep { found: f64, most: f64, advised: f64, reason: &'static str },
    #[error("found no grain, expected at least one")]
    Empty,
}
