//! The keys `mesh`, `scale`, `up_axis`, `position` and `rotation`: a mesh file and where it stands.

use glam::{DQuat, DVec3};

use super::{fill::list, motion::read_rotation, read::Table};
use crate::{
    math::Pose,
    shape::{
        MeshReport, TriangleMesh,
        obj::{self, ImportOptions, UpAxis},
        orient_outwards,
    },
};

const POSITION: &str = "a position [x, y, z] in metres";
const MESH: &str = "the path of an OBJ file, relative to the folder of the scene";

/// Open edges named in a message.
const NAMED_EDGES: usize = 3;

/// Where a mesh stands in the world.
pub(super) struct Placement {
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Placement {
    pub fn read(table: &Table) -> Self {
        Self { position: table.vector_or("position", POSITION, DVec3::ZERO), rotation: read_rotation(table) }
    }

    pub fn pose(&self) -> Pose {
        Pose::new(self.rotation, self.position)
    }
}

/// The mesh of a body or fill: scaled, y up, cleaned, wound outwards if it is closed.
pub(super) fn read(table: &Table) -> Option<(TriangleMesh, MeshReport)> {
    let scale = table.scale_or("scale", "a positive number, or three for x, y and z", DVec3::ONE);
    let up_axis = match table.choice_or("up_axis", &["x", "y", "z"], "y") {
        "x" => UpAxis::X,
        "z" => UpAxis::Z,
        _ => UpAxis::Y,
    };
    let name = table.text("mesh", MESH)?;
    let report = |found: String, expected: &str| table.document.report(table.line_of("mesh"), &table.key("mesh"), found, expected);
    let path = table.document.path.parent().map_or_else(|| name.into(), |folder| folder.join(name));
    if !path.is_file() {
        report(format!("\"{name}\", but there is no file {}", path.display()), MESH);
        return None;
    }
    match obj::load(&path, &ImportOptions { scale, up_axis }) {
        Ok(mut mesh) => {
            let mesh_report = MeshReport::of(&mesh);
            if mesh_report.is_closed() {
                orient_outwards(&mut mesh);
            }
            Some((mesh, mesh_report))
        }
        Err(error) => {
            report(format!("\"{name}\", of which no mesh could be made ({error})"), "an OBJ file of triangles or polygons");
            None
        }
    }
}

/// As [`read`], but an open or hollow mesh is reported: `expected` a closed one.
pub(super) fn read_closed(table: &Table, expected: &str) -> Option<TriangleMesh> {
    let (mesh, report) = read(table)?;
    require_closed(table, (&mesh, &report), expected).then_some(mesh)
}

/// Whether the mesh encloses a volume; it is reported if not.
pub(super) fn require_closed(table: &Table, (mesh, mesh_report): (&TriangleMesh, &MeshReport), expected: &str) -> bool {
    let report = |found: String| table.document.report(table.line_of("mesh"), &table.key("mesh"), found, expected);
    if mesh_report.is_closed() {
        return true;
    }
    let edges = &mesh_report.open_edges;
    if edges.is_empty() {
        report("a mesh whose triangles do not bound a solid (edges shared by more than two triangles)".to_owned());
        return false;
    }
    let named = edges.iter().take(NAMED_EDGES).map(|edge| {
        let [from, to] = edge.map(|vertex| list(mesh.vertices[vertex as usize]));
        format!("{from} to {to}")
    });
    let more = if edges.len() > NAMED_EDGES { ", …" } else { "" };
    let count = edges.len();
    let noun = if count == 1 { "edge" } else { "edges" };
    report(format!("a mesh with {count} open {noun}: {}{more}", named.collect::<Vec<_>>().join(", ")));
    false
}
