//! `plimsoll run`: simulate a scene, or resume a run.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::{
    Failure,
    memory::check_memory,
    preparation::{announce, prepare},
    progress::{self, duration},
    start::describe_start,
    terminal::{print, report, shell_word},
};
use crate::{
    input,
    math::format::{grouped, significant},
    output::Format,
    run::{Ending, Outcome, Run, RunError, RunFolder, RunPlan},
    scene::Scene,
};

/// Exit code of a process ended by Ctrl-C, by shell convention.
const INTERRUPTED_AT_ONCE: i32 = 130;
/// Threads per hardware thread beyond which a run only gets slower, and finally stands still.
const MAX_THREADS_PER_CORE: usize = 4;
/// Facts whose details the start of a run shows: volumes and levels of fluid, tensions of moorings.
const SHOWN_FACTS: [&str; 2] = ["fills", "moorings"];
/// At least this number of threads is allowed on any machine, to compare results.
const ALWAYS_ALLOWED_THREADS: usize = 64;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll run scenes/fluid/dam_break.toml
  plimsoll run scenes/fluid/dam_break.toml --out out/fine --format vtk --format ply --threads 8
  plimsoll run --resume out/fine --until 2.5

Ctrl-C ends the run after the current step and saves everything; a second Ctrl-C quits immediately.
A run that was interrupted, even killed, and resumed writes the same results as an uninterrupted run.
Open particles.pvd and bodies.pvd in ParaView.")]
pub struct RunArguments {
    /// Scene file (TOML)
    #[arg(required_unless_present = "resume", conflicts_with = "resume")]
    scene: Option<PathBuf>,
    /// Folder for the results; must not contain an earlier run [default: out/NAME of the scene file, or out/NAME-2, … if it exists]
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    out: Option<PathBuf>,
    /// Resume the run in DIR from its last checkpoint
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// End at this simulated time, before or after the scene's duration. A step ends exactly at this time; use a multiple of the
    /// frame interval if a resumed run must give the same results as an uninterrupted one
    #[arg(long, value_name = "SECONDS", value_parser = positive, allow_negative_numbers = true)]
    until: Option<f64>,
    /// Number of threads [default: one per core]; results are the same for any number
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Frames per simulated second, overrides the scene
    #[arg(long, value_name = "NUMBER", value_parser = positive, allow_negative_numbers = true, conflicts_with = "resume")]
    frames_per_second: Option<f64>,
    /// Format of the frames, overrides the scene; repeatable
    #[arg(long = "format", value_name = "FORMAT", conflicts_with = "resume")]
    formats: Vec<FormatArgument>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatArgument {
    /// Binary VTU and PVD, for ParaView
    Vtk,
    /// Binary PLY
    Ply,
}

pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    let interrupted = interruption().map_err(Failure::Running)?;
    let run = match (&arguments.resume, &arguments.scene) {
        (Some(folder), _) => resume(folder, arguments.until)?,
        (None, Some(scene)) => start(scene, arguments, &interrupted)?,
        (None, None) => return Err(Failure::BadInput(anyhow!("missing scene or --resume"))),
    };
    let outcome = run.go(arguments.until, &interrupted, &mut *progress::for_stderr()).map_err(failure)?;
    print(&summary(&outcome));
    Ok(())
}

