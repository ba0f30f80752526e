//! How fast simulated time passes for whoever watches.
//!
//! Waves in a tank are watched in real time; molecules that meet a million times a second, or soot that grows for hours, are not.

/// Frames per second that can be watched as they come.
const WATCHABLE: std::ops::RangeInclusive<f64> = 5.0..=240.0;
/// Frames shown a second of all others.
const USUAL: f64 = 30.0;

/// Frames shown per second of watching, of those that come `frames_per_second` of simulated time.
pub fn film_rate(frames_per_second: f64) -> f64 {
    if WATCHABLE.contains(&frames_per_second) { frames_per_second } else { USUAL }
}

/// Simulated seconds per second of watching.
pub fn playback_rate(frames_per_second: f64) -> f64 {
    film_rate(frames_per_second) / frames_per_second
}
