//! Frames as VTK XML unstructured grids (`.vtu`), and the collections (`.pvd`) that assign a time to each.

use std::{
    io::{self, Seek, Write},
    path::{Path, PathBuf},
};

use glam::DVec3;
use plimsoll_contract::frame::{BodyFrame, ContactFrame, Field, GridFrame, ParticleFrame, PolygonFrame};

use super::{
    file::{OutputError, replace_file_unsynced},
    vtu::{Array, Cells, Grid, Image, Values, write_grid, write_image},
};

/// Particles as vertices, every field of the frame as point data under its own name.
pub fn write_particles_vtu(file: impl Write + Seek, particles: &ParticleFrame) -> io::Result<()> {
    let ParticleFrame { positions, fields, .. } = particles;
    write_grid(file, &Grid { points: positions, cells: Cells::Vertices, point_data: arrays(fields), cell_data: Vec::new() })
}

/// Polygons as polygon cells, every field of the frame as cell data under its own name.
pub fn write_polygons_vtu(file: impl Write + Seek, polygons: &PolygonFrame) -> io::Result<()> {
    let ends = polygons.offsets.get(1..).unwrap_or_default();
    let cell_data = arrays(&polygons.fields);
    write_grid(file, &Grid { points: &polygons.positions, cells: Cells::Polygons(ends), point_data: Vec::new(), cell_data })
}

/// Contacts as line cells, every field of the frame as cell data under its own name.
pub fn write_contacts_vtu(file: impl Write + Seek, contacts: &ContactFrame) -> io::Result<()> {
    let (points, cell_data) = (contacts.ends.as_flattened(), arrays(&contacts.fields));
    write_grid(file, &Grid { points, cells: Cells::Lines, point_data: Vec::new(), cell_data })
}

/// A grid as image data, every field as point data under its own name.
pub fn write_grid_vti(file: impl Write + Seek, grid: &GridFrame) -> io::Result<()> {
    let (origin, spacing) = (grid.origin.to_array(), grid.spacing.to_array());
    write_image(file, &Image { origin, spacing, counts: grid.counts, point_data: arrays(&grid.fields) })
}

/// All bodies' triangles in world coordinates, in the order of the bodies. Point data: `velocity`, the velocity of the rigid motion at the
/// vertex `x`, `v + ω × (x − center)`, plus that of its deformation, m/s. Cell data, the same on every triangle of a body: `body` (its index), and `force` (N) and
/// `torque` (N m) as in [`BodyFrame`].
pub fn write_bodies_vtu(file: impl Write + Seek, bodies: &[BodyFrame]) -> io::Result<()> {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    let mut velocities = Vec::new();
    let mut owners = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let first = points.len() as u32;
        for (number, &vertex) in body.mesh.vertices.iter().enumerate() {
            let x = body.pose.transform_point(vertex);
            let of_surface = body.surface_velocities.get(number).copied().unwrap_or(DVec3::ZERO);
            points.push(x.as_vec3().to_array());
            velocities.push((body.velocity + body.angular_velocity.cross(x - body.center) + of_surface).as_vec3().to_array());
        }
        triangles.extend(body.mesh.triangles.iter().map(|corners| corners.map(|vertex| first + vertex)));
        owners.resize(owners.len() + body.mesh.triangles.len(), index as u32);
    }
    let of_triangles = |quantity: fn(&BodyFrame) -> DVec3| -> Vec<[f32; 3]> {
        owners.iter().map(|&body| quantity(&bodies[body as usize]).as_vec3().to_array()).collect()
    };
    let (forces, torques) = (of_triangles(|body| body.force), of_triangles(|body| body.torque));
    let cell_data = vec![
        Array { name: "body", values: Values::Integers(&owners) },
        Array { name: "force", values: Values::Vectors(&forces) },
        Array { name: "torque", values: Values::Vectors(&torques) },
    ];
    let point_data = vec![Array { name: "velocity", values: Values::Vectors(&velocities) }];
    write_grid(file, &Grid { points: &points, cells: Cells::Triangles(&triangles), point_data, cell_data })
}

fn arrays(fields: &[Field]) -> Vec<Array<'_>> {
    fields.iter().map(Array::from).collect()
}

/// A `.pvd` file: the frames of one series with their times. The file is valid at every moment and lists only frames added to it.
#[derive(Debug)]
pub struct Collection {
    path: PathBuf,
    /// Seconds and file name, relative to the collection.
    entries: Vec<(f64, String)>,
}

impl Collection {
    /// A collection at `path` that already contains `entries` (times in seconds, file names relative to it); writes nothing yet.
    pub fn new(path: PathBuf, entries: Vec<(f64, String)>) -> Self {
        Self { path, entries }
    }

    /// Adds a frame that is written and rewrites the collection.
    pub fn add(&mut self, time: f64, file_name: String) -> Result<(), OutputError> {
        self.entries.push((time, file_name));
        self.write()
    }

    /// Writes the collection as it is.
    pub fn write(&self) -> Result<(), OutputError> {
        replace_file_unsynced(&self.path, |writer| {
            writeln!(writer, "<?xml version=\"1.0\"?>")?;
            writeln!(writer, "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">")?;
            writeln!(writer, "  <Collection>")?;
            for (time, file_name) in &self.entries {
                writeln!(writer, "    <DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file_name}\"/>")?;
            }
            writeln!(writer, "  </Collection>")?;
            writeln!(writer, "</VTKFile>")
        })
    }

    /// Where the collection is written.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
