//! `plimsoll surface`: the surface of the fluid in the frames of a run.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, anyhow};
use clap::{Args, ValueEnum};

use super::{
    Failure,
    folder::create_folder,
    progress::FrameCount,
    run::use_threads,
    terminal::{print, shell_word},
};
use crate::{
    frame::FieldValues,
    math::format::grouped,
    output::{Collection, Recording},
    surface::{SurfaceFormat, SurfaceSettings, reconstruct, write_surface},
};

const SERIES: &str = "surface";

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  plimsoll surface out/dam_break
  plimsoll surface out/dam_break --frames 0..50 --cube-size 0.75 --format ply
  plimsoll surface out/dam_break --frames 10,20,30 --format obj --out meshes --force

Writes surface_000000.vtu and so on next to the frames, with the same numbers, and surface.pvd for ParaView.
Several fluids have a surface each: surface_0_000000.vtu, surface_1_000000.vtu and so on.
Vertices have normals and, except in OBJ, the velocity of the fluid.
Existing surfaces are replaced only with --force.")]
pub struct SurfaceArguments {
    /// Folder of a run
    #[arg(value_name = "OUT_DIR")]
    folder: PathBuf,
    /// Folder for the surfaces [default: OUT_DIR]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the surfaces; repeatable
    #[arg(long = "format", value_name = "FORMAT", default_value = "vtu")]
    formats: Vec<FormatArgument>,
    /// Frames: numbers and inclusive ranges, such as 10..20, 10.. or 1,5,10..20 [default: all]
    #[arg(long, value_name = "FRAMES", value_delimiter = ',', value_parser = parse_frames)]
    frames: Vec<Frames>,
    /// Cube size of the marching cubes grid, particle radii; smaller is finer and slower
    #[arg(long, value_name = "RADII", default_value_t = SurfaceSettings::default().cube_size, allow_negative_numbers = true)]
    cube_size: f32,
    /// Smoothing length of the particle density, particle radii; larger values close gaps and round edges
    #[arg(long, value_name = "RADII", default_value_t = SurfaceSettings::default().smoothing_length, allow_negative_numbers = true)]
    smoothing_length: f32,
    /// Number of smoothing iterations of the mesh
    #[arg(long, value_name = "NUMBER", default_value_t = SurfaceSettings::default().smoothing_iterations)]
    smoothing_iterations: usize,
    /// Density of the surface as a fraction of the fluid density; smaller values move the surface outwards
    #[arg(long, value_name = "PART", default_value_t = SurfaceSettings::default().threshold, allow_negative_numbers = true)]
    threshold: f32,
    /// Number of threads [default: one per core]; results are the same for any number
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Replace existing surfaces
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum FormatArgument {
    /// Binary VTU and PVD, for ParaView
    Vtu,
    /// Binary PLY
    Ply,
    /// Wavefront OBJ, text
    Obj,
}

/// Inclusive range of frame numbers; open-ended ranges reach the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frames {
    first: usize,
    last: Option<usize>,
}

pub fn surface(arguments: &SurfaceArguments) -> Result<(), Failure> {
    use_threads(arguments.threads)?;
    let recording = Recording::open(&arguments.folder).map_err(Failure::bad_input)?;
    let frames = chosen(&recording, &arguments.frames).map_err(Failure::BadInput)?;
    let folder = arguments.out.clone().unwrap_or_else(|| arguments.folder.clone());
    let formats = formats(&arguments.formats);
    let series = series(&recording, &frames)?;
    let path = |series: &Series, frame: usize, format: SurfaceFormat| folder.join(series.file_name(frame, format));
    let paths_of = |series: &Series| -> Vec<PathBuf> {
        frames
            .iter()
            .flat_map(|&frame| formats.iter().map(move |&format| (frame, format)))
            .map(|(frame, format)| path(series, frame, format))
            .collect()
    };
    if let Some(taken) = series.iter().flat_map(paths_of).find(|path| path.exists() && !arguments.force) {
        let complaint = anyhow!("{}: the file exists (replace it with --force)", taken.display());
        return Err(Failure::BadInput(complaint));
    }
    create_folder(&folder)?;
    let settings = SurfaceSettings {
        smoothing_length: arguments.smoothing_length,
        cube_size: arguments.cube_size,
        threshold: arguments.threshold,
        smoothing_iterations: arguments.smoothing_iterations,
        ..SurfaceSettings::default()
    };
    let mut progress = FrameCount::for_stderr("done", frames.len() as u64);
    let mut triangles = 0;
    for &frame in &frames {
        let particles = recording.frame(frame).map_err(Failure::bad_input)?.particles;
        for series in &series {
            let particles = series.material.map_or_else(|| particles.clone(), |material| particles.of_material(material));
            let surface = reconstruct(&particles, &settings).with_context(|| format!("frame {frame}")).map_err(Failure::BadInput)?;
            for &format in &formats {
                write_surface(&path(series, frame, format), &surface, format).map_err(|error| Failure::Running(error.into()))?;
            }
            triangles += surface.triangles.len();
        }
        progress.advance();
    }
    progress.finish();
    let count = grouped(frames.len() as u64);
    let mut text = format!("{count} frames, {} triangles each on average\n", grouped((triangles / frames.len().max(1)) as u64));
    text += &format!("surfaces: {}\n", folder.display());
    if formats.contains(&SurfaceFormat::Vtu) {
        let collections = series.iter().map(|series| collect(&recording, &folder, series)).collect::<Result<Vec<_>, Failure>>()?;
        let names: Vec<String> = collections.iter().map(|path| shell_word(path)).collect();
        text += &format!("view: paraview {}\n", names.join(" "));
    }
    print(&text);
    Ok(())
}

