//! `plimsoll plot`: pictures of the tables of a run and of some of its frames.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, ValueEnum};

use super::{Failure, folder::create_folder, terminal::print};
use crate::{
    output::RunInfo,
    plot::{self, Picture, PictureFormat, PlotError},
};

const FOLDER: &str = "plots";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll plot out/floating
  plimsoll plot out/floating --only energy,bodies --format png --out pictures

Pictures: energy, time_step, momentum, stages. With bodies: bodies, forces, force_parts, joints, moorings.
Fluid: solver, search. Gas: gas, speeds, path (traced spheres). Grains: contacts, profiles.
Aggregates: growth, sizes, fractal, micrograph. Blocks: contacts.
All other columns are in other and bodies_other.
Empty pictures are not drawn. Existing pictures are replaced.
A run in progress is drawn up to its last step.")]
pub struct PlotArguments {
    /// Folder of a run
    #[arg(value_name = "OUT_DIR")]
    folder: PathBuf,
    /// Folder for the pictures [default: OUT_DIR/plots]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the pictures; repeatable
    #[arg(long = "format", value_name = "FORMAT", default_value = "svg")]
    formats: Vec<FormatArgument>,
    /// Comma-separated names of pictures [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    only: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum FormatArgument {
    /// Scalable vector graphics
    Svg,
    /// 1920 pixels wide
    Png,
}

pub fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    // The tables are enough to draw: the record provides only the title.
    let title = RunInfo::read(&arguments.folder.join("run.json")).map(|info| info.title).unwrap_or_default();
    let pictures = plot::pictures(&arguments.folder, &title).map_err(Failure::bad_input)?;
    let pictures = chosen(pictures, &arguments.only).map_err(Failure::BadInput)?;
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.folder.join(FOLDER));
    create_folder(&folder)?;
    let mut formats = arguments.formats.clone();
    formats.sort_unstable();
    formats.dedup();
    for picture in &pictures {
        for format in &formats {
            let format = match format {
                FormatArgument::Svg => PictureFormat::Svg,
                FormatArgument::Png => PictureFormat::Png,
            };
            let path = folder.join(format!("{}.{}", picture.name, format.extension()));
            plot::write_picture(&path, picture, format).map_err(|error: PlotError| Failure::Running(error.into()))?;
            print(&format!("wrote {}\n", path.display()));
        }
    }
    Ok(())
}

/// The `pictures` named in `only`, or all of them.
fn chosen(pictures: Vec<Picture>, only: &[String]) -> anyhow::Result<Vec<Picture>> {
    let names: Vec<String> = pictures.iter().map(|picture| picture.name.clone()).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        return Err(anyhow!("--only: found '{unknown}', expected one or more of {}", names.join(", ")));
    }
    Ok(pictures.into_iter().filter(|picture| only.is_empty() || only.contains(&picture.name)).collect())
}
