//! Reads bodies back: poses and velocities from `bodies.csv`, and meshes in body coordinates from a single frame.

use std::{fs::File, io::BufReader, ops::Range, path::Path, sync::Arc};

use glam::{DQuat, DVec3, Vec3};
use plimsoll_base::math::Pose;
use plimsoll_contract::frame::{BodyFrame, name_and_unit};
use plimsoll_shape::TriangleMesh;

use super::{
    error::RecordingError,
    motion::{fitting_pose, fitting_velocity},
};
use crate::{file::OutputError, vtu::Damage};

/// Maximum distance between a vertex and its position from pose and mesh, relative to the largest coordinate. Beyond it, the body is not
/// rigid or is not the same body.
const RIGID: f64 = 1e-5;

/// Number of bodies for which memory is taken even if few triangles are there: bodies that are absent have none.
const MAX_BODIES: usize = 1 << 16;

/// A body's triangles in one frame, world coordinates.
#[derive(Clone, Debug)]
pub struct BodySurface {
    /// The range of its vertices among those of all bodies.
    pub range: Range<usize>,
    pub vertices: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Velocities of the vertices, m/s; empty if unknown.
    pub velocities: Vec<[f32; 3]>,
    /// N
    pub force: [f32; 3],
    /// N m
    pub torque: [f32; 3],
}

impl BodySurface {
    fn has_forces(&self) -> bool {
        self.force != [0.0; 3] || self.torque != [0.0; 3]
    }

    fn forces(&self) -> (DVec3, DVec3) {
        (Vec3::from(self.force).as_dvec3(), Vec3::from(self.torque).as_dvec3())
    }
}

/// A body in a row of `bodies.csv`.
#[derive(Clone, Debug)]
struct BodyRow {
    name: String,
    pose: Pose,
    center: DVec3,
    velocity: DVec3,
    angular_velocity: DVec3,
    force: DVec3,
    torque: DVec3,
}

/// A body's mesh and center in body coordinates.
#[derive(Clone, Debug)]
struct KnownBody {
    mesh: Arc<TriangleMesh>,
    center: DVec3,
}

/// Data of the bodies that all frames of a run share.
#[derive(Debug)]
pub struct KnownBodies {
    /// Indexed by frame, then by body; empty if the table has no row for that time.
    rows: Vec<Vec<BodyRow>>,
    bodies: Vec<KnownBody>,
}

/// Splits `triangles` into bodies; `owners` contains the body of each triangle. The vertices of a body are contiguous, and only its own.
pub fn split_bodies(vertices: &[[f32; 3]], triangles: &[[u32; 3]], owners: &[u32]) -> Result<Vec<BodySurface>, Damage> {
    let count = owners.iter().max().map_or(0, |&last| last as usize + 1);
    if count > MAX_BODIES.max(owners.len()) {
        return Err(Damage::new(format!("a triangle of body {}", count - 1), "at most as many bodies as triangles"));
    }
    if vertices.as_flattened().iter().any(|coordinate| !coordinate.is_finite()) {
        return Err(Damage::new("a vertex that is not finite", "finite coordinates"));
    }
    let empty = BodySurface { range: 0..0, vertices: vec![], triangles: vec![], velocities: vec![], force: [0.0; 3], torque: [0.0; 3] };
    let mut bodies = vec![empty; count];
    for (triangle, &owner) in triangles.iter().zip(owners) {
        let body = &mut bodies[owner as usize];
        for &vertex in triangle {
            let vertex = vertex as usize;
            let range = if body.range.is_empty() { vertex..vertex + 1 } else { body.range.clone() };
            body.range = range.start.min(vertex)..range.end.max(vertex + 1);
        }
        body.triangles.push(*triangle);
    }
    if bodies.iter().map(|body| body.range.len()).sum::<usize>() > vertices.len() {
        return Err(Damage::new("bodies with common vertices", "the vertices of one body after those of another"));
    }
    for body in &mut bodies {
        body.vertices = vertices[body.range.clone()].iter().map(|&vertex| Vec3::from(vertex).as_dvec3()).collect();
        let first = body.range.start as u32;
        body.triangles.iter_mut().flatten().for_each(|vertex| *vertex -= first);
    }
    Ok(bodies)
}

impl KnownBodies {
    /// Reads the rows at the frames' `times` (seconds, ascending) from the table at `path`. Without a table there are no rows.
    pub fn read(path: &Path, times: &[f64]) -> Result<Self, RecordingError> {
        let mut rows = vec![Vec::new(); times.len()];
        if path.is_file() {
            let file = File::open(path).map_err(|error| OutputError::new(path, "read", error))?;
            let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(BufReader::new(file));
            let read = |error: csv::Error| OutputError::new(path, "read", error.into());
            let columns = Columns::of(reader.headers().map_err(read)?);
            let mut record = csv::StringRecord::new();
            while let Some(columns) = &columns
                && reader.read_record(&mut record).map_err(read)?
            {
                // A row that the run is currently writing may be incomplete.
                let Some(time) = record.get(columns.time).and_then(|time| time.parse::<f64>().ok()) else { break };
                let Ok(frame) = times.binary_search_by(|other| other.total_cmp(&time)) else { continue };
                rows[frame].extend(columns.row(&record));
            }
        }
        Ok(Self { rows, bodies: Vec::new() })
    }

