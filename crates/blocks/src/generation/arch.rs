//! The voussoirs of a round arch.

use std::f64::consts::PI;

use glam::DVec2;

/// `count` wedges between two circles around `center` with `radii` (m, inner and outer), from `angles[0]` to `angles[1]` (rad,
/// counterclockwise from the x axis); 0 to π is a semicircle.
pub fn arch(center: DVec2, radii: [f64; 2], angles: [f64; 2], count: usize) -> Vec<Vec<DVec2>> {
    let joint = |k: usize| {
        let angle = angles[0] + (angles[1] - angles[0]) * k as f64 / count as f64;
        // Makes a springing at π exactly level.
        let direction = if (angle - PI).abs() < 1e-12 { DVec2::NEG_X } else { DVec2::from_angle(angle) };
        radii.map(|radius| center + radius * direction)
    };
    (0..count)
        .map(|k| {
            let ([inner, outer], [next_inner, next_outer]) = (joint(k), joint(k + 1));
            vec![inner, outer, next_outer, next_inner]
        })
        .collect()
}
