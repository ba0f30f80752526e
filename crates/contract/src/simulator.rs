//! The interface between simulators and everything that runs, shows or describes them: run loop, viewer, command line, bindings.
//!
//! Code with a `dyn Simulator` needs to know nothing else. Quantities are in SI units.

use std::{borrow::Cow, sync::Arc};

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_shape::TriangleMesh;

use crate::frame::{Frame, Row, SearchFrame, SegmentMesh, Value};

/// Observes the setup of a simulation, and can stop it.
pub trait Watch: Sync {
    /// Reports that `done` of `total` parts of `task` ("cutting meshes") are finished. May be called from several threads.
    ///
    /// # Errors
    /// If the user has interrupted.
    fn progress(&self, task: &'static str, done: usize, total: usize) -> Result<(), Interrupted>;
}

/// The user ended the program before the first step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted before the first step, nothing was written")]
pub struct Interrupted;

/// Ignores all reports and never interrupts.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn progress(&self, _: &'static str, _: usize, _: usize) -> Result<(), Interrupted> {
        Ok(())
    }
}

/// A simulation that can be advanced, displayed and described. It may move to another thread between two calls.
pub trait Simulator: Send {
    /// Simulated seconds.
    fn time(&self) -> f64;

    /// Steps since time zero.
    fn steps(&self) -> u64;

    /// Number of particles, spheres, grains or blocks.
    fn element_count(&self) -> usize;

    /// Elements as progress and results count them, and their name in the plural.
    fn elements(&self) -> (usize, &'static str) {
        (self.element_count(), "particles")
    }

    /// Advances toward `until` (s) and never past it: one step, or as many steps or events as take about a second to compute. Does nothing
    /// if `until` is not later than the current time.
    ///
    /// # Errors
    /// If the state is invalid, or the simulation cannot continue from it. The state is unreliable afterwards.
    fn advance(&mut self, until: f64) -> Result<(), SimulationError>;

    /// The current state as plain data.
    fn frame(&self) -> Frame;

    /// Same as [`Simulator::frame`], and restarts time averages (pressures, forces).
    fn take_frame(&mut self) -> Frame {
        self.frame()
    }

    /// The last step as a row of `diagnostics.csv`. The columns are the same after every step.
    fn diagnostics(&self) -> Row;

    /// Rows that the last step adds to other tables. The tables and their columns are the same after every step.
    fn tables(&self) -> Vec<TableRows> {
        Vec::new()
    }

    /// Wall time of each stage of a step since the simulation was built or restored, seconds. The names are columns of the diagnostics.
    fn timings(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// Whether the simulation has reached its own goal, so that a run may end early.
    fn is_finished(&self) -> bool {
        false
    }

    /// An estimate of the simulated time (s) at which the simulation will have reached its own goal; `None` without a goal, or if it cannot be
    /// estimated yet.
    fn expected_finish(&self) -> Option<f64> {
        None
    }

    /// Results of the run so far as text, one line each.
    fn summary(&self) -> Vec<String>;

    /// Description of what is simulated, and its cost.
    fn describe(&self) -> Vec<Fact>;

    /// What the setup has found that is valid but probably not meant; empty after the first step.
    fn warnings(&self) -> Vec<SetupWarning> {
        Vec::new()
    }

    /// The contact search of the last step, to show how the method works.
    fn search_frame(&self) -> Option<SearchFrame> {
        None
    }

    /// The segments of each body's mesh.
    fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        Vec::new()
    }

    /// The instruments where they are now, with their last values; always in the same order.
    fn instruments(&self) -> Vec<Instrument> {
        Vec::new()
    }

    /// Interactive changes to the running simulation; `None` if there are none.
    fn interaction(&mut self) -> Option<&mut dyn Interaction> {
        None
    }
}

/// Interactive changes to a running simulation. All impulses applied here count as external.
pub trait Interaction {
    /// Whether each body of the frame can be dragged; empty if none can be.
    fn draggable(&self) -> Vec<bool> {
        Vec::new()
    }

    /// Pulls a body by a spring from now on; `None` releases it.
    fn drag(&mut self, _drag: Option<Drag>) {}

    /// Whether [`Interaction::stir`] has an effect.
    fn can_stir(&self) -> bool {
        false
    }

    /// Stirs the contents of a sphere from now on; `None` stops it.
    fn stir(&mut self, _stirring: Option<Stirring>) {}

    /// Whether [`Interaction::add_body`] has an effect.
    fn accepts_bodies(&self) -> bool {
        false
    }

    /// Adds a rigid body that moves freely. It must not overlap anything.
    fn add_body(&mut self, _body: NewBody) {}

    /// Adjustable parameters with their current values.
    fn parameters(&self) -> Vec<Parameter>;

    /// Sets the parameter `name` to `value`, clamped to its range. Unknown names are ignored.
    fn set_parameter(&mut self, name: &str, value: f64) {
        if let Some(parameter) = self.parameters().into_iter().find(|parameter| parameter.name == name) {
            self.apply_parameter(parameter.name, value.clamp(parameter.min, parameter.max));
        }
    }

