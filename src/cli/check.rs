//! `plimsoll check`: what a scene holds and what it would take to run it.

use std::{fmt::Write, path::PathBuf};

use anyhow::Context;
use clap::Args;

use super::{
    Failure,
    run::load_scene,
    text::{bytes, grouped, print, significant},
};
use crate::{
    bodies::{BodyDefinition, BodyKind, MassSource},
    fluid::FluidSettings,
    run::{RunPlan, Simulation},
    scene::Definition,
    shape::{MassProperties, SegmentLimits, Segmentation},
};

/// Memory a particle takes with its neighbours (about 40 of 4 bytes, and the room such lists keep in reserve), bytes.
const BYTES_PER_PARTICLE: u64 = 600;
/// Longest side of a segment's box, in particle radii, and triangles in it, as the fluid has them.
const SEGMENT_RADII: f64 = 8.0;
const SEGMENT_TRIANGLES: usize = 32;
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
    let Definition::Fluid { settings, bodies } = &scene.definition;
    let bodies: Vec<BodySummary> = bodies.iter().map(|body| BodySummary::of(body, settings)).collect();
    let place = || arguments.scene.display().to_string();
    let particle_radius = settings.particle_radius;
    let simulation = Simulation::new(scene.definition).with_context(place).map_err(Failure::BadInput)?;
    let particles = simulation.particle_count() as u64;
    let triangles: u64 = bodies.iter().map(|body| body.pieces as u64).sum();
    let end = plan.schedule.end(None);
    let mut lines = vec![
        format!("{} ({})", plan.title, place()),
        format!("  duration  {} s", significant(end)),
        format!("  frames    {} at {} per second", grouped(plan.schedule.frame_count(end)), plan.schedule.frames_per_second),
        format!("  particles {} of radius {} m", grouped(particles), significant(particle_radius)),
        format!("  bodies    {}", bodies.len()),
    ];
    lines.extend(bodies.iter().map(BodySummary::line));
    lines.push(format!("  memory    about {}", bytes(particles * BYTES_PER_PARTICLE + triangles * BYTES_PER_TRIANGLE)));
    lines.extend(scene.warnings.iter().map(|warning| format!("warning: {warning}")));
    if scene.warnings.is_empty() {
        lines.push("no warnings".to_owned());
    }
    print(&(lines.join("\n") + "\n"));
    Ok(())
}

/// What is told of a body.
struct BodySummary {
    name: String,
    kind: &'static str,
    /// Of the mesh as it was given.
    triangles: usize,
    /// Triangles after cutting into segments.
    pieces: usize,
    segments: usize,
    /// Kilograms; of floating bodies only.
    mass: Option<f64>,
}

impl BodySummary {
    fn of(body: &BodyDefinition, settings: &FluidSettings) -> Self {
        let limits = SegmentLimits { size: SEGMENT_RADII * settings.particle_radius, triangles: SEGMENT_TRIANGLES };
        let segmentation = Segmentation::build(&body.mesh, &limits);
        let (kind, mass) = match &body.kind {
            BodyKind::Static => ("static", None),
            BodyKind::Moving(_) => ("moving", None),
            BodyKind::Floating(floating) => match floating.mass {
                MassSource::Mass(mass) => ("floating", Some(mass)),
                MassSource::Density(density) => ("floating", Some(density * MassProperties::of(&body.mesh).volume)),
            },
        };
        Self {
            name: body.name.clone(),
            kind,
            triangles: body.mesh.triangles.len(),
            pieces: segmentation.mesh.triangles.len(),
            segments: segmentation.segments.len(),
            mass,
        }
    }

    fn line(&self) -> String {
        let mut line = format!(
            "    {}: {}, {} triangles in {} segments",
            self.name,
            self.kind,
            grouped(self.triangles as u64),
            grouped(self.segments as u64)
        );
        if let Some(mass) = self.mass {
            // Writing into a string cannot fail.
            let _ = write!(line, ", {} kg", significant(mass));
        }
        line
    }
}
