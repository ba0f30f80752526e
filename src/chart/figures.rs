//! Figures: the pictures of a run, and the sources they come from.

use super::{Diagram, Picture, RecordedRun, RecordedTable};

/// How the runs of one simulator are shown.
#[derive(Clone, Copy, Debug)]
pub struct FigureSource {
    /// Tables to be read besides the diagnostics, without extension.
    pub tables: &'static [&'static str],
    /// Whether the last frame is to be read.
    pub last_frame: bool,
    /// The figures of a run; none if the run is not of this simulator. Any part of the run may be missing.
    pub figures: fn(&RecordedRun) -> Figures,
}

/// Pictures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// In the order in which they are listed.
    pub pictures: Vec<Picture>,
    /// Columns of the diagnostics that these pictures cover. Other columns are shown under their own names.
    pub columns: Vec<&'static str>,
}

impl Figures {
    /// Adds a picture of columns of the diagnostics, if there is anything to see.
    pub fn add_diagrams(&mut self, diagnostics: &RecordedTable, name: &str, title: &str, diagrams: &[Diagram]) {
        self.columns.extend(diagrams.iter().flat_map(Diagram::columns));
        let panels = diagrams.iter().map(|diagram| diagram.panel(diagnostics)).collect();
        self.pictures.extend(Picture::of(name, title, diagnostics.time_title(), panels));
    }
}
