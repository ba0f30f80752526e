//! The window: shows a running simulation and lets the user interact with it, or plays back a run.

mod app;
mod drop;
mod help;
mod keys;
mod marks;
mod mouse;
mod options;
mod panel;
mod pick;
mod playback;
mod plot;
mod probe_panel;
mod readings;
mod recorder;
mod samples;
mod source;
mod worker;

use std::{panic, path::Path};

use kiss3d::{
    pollster::block_on,
    prelude::Color,
    window::{CanvasSetup, NumSamples, Window},
};
use wgpu::DeviceType;

pub use self::options::{LookOptions, ViewOptions};
use self::{app::App, playback::Playback, source::Source, worker::Worker};
use super::{
    adapter::{self, guarded},
    error::ViewerError,
};

/// Background before there is anything to show.
const BACKGROUND: Color = Color::new(0.7, 0.75, 0.8, 1.0);

/// Opens a window and shows `options.source` until it is closed.
///
/// # Errors
/// If there is no graphics adapter, no display, or nothing to read.
pub fn view(options: &ViewOptions) -> anyhow::Result<()> {
    let (_, adapter) = adapter::find()?;
    // Software rendering is slow: a coarser picture is better than one that lags behind.
    let rough = adapter.get_info().device_type == DeviceType::Cpu;
    let source = open(&options.source, options.paused)?;
    check_display()?;
    let mut window = open_window(options.size, rough)?;
    guarded(|| {
        let mut app = App::new(source, options);
        while block_on(app.show(&mut window)) {}
        app.finish()
    })?;
    Ok(())
}

fn open_window(size: [u32; 2], rough: bool) -> Result<Window, ViewerError> {
    let samples = if rough { NumSamples::One } else { NumSamples::Four };
    let setup = CanvasSetup { samples, ..CanvasSetup::default() };
    // Silences kiss3d's panic message; our error reports the cause.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let window = guarded(|| Ok(block_on(Window::new_with_setup("plimsoll", size[0], size[1], setup))));
    panic::set_hook(hook);
    let mut window = window.map_err(|error| ViewerError::NoWindow(error.to_string()))?;
    adapter::complete();
    window.set_background_color(BACKGROUND);
    window.set_shadows_enabled(!rough);
    Ok(window)
}

fn open(source: &Path, paused: bool) -> anyhow::Result<Source> {
    if source.is_dir() {
        return Ok(Source::Recorded(Box::new(Playback::open(source, !paused)?)));
    }
    let worker = Worker::start(source);
    worker.send(worker::Command::Run(!paused));
    Ok(Source::Live(worker))
}

/// Checked before kiss3d is called, which would panic.
fn check_display() -> Result<(), ViewerError> {
    let has = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(all(unix, not(target_os = "macos"))) && !has("DISPLAY") && !has("WAYLAND_DISPLAY") {
        return Err(ViewerError::NoWindow("neither DISPLAY nor WAYLAND_DISPLAY is set".to_owned()));
    }
    Ok(())
}
