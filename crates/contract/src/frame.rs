//! The state of a simulation at one instant, as plain data: all that output and viewer receive from a simulator.

use std::{borrow::Cow, sync::Arc};

use glam::DVec3;
use plimsoll_base::math::{Domain, Pose};
use plimsoll_shape::TriangleMesh;

/// One instant of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Simulated seconds.
    pub time: f64,
    /// Particles, spheres or grains; empty if the simulator has none.
    pub particles: ParticleFrame,
    /// Rigid bodies, in the order of the simulation.
    pub bodies: Vec<BodyFrame>,
    /// Flat polygons; empty if the simulator has none.
    pub polygons: PolygonFrame,
    /// Contacts, if requested.
    pub contacts: Option<ContactFrame>,
    /// Quantities at the points of grids, if requested.
    pub grids: Vec<GridFrame>,
}

/// Particles in the order of their ids, so that a particle keeps its index from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct ParticleFrame {
    /// Radius of a particle, m. If radii differ, this is the smallest, and the field `radius` has the radius of each particle.
    pub radius: f32,
    /// Meters.
    pub positions: Vec<[f32; 3]>,
    /// Fields with one value per particle.
    pub fields: Vec<Field>,
    /// The domain through whose periodic ends the fluid and its bodies continue; open for other simulators.
    pub domain: Domain,
}

/// Radii of particles, meters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Radii<'f> {
    /// One radius for all, m.
    All(f32),
    /// A radius for each particle, m.
    Each(&'f [f32]),
}

impl Radii<'_> {
    /// Radius of particle `index`, m.
    pub fn of(self, index: usize) -> f32 {
        match self {
            Self::All(radius) => radius,
            Self::Each(radii) => radii[index],
        }
    }
}

/// Flat polygons in the plane z = 0, in the order of their ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolygonFrame {
    /// Vertices of all polygons in sequence, each polygon counterclockwise; m.
    pub positions: Vec<[f32; 3]>,
    /// Polygon `k` has the vertices `offsets[k] .. offsets[k + 1]`. There is one more entry than polygons, or none at all.
    pub offsets: Vec<u32>,
    /// Fields with one value per polygon.
    pub fields: Vec<Field>,
}

/// Contacts as straight lines: force chains.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactFrame {
    /// Both ends of each contact, m.
    pub ends: Vec<[[f32; 3]; 2]>,
    /// Fields with one value per contact.
    pub fields: Vec<Field>,
}

/// Points at equal distances along the axes, with the values of fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GridFrame {
    /// Unique among the grids of a frame; part of the names of files.
    pub name: String,
    /// The first point, m.
    pub origin: DVec3,
    /// Distances of the points along each axis, m.
    pub spacing: DVec3,
    /// Numbers of points along each axis.
    pub counts: [usize; 3],
    /// Fields with one value per point; x changes fastest, z slowest.
    pub fields: Vec<Field>,
}

/// A named quantity with one value per particle, polygon, contact or point of a grid, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Unique among the fields of a frame.
    pub name: Cow<'static, str>,
    /// One value per particle, polygon or contact.
    pub values: FieldValues,
}

/// The values of a field, one per particle, polygon or contact.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValues {
    /// Integers.
    Integer(Vec<u32>),
    /// Real numbers.
    Scalar(Vec<f32>),
    /// Vectors.
    Vector(Vec<[f32; 3]>),
}

impl Field {
    /// A field of integers.
    pub fn integers(name: &'static str, values: Vec<u32>) -> Self {
        Self { name: name.into(), values: FieldValues::Integer(values) }
    }

    /// A field of real numbers.
    pub fn scalars(name: &'static str, values: Vec<f32>) -> Self {
        Self { name: name.into(), values: FieldValues::Scalar(values) }
    }

    /// A field of vectors.
    pub fn vectors(name: &'static str, values: Vec<[f32; 3]>) -> Self {
        Self { name: name.into(), values: FieldValues::Vector(values) }
    }
}

