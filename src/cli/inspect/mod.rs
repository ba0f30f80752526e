//! `plimsoll inspect`: report on a mesh and its segments, and hydrostatics of the body.

mod hydrostatics;
mod righting_files;

use std::{
    borrow::Cow,
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use clap::Args;
use glam::DVec3;

use super::{preparation::announce, terminal::print};
use crate::{
    output::file::replace_file,
    shape::{ImportOptions, MeshReport, Repair, SegmentLimits, Segmentation, SolidReport, UpAxis, import, make_solid, solid_part},
};
use hydrostatics::{HydrostaticsArguments, Outcome};

/// Default segment size as a fraction of the mesh's diagonal.
const DEFAULT_SIZE: f64 = 1.0 / 16.0;

/// Inspect a mesh: print a report and the segments, and write a PLY with one color per segment. With a draft, a mass or a density: print
/// hydrostatics, equilibrium and stability, and write the righting arms.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  plimsoll inspect meshes/boat.obj
  plimsoll inspect meshes/statue.obj --scale 0.5 --segment-size 0.05 --ply out/statue.ply
  plimsoll inspect meshes/boat.obj --draft 0.1
  plimsoll inspect meshes/boat.obj --mass 12.5 --center-of-gravity 0,0.09,0 --water-density 1025

A run uses its own limits: segments of at most 8 particle radii (48 if flat) and 512 triangles.")]
pub struct InspectArguments {
    /// Mesh file: OBJ, STL, PLY or glTF
    pub mesh: PathBuf,
    /// Meters per unit of the file: one number, or three separated by commas
    #[arg(long, default_value = "1", value_parser = parse_scale, allow_hyphen_values = true)]
    pub scale: DVec3,
    /// Axis of the file that points up: x, y or z
    #[arg(long, default_value = "y")]
    pub up: UpAxis,
    /// Leave defects of the file as they are
    #[arg(long)]
    pub no_repair: bool,
    /// Close holes of any size
    #[arg(long, conflicts_with = "no_repair")]
    pub fill: bool,
    /// OBJ file for the mesh as a simulation would use it as a floating body, m, y up
    #[arg(long)]
    pub repaired: Option<PathBuf>,
    /// Maximum size of a segment in m; flat segments may be six times as large [default: 1/16 of the mesh's diagonal]
    #[arg(long, value_parser = parse_length)]
    pub segment_size: Option<f64>,
    /// Maximum number of triangles in a segment
    #[arg(long, default_value_t = 64, value_parser = parse_count)]
    pub segment_triangles: usize,
    /// File for the colored segments [default: out/<mesh>_segments.ply]
    #[arg(long, visible_alias = "out")]
    pub ply: Option<PathBuf>,
    #[command(flatten)]
    pub hydrostatics: HydrostaticsArguments,
}

/// Prints the import summary, the mesh report, hydrostatics if a loading is given, and the segment statistics; writes the files.
///
/// # Errors
/// If the mesh cannot be read or does not float, or if a file cannot be written or would overwrite the mesh.
pub fn inspect(arguments: &InspectArguments) -> anyhow::Result<()> {
    let repair = match (arguments.no_repair, arguments.fill) {
        (true, _) => Repair::Off,
        (_, true) => Repair::Fill,
        _ => Repair::Safe,
    };
    let options = ImportOptions { scale: arguments.scale, up_axis: arguments.up, repair };
    let reading = format!("reading {}", arguments.mesh.display());
    let (mut mesh, summary) = announce(&reading, || import::load_with_summary(&arguments.mesh, &options))?;
    let SolidReport { winding, holes, overlaps } =
        announce("searching for parts that overlap", || make_solid(&mut mesh, summary.sheets, repair));
    let report = MeshReport::with_sheets(&mesh, summary.sheets);
    print_section(&format!("Import of {}", arguments.mesh.display()), &summary);
    print_section("Winding", &winding);
    print_section("Holes", &holes);
    print_section("Overlaps", &overlaps);
    print_section("Mesh (m, y up)", &report);
    if let Some(repaired) = &arguments.repaired {
        let repaired = output_path(&arguments.mesh, Some(repaired), "--repaired", "")?;
        replace_file(&repaired, |writer| writer.write_all(mesh.to_obj().as_bytes()))?;
        print(&format!("wrote {}\n\n", repaired.display()));
    }

    let name = arguments.mesh.display().to_string();
    let hull = solid_part(&mesh).unwrap_or(Cow::Borrowed(&mesh));
    let afloat = announce("computing the righting arms", || hydrostatics::compute(&arguments.hydrostatics, &hull)).context(name)?;
    afloat.iter().flat_map(Outcome::sections).for_each(|(title, text)| print_section(&title, text));

    let size = arguments.segment_size.unwrap_or(DEFAULT_SIZE * report.aabb.extent().length());
    let limits = SegmentLimits::new(size, arguments.segment_triangles);
    let start = Instant::now();
    let segmentation = announce("cutting the mesh into segments", || Segmentation::build(&mesh, &limits));
    print_section("Segments", segment_statistics(&segmentation, &limits, start.elapsed()));

    let ply = output_path(&arguments.mesh, arguments.ply.as_ref(), "--ply", "_segments.ply")?;
    replace_file(&ply, |writer| segmentation.write_colored_ply(writer))?;
    print(&format!("wrote {}\n", ply.display()));
    if let Some(afloat) = afloat.as_ref().filter(|afloat| !afloat.curve.points.is_empty()) {
        let csv = output_path(&arguments.mesh, arguments.hydrostatics.csv.as_ref(), "--csv", "_righting_arms.csv")?;
        let plot = output_path(&arguments.mesh, arguments.hydrostatics.plot.as_ref(), "--plot", "_righting_arms.svg")?;
        ensure!(csv != ply && plot != ply && csv != plot, "{}: found one file for two outputs, expected different files", ply.display());
        righting_files::write_table(&csv, &afloat.curve)?;
        righting_files::write_plot(&plot, afloat, &arguments.mesh)?;
        print(&format!("wrote {}\nwrote {}\n", csv.display(), plot.display()));
    }
    Ok(())
}

fn print_section(title: &str, body: impl std::fmt::Display) {
    let lines: String = body.to_string().lines().map(|line| format!("  {line}\n")).collect();
    print(&format!("{title}\n{lines}\n"));
}

fn segment_statistics(segmentation: &Segmentation, limits: &SegmentLimits, elapsed: Duration) -> String {
    let segments = &segmentation.segments;
    let mut counts: Vec<usize> = segments.iter().map(|segment| segment.triangles.len()).collect();
    counts.sort_unstable();
    let [least, median, most] = [0, counts.len() / 2, counts.len() - 1].map(|place| counts[place]);
    let cut: f64 = segments.iter().map(|segment| segment.ball.volume()).sum();
    let balls: f64 = segments.iter().map(|segment| segment.ball.ball_volume()).sum();
    let boxes: f64 = segments.iter().map(|segment| segment.aabb.volume()).sum();
    let sharp = segmentation.sharp_edges.iter().flatten().filter(|&&sharp| sharp).count();
    let pieces = segmentation.mesh.triangles.len();
    [
        format!("limits                 {:>10.5} m, {:.5} m if flat, {} triangles", limits.size, limits.flat_size, limits.triangles),
        format!("triangles after cuts   {pieces:>10}"),
        format!("segments               {:>10}", segments.len()),
        format!("triangles per segment  {least:>10} min, {median} median, {most} max"),
        format!("sharp sides            {sharp:>10} of {}", 3 * pieces),
        format!("slab-cut balls         {cut:>10.4e} m³"),
        format!("whole balls            {balls:>10.4e} m³{}", share(100.0 * cut / balls, 1, " %")),
        format!("boxes                  {boxes:>10.4e} m³{}", share(cut / boxes, 2, "")),
        format!("build time             {:>10.2} ms", 1e3 * elapsed.as_secs_f64()),
    ]
    .join("\n")
}

/// The volume of the slab-cut balls as a share of another volume; nothing if the other is zero, as that of flat segments.
fn share(share: f64, decimals: usize, unit: &str) -> String {
    if share.is_finite() { format!(", slab-cut balls: {share:.decimals$}{unit} of that") } else { String::new() }
}

/// The path `given` with `flag`, or `out/<mesh><ending>`. Creates its folder.
fn output_path(mesh: &Path, given: Option<&PathBuf>, flag: &str, ending: &str) -> anyhow::Result<PathBuf> {
    let path = given.cloned().unwrap_or_else(|| {
        let stem = mesh.file_stem().unwrap_or_default().to_string_lossy();
        Path::new("out").join(format!("{stem}{ending}"))
    });
    let same_file = fs::canonicalize(&path).is_ok_and(|existing| fs::canonicalize(mesh).is_ok_and(|mesh| mesh == existing));
    ensure!(!same_file, "{}: {flag} names the mesh file itself, expected another file", path.display());
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("{}: cannot create the folder", folder.display()))?;
    }
    Ok(path)
}

fn parse_scale(text: &str) -> Result<DVec3, String> {
    let expected = || format!("found \"{text}\", expected one number or three separated by commas");
    let numbers: Vec<f64> = text.split(',').map(|word| word.trim().parse()).collect::<Result<_, _>>().map_err(|_| expected())?;
    match numbers[..] {
        [all] => Ok(DVec3::splat(all)),
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err(expected()),
    }
}

fn parse_length(text: &str) -> Result<f64, String> {
    let length = text.parse().ok().filter(|length: &f64| *length > 0.0 && length.is_finite());
    length.ok_or_else(|| format!("found \"{text}\", expected a length above zero in m"))
}

fn parse_count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&count| count > 0).ok_or_else(|| format!("found \"{text}\", expected a whole number from 1"))
}
