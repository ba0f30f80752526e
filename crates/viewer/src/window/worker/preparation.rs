//! Progress of the setup of a scene, for the window.

use std::sync::Mutex;

use plimsoll_contract::simulator::{Interrupted, Watch};

use super::shared::{Shared, lock};

/// Publishes the progress of a setup and ends it when another scene is requested.
pub struct Preparation<'a>(pub &'a Mutex<Shared>);

impl Watch for Preparation<'_> {
    fn progress(&self, task: &'static str, done: usize, total: usize) -> Result<(), Interrupted> {
        let mut shared = lock(self.0);
        shared.preparation = Some((task, 100 * done / total.max(1)));
        if shared.requested_scenes > 0 { Err(Interrupted) } else { Ok(()) }
    }
}

impl Drop for Preparation<'_> {
    fn drop(&mut self) {
        lock(self.0).preparation = None;
    }
}
