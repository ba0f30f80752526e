//! Blocks that are removed at given times.

use super::Equations;
use crate::simulation::BlocksSimulation;

impl BlocksSimulation {
    /// Removes the blocks that are due, and their contacts from the memory.
    pub(super) fn remove_blocks(&mut self) {
        let due = self.settings.removals.iter().filter(|removal| removal.time <= self.time).count();
        if due == 0 {
            return;
        }
        let mut any = false;
        let removals = self.settings.removals.clone();
        self.settings.removals.retain(|removal| removal.time > self.time);
        for removal in removals.into_iter().filter(|removal| removal.time <= self.time) {
            if let Some(block) = self.state.block_at(removal.point, 0.0) {
                self.state.blocks[block as usize].gone = true;
                any = true;
            }
        }
        if any {
            self.state.update_boxes();
            let Self { state, memory, .. } = self;
            let gone = |vertex: u64| state.blocks[state.offsets.partition_point(|&first| u64::from(first) <= vertex) - 1].gone;
            let kept: Vec<_> =
                memory.entries().iter().copied().filter(|entry| !gone(entry.key >> 32) && !gone(entry.key & 0xffff_ffff)).collect();
            memory.replace(kept.into_iter());
            self.working.equations = Equations::new(&self.state);
            self.pattern = None;
        }
    }
}
