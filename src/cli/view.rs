//! `plimsoll view`: a window that shows a running simulation or a recorded run.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{
    Failure,
    render::{Style, failure, size},
    run::{load_scene, use_threads},
    terminal::report,
};
use crate::viewer::{LookOptions, ViewOptions, adapter_warning, view};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll view scenes/fluid/floating.toml
  plimsoll view out/floating

A scene is simulated live and interactively: press H in the window for keys and mouse. The folder of a run is played back.
Requires a display, and a GPU with Vulkan or software Vulkan (Debian, Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1
libxkbcommon-x11-0).")]
pub struct ViewArguments {
    /// Scene file to simulate, or folder of a run to play back
    source: PathBuf,
    /// Width and height of the window in pixels
    #[arg(long, value_name = "WxH", value_parser = size, default_value = "1280x800")]
    size: [u32; 2],
    /// Start paused
    #[arg(long)]
    paused: bool,
    /// Style of the particles [default: from the scene, otherwise particles]
    #[arg(long, value_enum, value_name = "STYLE")]
    style: Option<Style>,
    /// Field by which particles are colored [default: from the scene, otherwise velocity]
    #[arg(long, value_name = "FIELD")]
    color_by: Option<String>,
    /// Folder for recorded pictures and films
    #[arg(long, value_name = "DIR", default_value = ".")]
    recordings: PathBuf,
    /// Number of threads [default: one per core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

pub fn run(arguments: &ViewArguments) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    if !arguments.source.is_dir() {
        // Report errors of the scene here instead of in a window.
        load_scene(&arguments.source)?;
    }
    let options = ViewOptions {
        source: arguments.source.clone(),
        size: arguments.size,
        paused: arguments.paused,
        scenes: folder_near(&arguments.source, "scenes"),
        meshes: folder_near(&arguments.source, "meshes"),
        recordings: arguments.recordings.clone(),
        appearance: LookOptions { style: arguments.style.map(Style::in_scene), color_by: arguments.color_by.clone() },
    };
    adapter_warning().into_iter().for_each(|warning| report(&warning));
    view(&options).map_err(failure)
}

/// The folder `name` in the working folder or next to a parent folder of `path`; by default in the working folder.
fn folder_near(path: &Path, name: &str) -> PathBuf {
    let beside = path.ancestors().skip(1).map(|folder| folder.join(name));
    [PathBuf::from(name)].into_iter().chain(beside).find(|folder| folder.is_dir()).unwrap_or_else(|| name.into())
}
