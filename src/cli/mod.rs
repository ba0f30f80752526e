//! The command line. Exit codes: 0 success (or interrupted with everything saved), 1 failure while running, 2 bad input.

mod bench;
mod check;
mod failure;
mod folder;
mod inspect;
mod measure;
mod memory;
mod plot;
mod preparation;
mod progress;
#[cfg(feature = "viewer")]
mod render;
mod run;
mod start;
mod surface;
mod terminal;
mod validate;

#[cfg(feature = "viewer")]
mod view;
#[cfg(not(feature = "viewer"))]
mod without_viewer;

use std::process::ExitCode;

use anyhow::anyhow;
use clap::{Parser, Subcommand};

use failure::Failure;
use terminal::{report, unprinted};

#[derive(Debug, Parser)]
#[command(
    name = "plimsoll",
    version,
    about = "Particle and rigid-body simulators: SPH fluid with meshes, hard spheres, grains, aggregates, blocks",
    after_help = "Examples:
  plimsoll check scenes/fluid/dam_break.toml
  plimsoll run scenes/fluid/dam_break.toml
  plimsoll run --resume out/dam_break
  plimsoll inspect meshes/boat.obj
  plimsoll plot out/dam_break
  plimsoll surface out/dam_break
  plimsoll measure out/dam_break probes.toml
  plimsoll validate poiseuille
  plimsoll bench

Exit codes: 0 completed, or interrupted with everything saved; 1 failed while running; 2 bad input."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a scene, or resume a run
    Run(run::RunArguments),
    /// Check a scene: read it, place the particles, print particle count, memory and bodies; writes nothing
    Check(check::CheckArguments),
    /// Inspect a mesh: print a report and write a PLY with one color per segment
    Inspect(inspect::InspectArguments),
    /// Render pictures or a film of a scene or a run, without a window
    #[cfg(feature = "viewer")]
    Render(Box<render::RenderArguments>),
    /// Open a window with an interactive live simulation, or play back a run
    #[cfg(feature = "viewer")]
    View(view::ViewArguments),
    /// Render pictures or a film of a scene or a run (not in this build: requires the feature `viewer`)
    #[cfg(not(feature = "viewer"))]
    Render(without_viewer::AnyArguments),
    /// Open a window with a live simulation (not in this build: requires the feature `viewer`)
    #[cfg(not(feature = "viewer"))]
    View(without_viewer::AnyArguments),
    /// Plot the tables of a run: energy, solver, time step, momentum, motion of the bodies, forces
    Plot(plot::PlotArguments),
    /// Reconstruct the fluid surface in the frames of a run and write it as triangle meshes
    Surface(surface::SurfaceArguments),
    /// Measure in the frames of a run: pressures, forces, water heights, velocities, flows, volumes
    Measure(measure::MeasureArguments),
    /// Compute flows whose solution is known or was measured, at several resolutions, with tables and charts
    Validate(validate::ValidateArguments),
    /// Measure how fast this machine simulates, by number of particles and threads; writes nothing
    Bench(bench::BenchArguments),
}

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        // Help and version are not errors.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            // The arguments in the message may contain control characters.
            report(error.render().to_string().trim_end());
            return ExitCode::from(2);
        }
    };
    let done = match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Inspect(arguments) => inspect::inspect(&arguments).map_err(Failure::BadInput),
        #[cfg(feature = "viewer")]
        Command::Render(arguments) => render::run(&arguments),
        #[cfg(feature = "viewer")]
        Command::View(arguments) => view::run(&arguments),
        #[cfg(not(feature = "viewer"))]
        Command::Render(arguments) => without_viewer::explain("render", &arguments),
        #[cfg(not(feature = "viewer"))]
        Command::View(arguments) => without_viewer::explain("view", &arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Surface(arguments) => surface::surface(&arguments),
        Command::Measure(arguments) => measure::measure(&arguments),
        Command::Validate(arguments) => validate::validate(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
    };
    let printed = || match unprinted() {
        Some(error) => Err(Failure::Running(anyhow!("standard output: cannot write: {error}"))),
        None => Ok(()),
    };
    let (error, code) = match done.and_then(|()| printed()) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Running(error)) => (error, 1),
        Err(Failure::BadInput(error)) => (error, 2),
    };
    report(&format!("error: {error:#}"));
    ExitCode::from(code)
}
