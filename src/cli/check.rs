//! `plimsoll check`: what a scene contains and what it takes to run it.

use std::{path::PathBuf, sync::atomic::AtomicBool};

use clap::Args;

use super::{
    Failure,
    preparation::prepare,
    run::{load_scene, report_warnings},
    start::describe_start,
    terminal::print,
};
use crate::{
    math::format::{grouped, significant},
    run::{Prepared, RunPlan},
};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  plimsoll check scenes/fluid/dam_break.toml")]
pub struct CheckArguments {
    /// Scene file (TOML)
    scene: PathBuf,
}

pub fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    let (mut scene, text) = load_scene(&arguments.scene)?;
    let settles = scene.definition.skip_settling();
    let plan = RunPlan::new(&scene, text);
    let place = || arguments.scene.display().to_string();
    let prepared = prepare(scene.definition, scene.start.as_ref(), &plan.scene, &AtomicBool::new(false));
    let prepared = prepared.inspect_err(|_| report_warnings(&scene.warnings))?;
    scene.warnings.extend(prepared.warnings(&plan.scene));
    let Prepared { simulation, start } = prepared;
    let end = plan.schedule.end(None);
    let mut lines = vec![
        format!("{} ({})", plan.title, place()),
        format!("  duration  {} s", significant(plan.schedule.duration)),
        format!("  frames    {} at {} per second", grouped(plan.schedule.frame_count(end)), plan.schedule.frames_per_second),
    ];
    lines.extend(start.iter().flat_map(|start| describe_start(start, plan.schedule.start_time)));
    for fact in simulation.describe() {
        lines.push(format!("  {:<9} {}", fact.label, fact.text));
        lines.extend(fact.details.iter().map(|detail| format!("    {detail}")));
    }
    if settles {
        lines.push("  settling  when a run starts; not simulated by check".to_owned());
    }
    lines.extend(scene.warnings.iter().map(|warning| format!("warning: {warning}")));
    if scene.warnings.is_empty() {
        lines.push("no warnings".to_owned());
    }
    print(&(lines.join("\n") + "\n"));
    Ok(())
}