impl FieldValues {
    /// The values at `indices`.
    fn at(&self, indices: &[usize]) -> Self {
        match self {
            Self::Integer(values) => Self::Integer(indices.iter().map(|&index| values[index]).collect()),
            Self::Scalar(values) => Self::Scalar(indices.iter().map(|&index| values[index]).collect()),
            Self::Vector(values) => Self::Vector(indices.iter().map(|&index| values[index]).collect()),
        }
    }
}

impl ParticleFrame {
    /// The particles of one of several fluids: those with this value of the field `material`.
    pub fn of_material(&self, material: u32) -> Self {
        let is_of = |index: &usize| matches!(self.field("material"), Some(FieldValues::Integer(of)) if of[*index] == material);
        let indices: Vec<usize> = (0..self.positions.len()).filter(is_of).collect();
        Self {
            radius: self.radius,
            positions: indices.iter().map(|&index| self.positions[index]).collect(),
            fields: self.fields.iter().map(|field| Field { name: field.name.clone(), values: field.values.at(&indices) }).collect(),
            domain: self.domain,
        }
    }
}

impl Frame {
    /// Fields of the particles, or of the polygons if there are no particles.
    pub fn fields(&self) -> &[Field] {
        if self.particles.positions.is_empty() && !self.polygons.is_empty() { &self.polygons.fields } else { &self.particles.fields }
    }

    /// The first particle, body or polygon whose state is not finite, if any: "particle 7", "body \"cube\"", "polygon vertex 3".
    pub fn not_finite(&self) -> Option<String> {
        let lost = |vectors: &[[f32; 3]]| vectors.iter().position(|vector| !vector.iter().all(|value| value.is_finite()));
        let velocities = |fields: &[Field]| match fields.iter().find(|field| field.name == "velocity").map(|field| &field.values) {
            Some(FieldValues::Vector(velocities)) => lost(velocities),
            _ => None,
        };
        let particle = lost(&self.particles.positions).or_else(|| velocities(&self.particles.fields));
        let body = self.bodies.iter().find(|body| {
            let velocities = body.velocity.is_finite() && body.angular_velocity.is_finite();
            !(velocities && body.center.is_finite() && body.pose.rotation.is_finite() && body.pose.translation.is_finite())
        });
        let polygon = || lost(&self.polygons.positions).map(|index| format!("polygon vertex {index}"));
        let particle = particle.map(|index| format!("particle {index}"));
        particle.or_else(|| body.map(|body| format!("body \"{}\"", body.name))).or_else(polygon)
    }
}

impl ParticleFrame {
    /// Radius of each particle, meters.
    pub fn radii(&self) -> Radii<'_> {
        match self.field("radius") {
            Some(FieldValues::Scalar(radii)) => Radii::Each(radii),
            _ => Radii::All(self.radius),
        }
    }

    /// Whether the particles form a liquid with a surface. If so, they have densities.
    pub fn is_liquid(&self) -> bool {
        self.field("density").is_some()
    }

    /// The values of the field `name`, if there is one.
    pub fn field(&self, name: &str) -> Option<&FieldValues> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.values)
    }
}

