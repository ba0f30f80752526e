//! The sections `[[fluid.fill]]`: regions filled with fluid at time zero.

use glam::DVec3;
use plimsoll_base::math::{Aabb, format::list};
use plimsoll_fluid::{Fill, FillShape};

use super::{
    materials::Materials,
    mesh_source::{self, Placement},
    read::{Quantity, Range, Table},
};

const RADIUS: Quantity = Quantity::new(Range::Positive, "a positive radius in m");
const POSITION: &str = "a position [x, y, z] in m";
const SHAPES: [&str; 3] = ["box", "sphere", "mesh"];
const ONE_SHAPE: &str = "exactly one of `box`, `sphere`, `mesh`";

/// A location in the file.
pub(super) struct Place {
    pub line: usize,
    pub key: String,
}

impl Place {
    pub fn of(table: &Table) -> Self {
        Self { line: table.line, key: table.name.borrow().clone() }
    }
}

/// The valid fills and their locations in the file.
pub(super) fn read_all(fluid: &Table, materials: &Materials) -> (Vec<Fill>, Vec<Place>) {
    let tables = fluid.tables("fill");
    if !fluid.has("fill") && !fluid.has("emitter") {
        fluid.missing("fill", "at least one [[fluid.fill]] or [[fluid.emitter]]");
    }
    let mut fills = (Vec::new(), Vec::new());
    for table in tables {
        let place = Place::of(&table);
        let velocity = table.vector_or("velocity", "a velocity [x, y, z] in m/s", DVec3::ZERO);
        let material = materials.index(&table);
        if let Some(shape) = read_shape(&table) {
            fills.0.push(Fill { shape, velocity, material });
            fills.1.push(place);
        }
        table.finish();
    }
    fills
}

/// No fills: reports them in a scene whose fluid is that of another run.
pub(super) fn refuse(fluid: &Table) -> (Vec<Fill>, Vec<Place>) {
    fluid.misplaced("fill", "with `start_from`", "it only without: the fluid is that of the other run");
    (Vec::new(), Vec::new())
}

fn read_shape(table: &Table) -> Option<FillShape> {
    let given = SHAPES.into_iter().filter(|shape| table.has(shape)).collect::<Vec<_>>();
    let key = table.name.borrow().clone();
    if given.len() != 1 {
        let found = if given.is_empty() { "no shape".to_owned() } else { format!("`{}`", given.join("` and `")) };
        table.document.report(table.line, &key, found, ONE_SHAPE);
    }
    let solid = read_box(table).map(|Aabb { min, max }| FillShape::Box { min, max });
    let sphere = read_sphere(table);
    let mesh = if table.has("mesh") {
        read_mesh(table)
    } else {
        table.pass(&["mesh"]);
        for key in ["scale", "up_axis", "position", "rotation"] {
            table.misplaced(key, "in a fill without `mesh`", "it only with `mesh`");
        }
        None
    };
    solid.or(sphere).or(mesh)
}

/// The box under `box`, if there is one.
pub(super) fn read_box(table: &Table) -> Option<Aabb> {
    read_box_under(table, "box")
}

/// The box under `key`, if there is one.
pub(super) fn read_box_under(table: &Table, key: &'static str) -> Option<Aabb> {
    let corners = table.table(key, "a box { min = [x, y, z], max = [x, y, z] } in m")?;
    let (min, max) = (corners.position("min", POSITION), corners.position("max", POSITION));
    let (line, key) = (corners.line_of("max"), corners.key("max"));
    let document = corners.document;
    corners.finish();
    let (min, max) = (min?, max?);
    if min.cmpge(max).any() {
        document.report(line, &key, list(max), format!("each coordinate above that of min, {}", list(min)));
        return None;
    }
    Some(Aabb { min, max })
}

fn read_sphere(table: &Table) -> Option<FillShape> {
    let sphere = table.table("sphere", "a sphere { center = [x, y, z], radius = … } in m")?;
    let (center, radius) = (sphere.position("center", POSITION), sphere.number("radius", RADIUS));
    sphere.finish();
    Some(FillShape::Sphere { center: center?, radius: radius? })
}

/// The inside of a closed mesh, transformed to world coordinates.
fn read_mesh(table: &Table) -> Option<FillShape> {
    let pose = Placement::read(table).pose();
    let mut mesh = mesh_source::read_closed(table, "a closed mesh: the fill is its interior")?;
    for vertex in &mut mesh.vertices {
        *vertex = pose.transform_point(*vertex);
    }
    Some(FillShape::Mesh(mesh))
}
