//! Runs the simulation on its own thread. The thread takes commands and publishes its latest frame for the window.

mod preparation;
mod session;
mod shared;

use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use self::{
    session::{Next, Session},
    shared::{Shared, lock},
};

use crate::window::readings::Readings;

pub use self::shared::{Command, Sample, Snapshot, Touch};

/// The window's handle to the simulation thread, which ends when this is dropped.
pub struct Worker {
    commands: Sender<Command>,
    shared: Arc<Mutex<Shared>>,
    /// The last request for method and surface.
    wanted: Cell<(bool, bool)>,
}

impl Worker {
    /// Loads the scene at `path` and runs it.
    pub fn start(path: &Path) -> Self {
        let (commands, receiver) = channel();
        let shared = Arc::new(Mutex::new(Shared { running: true, ..Shared::default() }));
        let of_thread = Arc::clone(&shared);
        let path = path.to_owned();
        thread::spawn(move || work(&path, &receiver, &of_thread));
        Self { commands, shared, wanted: Cell::default() }
    }

    pub fn send(&self, command: Command) {
        if matches!(command, Command::Load(_) | Command::Restart) {
            lock(&self.shared).requested_scenes += 1;
        }
        // If the thread has ended, its problem is shown instead.
        let _ = self.commands.send(command);
    }

    /// Requests the method and the fluid surface, or cancels the request, if that has changed.
    pub fn send_changed(&self, method: bool, surface: bool) {
        let (method_before, surface_before) = self.wanted.replace((method, surface));
        if method != method_before {
            self.send(Command::ShowMethod(method));
        }
        if surface != surface_before {
            self.send(Command::ShowSurface(surface));
        }
    }

    pub fn latest(&self) -> Option<Arc<Snapshot>> {
        lock(&self.shared).latest.clone()
    }

    pub fn history(&self) -> Vec<Sample> {
        lock(&self.shared).history.iter().cloned().collect()
    }

    /// What the instruments have measured so far.
    pub fn readings(&self) -> Arc<Mutex<Readings>> {
        Arc::clone(&lock(&self.shared).readings)
    }

    pub fn problem(&self) -> Option<String> {
        lock(&self.shared).problem.clone()
    }

    /// The task of the setup and its progress in percent, while a scene is set up.
    pub fn preparation(&self) -> Option<(&'static str, usize)> {
        lock(&self.shared).preparation
    }

    pub fn is_running(&self) -> bool {
        lock(&self.shared).running
    }
}

fn work(path: &Path, commands: &Receiver<Command>, shared: &Mutex<Shared>) {
    let mut path = path.to_owned();
    let mut generation = 0;
    let mut running = true;
    loop {
        generation += 1;
        let worked = catch_unwind(AssertUnwindSafe(|| match Session::load(&path, generation, running, shared) {
            Ok(mut session) => session.play(commands, shared).unwrap_or_else(|error| {
                report(shared, error.to_string());
                wait_for_scene(commands)
            }),
            Err(problem) => {
                report(shared, problem);
                wait_for_scene(commands)
            }
        }));
        let next = worked.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
            report(shared, format!("the simulation failed: {}", text.unwrap_or("for an unknown reason")));
            wait_for_scene(commands)
        });
        match next {
            Next::End => return,
            Next::Restart => {}
            Next::Load(other) => path = other,
        }
        running = true;
        let mut shared = lock(shared);
        (shared.problem, shared.running) = (None, true);
        shared.requested_scenes -= 1;
        shared.history.clear();
        shared.readings = Arc::default();
    }
}

fn report(shared: &Mutex<Shared>, problem: String) {
    let mut shared = lock(shared);
    (shared.problem, shared.running) = (Some(problem), false);
}

/// Without a simulation, only loading another scene is possible.
fn wait_for_scene(commands: &Receiver<Command>) -> Next {
    loop {
        match commands.recv() {
            Ok(Command::Load(path)) => return Next::Load(path),
            Ok(Command::Restart) => return Next::Restart,
            Ok(_) => {}
            Err(_) => return Next::End,
        }
    }
}
