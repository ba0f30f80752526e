//! One step: sets up the equations, iterates over contact states until they converge, and moves the blocks.

mod contact_search;
mod counters;
mod equations;
mod open_close;
mod removal;
mod update;

pub use counters::StepReport;
pub use equations::{Bolt, Equations, Load, Sources, Supports};
pub use open_close::Workspace;
use plimsoll_contract::simulator::SimulationError;

use super::{block::Dof6, simulation::BlocksSimulation};

impl BlocksSimulation {
    /// One step, not past the time `until` (s).
    pub(super) fn step(&mut self, until: f64) -> Result<(), SimulationError> {
        self.remove_blocks();
        self.report = StepReport::default();
        self.find_contacts();
        let contacts = self.contacts();
        self.choose_pattern();
        let law = self.law();
        let mut dt = self.first_dt(until);
        let limit = self.settings.step.maximum_displacement;
        let (contacts, motion) = loop {
            let mut contacts = contacts.clone();
            let expected = self.expected_motion(dt);
            let Self { state, settings, supports, time, working, .. } = self;
            let of = Sources { state, settings, supports, time: *time, expected: &expected };
            let last = self.report.cuts >= settings.step.cuts;
            let attempt = working.workspace.attempt((&working.equations, &of), &mut contacts, &law, (dt, last), &mut working.times);
            self.report.iterations += attempt.iterations;
            let far = attempt.motion.as_ref().map_or(f64::INFINITY, |motion| self.max_displacement(motion));
            match attempt.motion {
                Some(motion) if last || (attempt.settled && far <= limit) => {
                    self.report.settled = attempt.settled;
                    break (contacts, motion);
                }
                None if last => return Err(self.no_solution(dt)),
                _ => {}
            }
            dt *= match far.is_finite() && far > limit {
                true => (0.8 * limit / far).clamp(0.1, 0.5),
                false if self.report.cuts == 0 => 0.5,
                false => 0.3,
            };
            self.report.cuts += 1;
        };
        if self.time + dt == self.time {
            return Err(self.standstill(dt));
        }
        self.commit(&contacts, &motion, dt, until);
        Ok(())
    }

    /// Motion of each block in a step of `dt` seconds at its current velocity.
    pub(super) fn expected_motion(&self, dt: f64) -> Vec<Dof6> {
        let kept = self.settings.step.velocity_kept * dt;
        self.state.blocks.iter().map(|block| block.velocity.map(|rate| kept * rate)).collect()
    }

    fn no_solution(&self, dt: f64) -> SimulationError {
        SimulationError {
            time: self.time,
            step: self.steps + 1,
            what: format!("the equations of a step have no solution, even for steps of {dt:.3e} s"),
            cause: "stiffnesses or masses that differ by too many orders of magnitude, or blocks that overlap".to_owned(),
            remedy: "lower blocks.step.maximum, or check stiffness, density and size of the blocks".to_owned(),
        }
    }

    fn standstill(&self, dt: f64) -> SimulationError {
        SimulationError {
            time: self.time,
            step: self.steps + 1,
            what: format!("a step of {dt:.3e} s is too short to advance the time"),
            cause: "blocks that move too far in any longer step".to_owned(),
            remedy: "raise blocks.step.maximum_displacement, or check velocities, stresses and loads".to_owned(),
        }
    }

    /// Length of the first attempt: equal parts of the time to `until`, so that no block moves too far.
    fn first_dt(&self, until: f64) -> f64 {
        let step = &self.settings.step;
        let fastest = (0..self.state.blocks.len()).map(|index| {
            let block = &self.state.blocks[index];
            self.state.polygon(index).iter().map(|&vertex| block.field(vertex, &block.velocity).length()).fold(0.0, f64::max)
        });
        let fastest = fastest.fold(0.0, f64::max);
        let dt = if fastest > 0.0 { self.next_dt.min(0.95 * step.maximum_displacement / fastest) } else { self.next_dt };
        let left = until - self.time;
        left / (left / dt - 1e-9).ceil().max(1.0)
    }

    fn max_displacement(&self, motion: &[Dof6]) -> f64 {
        let greatest = |index: usize| {
            let block = &self.state.blocks[index];
            let moved = self.state.polygon(index).iter().map(|&vertex| block.field(vertex, &motion[index]).length());
            if block.moves() { moved.fold(0.0, f64::max) } else { 0.0 }
        };
        (0..motion.len()).map(greatest).fold(0.0, f64::max)
    }
}
