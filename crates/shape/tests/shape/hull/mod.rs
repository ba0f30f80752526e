//! Hydrostatics of floating bodies, against closed forms and an independent count of voxels.

mod attitudes;
mod bodies;
mod equilibrium;
mod immersion;
mod pockets;
mod righting;
mod voxels;

/// Asserts that `found` differs from `expected` by at most `tolerance`.
#[track_caller]
fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found}, expected {expected}, difference {:e}", found - expected);
}
