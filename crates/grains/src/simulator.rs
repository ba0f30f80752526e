//! Implements [`plimsoll_contract::simulator`] for grains.

use plimsoll_contract::{
    frame::{Frame, Row},
    simulator::{Drag, Fact, Interaction, NewBody, Parameter, SimulationError, Simulator, TableRows},
};

use super::{diagnostics, simulation::GrainsSimulation};

/// Grains times steps per batch: about a second of work, so that a run can be interrupted and saved between frames.
const BATCH: usize = 4_000_000;
const GRAVITY: &str = "gravity";
/// Passage at which a run ends: the center of a grain has nearly reached what it touches. A step moves a grain by at most 0.15 radii, so none
/// passes a sheet or an equal grain without reaching this.
const MAX_PASSAGE: f64 = 0.9;

impl Simulator for GrainsSimulation {
    fn time(&self) -> f64 {
        self.time
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn element_count(&self) -> usize {
        self.grains.len()
    }

    fn elements(&self) -> (usize, &'static str) {
        (self.element_count(), "grains")
    }

    fn advance(&mut self, until: f64) -> Result<(), SimulationError> {
        if until > self.time {
            self.max_overlap = 0.0;
            // Enters the thread pool once for all steps, not for each of their loops.
            rayon::scope(|_| {
                for _ in 0..(BATCH / self.grains.len().max(1)).max(1) {
                    if self.time >= until || self.passage > MAX_PASSAGE {
                        break;
                    }
                    self.step_towards(until);
                }
            });
        }
        if self.passage > MAX_PASSAGE { Err(self.too_soft()) } else { Ok(()) }
    }

    fn frame(&self) -> Frame {
        diagnostics::frame(self)
    }

    fn diagnostics(&self) -> Row {
        diagnostics::row(self)
    }

    fn tables(&self) -> Vec<TableRows> {
        diagnostics::tables(self)
    }

    fn timings(&self) -> Vec<(&'static str, f64)> {
        self.scratch.times.columns()
    }

    fn summary(&self) -> Vec<String> {
        diagnostics::summary(self)
    }

    fn describe(&self) -> Vec<Fact> {
        diagnostics::facts(self)
    }

    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        Some(self)
    }
}

impl GrainsSimulation {
    fn too_soft(&self) -> SimulationError {
        SimulationError {
            time: self.time,
            step: self.steps,
            what: format!("a grain overlaps another grain or a wall by {:.2} of its radius and may pass through", self.max_overlap),
            cause: "grains too soft for their speed or weight".to_owned(),
            remedy: "a higher young_modulus (or stiffness with law = \"linear\"), or lower speeds".to_owned(),
        }
    }
}

impl Interaction for GrainsSimulation {
    fn draggable(&self) -> Vec<bool> {
        self.bodies.list.iter().map(|body| body.floating().is_some()).collect()
    }

    fn drag(&mut self, drag: Option<Drag>) {
        self.bodies.drag(drag);
    }

    fn accepts_bodies(&self) -> bool {
        self.settings.domain.dimension == 3
    }

    fn add_body(&mut self, body: NewBody) {
        self.bodies.push(body.into());
        self.body_added();
    }

    fn parameters(&self) -> Vec<Parameter> {
        vec![Parameter::linear(GRAVITY, "m/s²", self.settings.gravity.y, [-20.0, 5.0])]
    }

    fn apply_parameter(&mut self, name: &'static str, value: f64) {
        if name == GRAVITY {
            self.settings.gravity.y = value;
        }
    }
}
