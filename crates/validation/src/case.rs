//! A case and what one run of it yields.

use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::simulator::{Simulator, Watch};
use plimsoll_fluid::{FluidSettings, FluidSimulation};

use super::{CaseError, Figure};

/// A flow whose solution is known or was measured.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// A word for the command line and for files.
    pub name: &'static str,
    /// What flows.
    pub title: &'static str,
    /// Where the expected values come from.
    pub source: &'static str,
    /// The length that resolutions count in particle diameters: "gap".
    pub across: &'static str,
    /// Resolutions of a full study, ascending.
    pub resolutions: &'static [u32],
    /// Computes one resolution.
    pub compute: fn(&Run) -> Result<Outcome, CaseError>,
}

/// One run of a case.
pub struct Run<'a> {
    /// Particle diameters across the length that the case names.
    pub resolution: u32,
    /// Gets the progress, and may interrupt.
    pub watch: &'a dyn Watch,
}

/// What one run yields.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of particles at the end.
    pub particles: usize,
    /// Number of steps.
    pub steps: u64,
    /// The figures; the same quantities in the same order at every resolution.
    pub figures: Vec<Figure>,
    /// The charts; the same panels in the same order at every resolution.
    pub charts: Vec<Chart>,
}

/// Panels with a common horizontal axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A word that follows the name of the case in the file's name; empty for the only chart.
    pub name: &'static str,
    /// Title of the horizontal axis with its unit: "Time (s)".
    pub horizontal: &'static str,
    /// Panels from top to bottom.
    pub panels: Vec<ChartPanel>,
}

/// A curve beside what is expected.
#[derive(Clone, Debug)]
pub struct ChartPanel {
    /// Title of the vertical axis.
    pub title: String,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// Legend entry of what is expected: "series", "experiment".
    pub reference: &'static str,
    /// Whether the expected values are single measurements, drawn as dots.
    pub measured: bool,
    /// What is expected.
    pub expected: Vec<(f64, f64)>,
    /// What was computed.
    pub found: Vec<(f64, f64)>,
}

/// Progress is reported in these parts.
const PARTS: f64 = 1000.0;

impl Run<'_> {
    /// The simulation of `settings` and `bodies`.
    ///
    /// # Errors
    /// There is no fluid, or the user interrupts.
    pub fn prepare(&self, settings: FluidSettings, bodies: Vec<BodyDefinition>) -> Result<FluidSimulation, CaseError> {
        Ok(FluidSimulation::prepare(settings, bodies, self.watch)?)
    }

    /// Simulates until `end` (s) and calls `observe` after every step.
    ///
    /// # Errors
    /// The simulation fails, or the user interrupts.
    pub fn advance(&self, simulation: &mut FluidSimulation, end: f64, mut observe: impl FnMut(&FluidSimulation)) -> Result<(), CaseError> {
        while simulation.time() < end {
            self.watch.progress("simulating", (PARTS * simulation.time() / end) as usize, PARTS as usize)?;
            simulation.advance(end)?;
            observe(simulation);
        }
        Ok(())
    }
}

impl Outcome {
    /// Of a run that has ended.
    pub fn of(simulation: &FluidSimulation, figures: Vec<Figure>, charts: Vec<Chart>) -> Self {
        Self { particles: simulation.particle_count(), steps: simulation.steps(), figures, charts }
    }

    /// The figure named `quantity`.
    pub fn figure(&self, quantity: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.quantity == quantity)
    }
}
