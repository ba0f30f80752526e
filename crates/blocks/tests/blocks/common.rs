//! Helpers that build scenes.

use glam::DVec2;
use plimsoll_blocks::{BlockDefinition, BlocksSettings, BlocksSimulation, Joint, Material, StepSettings};
use plimsoll_contract::simulator::Simulator;

pub const GRAVITY: f64 = 9.81;
pub const DENSITY: f64 = 2500.0;
pub const MODULUS: f64 = 1e9;

pub fn polygon(points: &[(f64, f64)]) -> Vec<DVec2> {
    points.iter().map(|&(x, y)| DVec2::new(x, y)).collect()
}

pub fn rectangle(x: f64, y: f64, width: f64, height: f64) -> Vec<DVec2> {
    polygon(&[(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
}

pub fn turned(vertices: &[DVec2], angle: f64) -> Vec<DVec2> {
    vertices.iter().map(|&vertex| DVec2::from_angle(angle).rotate(vertex)).collect()
}

pub fn block(vertices: Vec<DVec2>) -> BlockDefinition {
    BlockDefinition::new(vertices)
}

pub fn fixed(vertices: Vec<DVec2>) -> BlockDefinition {
    BlockDefinition::fixed(vertices)
}

/// One kind of rock with this friction angle (degrees), and a step for blocks about a meter large.
pub fn settings(blocks: Vec<BlockDefinition>, friction_angle: f64) -> BlocksSettings {
    let material =
        Material { name: "rock".to_owned(), density: DENSITY, young_modulus: MODULUS, poisson_ratio: 0.25, initial_stress: [0.0; 3] };
    let joint = Joint { friction: friction_angle.to_radians().tan(), cohesion: 0.0, tensile_strength: 0.0 };
    let step = StepSettings {
        maximum: 0.01,
        maximum_displacement: 0.02,
        normal_stiffness: 10.0 * MODULUS,
        shear_stiffness: 4.0 * MODULUS,
        iterations: 6,
        cuts: 6,
        velocity_kept: 1.0,
    };
    BlocksSettings::of_one_material(material, joint, blocks, step)
}

pub fn run(settings: BlocksSettings, until: f64) -> BlocksSimulation {
    let mut simulation = BlocksSimulation::new(settings).unwrap_or_else(|error| panic!("{error}"));
    while simulation.time() < until {
        simulation.advance(until).unwrap_or_else(|error| panic!("{error}"));
    }
    simulation
}

pub fn centroid(simulation: &BlocksSimulation, block: usize) -> DVec2 {
    simulation.state().blocks[block].moments.centroid
}
