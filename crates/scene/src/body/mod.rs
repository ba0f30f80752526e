//! The sections `[[body]]`.

mod floating;
mod vessel;

use std::{borrow::Cow, sync::Arc};

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_bodies::{BodyDefinition, BodyKind, Deformation, PrescribedMotion, Presence};
use plimsoll_shape::{TriangleMesh, has_inside};

use super::{
    deformation,
    mesh_source::{self, MeshFile, Placement, ReadMesh},
    motion,
    read::{Quantity, Range, Table},
    waves::WaveContext,
};

pub(super) const FRICTION: Quantity = Quantity::new(Range::NotNegative, "a friction coefficient, 0 or more");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");
pub(super) const RESTITUTION: Quantity = Quantity::new(Range::Fraction, "a number from 0 to 1");

/// Range of mesh sizes for which masses and moments of inertia can be computed, m.
const SIZES: [f64; 2] = [1e-9, 1e9];

/// A body and its location in the file.
pub(super) struct PlacedBody {
    pub definition: BodyDefinition,
    /// Whether its mesh has an inside, that of its closed parts.
    pub closed: bool,
    /// Whether its inside is free and what is around it solid.
    pub vessel: bool,
    /// Body to world at the start: for a moving body, the pose given by its motion.
    pub start: Pose,
    /// Positions of the vertices at the start if the body deforms, m.
    start_shape: Option<Vec<DVec3>>,
    /// When the scene begins, s.
    start_time: f64,
    pub mesh_file: MeshFile,
    /// Name of what it is made of, for contacts with other bodies.
    pub material: Option<String>,
    /// What is odd about its size, as a hint of messages.
    pub size_hint: Option<String>,
    /// Whether it collides with other bodies.
    pub collides: bool,
    /// Names of the bodies with which it does not collide.
    pub no_contact_with: Vec<String>,
    pub line: usize,
    pub key: String,
}

impl PlacedBody {
    /// Bounding box in world coordinates at the start.
    pub fn aabb(&self) -> Aabb {
        Aabb::around(self.start_mesh().vertices.iter().map(|&vertex| self.start.transform_point(vertex)))
    }

    /// The mesh at the start, body coordinates.
    pub fn start_mesh(&self) -> Cow<'_, TriangleMesh> {
        let mesh = &self.definition.mesh;
        match &self.start_shape {
            Some(shape) => Cow::Owned(TriangleMesh { vertices: shape.clone(), triangles: mesh.triangles.clone() }),
            None => Cow::Borrowed(mesh),
        }
    }

    /// Whether fluid meets it at the start.
    pub fn is_wall_at_start(&self) -> bool {
        self.is_there_at_start() && self.definition.presence.for_particles
    }

    pub fn is_there_at_start(&self) -> bool {
        self.definition.presence.contains(self.start_time)
    }

    /// Whether both bodies are where their definitions place them when the later one appears.
    pub fn meets_where_it_appears(&self, other: &Self) -> bool {
        let appears = |body: &Self| body.definition.presence.from.max(self.start_time);
        let time = appears(self).max(appears(other));
        let is_placed = |body: &Self| appears(body) == time || matches!(body.definition.kind, BodyKind::Static);
        [self, other].iter().all(|body| body.definition.presence.contains(time) && is_placed(body))
    }

    pub fn is_floating(&self) -> bool {
        matches!(self.definition.kind, BodyKind::Floating(_))
    }
}

/// The valid bodies of a scene that begins at `start_time` (s).
pub(super) fn read_all(root: &Table, waves: &WaveContext, start_time: f64) -> Vec<PlacedBody> {
    let mut bodies = Vec::new();
    let mut names: Vec<(&str, usize)> = Vec::new();
    for table in root.tables("body") {
        let name = table.text("name", "a name in quotes");
        if let Some(name) = name {
            table.call("body", name, &mut names);
        }
        bodies.extend(read(&table, name.unwrap_or_default(), waves, start_time));
        table.finish();
    }
    bodies
}

