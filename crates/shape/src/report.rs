//! Mesh report for the user.

use std::fmt;

use plimsoll_base::math::Aabb;

use super::{
    MassProperties, TriangleMesh, surface_area,
    topology::{EdgeTable, components, consistent, is_balanced},
};

/// Maximum number of edges listed in the printed report.
const LISTED: usize = 8;

/// Counts, defects and mass properties of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshReport {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of triangles of sheets: walls without thickness beside a solid.
    pub sheets: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of sets of triangles connected by shared edges, without sheets.
    pub components: usize,
    /// The bounding box of the vertices.
    pub aabb: Aabb,
    /// Edges of only one triangle, as vertex indices.
    pub open_edges: Vec<[u32; 2]>,
    /// Edges with more than two triangles, more of them in one direction than in the other.
    pub crowded_edges: Vec<[u32; 2]>,
    /// Edges whose two triangles have inconsistent windings.
    pub inconsistent_edges: Vec<[u32; 2]>,
    /// Surface area, m².
    pub area: f64,
    /// Volume (negative if inside out), center of mass and inertia at density one. They describe a solid only if the mesh is watertight.
    pub mass: MassProperties,
}

impl MeshReport {
    /// Report on any `mesh`.
    pub fn of(mesh: &TriangleMesh) -> Self {
        Self::with_sheets(mesh, 0)
    }

    /// Report on a `mesh` whose last `sheets` triangles are walls without thickness: edges and mass are those of the others.
    pub fn with_sheets(mesh: &TriangleMesh, sheets: usize) -> Self {
        if sheets == 0 {
            return Self::of_parts(mesh, mesh, sheets);
        }
        let mut solid = mesh.clone();
        solid.triangles.truncate(mesh.triangles.len() - sheets);
        Self::of_parts(mesh, &solid, sheets)
    }

    fn of_parts(mesh: &TriangleMesh, solid: &TriangleMesh, sheets: usize) -> Self {
        let edges = EdgeTable::of(solid);
        let (mut open_edges, mut crowded_edges, mut inconsistent_edges) = (Vec::new(), Vec::new(), Vec::new());
        for sides in edges.edges() {
            match sides {
                [only] => open_edges.push(only.edge),
                [first, second] if !consistent(first, second) => inconsistent_edges.push(first.edge),
                _ if is_balanced(sides) => {}
                _ => crowded_edges.push(sides[0].edge),
            }
        }
        let (components, (area, mass)) = rayon::join(|| components(solid, &edges).1, || (surface_area(mesh), MassProperties::of(solid)));
        Self {
            triangles: mesh.triangles.len(),
            sheets,
            vertices: mesh.vertices.len(),
            components,
            aabb: mesh.aabb(),
            open_edges,
            crowded_edges,
            inconsistent_edges,
            area,
            mass,
        }
    }

    /// Whether every edge has as many triangles in one direction as in the other, so that the mesh encloses a volume.
    pub fn is_watertight(&self) -> bool {
        self.open_edges.is_empty() && self.crowded_edges.is_empty()
    }

    /// Whether all neighbouring triangles are consistently wound.
    pub fn is_consistent(&self) -> bool {
        self.inconsistent_edges.is_empty()
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extent = self.aabb.extent();
        writeln!(formatter, "triangles              {:>10}", self.triangles)?;
        if self.sheets > 0 {
            writeln!(formatter, "of sheets              {:>10}   walls without thickness, not part of the volume", self.sheets)?;
        }
        writeln!(formatter, "vertices               {:>10}", self.vertices)?;
        writeln!(formatter, "components             {:>10}", self.components)?;
        writeln!(formatter, "box                    {} .. {} m", triple(self.aabb.min.to_array()), triple(self.aabb.max.to_array()))?;
        writeln!(formatter, "extent                 {} m", triple(extent.to_array()))?;
        writeln!(formatter, "watertight             {:>10}", if self.is_watertight() { "yes" } else { "no" })?;
        write_edges(formatter, "open edges", &self.open_edges)?;
        write_edges(formatter, "unbalanced edges", &self.crowded_edges)?;
        write_edges(formatter, "inconsistent winding", &self.inconsistent_edges)?;
        write!(formatter, "area                   {:>10} m²", significant(self.area))?;
        if !self.is_watertight() {
            return write!(formatter, "\nvolume                 none: the mesh is not closed");
        }
        let inside_out = if self.mass.volume < 0.0 { "  (inside out)" } else { "" };
        writeln!(formatter, "\nvolume                 {:>10} m³{inside_out}", significant(self.mass.volume))?;
        writeln!(formatter, "center of mass         {} m", triple(self.mass.center_of_mass.to_array()))?;
        for (row, label) in ["inertia / density      ", "                       ", "                       "].iter().enumerate() {
            let line = triple(self.mass.inertia.row(row).to_array());
            write!(formatter, "{label}{line}{}", if row < 2 { "\n" } else { " m⁵, about the center of mass" })?;
        }
        Ok(())
    }
}

fn write_edges(formatter: &mut fmt::Formatter<'_>, label: &str, edges: &[[u32; 2]]) -> fmt::Result {
    write!(formatter, "{label:<22} {:>10}", edges.len())?;
    for (place, [from, to]) in edges.iter().take(LISTED).enumerate() {
        write!(formatter, "{}{from}-{to}", if place == 0 { "   " } else { ", " })?;
    }
    writeln!(formatter, "{}", if edges.len() > LISTED { ", ..." } else { "" })
}

/// Three numbers, aligned in columns.
pub(super) fn triple(numbers: [f64; 3]) -> String {
    let [x, y, z] = numbers.map(significant);
    format!("{x:>10} {y:>10} {z:>10}")
}

/// A number with five significant digits, without long runs of zeros; `none` if it is not finite, as a ratio to an area of zero.
pub(super) fn significant(number: f64) -> String {
    let magnitude = number.abs();
    if !number.is_finite() {
        "none".to_string()
    } else if magnitude < 1e-15 {
        "0".to_string()
    } else if (1e-3..1e5).contains(&magnitude) {
        let decimals = (4 - magnitude.log10().floor() as i32).max(0) as usize;
        format!("{number:.decimals$}")
    } else {
        format!("{number:.4e}")
    }
}
