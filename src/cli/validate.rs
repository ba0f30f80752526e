//! `plimsoll validate`: computes flows whose solution is known or was measured.

use std::{io::Write, path::PathBuf, sync::atomic::AtomicBool, time::Instant};

use anyhow::anyhow;
use clap::Args;

use super::{
    Failure,
    folder::create_folder,
    preparation::Preparation,
    progress::duration,
    run::interruption,
    terminal::{print, report},
};
use crate::{
    output::file::replace_file,
    plot::{self, PictureFormat},
    validation::{self, Case, CaseError, Study},
};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll validate --list
  plimsoll validate poiseuille standing_wave
  plimsoll validate couette --resolutions 10,20 --out couette_coarse

Each case is computed at two or three resolutions. The table shows each figure with its error, the order at which
the error of the two finest resolutions falls, and the target. Written for each case: CASE.md with the table, CASE.csv
with all figures, and charts beside the expected values. Existing files are replaced only with --force.
Results on two cores: docs/validation.md.")]
pub struct ValidateArguments {
    /// Cases [default: all]
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// List the cases
    #[arg(long)]
    list: bool,
    /// Comma-separated resolutions, in particle diameters per length of the case [default: those of each case]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(4..=4000))]
    resolutions: Vec<u32>,
    /// Folder for tables and charts
    #[arg(long, value_name = "DIR", default_value = "validation")]
    out: PathBuf,
    /// Replace existing files
    #[arg(long)]
    force: bool,
}

pub fn validate(arguments: &ValidateArguments) -> Result<(), Failure> {
    if arguments.list {
        print(&list());
        return Ok(());
    }
    let cases = chosen(&arguments.cases).map_err(Failure::BadInput)?;
    let taken = cases.iter().map(|case| arguments.out.join(format!("{}.md", case.name))).find(|path| path.exists());
    if let Some(taken) = taken.filter(|_| !arguments.force) {
        return Err(Failure::BadInput(anyhow!("{}: the file exists (replace it with --force)", taken.display())));
    }
    create_folder(&arguments.out)?;
    let interrupted = interruption().map_err(Failure::Running)?;
    for case in cases {
        let study = compute(case, arguments, &interrupted)?;
        let text = validation::markdown(&study);
        print(&format!("{text}\n"));
        write(&study, &text, arguments)?;
    }
    print(&format!("results: {}\n", arguments.out.display()));
    Ok(())
}

fn list() -> String {
    let line = |case: &Case| {
        let resolutions: Vec<String> = case.resolutions.iter().map(ToString::to_string).collect();
        format!("{:<20} {} ({} diameters per {})\n", case.name, case.title, resolutions.join(", "), case.across)
    };
    validation::all().iter().map(line).collect()
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<Case>> {
    let all = validation::all();
    if let Some(unknown) = names.iter().find(|name| all.iter().all(|case| case.name != **name)) {
        let expected: Vec<&str> = all.iter().map(|case| case.name).collect();
        return Err(anyhow!("CASE: found '{unknown}', expected one or more of {}", expected.join(", ")));
    }
    Ok(all.iter().filter(|case| names.is_empty() || names.iter().any(|name| name == case.name)).copied().collect())
}

fn compute(case: Case, arguments: &ValidateArguments, interrupted: &AtomicBool) -> Result<Study, Failure> {
    let mut resolutions = arguments.resolutions.clone();
    resolutions.sort_unstable();
    resolutions.dedup();
    let mut study = Study::new(case);
    for &resolution in if resolutions.is_empty() { case.resolutions } else { &resolutions } {
        let started = Instant::now();
        let watch = Preparation::new(format!("{} {resolution}", case.name), interrupted);
        let computed = study.compute(resolution, &watch);
        watch.finish();
        computed.map_err(|error| match error {
            CaseError::Setup(_) => Failure::BadInput(anyhow!(error).context(format!("{}: {resolution}", case.name))),
            _ => Failure::Running(anyhow!(error).context(format!("{}: {resolution}", case.name))),
        })?;
        report(&format!("{} {resolution}: {}", case.name, duration(started.elapsed().as_secs_f64())));
    }
    Ok(study)
}

fn write(study: &Study, text: &str, arguments: &ValidateArguments) -> Result<(), Failure> {
    let path = |extension: &str| arguments.out.join(format!("{}.{extension}", study.case.name));
    for (path, text) in [(path("md"), text), (path("csv"), &validation::csv(study))] {
        replace_file(&path, |writer| writer.write_all(text.as_bytes())).map_err(|error| Failure::Running(error.into()))?;
    }
    for picture in validation::pictures(study) {
        let path = arguments.out.join(format!("{}.svg", picture.name));
        plot::write_picture(&path, &picture, PictureFormat::Svg).map_err(|error| Failure::Running(error.into()))?;
    }
    Ok(())
}
