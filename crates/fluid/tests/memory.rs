//! The memory of a run: what a particle costs, and that a warm step allocates nothing for each particle.

mod common;

use std::sync::{Mutex, PoisonError};

use common::{box_fill, closed_tank, cuboid, fixed, floating, moving};
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::PrescribedMotion;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, Viscosity};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Both tests count what the whole program allocates.
static ALONE: Mutex<()> = Mutex::new(());

/// Fluid of a kinematic viscosity of `kinematic` (m²/s).
fn viscous(kinematic: f64) -> Viscosity {
    Viscosity { kinematic, ..Viscosity::default() }
}

/// What the memory of a falling block takes.
struct Block {
    /// Peak, bytes.
    peak: usize,
    particles: usize,
}

/// A block of fluid of a kinematic viscosity of `kinematic` (m²/s) falls. Without bodies: their memory depends on their meshes.
fn block(radius: f64, kinematic: f64) -> Block {
    let profiler = dhat::Profiler::builder().testing().build();
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.5, 0.6, 1.0), DVec3::ZERO);
    let settings = FluidSettings { settle: false, viscosity: viscous(kinematic), ..common::settings(radius, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    for _ in 0..10 {
        simulation.advance(1.0).unwrap();
    }
    let peak = dhat::HeapStats::get().max_bytes;
    drop(profiler);
    let particles = simulation.particle_count();
    let ratio = simulation.settings().memory_estimate(particles as f64, 0.0) / peak as f64;
    println!("{particles} particles of {kinematic} m²/s: estimate {ratio:.2} of the measured peak");
    assert!((0.8..1.2).contains(&ratio), "{ratio}");
    Block { peak, particles }
}

#[test]
fn a_particle_costs_at_most_800_bytes() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let each = |kinematic: f64| {
        let [small, large] = [0.0125, 1.0 / 120.0].map(|radius| block(radius, kinematic));
        let each = (large.peak - small.peak) as f64 / (large.particles - small.particles) as f64;
        println!("{} and {} particles: {each:.0} bytes each", small.particles, large.particles);
        each
    };
    let (water, honey) = (each(1e-6), each(0.1));
    assert!(water < 800.0 && honey < 1000.0, "{water} and {honey} bytes");
}

/// Fewest bytes that any of some warm steps allocates, and the number of particles: a block of water collapses against a turning paddle and a
/// floating box. Single steps allocate more when a buffer grows with the neighbours; what a step needs each time shows in all of them.
fn least_allocated_in_a_step(radius: f64, kinematic: f64) -> (u64, usize) {
    let gap = DVec3::splat(2.0 * radius);
    let tank = closed_tank([-gap, DVec3::new(0.8, 1.0, 0.5) + gap], 0.1);
    let cube = |side: f64| cuboid(DVec3::splat(-0.5 * side), DVec3::splat(0.5 * side));
    let center = DVec3::new(0.6, 0.1, 0.25);
    let turning = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::new(0.0, 2.0, 0.0), pivot: center };
    let above = Pose { translation: DVec3::new(0.2, 0.38, 0.25), ..Pose::IDENTITY };
    let bodies = vec![
        fixed("tank", tank, Pose::IDENTITY),
        moving("paddle", cube(0.1), Pose { translation: center, ..Pose::IDENTITY }, turning),
        floating("box", cube(0.12), above, 500.0),
    ];
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.5, 0.3, 0.5), DVec3::ZERO);
    let settings = FluidSettings { settle: false, viscosity: viscous(kinematic), ..common::settings(radius, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, bodies).unwrap();
    let mut advance = || simulation.advance(10.0).unwrap();
    (0..30).for_each(|_| advance());
    let profiler = dhat::Profiler::builder().testing().build();
    let mut least = u64::MAX;
    for _ in 0..30 {
        let before = dhat::HeapStats::get().total_bytes;
        advance();
        least = least.min(dhat::HeapStats::get().total_bytes - before);
    }
    drop(profiler);
    (least, simulation.particle_count())
}

#[test]
fn a_warm_step_allocates_nothing_that_grows_with_the_particles() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    for kinematic in [1e-6, 0.1] {
        let [small, large] = [0.02, 0.01].map(|radius| least_allocated_in_a_step(radius, kinematic));
        let each = (large.0 as f64 - small.0 as f64) / (large.1 - small.1) as f64;
        println!("a step allocates {} bytes with {} particles, {} bytes with {}: {each:.2} bytes each", small.0, small.1, large.0, large.1);
        // The smallest array would take four; the vectors over bodies that each sweep makes take less the more particles there are.
        assert!(each < 1.0, "{each} bytes for each particle more");
    }
}
