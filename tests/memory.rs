//! What a particle costs in memory, all that a step needs included.

mod common;

use common::box_fill;
use glam::DVec3;
use plimsoll::{
    fluid::{FluidSettings, FluidSimulation, memory_estimate},
    search::{CellGrid, NeighbourLists},
    simulator::Simulator,
};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Bytes of an entry of a neighbour list: its index, that in the task that found it, and two gradients with it; with the room that the
/// lists have to grow in, a sixteenth.
const BYTES_OF_A_NEIGHBOUR: f64 = (4.0 + 4.0 + 16.0 + 16.0) * 17.0 / 16.0;

/// Most bytes held at any time while a block of water falls, number of particles, and entries of the neighbour lists at the end. Without
/// bodies: what they cost depends on their meshes.
fn block(radius: f64) -> (usize, usize, usize) {
    let profiler = dhat::Profiler::builder().testing().build();
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.5, 0.6, 1.0), DVec3::ZERO);
    let settings = FluidSettings { settle: false, ..common::settings(radius, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    for _ in 0..10 {
        simulation.advance(1.0).unwrap();
    }
    let peak = dhat::HeapStats::get().max_bytes;
    drop(profiler);
    let (mut grid, mut lists) = (CellGrid::default(), NeighbourLists::default());
    let mut positions = simulation.particles().positions.clone();
    grid.update(&positions, 4.0 * radius as f32);
    grid.reorder(&mut positions, &mut Vec::new());
    lists.rebuild(&grid, &positions);
    (peak, simulation.particle_count(), lists.indices().len())
}

#[test]
fn a_particle_costs_at_most_360_bytes_beside_its_neighbour_lists() {
    let (small, large) = (block(0.0125), block(0.0085));
    let particles = (large.1 - small.1) as f64;
    let all = (large.0 - small.0) as f64 / particles;
    let neighbours = (large.2 - small.2) as f64 / particles;
    let beside = all - neighbours * BYTES_OF_A_NEIGHBOUR;
    println!("{} and {} particles: {all:.0} bytes each, {neighbours:.1} neighbours, {beside:.0} bytes beside them", small.1, large.1);
    for (peak, count, _) in [small, large] {
        let ratio = memory_estimate(count as f64, 0.0) / peak as f64;
        println!("{count} particles: estimate {ratio:.2} of the measured peak");
        assert!((0.8..1.2).contains(&ratio), "{ratio}");
    }
    assert!(neighbours > 20.0, "{neighbours} neighbours");
    assert!(beside < 360.0, "{beside} bytes");
}