    /// Whether the table contains the bodies of frame `index`.
    pub fn contains_frame(&self, index: usize) -> bool {
        !self.rows[index].is_empty()
    }

    /// Takes the bodies' meshes from their surfaces in frame `index`. Without poses in that frame its world coordinates serve as
    /// body coordinates.
    pub fn learn_meshes(&mut self, index: usize, surfaces: Vec<BodySurface>) {
        let rows = &self.rows[index];
        let known = surfaces.into_iter().enumerate().map(|(body, surface)| {
            let row = rows.get(body);
            let pose = row.map_or(Pose::IDENTITY, |row| row.pose);
            let center = row.map_or_else(|| mean(&surface.vertices), |row| row.center);
            let vertices = surface.vertices.iter().map(|&vertex| pose.inverse_transform_point(vertex)).collect();
            let mesh = Arc::new(TriangleMesh { vertices, triangles: surface.triangles });
            KnownBody { mesh, center: pose.inverse_transform_point(center) }
        });
        self.bodies = known.collect();
    }

    /// Body number `body` in frame `index`, with its surface in that frame.
    pub fn frame(&self, body: usize, index: usize, surface: BodySurface) -> BodyFrame {
        let row = self.rows[index].get(body);
        let named = row.or_else(|| self.rows.iter().find_map(|rows| rows.get(body)));
        let name = named.map_or_else(|| format!("body {}", body + 1), |row| row.name.clone());
        let (has_forces, forces) = (surface.has_forces(), surface.forces());
        let rigid = self.bodies.get(body).filter(|known| known.mesh.triangles == surface.triangles).and_then(|known| {
            let pose = row.map_or_else(|| fitting_pose(&known.mesh.vertices, &surface.vertices), |row| row.pose);
            places(&known.mesh, &pose, &surface.vertices).then_some((known, pose))
        });
        let (mesh, pose, center) = match rigid {
            Some((known, pose)) => (Arc::clone(&known.mesh), pose, pose.transform_point(known.center)),
            None => {
                let center = mean(&surface.vertices);
                (Arc::new(TriangleMesh { vertices: surface.vertices.clone(), triangles: surface.triangles }), Pose::IDENTITY, center)
            }
        };
        if let Some(row) = row.cloned() {
            let BodyRow { center, velocity, angular_velocity, mut force, mut torque, .. } = row;
            // The forces of the frame are means over its interval, those of the row only over a step.
            if has_forces {
                (force, torque) = forces;
            }
            return BodyFrame { name, mesh, surface_velocities: Vec::new(), pose, center, velocity, angular_velocity, force, torque };
        }
        let (velocity, angular_velocity) = fitting_velocity(&surface.vertices, &surface.velocities, center);
        let (force, torque) = forces;
        BodyFrame { name, mesh, surface_velocities: Vec::new(), pose, center, velocity, angular_velocity, force, torque }
    }
}

/// Whether `pose` maps the vertices of `mesh` to `vertices`, up to rounding to 32 bits.
fn places(mesh: &TriangleMesh, pose: &Pose, vertices: &[DVec3]) -> bool {
    let greatest = vertices.iter().map(|vertex| vertex.abs().max_element()).fold(0.0, f64::max);
    let near = |(&own, &vertex): (&DVec3, &DVec3)| pose.transform_point(own).distance(vertex) <= RIGID * greatest;
    mesh.vertices.len() == vertices.len() && mesh.vertices.iter().zip(vertices).all(near)
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len().max(1) as f64
}

/// Column indices of `bodies.csv`.
struct Columns {
    time: usize,
    body: usize,
    rotation: [usize; 4],
    /// Position, center, velocity, angular velocity, force, torque.
    vectors: [[usize; 3]; 6],
}

impl Columns {
    /// `None` if a column is missing: the table is from another simulator.
    fn of(header: &csv::StringRecord) -> Option<Self> {
        let place = |name: &str| header.iter().position(|column| name_and_unit(column).0 == name);
        let axes = |name: &str| Some([place(&format!("{name}_x"))?, place(&format!("{name}_y"))?, place(&format!("{name}_z"))?]);
        let [x, y, z] = axes("rotation")?;
        Some(Self {
            time: place("time")?,
            body: place("body")?,
            rotation: [x, y, z, place("rotation_w")?],
            vectors: [axes("position")?, axes("center")?, axes("velocity")?, axes("angular_velocity")?, axes("force")?, axes("torque")?],
        })
    }

    fn row(&self, record: &csv::StringRecord) -> Option<BodyRow> {
        let number = |column: usize| record.get(column)?.parse::<f64>().ok().filter(|number| number.is_finite());
        let vector = |[x, y, z]: [usize; 3]| Some(DVec3::new(number(x)?, number(y)?, number(z)?));
        let [x, y, z, w] = self.rotation;
        let [position, center, velocity, angular_velocity, force, torque] = self.vectors;
        Some(BodyRow {
            name: record.get(self.body)?.to_owned(),
            pose: Pose::new(DQuat::from_xyzw(number(x)?, number(y)?, number(z)?, number(w)?), vector(position)?),
            center: vector(center)?,
            velocity: vector(velocity)?,
            angular_velocity: vector(angular_velocity)?,
            force: vector(force)?,
            torque: vector(torque)?,
        })
    }
}