fn read(table: &Table, name: &str, waves: &WaveContext, start_time: f64) -> Option<PlacedBody> {
    let kind = table.choice("kind", &["static", "moving", "floating"]);
    let friction = table.number_or("friction", FRICTION, 0.5);
    let restitution = table.number_or("restitution", RESTITUTION, 0.0);
    let material = table.has("material").then(|| table.text("material", "the name of a material in quotes")).flatten().map(str::to_owned);
    let collides = table.flag_or("collides", true);
    let no_contact_with = table.optional_texts("no_contact_with", 0..=usize::MAX, "an array of names of bodies").unwrap_or_default();
    let no_contact_with = no_contact_with.into_iter().map(str::to_owned).collect();
    let presence = read_presence(table);
    let placement = Placement::read(table);
    if (kind == Some("moving") || table.has("released")) && motion::is_keyframes(table) {
        for key in ["position", "rotation"] {
            table.misplaced(key, "with keyframes", "it only in the keyframes");
        }
    }
    let vessel = vessel::read(table, kind);
    let (mesh, deformation) = read_surface(table, kind, vessel);
    let kind = read_kind(table, kind, placement.pose(), waves);
    let mut read = mesh?;
    if vessel {
        vessel::wind_inward(table, &mut read);
    }
    if let Some(BodyKind::Floating(_)) = kind {
        mesh_source::require_closed(table, &read, "a closed mesh: kind \"floating\" requires one");
    }
    let ReadMesh { file, mesh, .. } = read;
    let size = mesh.aabb().extent().max_element();
    if !(SIZES[0]..=SIZES[1]).contains(&size) {
        let expected = format!("a mesh between {:e} and {:e} m across (its scale is in meters per unit of the file)", SIZES[0], SIZES[1]);
        table.document.report(table.line_of("scale"), &table.key("scale"), format!("a mesh {size:e} m across"), expected);
    }
    let kind = kind?;
    let pose = match kind.motion() {
        // Keyframes also define the initial pose.
        Some(motion @ PrescribedMotion::Keyframes(_)) => motion.pose(&Pose::IDENTITY, 0.0),
        _ => placement.pose(),
    };
    let kind = match (kind, deformation) {
        (BodyKind::Moving(motion), Some(deformation)) => {
            BodyKind::Moving(PrescribedMotion::Deforming { motion: Box::new(motion), deformation: Arc::new(deformation) })
        }
        (kind, _) => kind,
    };
    let start = kind.motion().map_or(pose, |motion| motion.pose(&pose, start_time));
    let start_shape = kind.deformation().map(|deformation| deformation.positions(start_time));
    let closed = has_inside(&mesh);
    let definition = BodyDefinition { name: name.to_owned(), mesh, pose, kind, friction, restitution, presence };
    let (line, key) = (table.line, table.name.borrow().clone());
    Some(PlacedBody {
        definition,
        closed,
        vessel,
        start,
        start_shape,
        start_time,
        mesh_file: file,
        material,
        size_hint: None,
        collides,
        no_contact_with,
        line,
        key,
    })
}

/// The mesh of a body of this kind, or the first one of a sequence with its deformation.
fn read_surface(table: &Table, kind: Option<&str>, vessel: bool) -> (Option<ReadMesh>, Option<Deformation>) {
    match kind {
        Some(kind @ ("static" | "floating")) => {
            table.misplaced("deformation", &format!("in a body of kind \"{kind}\""), "it only with kind \"moving\"");
        }
        _ => {
            if let Some(sequence) = table.table("deformation", "a table [body.deformation]") {
                let read = deformation::read(table, &sequence);
                sequence.finish();
                return read.unzip();
            }
        }
    }
    (mesh_source::read(table, vessel || kind == Some("floating")), None)
}

/// The keys `appears`, `vanishes` and `meets_particles`.
fn read_presence(table: &Table) -> Presence {
    let from = table.optional_number("appears", TIME);
    let until = table.optional_number("vanishes", TIME);
    if let (Some(from), Some(until)) = (from, until)
        && until <= from
    {
        table.document.report(
            table.line_of("vanishes"),
            &table.key("vanishes"),
            format!("{until}"),
            format!("a time after {from} s, when the body appears"),
        );
    }
    Presence { from: from.unwrap_or(Presence::default().from), until, for_particles: table.flag_or("meets_particles", true) }
}

fn read_kind(table: &Table, kind: Option<&str>, pose: Pose, waves: &WaveContext) -> Option<BodyKind> {
    let Some(kind) = kind else {
        // Without a kind no key can be reported as misplaced.
        floating::accept(table);
        table.pass(&["motion", "deformation", "released"]);
        return None;
    };
    if kind != "floating" {
        floating::refuse(table, kind);
    }
    if kind == "floating" {
        return floating::read(table, pose, waves).map(BodyKind::Floating);
    }
    table.misplaced("released", &format!("in a body of kind \"{kind}\""), "it only with kind \"floating\"");
    if kind == "static" {
        table.misplaced("motion", "in a body of kind \"static\"", "it only with kind \"moving\"");
    }
    match kind {
        "static" => Some(BodyKind::Static),
        // A body that deforms may stay where it is.
        "moving" if table.has("deformation") && !table.has("motion") => {
            Some(BodyKind::Moving(PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: pose.translation }))
        }
        _ => motion::read(table, pose, waves).map(BodyKind::Moving),
    }
}