/// Requested frame numbers, ascending, without duplicates.
fn chosen(recording: &Recording, asked: &[Frames]) -> anyhow::Result<Vec<usize>> {
    let count = recording.len();
    let mut frames: Vec<usize> = if asked.is_empty() { (0..count).collect() } else { Vec::new() };
    for &Frames { first, last } in asked {
        let last = last.unwrap_or(count.saturating_sub(1));
        if first.max(last) >= count {
            return Err(anyhow!("--frames: found frame {}, expected a frame below {count}", first.max(last)));
        }
        frames.extend(first..=last);
    }
    frames.sort_unstable();
    frames.dedup();
    Ok(frames)
}

fn formats(arguments: &[FormatArgument]) -> Vec<SurfaceFormat> {
    let mut arguments = arguments.to_vec();
    arguments.sort_unstable();
    arguments.dedup();
    let format = |argument: FormatArgument| match argument {
        FormatArgument::Vtu => SurfaceFormat::Vtu,
        FormatArgument::Ply => SurfaceFormat::Ply,
        FormatArgument::Obj => SurfaceFormat::Obj,
    };
    arguments.into_iter().map(format).collect()
}

/// The surfaces of one fluid in all frames.
struct Series {
    /// Number of the fluid, if there are several.
    material: Option<u32>,
}

impl Series {
    fn name(&self) -> String {
        self.material.map_or_else(|| SERIES.to_owned(), |material| format!("{SERIES}_{material}"))
    }

    fn file_name(&self, frame: usize, format: SurfaceFormat) -> String {
        format!("{}_{frame:06}.{}", self.name(), format.extension())
    }
}

/// One series, or one for each fluid in `frames`.
fn series(recording: &Recording, frames: &[usize]) -> Result<Vec<Series>, Failure> {
    let mut materials = BTreeSet::new();
    for &frame in frames {
        match recording.frame(frame).map_err(Failure::bad_input)?.particles.field("material") {
            Some(FieldValues::Integer(found)) => materials.extend(found.iter().copied()),
            _ => return Ok(vec![Series { material: None }]),
        }
    }
    Ok(materials.into_iter().map(|material| Series { material: Some(material) }).collect())
}

/// Writes the collection of all surfaces of the run in `folder`, including those of earlier calls.
fn collect(recording: &Recording, folder: &Path, series: &Series) -> Result<PathBuf, Failure> {
    let named = recording.times().iter().enumerate().map(|(frame, &time)| (time, series.file_name(frame, SurfaceFormat::Vtu)));
    let path = folder.join(format!("{}.pvd", series.name()));
    let collection = Collection::new(path.clone(), named.filter(|(_, name)| folder.join(name).is_file()).collect());
    collection.write().map_err(|error| Failure::Running(error.into()))?;
    Ok(path)
}

fn parse_frames(text: &str) -> Result<Frames, String> {
    let expected = || format!("found \"{text}\", expected a number or a range such as 10..20");
    let number = |text: &str| text.trim().parse::<usize>().map_err(|_| expected());
    let Some((first, last)) = text.split_once("..") else {
        let frame = number(text)?;
        return Ok(Frames { first: frame, last: Some(frame) });
    };
    let frames = Frames { first: number(first)?, last: if last.trim().is_empty() { None } else { Some(number(last)?) } };
    if frames.last.is_some_and(|last| last < frames.first) { Err(expected()) } else { Ok(frames) }
}
