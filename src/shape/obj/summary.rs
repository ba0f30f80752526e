//! Counters of an import.

use std::fmt;

/// Counters of an import: content of the file and repairs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Objects or groups with faces; they are merged into one mesh.
    pub objects: usize,
    /// Faces in the file, with any number of corners.
    pub faces: usize,
    /// Faces with more than three corners, triangulated.
    pub polygons_triangulated: usize,
    /// Vertices merged with a coincident earlier one.
    pub vertices_welded: usize,
    /// Removed faces with fewer than three distinct corners, and removed triangles with zero area.
    pub degenerate_dropped: usize,
    /// Removed triangles with the same three vertices as an earlier one, for either winding.
    pub duplicates_dropped: usize,
}

impl fmt::Display for ImportSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "objects                {:>10}", self.objects)?;
        writeln!(formatter, "faces                  {:>10}", self.faces)?;
        writeln!(formatter, "polygons triangulated  {:>10}", self.polygons_triangulated)?;
        writeln!(formatter, "vertices welded        {:>10}", self.vertices_welded)?;
        writeln!(formatter, "degenerate dropped     {:>10}", self.degenerate_dropped)?;
        write!(formatter, "duplicates dropped     {:>10}", self.duplicates_dropped)
    }
}
