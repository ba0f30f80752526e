//! Figures of the fluid: the pressure solver and the wall search.

use plimsoll_contract::chart::{Diagram, FigureSource, Figures, Quantity, RecordedRun};

/// A column that exists only in the diagnostics of a fluid.
const ITERATIONS: &str = "pressure_iterations";

/// The figures of the fluid.
pub const FIGURES: FigureSource = FigureSource { tables: &[], last_frame: false, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(ITERATIONS).is_some() {
        figures.add_diagrams(&run.diagnostics, "solver", "Pressure solver", &solver());
        figures.add_diagrams(&run.diagnostics, "search", "Wall search", &search());
    }
    figures
}

fn solver() -> [Diagram; 2] {
    [
        Diagram::linear("Iterations per step", "").line(ITERATIONS, "constant density", 0).line("divergence_iterations", "divergence", 1),
        Diagram::logarithmic("Remaining mean density error", "%").line("density_error_percent", "constant density", 0).line(
            "divergence_error_percent",
            "divergence",
            1,
        ),
    ]
}

fn search() -> [Diagram; 5] {
    [
        Diagram::logarithmic("Cells and particles per step", "")
            .line("cells_visited", "cells visited", 0)
            .line("cells_kept", "cells kept", 1)
            .line("particles_tested", "particles tested", 2)
            .line("particles_inside", "particles inside", 3)
            .line("triangle_pairs", "triangle pairs", 4),
        Diagram::linear("Contacts between particles and bodies", "").line("contacts", "", 5),
        Diagram::linear("Collisions per step", "").line("collisions", "", 5),
        Diagram::linear("Leaked particles", "").of(Quantity::VaryingValue).line("leaked", "", 5),
        Diagram::linear("Particles", "").of(Quantity::VaryingValue).line("particles", "", 5),
    ]
}
