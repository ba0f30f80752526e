//! How fast simulated time passes for the viewer.
//!
//! Waves in a tank are shown in real time; molecules that collide a million times a second, or soot that grows for hours, are not.

/// Frame rates that are shown in real time.
const WATCHABLE: std::ops::RangeInclusive<f64> = 5.0..=240.0;
/// Frames shown per second for all other rates.
const USUAL: f64 = 30.0;

/// Frames shown per second of playback, if the simulation has `frames_per_second` per simulated second.
pub fn film_rate(frames_per_second: f64) -> f64 {
    if WATCHABLE.contains(&frames_per_second) { frames_per_second } else { USUAL }
}

/// Simulated seconds per second of playback.
pub fn playback_rate(frames_per_second: f64) -> f64 {
    film_rate(frames_per_second) / frames_per_second
}