/// Sets the number of threads of the process.
pub fn use_threads(threads: Option<u16>) -> Result<(), Failure> {
    let Some(threads) = threads.map(usize::from) else { return Ok(()) };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let most = ALWAYS_ALLOWED_THREADS.max(MAX_THREADS_PER_CORE * cores);
    if threads > most {
        return Err(Failure::BadInput(anyhow!(
            "--threads: found {threads}, expected 1 to {most} on this machine with {cores} hardware threads"
        )));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.with_context(|| format!("cannot start {threads} threads")).map_err(Failure::Running)
}

/// Reads a scene and its text, and checks that the machine has the memory for it.
pub fn load_scene(path: &Path) -> Result<(Scene, String), Failure> {
    let text = input::read_text(path)
        .with_context(|| format!("{}: cannot read, expected a scene file in TOML", path.display()))
        .map_err(Failure::BadInput)?;
    let mut scene = announce(&format!("reading {}", path.display()), || Scene::parse(&text, path)).map_err(Failure::bad_input)?;
    let checked = check_memory(path, &mut scene);
    // They may name the cause.
    checked.inspect_err(|_| report_warnings(&scene.warnings))?;
    Ok((scene, text))
}

pub fn report_warnings(warnings: &[String]) {
    for warning in warnings {
        report(&format!("warning: {warning}"));
    }
}

fn start(path: &Path, arguments: &RunArguments, interrupted: &AtomicBool) -> Result<Run, Failure> {
    let (mut scene, text) = load_scene(path)?;
    report_warnings(&scene.warnings);
    if let Some(frames_per_second) = arguments.frames_per_second {
        scene.frames_per_second = frames_per_second;
    }
    let mut plan = RunPlan::new(&scene, text);
    if !arguments.formats.is_empty() {
        plan.set_formats(arguments.formats.iter().map(|format| match format {
            FormatArgument::Vtk => Format::Vtk,
            FormatArgument::Ply => Format::Ply,
        }));
    }
    let start_time = plan.schedule.start_time;
    if let Some(until) = arguments.until.filter(|&until| until <= start_time) {
        let (found, expected) = (significant(until), significant(start_time));
        return Err(Failure::BadInput(anyhow!("--until: found {found} s, expected a time after the start of the scene, {expected} s")));
    }
    // Fail early: placing the fluid may take a while.
    if let Some(out) = &arguments.out {
        if let Some(start) = &scene.start {
            start.check_output(out).map_err(Failure::bad_input)?;
        }
        RunFolder::check_free(out).map_err(failure)?;
    }
    report(&format!("{}: preparing the simulation", plan.title));
    let prepared = prepare(scene.definition, scene.start.as_ref(), &plan.scene, interrupted)?;
    report_warnings(&prepared.warnings(&plan.scene));
    for line in prepared.start.iter().flat_map(|start| describe_start(start, plan.schedule.start_time)) {
        report(line.trim());
    }
    let folder = match &arguments.out {
        Some(out) => RunFolder::claim(out).map_err(failure)?,
        None => claim_default(path)?,
    };
    let simulation = &prepared.simulation;
    let elements = simulation.describe().first().map_or("particles", |fact| fact.label);
    report(&format!("{} {elements}, writing to {}", grouped(simulation.element_count() as u64), folder.path().display()));
    let shown = simulation.describe().into_iter().filter(|fact| SHOWN_FACTS.contains(&fact.label));
    shown.flat_map(|fact| fact.details).for_each(|line| report(&line));
    Run::start(plan, prepared, folder).map_err(failure)
}

fn claim_default(scene: &Path) -> Result<RunFolder, Failure> {
    let first = Path::new("out").join(scene.file_stem().unwrap_or(scene.as_os_str()));
    let folder = RunFolder::claim_next(&first).map_err(failure)?;
    if folder.path() != first {
        report(&format!("{} contains an earlier run, which is kept", first.display()));
    }
    Ok(folder)
}

fn resume(folder: &Path, until: Option<f64>) -> Result<Run, Failure> {
    let run = Run::resume(folder).map_err(failure)?;
    let (time, step) = (run.simulation().time(), run.simulation().steps());
    for warning in run.warnings() {
        report(&format!("warning: {warning}"));
    }
    report(&format!("resuming {} at {} s, step {}", folder.display(), significant(time), grouped(step)));
    if let Some(until) = until.filter(|&until| until <= time) {
        report(&format!("nothing to do: the run is already past --until {}", significant(until)));
    }
    Ok(run)
}

/// A flag set by the first Ctrl-C (or termination signal); the second ends the process.
pub(super) fn interruption() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            process::exit(INTERRUPTED_AT_ONCE);
        }
        report("\ninterrupted: ending after this step (press again to quit immediately)");
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(interrupted)
}

fn failure(error: RunError) -> Failure {
    if error.is_bad_input() { Failure::BadInput(error.into()) } else { Failure::Running(error.into()) }
}

fn summary(outcome: &Outcome) -> String {
    let folder = outcome.folder.display();
    let (count, elements) = outcome.elements;
    let ending = match outcome.ending {
        Ending::Completed => "completed",
        Ending::Interrupted => "interrupted",
    };
    let mut text = format!(
        "{ending} at {} s: {} frames, {} steps, {} {elements}, {} of wall time\n",
        significant(outcome.time),
        grouped(outcome.frames),
        grouped(outcome.steps),
        grouped(count as u64),
        duration(outcome.wall_seconds),
    );
    for line in &outcome.summary {
        text += &format!("  {line}\n");
    }
    text += &format!("results: {folder}\n");
    let collections: Vec<String> = collections(&outcome.folder).iter().map(|path| shell_word(path)).collect();
    if !collections.is_empty() {
        text += &format!("view: paraview {}\n", collections.join(" "));
    }
    if outcome.ending == Ending::Interrupted {
        text += &format!("resume: plimsoll run --resume {}\n", shell_word(&outcome.folder));
    }
    text
}

/// What ParaView opens in the folder of a run: frames, then grids by name.
fn collections(folder: &Path) -> Vec<PathBuf> {
    let frames = ["particles.pvd", "bodies.pvd", "polygons.pvd", "contacts.pvd"].map(|name| folder.join(name));
    let is_grid = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("grid_") && name.ends_with(".pvd")
    };
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut grids: Vec<PathBuf> = files.filter(is_grid).collect();
    grids.sort_unstable();
    frames.into_iter().filter(|path| path.exists()).chain(grids).collect()
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("expected a positive number".to_owned()),
    }
}
