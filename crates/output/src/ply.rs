//! Frames as binary little-endian polygon files (`.ply`, G. Turk 1994).

use std::io::{self, Write};

use plimsoll_contract::frame::{BodyFrame, ContactFrame, Field, FieldValues, ParticleFrame, PolygonFrame};

/// Particles as vertices: `x y z`, then the frame's fields in their order. The vector `velocity` becomes `vx vy vz`, any other
/// vector `name_x name_y name_z`.
pub fn write_particles_ply(mut writer: impl Write, particles: &ParticleFrame) -> io::Result<()> {
    write_header_start(&mut writer, particles.positions.len())?;
    for field in &particles.fields {
        write_field_header(&mut writer, field)?;
    }
    writeln!(writer, "end_header")?;
    for (index, position) in particles.positions.iter().enumerate() {
        write_floats(&mut writer, position)?;
        write_values(&mut writer, &particles.fields, index)?;
    }
    Ok(())
}

/// Polygons as faces: their corners, then the frame's fields in their order, named as those of particles.
///
/// # Errors
/// If a polygon has more than 255 vertices, the limit of the format, or the writer fails.
pub fn write_polygons_ply(mut writer: impl Write, polygons: &PolygonFrame) -> io::Result<()> {
    write_header_start(&mut writer, polygons.positions.len())?;
    writeln!(writer, "element face {}", polygons.len())?;
    writeln!(writer, "property list uchar uint vertex_indices")?;
    for field in &polygons.fields {
        write_field_header(&mut writer, field)?;
    }
    writeln!(writer, "end_header")?;
    polygons.positions.iter().try_for_each(|position| write_floats(&mut writer, position))?;
    for (index, ends) in polygons.offsets.windows(2).enumerate() {
        let corners = u8::try_from(ends[1] - ends[0]).map_err(io::Error::other)?;
        writer.write_all(&[corners])?;
        (ends[0]..ends[1]).try_for_each(|vertex| writer.write_all(&vertex.to_le_bytes()))?;
        write_values(&mut writer, &polygons.fields, index)?;
    }
    Ok(())
}

/// Contacts as edges: the numbers of their two ends, then the frame's fields in their order, named as those of particles.
pub fn write_contacts_ply(mut writer: impl Write, contacts: &ContactFrame) -> io::Result<()> {
    write_header_start(&mut writer, 2 * contacts.ends.len())?;
    writeln!(writer, "element edge {}", contacts.ends.len())?;
    writeln!(writer, "property uint vertex1\nproperty uint vertex2")?;
    for field in &contacts.fields {
        write_field_header(&mut writer, field)?;
    }
    writeln!(writer, "end_header")?;
    contacts.ends.as_flattened().iter().try_for_each(|position| write_floats(&mut writer, position))?;
    for (index, first) in (0..contacts.ends.len()).zip((0_u32..).step_by(2)) {
        writer.write_all(&first.to_le_bytes())?;
        writer.write_all(&(first + 1).to_le_bytes())?;
        write_values(&mut writer, &contacts.fields, index)?;
    }
    Ok(())
}

fn write_values(writer: &mut impl Write, fields: &[Field], index: usize) -> io::Result<()> {
    fields.iter().try_for_each(|field| match &field.values {
        FieldValues::Integer(values) => writer.write_all(&values[index].to_le_bytes()),
        FieldValues::Scalar(values) => writer.write_all(&values[index].to_le_bytes()),
        FieldValues::Vector(values) => write_floats(writer, &values[index]),
    })
}

/// All bodies' triangles in world coordinates; each face carries the index of its `body`.
pub fn write_bodies_ply(mut writer: impl Write, bodies: &[BodyFrame]) -> io::Result<()> {
    write_header_start(&mut writer, bodies.iter().map(|body| body.mesh.vertices.len()).sum())?;
    writeln!(writer, "element face {}", bodies.iter().map(|body| body.mesh.triangles.len()).sum::<usize>())?;
    writeln!(writer, "property list uchar uint vertex_indices")?;
    writeln!(writer, "property uint body")?;
    writeln!(writer, "end_header")?;
    for body in bodies {
        for &vertex in &body.mesh.vertices {
            write_floats(&mut writer, &body.pose.transform_point(vertex).as_vec3().to_array())?;
        }
    }
    let mut first = 0;
    for (index, body) in bodies.iter().enumerate() {
        for triangle in &body.mesh.triangles {
            writer.write_all(&[3])?;
            for vertex in triangle {
                writer.write_all(&(first + vertex).to_le_bytes())?;
            }
            writer.write_all(&(index as u32).to_le_bytes())?;
        }
        first += body.mesh.vertices.len() as u32;
    }
    Ok(())
}

fn write_header_start(writer: &mut impl Write, vertices: usize) -> io::Result<()> {
    writeln!(writer, "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}")?;
    writeln!(writer, "property float x\nproperty float y\nproperty float z")
}

fn write_field_header(writer: &mut impl Write, field: &Field) -> io::Result<()> {
    let name = &*field.name;
    match &field.values {
        FieldValues::Integer(_) => writeln!(writer, "property uint {name}"),
        FieldValues::Scalar(_) => writeln!(writer, "property float {name}"),
        FieldValues::Vector(_) => ["x", "y", "z"].into_iter().try_for_each(|axis| match name {
            "velocity" => writeln!(writer, "property float v{axis}"),
            _ => writeln!(writer, "property float {name}_{axis}"),
        }),
    }
}

fn write_floats(writer: &mut impl Write, values: &[f32; 3]) -> io::Result<()> {
    values.iter().try_for_each(|value| writer.write_all(&value.to_le_bytes()))
}
