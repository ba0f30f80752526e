//! One step of a gas: events up to a time, or up to the maximum number per step.

use plimsoll_contract::simulator::SimulationError;

use super::{
    error::GasError,
    simulation::{GasSimulation, Turn},
    state::Partner,
};

/// Maximum number of events in a step, so that a large gas can be interrupted and saved between frames.
const STEP_EVENTS: u64 = 4_000_000;

impl GasSimulation {
    /// Advances to `until` (s), which is later than the current time, or as far as the events of one step reach.
    pub(super) fn step(&mut self, until: f64) -> Result<(), SimulationError> {
        let start = self.time;
        self.last.before = *self.gas.counters();
        self.path.clear();
        while self.time <= start {
            let advanced = if self.traced.is_empty() { self.gas.advance(until, STEP_EVENTS) } else { self.advance_traced(until) };
            let arrived = advanced.map_err(|error| self.failure(&error))?;
            self.time = if arrived { until } else { self.gas.time().min(until) };
        }
        self.steps += 1;
        self.last.seconds = self.time - start;
        for sphere in self.traced.clone() {
            self.note(self.time, sphere);
        }
        Ok(())
    }

    /// Same as [`Gas::advance`] with fewer events, and records the impacts of traced spheres.
    fn advance_traced(&mut self, until: f64) -> Result<bool, GasError> {
        for _ in 0..STEP_EVENTS / 4 {
            let (goes_on, collision) = self.gas.next_event(until)?;
            if let Some(collision) = collision {
                let other = if let Partner::Sphere(other) = collision.partner { other } else { collision.sphere };
                let met: Vec<u32> = self.traced.iter().copied().filter(|&id| id == collision.sphere || id == other).collect();
                met.into_iter().for_each(|sphere| self.note(collision.time, sphere));
            }
            if !goes_on {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn note(&mut self, time: f64, sphere: u32) {
        let (state, impacts) = self.gas.state(sphere);
        self.path.push(Turn { time, sphere, state, impacts });
    }

    fn failure(&self, error: &GasError) -> SimulationError {
        let impact = self.gas.setup().impact;
        let (cause, remedy) = match *error {
            GasError::Collapse { advised, .. } => (
                format!(
                    "with restitution {} spheres near one another lose their relative speed in infinitely many impacts",
                    impact.restitution
                ),
                format!("elastic_below = {advised:.1e} in [gas], a thousandth of the thermal speed, or a higher restitution"),
            ),
            GasError::Jammed { wall, .. } => (
                format!("wall {wall} presses spheres together that touch one another, which heats them without limit"),
                "end its motion earlier (`until`), or use fewer or smaller spheres".to_owned(),
            ),
            _ if self.gas.container().0.walls().next().is_some() => {
                ("spheres without free space between walls and other spheres".to_owned(), "leave more room".to_owned())
            }
            _ => ("spheres without free space between other spheres".to_owned(), "leave more room".to_owned()),
        };
        SimulationError { time: self.time, step: self.steps + 1, what: error.to_string(), cause, remedy }
    }
}