    /// Sets a parameter of [`Interaction::parameters`] to a value within its range. Called only by [`Interaction::set_parameter`].
    fn apply_parameter(&mut self, name: &'static str, value: f64);
}

/// A spring that pulls a body at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Index into the bodies of the frame.
    pub body: usize,
    /// Attachment point of the spring, body coordinates, m.
    pub point: DVec3,
    /// Target of that point, world coordinates, m.
    pub target: DVec3,
}

/// A sphere in which velocities relax toward a common velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stirring {
    /// m
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// m/s
    pub velocity: DVec3,
    /// Rate at the center, 1/s. It decreases to zero at the radius.
    pub rate: f64,
}

impl Stirring {
    /// Fraction of the velocity difference that a step of `dt` seconds removes at `point`; zero outside the sphere.
    pub fn share(&self, point: DVec3, dt: f64) -> f64 {
        let nearness = 1.0 - point.distance_squared(self.center) / (self.radius * self.radius);
        if nearness > 0.0 { 1.0 - (-self.rate * dt * nearness).exp() } else { 0.0 }
    }
}

/// A rigid body to be added to a running simulation.
#[derive(Clone, Debug)]
pub struct NewBody {
    /// Name shown to users.
    pub name: String,
    /// Closed mesh, body coordinates, m.
    pub mesh: TriangleMesh,
    /// Body to world.
    pub pose: Pose,
    /// kg/m³
    pub density: f64,
}

/// A number that can be adjusted during a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Display name, and the key for [`Interaction::set_parameter`].
    pub name: &'static str,
    /// Unit; empty if there is none.
    pub unit: &'static str,
    /// Current value.
    pub value: f64,
    /// Minimum value.
    pub min: f64,
    /// Maximum value.
    pub max: f64,
    /// Smallest positive value on a logarithmic scale; `None` for a linear scale.
    pub logarithmic: Option<f64>,
}

impl Parameter {
    /// A parameter with a linear scale.
    pub fn linear(name: &'static str, unit: &'static str, value: f64, [min, max]: [f64; 2]) -> Self {
        Self { name, unit, value, min, max, logarithmic: None }
    }

    /// A parameter with a logarithmic scale; `smallest` is its smallest positive value.
    pub fn logarithmic(name: &'static str, unit: &'static str, value: f64, [min, max]: [f64; 2], smallest: f64) -> Self {
        Self { name, unit, value, min, max, logarithmic: Some(smallest) }
    }
}

/// An instrument of a scene, to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Instrument {
    /// Its name in the scene.
    pub name: String,
    /// Where it measures, as lines in world coordinates, m.
    pub lines: Vec<[DVec3; 2]>,
    /// Its last values, always the same quantities in the same order.
    pub readings: Vec<Reading>,
}

/// The last value of a measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Name of the quantity: "pressure", `force_x`.
    pub quantity: Cow<'static, str>,
    /// SI unit.
    pub unit: &'static str,
    /// Last value.
    pub value: f64,
}

/// Rows of a table other than the diagnostics, all with the same columns.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRows {
    /// Path of the table within the folder of the run, without extension: `bodies`, `mergers`, `probes/P1`.
    pub name: Cow<'static, str>,
    /// Columns as in a [`Row`], known before the first row.
    pub columns: Vec<Cow<'static, str>>,
    /// Rows, with values in column order.
    pub rows: Vec<Vec<Value>>,
}

impl TableRows {
    /// The table `name` with the columns of `template`; the values of `template` are ignored.
    pub fn new(name: &'static str, template: &Row, rows: impl IntoIterator<Item = Row>) -> Self {
        let columns = template.iter().map(|&(column, _)| column.into()).collect();
        let values = |row: Row| row.into_iter().map(|(_, value)| value).collect();
        Self { name: name.into(), columns, rows: rows.into_iter().map(values).collect() }
    }
}

/// A setting that is valid but probably not meant, found when the simulation is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetupWarning {
    /// The key in the scene: `fluid.fill[2]`.
    pub key: String,
    /// What was found, and what it causes.
    pub text: String,
}

/// A line of the description of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The subject of the line.
    pub label: &'static str,
    /// The text after the label.
    pub text: String,
    /// Detail lines below this one.
    pub details: Vec<String>,
}

impl Fact {
    /// A line without details.
    pub fn new(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), details: Vec::new() }
    }

    /// The same line with detail lines.
    pub fn with_details(mut self, details: impl IntoIterator<Item = String>) -> Self {
        self.details.extend(details);
        self
    }
}

/// A failure of a simulation: event, time, likely cause and remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{what} (at {time:.6} s, step {step}). Likely cause: {cause}. Try: {remedy}")]
pub struct SimulationError {
    /// s
    pub time: f64,
    /// Steps since time zero.
    pub step: u64,
    /// What happened.
    pub what: String,
    /// Likely cause.
    pub cause: String,
    /// Remedy.
    pub remedy: String,
}

impl SimulationError {
    /// The state of `who` is not finite.
    pub fn not_finite(time: f64, step: u64, who: &str, remedy: impl Into<String>) -> Self {
        let cause = "numeric overflow or underflow".to_owned();
        Self { time, step, what: format!("the state of {who} is not finite"), cause, remedy: remedy.into() }
    }
}
