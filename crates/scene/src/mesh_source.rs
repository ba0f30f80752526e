//! The keys `mesh`, `scale`, `up_axis`, `repair`, `position` and `rotation`: a mesh file and its pose.

use std::{borrow::Cow, path::PathBuf};

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Pose, format::significant};
use plimsoll_shape::{
    MeshReport, OverlapReport, Repair, SolidReport, TriangleMesh, has_inside,
    import::{self, ImportOptions, UpAxis},
    join_inner_parts, make_solid, orient_outwards, solid_part,
};

use super::{motion::read_rotation, read::Table};

const POSITION: &str = "a position [x, y, z] in m";
const MESH: &str = "the path of an OBJ, STL, PLY or glTF file, relative to the folder of the scene";

/// Maximum number of edges listed in a message.
const NAMED_EDGES: usize = 3;

/// Volume, relative to the cube of the mesh's diagonal, below which a mesh counts as empty.
const ROUNDING: f64 = 1e-12;

/// Pose of a mesh in the world.
pub(super) struct Placement {
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Placement {
    pub fn read(table: &Table) -> Self {
        let position = table.optional_position("position", POSITION).unwrap_or(DVec3::ZERO - table.document.origin.get());
        Self { position, rotation: read_rotation(table) }
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.rotation, self.position)
    }
}

/// A mesh file and how to read it.
#[derive(Clone, Debug)]
pub(super) struct MeshFile {
    pub path: PathBuf,
    pub options: ImportOptions,
}

/// A mesh as it is used.
pub(super) struct ReadMesh {
    pub file: MeshFile,
    pub mesh: TriangleMesh,
    pub report: MeshReport,
    solid: SolidReport,
}

impl ReadMesh {
    /// The first mesh of a sequence.
    pub fn of_sequence(path: PathBuf, options: ImportOptions, mesh: TriangleMesh) -> Self {
        let report = MeshReport::of(&mesh);
        Self { file: MeshFile { path, options }, mesh, report, solid: SolidReport::default() }
    }
}

/// The keys `scale` and `up_axis`.
pub(super) fn read_options(table: &Table) -> ImportOptions {
    let scale = table.scale_or("scale", "a positive number, or three for x, y and z", DVec3::ONE);
    let up_axis = match table.choice_or("up_axis", &["x", "y", "z"], "y") {
        "x" => UpAxis::X,
        "z" => UpAxis::Z,
        _ => UpAxis::Y,
    };
    ImportOptions { scale, up_axis, ..ImportOptions::default() }
}

/// The mesh of a body or fill: scaled, with y up, repaired, with consistent orientation, which is outwards if the mesh is closed. If it must be
/// `closed`, holes are closed and parts that overlap are joined.
pub(super) fn read(table: &Table, closed: bool) -> Option<ReadMesh> {
    let options = read_options(table);
    let name = table.text("mesh", MESH)?;
    let report = |found: String, expected: &str| table.document.report(table.line_of("mesh"), &table.key("mesh"), found, expected);
    let path = table.document.path.parent().map_or_else(|| name.into(), |folder| folder.join(name));
    if !table.document.files.has_file(&path) {
        report(format!("\"{name}\": missing file {}", path.display()), MESH);
        return None;
    }
    let options = ImportOptions { repair: table.repair_or("repair", Repair::Safe), ..options };
    match import::load_from(table.document.files, &path, &options) {
        Ok((mut mesh, summary)) => {
            let solid = if closed || options.repair == Repair::Fill {
                make_solid(&mut mesh, summary.sheets, options.repair)
            } else {
                orient(&mut mesh, options.repair)
            };
            let repairs: Vec<String> = summary.repairs().into_iter().chain(solid.repairs()).collect();
            if options.repair != Repair::Off && !repairs.is_empty() {
                let text = format!("\"{name}\" was repaired: {}; repair = false keeps the file's faces", repairs.join(", "));
                table.document.warn(table.line_of("mesh"), &table.key("mesh"), &text);
            }
            let report = MeshReport::with_sheets(&mesh, summary.sheets);
            Some(ReadMesh { file: MeshFile { path, options }, mesh, report, solid })
        }
        Err(error) => {
            report(format!("\"{name}\", which is not a valid mesh ({})", describe(&error)), "a mesh file of triangles or polygons");
            None
        }
    }
}

