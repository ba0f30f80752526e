//! Figures of a gas of hard spheres: measured values compared with theory, speed distribution, paths of traced spheres.
//!
//! In equilibrium at the temperature `T` (in units of energy), the speed `v` of spheres of mass `m` has the density
//! `f(v) = √(2/π) (m/T)^(3/2) v² exp(−m v² / 2T)` (Maxwell); for discs in a plane it is `f(v) = (m v / T) exp(−m v² / 2T)` (Rayleigh). The
//! density of a mixture is the mean over its masses, weighted by number. Speeds are relative to the center of mass, where
//! `T = Σ m v² / (d (N − 1))` in `d` dimensions.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_contract::{
    chart::{Diagram, FigureSource, Figures, Panel, Picture, Quantity, RecordedRun, RecordedTable, Scale, Series},
    frame::{FieldValues, Frame},
};

/// A column found only in the diagnostics of a gas.
const RATE: &str = "impact_rate";
/// The table of traced spheres.
const PATHS: &str = "bodies";
/// Minimum and maximum number of bins of a histogram.
const BINS: std::ops::RangeInclusive<f64> = 6.0..=80.0;
const CURVE_POINTS: usize = 240;
/// A traced sphere that leaves a periodic axis at one end reenters at the other. A jump larger than this fraction of the largest coordinate
/// counts as that.
const JUMP: f64 = 1e-6;

/// The figures of a gas.
pub const FIGURES: FigureSource = FigureSource { tables: &[PATHS], last_frame: true, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(RATE).is_some() {
        let dimensions = run.settings.get("container").get("axes").as_list().map_or(3, <[_]>::len);
        figures.add_diagrams(&run.diagnostics, "gas", "Gas", &diagrams(dimensions));
        figures.pictures.extend(run.last_frame.as_ref().and_then(|frame| speeds(frame, dimensions)));
    }
    figures.pictures.extend(run.tables.get(PATHS).and_then(paths));
    figures
}

fn diagrams(dimensions: usize) -> [Diagram; 6] {
    [
        Diagram::linear("Temperature", "J").line("temperature", "", 0),
        Diagram::linear("Pressure", if dimensions == 2 { "N/m" } else { "Pa" }).line("pressure", "", 0),
        Diagram::linear("Compressibility p V / (N T)", "").line("compressibility", "measured", 0).line(
            "compressibility_theory",
            "theory",
            1,
        ),
        Diagram::linear("Impact rate per sphere", "1/s").line(RATE, "measured", 0).line("impact_rate_theory", "theory", 1),
        Diagram::linear("Work done by the walls", "J").line("wall_work", "", 2),
        Diagram::linear("Particles", "").of(Quantity::VaryingValue).line("particles", "", 5),
    ]
}

/// Histogram of the speeds in a frame with the equilibrium curve; `None` for a gas at rest or a single sphere.
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
    if !(temperature.is_finite() && temperature > 0.0) {
        return None;
    }
    let most = speeds.iter().copied().fold(0.0, f64::max);
    let (law, things) = if dimensions == 2 { ("Rayleigh", "discs") } else { ("Maxwell", "spheres") };
    let found = Series { name: format!("{} {things}", speeds.len()), color: 5, points: histogram(&speeds, most) };
    let curve = Series { name: law.to_owned(), color: 1, points: equilibrium(&masses, temperature, dimensions, most) };
    let panel = Panel::new("Probability density of the speed", "s/m", Scale::Histogram, vec![found, curve]);
    Picture::of("speeds", &format!("Speeds at {} s", (1e4 * frame.time).round() / 1e4), "Speed (m/s)", vec![panel])
}

/// Outline of a histogram from zero to `most`, normalized to area 1.
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

/// Speed density up to `most` of spheres with `masses` in equilibrium.
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

/// The paths of traced spheres, viewed along z and, in three dimensions, also along y.
fn paths(table: &RecordedTable) -> Option<Picture> {
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

/// The impact positions of a sphere in order, unwrapped across periodic boundaries.
fn path(table: &RecordedTable, sphere: f64) -> Option<Vec<DVec3>> {
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
            // Between two impacts the sphere moves in a straight line.
            let jump = places[before] + velocities[before] * (times[row] - times[before]) - place;
            shift += DVec3::select(jump.abs().cmpgt(DVec3::splat(JUMP * reach)), jump, DVec3::ZERO);
        }
        path.push(place + shift);
    }
    Some(path)
}
