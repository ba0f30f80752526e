//! From triangles to the surface of a solid: winding, holes, parts that overlap.

use plimsoll_base::math::format::significant;

use super::{
    HoleReport, OrientationReport, Repair, TriangleMesh, close_holes, holes, orient_outwards,
    overlaps::{OverlapReport, join_overlaps},
    sheets::without_sheets,
    topology::is_watertight,
};

/// What [`make_solid`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolidReport {
    /// Winding of the triangles.
    pub winding: OrientationReport,
    /// Holes.
    pub holes: HoleReport,
    /// Parts that overlap; none if the mesh is not closed.
    pub overlaps: OverlapReport,
}

impl SolidReport {
    /// The repairs in words, one item each. A change of winding is none.
    pub fn repairs(&self) -> Vec<String> {
        let closed = &self.holes.closed;
        let holes = (!closed.is_empty()).then(|| format!("{} closed", holes::in_words(closed)));
        let overlaps = match self.overlaps {
            OverlapReport::Joined { excess, volume } => {
                let [sum, volume] = [volume + excess, volume].map(significant);
                Some(format!("parts that overlap joined (the sum of their volumes is {sum} m³, the volume of the solid is {volume} m³)"))
            }
            _ => None,
        };
        holes.into_iter().chain(overlaps).collect()
    }
}

/// Winds `mesh` outward, closes its holes as `repair` says, and, if it is closed, joins its parts where they overlap. Without repair, parts
/// that overlap are reported, but stay. The last `sheets` triangles are walls without thickness, which stay as they are.
pub fn make_solid(mesh: &mut TriangleMesh, sheets: usize, repair: Repair) -> SolidReport {
    without_sheets(mesh, sheets, |solid| make_all_solid(solid, repair))
}

fn make_all_solid(mesh: &mut TriangleMesh, repair: Repair) -> SolidReport {
    let winding = orient_outwards(mesh);
    if winding.unorientable > 0 {
        return SolidReport { winding, overlaps: OverlapReport::NoInside, ..SolidReport::default() };
    }
    let holes = close_holes(mesh, repair);
    let overlaps = match repair {
        _ if !is_watertight(mesh) => OverlapReport::None,
        Repair::Off => join_overlaps(&mut mesh.clone()),
        _ => join_overlaps(mesh),
    };
    SolidReport { winding, holes, overlaps }
}
