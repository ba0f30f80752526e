//! Why a gas cannot begin or go on.

use glam::DVec3;

/// Why a gas cannot begin or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GasError {
    #[error(
        "axis {axis}: found a period of {found} m, expected at least {least} m, for a sphere must meet its neighbours before their images"
    )]
    PeriodTooShort { axis: &'static str, found: f64, least: f64 },
    #[error("sphere {sphere}: found it at {position} m, outside the walls or in one, expected it inside")]
    Outside { sphere: u32, position: DVec3 },
    #[error("spheres {first} and {second}: found them to overlap by {overlap} m, expected none to overlap")]
    Overlap { first: u32, second: u32, overlap: f64 },
    #[error("{count} spheres of radius {radius} m: found room for {placed} of them, expected room for all; take fewer or smaller ones")]
    NoRoom { count: usize, radius: f64, placed: usize },
    #[error(
        "at {time} s sphere {sphere} at {position} m meets impact after impact and time no longer advances, expected room between walls and spheres"
    )]
    Squeezed { time: f64, sphere: u32, position: DVec3 },
}
