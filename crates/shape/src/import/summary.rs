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
    /// Removed triangles with the same three vertices as another one.
    pub duplicates_dropped: usize,
    /// Removed triangles of folds: pairs with the same three vertices and opposite winding.
    pub folds_cancelled: usize,
    /// Triangles of sheets beside a closed surface, given from both sides, of which one side stays, or fins on it: the last triangles of the mesh.
    pub sheets: usize,
    /// Vertices merged with another one across a crack.
    pub cracks_merged: usize,
    /// Vertices on open edges of other triangles, which were split there.
    pub cracks_split: usize,
}

impl ImportSummary {
    /// The repairs in words, one item each. Welding and faces without area are none.
    pub fn repairs(&self) -> Vec<String> {
        let counted = [
            (self.sheets, "triangle kept as a wall without thickness", "triangles kept as walls without thickness"),
            (self.duplicates_dropped, "duplicate triangle dropped", "duplicate triangles dropped"),
            (self.folds_cancelled, "triangle of folds cancelled", "triangles of folds cancelled"),
            (self.cracks_merged, "vertex merged with another across a crack", "vertices merged with others across cracks"),
            (self.cracks_split, "edge split at a vertex", "edges split at vertices"),
        ];
        let present = counted.iter().filter(|(count, ..)| *count > 0);
        present.map(|(count, one, several)| format!("{count} {}", if *count == 1 { one } else { several })).collect()
    }
}

impl fmt::Display for ImportSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "objects                {:>10}", self.objects)?;
        writeln!(formatter, "faces                  {:>10}", self.faces)?;
        writeln!(formatter, "polygons triangulated  {:>10}", self.polygons_triangulated)?;
        writeln!(formatter, "vertices welded        {:>10}", self.vertices_welded)?;
        writeln!(formatter, "degenerate dropped     {:>10}", self.degenerate_dropped)?;
        writeln!(formatter, "duplicates dropped     {:>10}", self.duplicates_dropped)?;
        writeln!(formatter, "triangles of folds     {:>10}", self.folds_cancelled)?;
        writeln!(formatter, "triangles of sheets    {:>10}", self.sheets)?;
        writeln!(formatter, "merged across cracks   {:>10}", self.cracks_merged)?;
        write!(formatter, "splits at vertices     {:>10}", self.cracks_split)
    }
}
