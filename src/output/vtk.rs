//! Frames as VTK XML unstructured grids (`.vtu`, binary), and the collections (`.pvd`) that assign a time to each.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use glam::DVec3;
use vtkio::model::{
    Attribute, Attributes, ByteOrder, CellType, Cells, DataArray, DataSet, UnstructuredGridPiece, Version, VertexNumbers, Vtk,
};

use super::file::{OutputError, replace_file};
use crate::frame::{BodyFrame, ContactFrame, Field, FieldValues, ParticleFrame, PolygonFrame};

/// Particles as vertices, every field of the frame as point data under its own name.
pub fn write_particles_vtu(writer: impl Write, particles: &ParticleFrame) -> io::Result<()> {
    let count = particles.positions.len();
    let piece = UnstructuredGridPiece {
        points: particles.positions.as_flattened().to_vec().into(),
        cells: Cells {
            cell_verts: VertexNumbers::XML { connectivity: (0..count as u64).collect(), offsets: (1..=count as u64).collect() },
            types: vec![CellType::Vertex; count],
        },
        data: Attributes { point: particles.fields.iter().map(field_attribute).collect(), cell: Vec::new() },
    };
    write_piece(writer, "particles", piece)
}

/// Polygons as polygon cells, every field of the frame as cell data under its own name.
pub fn write_polygons_vtu(writer: impl Write, polygons: &PolygonFrame) -> io::Result<()> {
    let piece = UnstructuredGridPiece {
        points: polygons.positions.as_flattened().to_vec().into(),
        cells: Cells {
            cell_verts: VertexNumbers::XML {
                connectivity: (0..polygons.positions.len() as u64).collect(),
                offsets: polygons.offsets.iter().skip(1).map(|&end| u64::from(end)).collect(),
            },
            types: vec![CellType::Polygon; polygons.len()],
        },
        data: Attributes { point: Vec::new(), cell: polygons.fields.iter().map(field_attribute).collect() },
    };
    write_piece(writer, "polygons", piece)
}

/// Contacts as line cells, every field of the frame as cell data under its own name.
pub fn write_contacts_vtu(writer: impl Write, contacts: &ContactFrame) -> io::Result<()> {
    let count = contacts.ends.len();
    let piece = UnstructuredGridPiece {
        points: contacts.ends.as_flattened().as_flattened().to_vec().into(),
        cells: Cells {
            cell_verts: VertexNumbers::XML {
                connectivity: (0..2 * count as u64).collect(),
                offsets: (1..=count as u64).map(|line| 2 * line).collect(),
            },
            types: vec![CellType::Line; count],
        },
        data: Attributes { point: Vec::new(), cell: contacts.fields.iter().map(field_attribute).collect() },
    };
    write_piece(writer, "contacts", piece)
}

/// All bodies' triangles in world coordinates, in the order of the bodies. Point data: `velocity`, the velocity of the rigid motion at the
/// vertex `x`, `v + ω × (x − center)`, m/s. Cell data, the same on every triangle of a body: `body` (its index), and `force` (N) and
/// `torque` (N m) as in [`BodyFrame`].
pub fn write_bodies_vtu(writer: impl Write, bodies: &[BodyFrame]) -> io::Result<()> {
    let mut points = Vec::new();
    let mut connectivity = Vec::new();
    let mut velocities = Vec::new();
    let mut owners = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let first = (points.len() / 3) as u64;
        for &vertex in &body.mesh.vertices {
            let x = body.pose.transform_point(vertex);
            points.extend(x.as_vec3().to_array());
            velocities.extend((body.velocity + body.angular_velocity.cross(x - body.center)).as_vec3().to_array());
        }
        connectivity.extend(body.mesh.triangles.as_flattened().iter().map(|&vertex| first + u64::from(vertex)));
        owners.resize(owners.len() + body.mesh.triangles.len(), index as u32);
    }
    let vectors = |name: &str, quantity: fn(&BodyFrame) -> DVec3| {
        let values: Vec<f32> = owners.iter().flat_map(|&body| quantity(&bodies[body as usize]).as_vec3().to_array()).collect();
        Attribute::DataArray(DataArray::vectors(name).with_vec(values))
    };
    let cell = vec![
        Attribute::DataArray(DataArray::scalars("body", 1).with_vec(owners.clone())),
        vectors("force", |body| body.force),
        vectors("torque", |body| body.torque),
    ];
    let piece = UnstructuredGridPiece {
        points: points.into(),
        cells: Cells {
            cell_verts: VertexNumbers::XML { connectivity, offsets: (1..=owners.len() as u64).map(|triangle| 3 * triangle).collect() },
            types: vec![CellType::Triangle; owners.len()],
        },
        data: Attributes { point: vec![Attribute::DataArray(DataArray::vectors("velocity").with_vec(velocities))], cell },
    };
    write_piece(writer, "bodies", piece)
}

fn field_attribute(field: &Field) -> Attribute {
    let array = match &field.values {
        FieldValues::Integer(values) => DataArray::scalars(&*field.name, 1).with_vec(values.clone()),
        FieldValues::Scalar(values) => DataArray::scalars(&*field.name, 1).with_vec(values.clone()),
        FieldValues::Vector(values) => DataArray::vectors(&*field.name).with_vec(values.as_flattened().to_vec()),
    };
    Attribute::DataArray(array)
}

fn write_piece(writer: impl Write, title: &str, piece: UnstructuredGridPiece) -> io::Result<()> {
    let vtk = Vtk {
        version: Version::new_xml(1, 0),
        title: title.to_owned(),
        byte_order: ByteOrder::LittleEndian,
        data: DataSet::inline(piece),
        file_path: None,
    };
    vtk.write_xml(writer).map_err(|error| match error {
        vtkio::Error::IO(error) => error,
        other => io::Error::other(other.to_string()),
    })
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

    /// Adds a frame that is on disk and rewrites the collection.
    pub fn add(&mut self, time: f64, file_name: String) -> Result<(), OutputError> {
        self.entries.push((time, file_name));
        self.write()
    }

    /// Writes the collection as it is.
    pub fn write(&self) -> Result<(), OutputError> {
        replace_file(&self.path, |writer| {
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
