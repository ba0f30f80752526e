//! Hydrostatics of floating bodies, against closed forms and an independent count of voxels.

#[path = "hull/bodies.rs"]
mod bodies;
#[path = "hull/equilibrium.rs"]
mod equilibrium;
#[path = "hull/immersion.rs"]
mod immersion;
#[path = "hull/pockets.rs"]
mod pockets;
#[path = "hull/righting.rs"]
mod righting;
#[path = "hull/voxels.rs"]
mod voxels;

/// Asserts that `found` differs from `expected` by at most `tolerance`.
#[track_caller]
fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}, difference {:e}", found - expected);
}
