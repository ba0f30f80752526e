//! `plimsoll check`: what a scene holds and what it would take to run it.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;

use super::{
    Failure,
    run::load_scene,
    terminal::print,
    text::{bytes, grouped, significant},
};
use crate::{
    bodies::{Body, BodyKind},
    fluid::{Emitter, FluidSimulation},
    run::{RunPlan, Simulation},
};

/// Peak memory a particle takes, with its neighbours and a frame being written, as measured in dam breaks of 0.1 to 0.5 million
/// particles; bytes.
const BYTES_PER_PARTICLE: u64 = 1200;
/// Memory a triangle takes in its segment, with its share of vertices and of the ball, bytes.
const BYTES_PER_TRIANGLE: u64 = 200;

#[derive(Debug, Args)]
#[command(after_help = "Example:
  plimsoll check scenes/fluid/dam_break.toml")]
pub struct CheckArguments {
    /// Scene file (TOML)
    scene: PathBuf,
}

pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let (scene, text) = load_scene(&arguments.scene)?;
    let plan = RunPlan::new(&scene, text);
    let place = || arguments.scene.display().to_string();
    let simulation = Simulation::new(scene.definition).with_context(place).map_err(Failure::BadInput)?;
    let end = plan.schedule.end(None);
    let mut lines = vec![
        format!("{} ({})", plan.title, place()),
        format!("  duration  {} s", significant(end)),
        format!("  frames    {} at {} per second", grouped(plan.schedule.frame_count(end)), plan.schedule.frames_per_second),
    ];
    match &simulation {
        Simulation::Fluid(fluid) => lines.extend(describe_fluid(fluid)),
        Simulation::Gas(gas) => {
            lines.push(format!("  particles {}", grouped(gas.particle_count() as u64)));
            lines.extend(gas.describe());
        }
        Simulation::Aggregates(aggregates) => {
            lines.push(format!("  particles {}", grouped(aggregates.particle_count() as u64)));
            lines.extend(aggregates.describe());
        }
        Simulation::Blocks(blocks) => lines.extend(blocks.describe()),
        Simulation::Grains(grains) => {
            lines.push(format!("  particles {}", grouped(grains.particle_count() as u64)));
            lines.extend(grains.describe());
            lines.extend(describe_bodies(grains.bodies()));
        }
    }
    lines.extend(scene.warnings.iter().map(|warning| format!("warning: {warning}")));
    if scene.warnings.is_empty() {
        lines.push("no warnings".to_owned());
    }
    print(&(lines.join("\n") + "\n"));
    Ok(())
}

fn describe_fluid(fluid: &FluidSimulation) -> Vec<String> {
    let particles = fluid.particle_count() as u64;
    let triangles: u64 = fluid.bodies().iter().map(|body| body.segmentation.mesh.triangles.len() as u64).sum();
    let mut lines = vec![
        format!("  particles {} of radius {} m", grouped(particles), significant(fluid.settings().particle_radius)),
        format!("  memory    about {}", bytes(particles * BYTES_PER_PARTICLE + triangles * BYTES_PER_TRIANGLE)),
    ];
    lines.extend(describe_bodies(fluid.bodies()));
    let emitters = &fluid.settings().emitters;
    if !emitters.is_empty() {
        lines.push(format!("  emitters  {}", emitters.len()));
        lines.extend(emitters.iter().enumerate().map(describe_emitter));
    }
    lines
}

fn describe_bodies(bodies: &[Body]) -> Vec<String> {
    let mut lines = vec![format!("  bodies    {}", bodies.len())];
    lines.extend(bodies.iter().map(describe));
    lines
}

fn describe_emitter((index, emitter): (usize, &Emitter)) -> String {
    let until = emitter.end.map_or("on".to_owned(), |end| format!("to {} s", significant(end)));
    format!("    emitter {}: {} l/s from {} s {until}", index + 1, significant(1e3 * emitter.flow()), significant(emitter.start))
}

fn describe(body: &Body) -> String {
    let (triangles, segments) = (body.mesh.triangles.len() as u64, body.segmentation.segments.len() as u64);
    let shape = format!("{} triangles in {} segments", grouped(triangles), grouped(segments));
    match body.kind {
        BodyKind::Static => format!("    {}: static, {shape}", body.name),
        BodyKind::Moving(_) => format!("    {}: moving, {shape}", body.name),
        BodyKind::Floating(_) => format!("    {}: floating, {shape}, {} kg", body.name, significant(body.mass)),
    }
}
