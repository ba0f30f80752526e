//! Pictures of a gas of hard spheres: how its speeds are distributed, and the paths of spheres that were traced.
//!
//! In equilibrium at the temperature `T` (in units of energy) speeds `v` of spheres of mass `m` are distributed as
//! `f(v) = √(2/π) (m/T)^(3/2) v² exp(−m v² / 2T)` (Maxwell), those of discs in a plane as `f(v) = (m v / T) exp(−m v² / 2T)` (Rayleigh).
//! A mixture has the sum over its masses, by their shares. Speeds are those beside the motion of the whole gas, of which
//! `T = Σ m v² / (d (N − 1))` in `d` dimensions.

use std::{f64::consts::PI, path::Path};

use glam::DVec3;

use super::{Panel, Picture, PlotError, PlotTable, Scale, Series, last_frame};
use crate::frame::{FieldValues, Frame};

/// Only the tables of a gas have this column.
const RATE: &str = "impact_rate";
/// Title of the panel whose unit depends on the dimension.
pub const PRESSURE: &str = "Pressure";
/// Bins of a histogram at most, and at least.
const BINS: std::ops::RangeInclusive<f64> = 6.0..=80.0;
const CURVE_POINTS: usize = 240;
/// Traced spheres that leave one end of a periodic axis for the other jump; anything larger than this share of all distances is a jump.
const JUMP: f64 = 1e-6;

/// Whether `diagnostics` is the table of a gas.
pub fn is_gas(diagnostics: &PlotTable) -> bool {
    diagnostics.column(RATE).is_some()
}

/// Adds to the `pictures` of a gas what its tables alone do not show: the speeds in the last frame of the run in `folder`, if there is one,
/// and whether its pressure is that of discs.
///
/// # Errors
/// If the run is a gas and its frames cannot be read.
pub fn complete(pictures: &mut Vec<Picture>, diagnostics: &PlotTable, folder: &Path) -> Result<(), PlotError> {
    if !is_gas(diagnostics) {
        return Ok(());
    }
    let Some((info, frame)) = last_frame(folder)? else { return Ok(()) };
    let dimensions = info.settings["gas"]["container"]["axes"].as_array().map_or(3, Vec::len);
    if dimensions == 2 {
        let pressures = pictures.iter_mut().flat_map(|picture| &mut picture.panels).filter(|panel| panel.title == PRESSURE);
        pressures.for_each(|panel| panel.unit = "N/m".to_owned());
    }
    pictures.extend(speeds(&frame, dimensions));
    Ok(())
}

/// Speeds of all spheres of a frame as a histogram, with the curve of equilibrium over it.
fn speeds(frame: &Frame, dimensions: usize) -> Option<Picture> {
    let (Some(FieldValues::Vector(velocities)), Some(FieldValues::Scalar(masses))) =
        (frame.particles.field("velocity"), frame.particles.field("mass"))
    else {
        return None;
    };
    let velocities: Vec<DVec3> = velocities.iter().map(|velocity| DVec3::from_array(velocity.map(f64::from))).collect();
    let masses: Vec<f64> = masses.iter().copied().map(f64::from).collect();
    let total: f64 = masses.iter().sum();
    let drift = velocities.iter().zip(&masses).map(|(velocity, mass)| mass / total * velocity).sum::<DVec3>();
    let speeds: Vec<f64> = velocities.iter().map(|velocity| velocity.distance(drift)).collect();
    let square: f64 = speeds.iter().zip(&masses).map(|(speed, mass)| mass * speed * speed).sum();
    let temperature = square / (dimensions as f64 * (speeds.len() as f64 - 1.0));
    // A gas at rest, or of one sphere, has no distribution.
    if !(temperature.is_finite() && temperature > 0.0) {
        return None;
    }
    let most = speeds.iter().copied().fold(0.0, f64::max);
    let (law, things) = if dimensions == 2 { ("Rayleigh", "discs") } else { ("Maxwell", "spheres") };
    let found = Series { name: format!("{} {things}", speeds.len()), color: 5, points: histogram(&speeds, most) };
    let curve = Series { name: law.to_owned(), color: 1, points: equilibrium(&masses, temperature, dimensions, most) };
    let panel = Panel::new("Share of the spheres per speed", "s/m", Scale::Histogram, vec![found, curve]);
    Picture::of("speeds", &format!("Speeds at {} s", (1e4 * frame.time).round() / 1e4), "Speed (m/s)", vec![panel])
}

