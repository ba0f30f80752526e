//! The contract between a simulator and everything that runs, shows or describes one: the run loop, the viewer, the command line, bindings.
//!
//! Whoever holds a `dyn Simulator` needs to know nothing else. Quantities are in SI units.

use std::sync::Arc;

use glam::DVec3;

use crate::{
    frame::{Frame, Row, SearchFrame, SegmentMesh, Value},
    math::Pose,
    shape::TriangleMesh,
};

/// Watches a simulation being built, and can stop it.
pub trait Watch: Sync {
    /// `done` of `total` parts of `task` ("cutting meshes") are finished. May be called from several threads.
    ///
    /// # Errors
    /// The user has interrupted.
    fn progress(&self, task: &'static str, done: usize, total: usize) -> Result<(), Interrupted>;
}

/// The user ended the program before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted before the first step, nothing was written")]
pub struct Interrupted;

/// Watches nothing and never interrupts.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _: &'static str, _: usize, _: usize) -> Result<(), Interrupted> {
        Ok(())
    }
}

/// A simulation that can be advanced, looked at and described.
pub trait Simulator {
    /// Simulated seconds.
    fn time(&self) -> f64;

    /// Steps since time zero.
    fn steps(&self) -> u64;

    /// Number of particles, spheres, grains or blocks.
    fn element_count(&self) -> usize;

    /// Makes progress towards `until` (s) and never passes it: one step, or as many steps or events as take about a second of computing. Does
    /// nothing if `until` is not later than now.
    ///
    /// # Errors
    /// The state cannot be right, or there is no way on from it. Nothing after that can be relied on.
    fn advance(&mut self, until: f64) -> Result<(), SimulationError>;

    /// The current state as plain data.
    fn frame(&self) -> Frame;

    /// [`Simulator::frame`], after which means over time (pressures, forces) start again.
    fn take_frame(&mut self) -> Frame {
        self.frame()
    }

    /// The last step as a row of `diagnostics.csv`: the same columns after every step.
    fn diagnostics(&self) -> Row;

    /// The rows that the last step adds to further tables. The list and the columns are the same after every step.
    fn tables(&self) -> Vec<TableRows> {
        Vec::new()
    }

    /// Wall time of each stage of a step since the simulation was built or read, seconds, named as columns of the diagnostics.
    fn timings(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Whether the simulation has reached its own goal, so that a run may end before its time.
    fn is_finished(&self) -> bool {
        false
    }

    /// Results of the run so far in words, a line each.
    fn summary(&self) -> Vec<String>;

    /// What is simulated, and what it takes.
    fn describe(&self) -> Vec<Fact>;

    /// The search for contacts at the last step, for those who want to see the method at work.
    fn search_frame(&self) -> Option<SearchFrame> {
        None
    }

    /// The segments of each body's mesh.
    fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        Vec::new()
    }

    /// What can be changed while the simulation runs; absent if nothing can.
    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        None
    }
}

/// What a user can do to a simulation that runs. Every impulse given here is booked as one from outside.
pub trait Interaction {
    /// Whether each body of the frame can be dragged; empty if none can.
    fn draggable(&self) -> Vec<bool> {
        Vec::new()
    }

    /// Pulls a body by a spring from now on, or releases it.
    fn drag(&mut self, _drag: Option<Drag>) {}

    /// Whether [`Interaction::stir`] does something.
    fn can_stir(&self) -> bool {
        false
    }

    /// Moves what is in a sphere along from now on, or stops doing so.
    fn stir(&mut self, _stirring: Option<Stirring>) {}

    /// Whether [`Interaction::add_body`] does something.
    fn accepts_bodies(&self) -> bool {
        false
    }

    /// Adds a rigid body that moves freely. It must be clear of everything else.
    fn add_body(&mut self, _body: NewBody) {}

    /// What can be adjusted, with its present values.
    fn parameters(&self) -> Vec<Parameter>;

    /// Sets the parameter `name` to `value`, limited to its range. An unknown name does nothing.
    fn set_parameter(&mut self, name: &str, value: f64) {
        if let Some(parameter) = self.parameters().into_iter().find(|parameter| parameter.name == name) {
            self.apply_parameter(parameter.name, value.clamp(parameter.min, parameter.max));
        }
    }

