//! Size of the frame files of a fluid, and memory while they are written.

#[path = "../crates/fluid/tests/common/mod.rs"]
mod common;

use std::fs;

use common::{box_fill, closed_tank, fixed, settings};
use glam::DVec3;
use plimsoll::{
    fluid::{FluidSettings, FluidSimulation},
    frame::Frame,
    math::Pose,
    output::{Format, FrameFiles},
    simulator::Simulator,
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// A column of water that has collapsed in a tank: positions, velocities, densities and pressures are irregular in all their digits.
fn frame() -> Frame {
    const END: f64 = 0.2;
    let gap = DVec3::splat(0.009);
    let tank = closed_tank([-gap, DVec3::new(0.9, 0.6, 0.5) + gap], 0.1);
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.45, 0.5, 0.5), DVec3::ZERO);
    let settings = FluidSettings { settle: false, ..settings(0.009, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, vec![fixed("tank", tank, Pose::IDENTITY)]).unwrap();
    while simulation.time() < END {
        simulation.advance(END).unwrap();
    }
    simulation.take_frame()
}

/// A particle has 36 bytes in memory. Its file had 71 as base64 text with 64-bit indices.
#[test]
fn a_frame_is_small_and_written_without_a_copy() {
    let frame = frame();
    let count = frame.particles.positions.len();
    let folder = tempfile::tempdir().unwrap();
    let mut files = FrameFiles::new(folder.path(), vec![Format::Vtk], &[]);
    let profiler = dhat::Profiler::builder().testing().build();
    files.write(0, &frame).unwrap();
    let peak = dhat::HeapStats::get().max_bytes;
    drop(profiler);
    let bytes = fs::metadata(folder.path().join("particles_000000.vtu")).unwrap().len();
    let each = bytes as f64 / count as f64;
    println!("{count} particles: {each:.2} bytes each; while writing, at most {peak} bytes");
    assert!(each < 32.0, "{each} bytes");
    // Buffers for the file, a piece and its compression, for any number of particles.
    assert!(peak < 1 << 20, "{peak} bytes");
}
