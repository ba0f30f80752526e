//! Figures: the pictures of a run, and their sources.

use super::{Diagram, Picture, RecordedRun, RecordedTable};

/// The figures of one simulator's runs.
#[derive(Clone, Copy, Debug)]
pub struct FigureSource {
    /// Tables to read in addition to the diagnostics, without extension.
    pub tables: &'static [&'static str],
    /// Whether to read the last frame.
    pub last_frame: bool,
    /// Creates the figures of a run; empty if the run is not of this simulator. Any part of the run may be missing.
    pub figures: fn(&RecordedRun) -> Figures,
}

/// Pictures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Pictures, in the order in which they are listed.
    pub pictures: Vec<Picture>,
    /// Columns of the diagnostics that these pictures cover. Other columns are shown under their own names.
    pub columns: Vec<&'static str>,
}

impl Figures {
    /// Adds a picture of diagnostics columns, unless there is nothing to show.
    pub fn add_diagrams(&mut self, diagnostics: &RecordedTable, name: &str, title: &str, diagrams: &[Diagram]) {
        self.columns.extend(diagrams.iter().flat_map(Diagram::columns));
        let panels = diagrams.iter().map(|diagram| diagram.panel(diagnostics)).collect();
        self.pictures.extend(Picture::of(name, title, diagnostics.time_title(), panels));
    }
}
