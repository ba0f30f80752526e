//! Describes the state of another run from which a scene starts.

use crate::{
    math::format::{grouped, significant},
    output::StartRecord,
};

/// The state of another run from which a scene starts at `time` (s), line by line.
pub fn describe_start(start: &StartRecord, time: f64) -> Vec<String> {
    let StartRecord { run, checksum, new_bodies, gone_bodies, removed_particles, .. } = start;
    let (at, steps) = (significant(start.time), grouped(start.steps));
    let mut lines = vec![format!("  start     at {} s from {run} at {at} s, step {steps} (checksum {checksum})", significant(time))];
    if !new_bodies.is_empty() {
        lines.push(format!("    new bodies: {}; {} particles removed", new_bodies.join(", "), grouped(*removed_particles)));
    }
    if !gone_bodies.is_empty() {
        lines.push(format!("    bodies only in the other run: {}", gone_bodies.join(", ")));
    }
    lines
}
