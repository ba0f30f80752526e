//! Contact search of a step: pairs of blocks, vertices near edges, and the pattern of the equations.

use rayon::prelude::*;

use crate::{
    contact::{Candidate, Contact, detect},
    simulation::BlocksSimulation,
    system::Pattern,
    timing::BlocksStage,
};

/// Items per parallel task.
const CHUNK: usize = 128;

impl BlocksSimulation {
    /// Finds pairs of blocks, and vertices near edges within them.
    pub(super) fn find_contacts(&mut self) {
        let Self { state, memory, working, settings, report, search, .. } = self;
        let cutoff = settings.step.cutoff();
        working.times.start();
        report.checks = search.find(&state.outlines(), cutoff, &mut working.pairs);
        working.times.finish(BlocksStage::Search);
        report.pairs = working.pairs.len() as u64;
        working.pairs.sort_unstable();
        let (state, memory) = (&*state, &*memory);
        let found: Vec<Vec<Candidate>> = working
            .pairs
            .par_chunks(CHUNK)
            .map(|pairs| {
                let mut found = Vec::new();
                let moving = pairs.iter().filter(|pair| pair.iter().any(|&block| state.blocks[block as usize].moves()));
                moving.for_each(|&pair| detect(state, pair, cutoff, memory, &mut found));
                found
            })
            .collect();
        working.candidates.clear();
        found.into_iter().for_each(|found| working.candidates.extend(found));
        report.contacts = working.candidates.len() as u64;
        working.times.finish(BlocksStage::Detection);
    }

    /// Turns the candidates into contacts, with their states after the last step.
    pub(super) fn contacts(&self) -> Vec<Contact> {
        let initial = (self.steps == 0).then_some(1e-2 * self.settings.step.cutoff());
        let law = self.law();
        let contact = |candidate: &Candidate| {
            let [one, other] = [candidate.first, candidate.second].map(|block| self.state.blocks[block as usize].material as usize);
            let joint = *self.settings.joints.between(one, other);
            Contact::new(&self.state, *candidate, self.memory.get(candidate.key()), joint, (&law, initial))
        };
        self.working.candidates.par_iter().with_min_len(CHUNK).map(contact).collect()
    }

    /// Keeps the current pattern if it has space for all contacts and is not much too large.
    pub(super) fn choose_pattern(&mut self) {
        let Self { state, working, supports, .. } = self;
        let follower = |point: u32| state.points[point as usize].block;
        let bolts = supports.bolts.iter().map(|bolt| bolt.ends.map(follower));
        let contacts = working.candidates.iter().map(|candidate| [candidate.first, candidate.second]);
        let needed = Pattern::new(working.equations.count, contacts.chain(bolts).filter_map(|pair| working.equations.pair(pair)));
        let fits = self.pattern.as_ref().is_some_and(|pattern| {
            pattern.rows == needed.rows
                && pattern.pairs.len() <= needed.pairs.len() + needed.pairs.len() / 4 + 8
                && needed.pairs.iter().all(|&[one, other]| pattern.place(one, other).is_some())
        });
        if !fits {
            working.times.start();
            working.workspace.use_pattern(needed.clone());
            working.times.finish(BlocksStage::Solution);
            self.pattern = Some(needed);
        }
    }
}
