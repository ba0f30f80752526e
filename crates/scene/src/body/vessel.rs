//! The key `vessel`: a closed mesh that holds what is inside it instead of being solid.
//!
//! The triangles of a vessel are wound inward. Every test of the inside, every contact and every distance then takes what is around the mesh as
//! solid, and its inside as free.

use crate::{
    mesh_source::{self, ReadMesh},
    read::Table,
};

/// Whether a body of this `kind` is a vessel.
pub(super) fn read(table: &Table, kind: Option<&str>) -> bool {
    let vessel = table.flag_or("vessel", false);
    if kind == Some("floating") {
        table.misplaced("vessel", "in a body of kind \"floating\"", "it only with kind \"static\" or \"moving\"");
        return false;
    }
    vessel
}

/// Winds the mesh of a vessel inward; reports a mesh that has no inside.
pub(super) fn wind_inward(table: &Table, read: &mut ReadMesh) {
    // The files of a sequence are wound as they are; others are wound outward when they are read.
    if mesh_source::require_closed(table, read, "a closed mesh: vessel = true requires one") && read.report.mass.volume > 0.0 {
        read.mesh.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
}