    /// Sets a parameter of [`Interaction::parameters`] to a value within its range; for [`Interaction::set_parameter`] only.
    fn apply_parameter(&mut self, name: &'static str, value: f64);
}

/// A spring that pulls a body at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Index into the bodies of the frame.
    pub body: usize,
    /// Where the spring is attached, body coordinates, m.
    pub point: DVec3,
    /// Where that point is pulled to, world coordinates, m.
    pub target: DVec3,
}

/// A sphere in which everything is drawn towards one velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stirring {
    /// m
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// m/s
    pub velocity: DVec3,
    /// Rate at the center, 1/s; it falls to zero at the radius.
    pub rate: f64,
}

impl Stirring {
    /// Share of the difference in velocity that a step of `dt` seconds removes at `point`; zero outside of the sphere.
    pub fn share(&self, point: DVec3, dt: f64) -> f64 {
        let nearness = 1.0 - point.distance_squared(self.center) / (self.radius * self.radius);
        if nearness > 0.0 { 1.0 - (-self.rate * dt * nearness).exp() } else { 0.0 }
    }
}

/// A rigid body to be added to a simulation that runs.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Shown to users.
    pub name: String,
    /// Closed, body coordinates, m.
    pub mesh: TriangleMesh,
    /// Body to world.
    pub pose: Pose,
    /// kg/m³
    pub density: f64,
}

/// A number that can be adjusted while a simulation runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// For people, and the key of [`Interaction::set_parameter`].
    pub name: &'static str,
    /// Empty if it has none.
    pub unit: &'static str,
    /// At present.
    pub value: f64,
    /// Lowest value.
    pub min: f64,
    /// Highest value.
    pub max: f64,
    /// For a logarithmic scale the smallest positive value of it; absent for a linear one.
    pub logarithmic: Option<f64>,
}

impl Parameter {
    /// A parameter for a linear scale.
    pub fn linear(name: &'static str, unit: &'static str, value: f64, [min, max]: [f64; 2]) -> Self {
        Self { name, unit, value, min, max, logarithmic: None }
    }

    /// A parameter for a logarithmic scale with `smallest` as its lowest positive value.
    pub fn logarithmic(name: &'static str, unit: &'static str, value: f64, [min, max]: [f64; 2], smallest: f64) -> Self {
        Self { name, unit, value, min, max, logarithmic: Some(smallest) }
    }
}

/// Rows of one table beside the diagnostics, all with the same columns.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRows {
    /// The table's file without extension: `bodies`, `mergers`.
    pub name: &'static str,
    /// Known before the first row.
    pub columns: Vec<&'static str>,
    /// In the order of the columns.
    pub rows: Vec<Vec<Value>>,
}

impl TableRows {
    /// The table `name` with the columns of `template`, whose values do not matter.
    pub fn new(name: &'static str, template: &Row, rows: impl IntoIterator<Item = Row>) -> Self {
        let columns = template.iter().map(|&(column, _)| column).collect();
        let values = |row: Row| row.into_iter().map(|(_, value)| value).collect();
        Self { name, columns, rows: rows.into_iter().map(values).collect() }
    }
}

/// A line of the description of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The subject of the line.
    pub label: &'static str,
    /// The text after the label.
    pub text: String,
    /// Lines that belong under this one.
    pub details: Vec<String>,
}

impl Fact {
    /// A line without details.
    pub fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), details: Vec::new() }
    }

    /// The same line with further ones under it.
    pub fn with_details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

/// A breakdown of a simulation: event, time, likely cause and remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} (at {time:.6} s, step {step}). Likely cause: {cause}. Try: {remedy}")]
pub struct SimulationError {
    /// s
    pub time: f64,
    /// Steps since time zero.
    pub step: u64,
    /// The event.
    pub what: String,
    /// The likely cause.
    pub cause: String,
    /// The remedy.
    pub remedy: String,
}

impl SimulationError {
    /// The state of `who` is not finite.
    pub fn not_finite(time: f64, step: u64, who: &str, remedy: impl Into<String>) -> Self {
        let cause = "numeric overflow or underflow".to_owned();
        Self { time, step, what: format!("the state of {who} is not finite"), cause, remedy: remedy.into() }
    }
}
