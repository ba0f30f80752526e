//! Shows the progress of a simulation's setup, or of other work, if it takes more than a second, and ends it on Ctrl-C.

use std::{
    io::IsTerminal,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Failure, terminal::report};
use crate::{
    output::SceneRecord,
    run::{Prepared, Simulation},
    scene::{Definition, Start},
    simulator::{Interrupted, Watch},
};

/// Shorter setups show nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const BAR_INTERVAL: Duration = Duration::from_millis(100);
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Sets up the simulation of `scene`, from the state of the run that `start` names if there is one, with progress on standard error.
/// Setting `interrupted` ends the setup.
pub fn prepare(definition: Definition, start: Option<&Start>, scene: &SceneRecord, interrupted: &AtomicBool) -> Result<Prepared, Failure> {
    let preparation = Preparation::new("preparing".to_owned(), interrupted);
    let prepared = Simulation::prepare(definition, start, &preparation);
    preparation.finish();
    match prepared {
        Ok(prepared) => Ok(prepared),
        Err(error) if error.is_interruption() => Err(Failure::Running(Interrupted.into())),
        Err(error) => Err(Failure::BadInput(anyhow!(error.in_scene(&scene.path, &scene.text)))),
    }
}

/// Does `work`, which reports no progress, and shows `text` if it takes more than a second.
pub fn announce<T>(text: &str, work: impl FnOnce() -> T) -> T {
    let (done, waiting) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                report(&format!("preparing: {text}"));
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Work whose progress is shown.
pub struct Preparation<'a> {
    title: String,
    interrupted: &'a AtomicBool,
    started: Instant,
    shown: Mutex<Shown>,
}

#[derive(Default)]
struct Shown {
    bar: Option<ProgressBar>,
    last: Option<Instant>,
}

impl<'a> Preparation<'a> {
    /// Work that begins now and that `interrupted` ends.
    pub fn new(title: String, interrupted: &'a AtomicBool) -> Self {
        Self { title, interrupted, started: Instant::now(), shown: Mutex::default() }
    }

    fn show(&self, text: impl FnOnce() -> String) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let on_terminal = std::io::stderr().is_terminal();
        let interval = if on_terminal { BAR_INTERVAL } else { LINE_INTERVAL };
        if shown.last.is_some_and(|last| last.elapsed() < interval) {
            return;
        }
        shown.last = Some(Instant::now());
        if on_terminal {
            let style = || ProgressStyle::with_template("{spinner} {msg}, {elapsed}").expect("the template is well-formed");
            shown.bar.get_or_insert_with(|| ProgressBar::new_spinner().with_style(style())).set_message(text());
        } else {
            report(&text());
        }
    }

    pub fn finish(&self) {
        if let Some(bar) = &self.shown.lock().unwrap_or_else(PoisonError::into_inner).bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Preparation<'_> {
    fn progress(&self, task: &'static str, done: usize, total: usize) -> Result<(), Interrupted> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Interrupted);
        }
        if self.started.elapsed() > PATIENCE {
            self.show(|| format!("{}: {task} {} %", self.title, 100 * done / total.max(1)));
        }
        Ok(())
    }
}