impl PolygonFrame {
    /// Number of polygons.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no polygons.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Vertices of polygon `index`.
    pub fn polygon(&self, index: usize) -> &[[f32; 3]] {
        &self.positions[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// The values of the field `name`, if there is one.
    pub fn field(&self, name: &str) -> Option<&FieldValues> {
        self.fields.iter().find(|field| field.name == name).map(|field| &field.values)
    }
}

impl FieldValues {
    /// Number of particles or polygons.
    pub fn len(&self) -> usize {
        match self {
            Self::Integer(values) => values.len(),
            Self::Scalar(values) => values.len(),
            Self::Vector(values) => values.len(),
        }
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One rigid body: its mesh in body coordinates, its motion and its loads.
#[derive(Clone, Debug)]
pub struct BodyFrame {
    /// Name as in the scene.
    pub name: String,
    /// In body coordinates; shared by all frames of a run unless the body deforms.
    pub mesh: Arc<TriangleMesh>,
    /// Velocities of the vertices of a body that deforms relative to its rigid motion, m/s, world axes; empty for other bodies.
    pub surface_velocities: Vec<DVec3>,
    /// Body to world.
    pub pose: Pose,
    /// World coordinates of the center of mass if the body floats, otherwise of its origin; m.
    pub center: DVec3,
    /// Velocity of `center`, m/s.
    pub velocity: DVec3,
    /// rad/s.
    pub angular_velocity: DVec3,
    /// Force of the fluid on the body, N.
    pub force: DVec3,
    /// Torque of that force about `center`, N m.
    pub torque: DVec3,
}

/// One cell of a diagnostics table.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An integer.
    Integer(u64),
    /// A real number.
    Real(f64),
    /// Text.
    Text(String),
}

/// One row of a diagnostics table: columns and values in column order. All rows have the same columns. A column is `name [unit]`, or only the name
/// if its values have no unit or the name contains it (`wall_seconds`).
pub type Row = Vec<(&'static str, Value)>;

/// Name and SI unit of a column; the unit is empty if there is none.
pub fn name_and_unit(column: &str) -> (&str, &str) {
    column.strip_suffix(']').and_then(|column| column.split_once(" [")).unwrap_or((column, ""))
}

/// The value in the column with this `name`, given without unit.
pub fn value_of<'r>(row: &'r Row, name: &str) -> Option<&'r Value> {
    row.iter().find(|(column, _)| name_and_unit(column).0 == name).map(|(_, value)| value)
}

/// Adds a column for each component of `vector`.
pub fn push_vector(row: &mut Row, columns: [&'static str; 3], vector: DVec3) {
    row.extend(columns.into_iter().zip(vector.to_array().map(Value::Real)));
}

/// The state of the contact search at one instant, to show how the method works.
#[derive(Clone, Debug, Default)]
pub struct SearchFrame {
    /// The slab-cut balls of all bodies.
    pub balls: Vec<BallMark>,
    /// Side of a cell, meters.
    pub cell_size: f32,
    /// The cells kept by the balls.
    pub cells: Vec<CellMark>,
    /// The particles that bodies act on.
    pub contacts: Vec<ContactMark>,
    /// For each body, its triangles as used by the search, with the segment of each.
    pub segments: Vec<Arc<SegmentMesh>>,
}

/// A slab-cut ball in world coordinates, meters.
#[derive(Clone, Copy, Debug)]
pub struct BallMark {
    /// Index of the body.
    pub body: u32,
    /// World coordinates, m.
    pub center: DVec3,
    /// m
    pub radius: f64,
    /// Unit vector normal to the two planes.
    pub normal: DVec3,
    /// Signed distance of the lower plane from the center, m.
    pub lower: f64,
    /// Signed distance of the upper plane from the center, m.
    pub upper: f64,
}

/// A cell that a ball of a body has kept.
#[derive(Clone, Copy, Debug)]
pub struct CellMark {
    /// Index of the body.
    pub body: u32,
    /// Meters.
    pub center: DVec3,
}

/// A particle that a body acts on.
#[derive(Clone, Copy, Debug)]
pub struct ContactMark {
    /// Index of the body.
    pub body: u32,
    /// Position of the particle, m.
    pub position: DVec3,
    /// Unit vector toward the wall.
    pub direction: DVec3,
    /// The wall's fraction of the density, 0 to 1.
    pub share: f32,
}

/// A mesh with the segment of each triangle.
#[derive(Clone, Debug, Default)]
pub struct SegmentMesh {
    /// Body coordinates.
    pub mesh: TriangleMesh,
    /// The index of each triangle's segment.
    pub segments: Vec<u32>,
}