/// Outline of a histogram from zero to `most`, of area 1.
fn histogram(speeds: &[f64], most: f64) -> Vec<(f64, f64)> {
    let count = speeds.len() as f64;
    let bins = (2.0 * count.cbrt()).round().clamp(*BINS.start(), *BINS.end());
    let (width, mut shares) = (most / bins, vec![0.0; bins as usize]);
    for speed in speeds {
        let bin = ((speed / width) as usize).min(shares.len() - 1);
        shares[bin] += 1.0 / (count * width);
    }
    let edges = shares.iter().enumerate().flat_map(|(bin, &share)| [(bin as f64 * width, share), ((bin + 1) as f64 * width, share)]);
    std::iter::once((0.0, 0.0)).chain(edges).chain([(most, 0.0)]).collect()
}

/// The distribution of speeds up to `most` among spheres of `masses` in equilibrium.
fn equilibrium(masses: &[f64], temperature: f64, dimensions: usize, most: f64) -> Vec<(f64, f64)> {
    let mut sorted = masses.to_vec();
    sorted.sort_by(f64::total_cmp);
    let kinds: Vec<(f64, f64)> = sorted.chunk_by(|one, other| one == other).map(|kind| (kind[0], kind.len() as f64)).collect();
    let of_mass = |v: f64, m: f64| {
        let a = m / temperature;
        let factor = if dimensions == 2 { a * v } else { (2.0 / PI).sqrt() * a * a.sqrt() * v * v };
        factor * (-0.5 * a * v * v).exp()
    };
    let at = |v: f64| kinds.iter().map(|&(mass, count)| count / masses.len() as f64 * of_mass(v, mass)).sum();
    (0..=CURVE_POINTS).map(|point| most * point as f64 / CURVE_POINTS as f64).map(|v| (v, at(v))).collect()
}

/// The zig-zag paths of traced spheres seen along z, and in three dimensions along y too; `table` is the second one of the run.
pub fn paths(table: &PlotTable) -> Option<Picture> {
    let mut spheres = table.column("sphere")?.to_vec();
    spheres.sort_by(f64::total_cmp);
    spheres.dedup();
    let paths: Vec<(f64, Vec<DVec3>)> = spheres.iter().filter_map(|&sphere| Some((sphere, path(table, sphere)?))).collect();
    let panel = |title: &str, axis: usize| {
        let lines = paths.iter().enumerate().map(|(color, (sphere, path))| {
            let points = path.iter().map(|place| (place.x, place[axis])).collect();
            Series { name: format!("sphere {sphere}"), color, points }
        });
        Panel::new(title, "m", Scale::Equal, lines.collect())
    };
    let flat = |(_, path): &(f64, Vec<DVec3>)| path.iter().all(|place| place.z == 0.0);
    let panels = if paths.iter().all(flat) { vec![panel("y", 1)] } else { vec![panel("y", 1), panel("z", 2)] };
    let title = if paths.len() == 1 { "Path of a sphere from impact to impact" } else { "Paths of spheres from impact to impact" };
    Picture::of("path", title, "x (m)", panels)
}

/// Where a sphere turned, in order; beyond the end of a periodic axis its path goes on.
fn path(table: &PlotTable, sphere: f64) -> Option<Vec<DVec3>> {
    let spheres = table.column("sphere")?;
    let vector = |name: &str| {
        let [x, y, z] = ["x", "y", "z"].map(|axis| table.column(&format!("{name}_{axis}")));
        let (x, y, z) = (x?, y?, z?);
        let rows = (0..spheres.len()).filter(|&row| spheres[row] == sphere);
        Some(rows.map(|row| DVec3::new(x[row], y[row], z[row])).collect::<Vec<_>>())
    };
    let (places, velocities) = (vector("position")?, vector("velocity")?);
    let times: Vec<f64> = table.times().into_iter().zip(spheres).filter(|(_, other)| **other == sphere).map(|(time, _)| time).collect();
    let reach = places.iter().map(|place| place.abs().max_element()).fold(0.0, f64::max);
    let mut shift = DVec3::ZERO;
    let mut path: Vec<DVec3> = Vec::with_capacity(places.len());
    for (row, place) in places.iter().enumerate() {
        if let Some(before) = row.checked_sub(1) {
            // Between two turns the flight is straight.
            let jump = places[before] + velocities[before] * (times[row] - times[before]) - place;
            shift += DVec3::select(jump.abs().cmpgt(DVec3::splat(JUMP * reach)), jump, DVec3::ZERO);
        }
        path.push(place + shift);
    }
    Some(path)
}
