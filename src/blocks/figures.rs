//! Figures of blocks: their contacts.

use crate::chart::{Diagram, FigureSource, Figures, RecordedRun};

/// A column that only the diagnostics of blocks have.
const STRAIN: &str = "strain_energy";

/// The figures of blocks.
pub const FIGURES: FigureSource = FigureSource { tables: &[], last_frame: false, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(STRAIN).is_some() {
        let contacts = Diagram::linear("Contacts between blocks", "").line("contacts", "", 5);
        figures.add_diagrams(&run.diagnostics, "contacts", "Contacts", &[contacts]);
    }
    figures
}
