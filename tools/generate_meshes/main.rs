//! Writes the sample meshes of `meshes/`: `cargo run --release --example generate_meshes [folder]`; with `--broken`, meshes with the defects of
//! real files: `cargo run --release --example generate_meshes -- --broken folder`.
//!
//! Every shape is computed; none comes from elsewhere. The program writes the same bytes on every machine, because coordinates are rounded
//! to micrometers.

mod boat;
pub mod broken;
mod fin;
mod grid;
mod propeller;
mod sheets;
pub mod solids;
mod statue;

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use plimsoll_shape::TriangleMesh;

/// A mesh to write.
pub struct Sample {
    /// File name without extension.
    pub name: &'static str,
    pub description: &'static str,
    pub mesh: TriangleMesh,
}

/// All samples, in meters, y up.
pub fn samples() -> Vec<Sample> {
    let sample = |name, description, mesh| Sample { name, description, mesh };
    vec![
        sample("box", "unit cube, centered at the origin", solids::cuboid([1.0, 1.0, 1.0])),
        sample("sphere", "sphere of diameter 1 m, centered at the origin, an icosahedron halved four times", solids::sphere(0.5, 4)),
        sample("torus", "torus 1 m across, tube diameter 0.3 m, axis y", solids::torus(0.35, 0.15)),
        sample(
            "tank",
            "tank open at the top, inside 0..2 x 0..1 x 0..1 m, walls and floor 0.1 m thick",
            solids::tank([2.0, 1.0, 1.0], 0.1),
        ),
        sample(
            "small_tank",
            "tank open at the top, inside 0..1 x 0..1 x 0..1 m, walls and floor 0.1 m thick",
            solids::tank([1.0, 1.0, 1.0], 0.1),
        ),
        sample("paddle", "flat blade 0.5 x 0.4 x 0.04 m, centered at the origin", solids::cuboid([0.5, 0.4, 0.04])),
        sample("boat", "rowing boat 1 m long and 0.4 m wide, shell 0.02 m thick, bow towards +x, keel at y = 0", boat::boat()),
        sample("propeller", "three twisted blades on a hub, 0.8 m across, axis y", propeller::propeller()),
        sample("statue", "figure with one arm raised, standing on a plinth, about 1 m tall", statue::statue()),
        sample("sheet", "flat open sheet 1 x 1 m in the plane y = 0, no thickness", sheets::sheet()),
        sample("basin", "tray folded from a sheet, no thickness: floor 0.8 x 0.8 m, rim 1 x 1 m and 0.25 m high", sheets::basin()),
        sample(
            "drum",
            "round vessel closed at both ends, inside 1 m across and 0.3 m long, wall 0.02 m thick, axis z",
            solids::drum(0.5, 0.3, 0.02),
        ),
        sample("funnel", "funnel open at both ends, no thickness: mouth 0.6 m wide, spout 0.08 m, 0.5 m high, axis y", sheets::funnel()),
    ]
}

/// A sequence of shapes of one mesh, each in its own file.
pub struct Sequence {
    /// Name of the folder, and beginning of the names of its files.
    pub name: &'static str,
    pub description: &'static str,
    pub shapes: Vec<TriangleMesh>,
}

/// All sequences, in meters, y up.
pub fn sequences() -> Vec<Sequence> {
    let description = "fin 0.6 x 0.36 x 0.06 m along x, along which a wave runs to the tail at +x, one beat in 12 shapes";
    vec![Sequence { name: "fin", description, shapes: fin::beat() }]
}

/// Writes `sequences` into folders in `folder`.
pub fn write_sequences(sequences: Vec<Sequence>, folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut written = Vec::new();
    for Sequence { name, description, shapes } in sequences {
        fs::create_dir_all(folder.join(name))?;
        for (number, mesh) in shapes.into_iter().enumerate() {
            let path = folder.join(name).join(format!("{name}_{number:02}.obj"));
            fs::write(&path, obj_text(&Sample { name, description, mesh }))?;
            written.push(path);
        }
    }
    Ok(written)
}

/// Writes all samples and sequences into `folder`.
pub fn write_samples(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut written = write_all(samples(), folder)?;
    written.extend(write_sequences(sequences(), folder)?);
    Ok(written)
}

/// The OBJ text of a sample.
pub fn obj_text(sample: &Sample) -> String {
    let mut text = format!(
        "# plimsoll sample mesh: {}\n# {}\n# unit: meter, up: y\n# license: CC0 1.0 (public domain)\n# written by tools/generate_meshes\no {}\n",
        sample.name, sample.description, sample.name
    );
    for vertex in &sample.mesh.vertices {
        let [x, y, z] = vertex.to_array().map(micrometers);
        let _ = writeln!(text, "v {x} {y} {z}");
    }
    for [a, b, c] in &sample.mesh.triangles {
        let _ = writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1);
    }
    text
}

/// A coordinate rounded to 10⁻⁶; adding zero turns a negative zero into a positive one.
fn micrometers(coordinate: f64) -> f64 {
    (coordinate * 1e6).round() / 1e6 + 0.0
}

/// Writes `samples` into `folder`, which is created if necessary.
pub fn write_all(samples: Vec<Sample>, folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::create_dir_all(folder)?;
    let write = |sample: Sample| {
        let path = folder.join(format!("{}.obj", sample.name));
        fs::write(&path, obj_text(&sample)).map(|()| path)
    };
    samples.into_iter().map(write).collect()
}

#[allow(dead_code, reason = "a test includes this file for its functions and has no use for main")]
fn main() -> io::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let written = match &arguments[..] {
        [] => write_samples(Path::new("meshes")),
        [folder] if folder != Path::new("--broken") => write_samples(folder),
        [flag, folder] if flag == Path::new("--broken") => write_all(broken::meshes(), folder),
        _ => return Err(io::Error::other("expected one folder, or --broken and a folder")),
    };
    for path in written? {
        println!("{}", path.display());
    }
    Ok(())
}