/// Winds a mesh that may be open. Of a closed one, parts within others are removed, which would count as the surface of the solid.
fn orient(mesh: &mut TriangleMesh, repair: Repair) -> SolidReport {
    let winding = orient_outwards(mesh);
    let is_solid = repair != Repair::Off && winding.unorientable == 0 && has_inside(mesh);
    SolidReport { winding, overlaps: if is_solid { join_inner_parts(mesh) } else { OverlapReport::None }, ..SolidReport::default() }
}

/// An error and its causes, as text.
pub(super) fn describe(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The solid of a mesh as by [`read`], without sheets; reports an open mesh or one without volume. `expected` describes a closed one.
pub(super) fn read_closed(table: &Table, expected: &str) -> Option<TriangleMesh> {
    let read = read(table, true)?;
    // Sheets have no share in a volume.
    require_closed(table, &read, expected).then(|| solid_part(&read.mesh).map_or_else(|| read.mesh.clone(), Cow::into_owned))
}

/// Whether the mesh encloses a volume; reports an error otherwise.
pub(super) fn require_closed(table: &Table, read: &ReadMesh, expected: &str) -> bool {
    let ReadMesh { file, mesh, report: mesh_report, solid } = read;
    let mut hint = None;
    let found = if solid.overlaps == OverlapReport::NoInside {
        "a surface without an inside".to_owned()
    } else if !mesh_report.open_edges.is_empty() {
        let edges = edges_in_words(mesh, &mesh_report.open_edges, "open");
        let left = solid.holes.left_in_words();
        match file.options.repair {
            // Holes are not searched for in sequences of meshes.
            Repair::Fill => edges,
            _ if solid.holes.left.is_empty() => edges,
            repair => {
                hint = Some(format!("repair = {} closes holes", if repair == Repair::Off { "true or \"fill\"" } else { "\"fill\"" }));
                format!("{edges}, {}{}", left, if repair == Repair::Off { "" } else { " too large to be closed" })
            }
        }
    } else if !mesh_report.crowded_edges.is_empty() {
        format!("{} with more triangles in one direction than in the other", edges_in_words(mesh, &mesh_report.crowded_edges, "shared"))
    } else if let (Repair::Off, OverlapReport::Joined { excess, volume }) = (file.options.repair, &solid.overlaps) {
        hint = Some("repair = true joins parts that overlap".to_owned());
        let [sum, volume] = [volume + excess, *volume].map(significant);
        format!("parts that overlap: their volumes sum up to {sum} m³, that of the solid is {volume} m³")
    } else if mesh_report.mass.volume.abs() <= ROUNDING * mesh.aabb().extent().length().powi(3) {
        "a mesh that encloses no volume".to_owned()
    } else {
        return true;
    };
    table.document.report_with_hint(table.line_of("mesh"), &table.key("mesh"), (found, expected.to_owned()), hint);
    false
}

/// A point with four digits: enough to find it.
fn place(point: DVec3) -> String {
    format!("[{}]", point.to_array().map(significant).join(", "))
}

/// Text with the number of edges of this kind and the ends of the first ones, m, in body coordinates.
fn edges_in_words(mesh: &TriangleMesh, edges: &[[u32; 2]], sort: &str) -> String {
    let named = edges.iter().take(NAMED_EDGES).map(|edge| {
        let [from, to] = edge.map(|vertex| place(mesh.vertices[vertex as usize]));
        format!("{from} to {to}")
    });
    let (count, noun) = (edges.len(), if edges.len() == 1 { "edge" } else { "edges" });
    let more = if count > NAMED_EDGES { ", …" } else { "" };
    format!("a mesh with {count} {sort} {noun} ({}{more})", named.collect::<Vec<_>>().join("; "))
}
