//! Figures of aggregates: growth, the size distribution, the fractal dimension, and an image as from an electron microscope.
//!
//! Sizes and radii come from `clusters.csv`, which has all clusters of at least two spheres at the time of each frame; the numbers of
//! single spheres are in `diagnostics.csv`. For the fractal dimension a cluster counts once, however many frames it appears in.

use std::{collections::BTreeSet, f64::consts::PI};

use glam::DVec3;
use plimsoll_contract::{
    chart::{Diagram, FigureSource, Figures, Image, Panel, Picture, Quantity, RecordedRun, RecordedTable, Scale, Series},
    frame::{FieldValues, Frame},
};

use super::{FractalFit, FractalPoint, Micrograph};

/// A column that only the diagnostics of aggregates have.
const SIZE: &str = "weight_mean_size";
const CLUSTERS: &str = "clusters";
/// Maximum number of times for which sizes are shown.
const TIMES: usize = 4;
/// Smaller clusters are left out of the fit of the fractal dimension.
const MIN_SIZE: f64 = 8.0;
/// Pixels of the micrograph.
const PIXELS: (usize, usize) = (Image::WIDTH, Image::HEIGHT);
/// Height of the view relative to the largest cluster, and its minimum in diameters.
const VIEW: f64 = 1.35;
const MIN_VIEW: f64 = 30.0;
/// Path length through spheres that attenuates the beam to 1/e, diameters.
const DEPTH: f64 = 1.2;

/// The figures of aggregates.
pub const FIGURES: FigureSource = FigureSource { tables: &[CLUSTERS], last_frame: true, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(SIZE).is_none() {
        return figures;
    }
    figures.add_diagrams(&run.diagnostics, "growth", "Aggregation", &diagrams());
    let pictures = &mut figures.pictures;
    let (clusters, spheres) = (run.tables.get(CLUSTERS), run.last_frame.as_ref().and_then(Spheres::of));
    pictures.extend(clusters.and_then(|clusters| sizes(&run.diagnostics, clusters)));
    if let (Some(clusters), Some(spheres)) = (clusters, &spheres) {
        pictures.extend(fractal(clusters, spheres.mean_diameter()));
    }
    if let Some(spheres) = spheres {
        let walls = run.settings.get("boundary").as_text() == Some("Walls");
        let side = run.settings.get("volume_fraction").as_number().map(|fraction| (spheres.volume() / fraction).cbrt());
        pictures.extend(micrograph(&spheres, side.filter(|_| !walls)));
    }
    figures
}

fn diagrams() -> [Diagram; 3] {
    [
        Diagram::logarithmic("Clusters", "").line("clusters", "all clusters", 0).line("singles", "single spheres", 1),
        Diagram::logarithmic("Spheres per cluster", "")
            .line("mean_size", "mean size", 2)
            .line(SIZE, "mass-weighted mean size", 3)
            .line("largest", "largest", 4),
        Diagram::linear("Particles", "").of(Quantity::VaryingValue).line("particles", "", 5),
    ]
}

/// The size distribution at several times, from the first one with clusters to the last one of the run.
fn sizes(diagnostics: &RecordedTable, clusters: &RecordedTable) -> Option<Picture> {
    let (steps, singles) = (diagnostics.column("step")?, diagnostics.column("singles")?);
    let (cluster_steps, cluster_sizes, times) = (clusters.column("step")?, clusters.column("size")?, clusters.times());
    let rows: Vec<usize> = (0..cluster_steps.len()).collect();
    let frames: Vec<&[usize]> = rows.chunk_by(|&one, &other| cluster_steps[one] == cluster_steps[other]).collect();
    let single = |frame: &[usize]| {
        let row = steps.iter().position(|&step| step == cluster_steps[frame[0]]);
        row.map_or(0.0, |row| singles[row])
    };
    let count = |frame: &[usize]| frame.len() as f64 + single(frame);
    // Times at equal ratios of the number of clusters.
    let (first, last) = (count(frames.first()?), count(frames.last()?));
    let wanted = (0..TIMES).map(|time| first * (last / first).powf(time as f64 / (TIMES - 1) as f64));
    let distance = |place: usize, wanted: f64| (count(frames[place]) / wanted).ln().abs();
    // Of two equally near frames the later one, so that the last frame is included.
    let nearest = |wanted: f64| (0..frames.len()).rev().min_by(|&one, &other| distance(one, wanted).total_cmp(&distance(other, wanted)));
    let mut chosen: Vec<usize> = wanted.filter_map(nearest).collect();
    chosen.dedup();
    let series = chosen.iter().enumerate().map(|(color, &place)| {
        let frame = frames[place];
        let sizes = frame.iter().map(|&row| cluster_sizes[row]);
        let name = format!("{} s, {} clusters", rounded(times[frame[0]]), count(frame));
        Series { name, color, points: density(sizes, single(frame)) }
    });
    let panel = Panel::new("Clusters per size", "", Scale::Powers, series.collect());
    Picture::of("sizes", "Cluster sizes", "Spheres per cluster", vec![panel])
}

/// Number of clusters per bin divided by its width, at the geometric mean of its ends. Widths double: 1, 2 to 3, 4 to 7, and so on.
fn density(sizes: impl Iterator<Item = f64>, singles: f64) -> Vec<(f64, f64)> {
    let mut bins = vec![singles];
    for size in sizes {
        let bin = size.log2().floor() as usize;
        bins.resize(bins.len().max(bin + 1), 0.0);
        bins[bin] += 1.0;
    }
    let point = |(bin, &count): (usize, &f64)| {
        let low = 2_f64.powi(bin as i32);
        ((low * (2.0 * low - 1.0)).sqrt(), count / low)
    };
    bins.iter().enumerate().filter(|(_, count)| **count > 0.0).map(point).collect()
}

/// Size and radius of gyration of all clusters in all frames, and the power law fitted to the large ones.
fn fractal(clusters: &RecordedTable, diameter: f64) -> Option<Picture> {
    let [numbers, sizes, radii] = ["cluster", "size", "gyration_radius"].map(|name| clusters.column(name));
    let (numbers, sizes, radii) = (numbers?, sizes?, radii?);
    // The lowest sphere number and the size identify a cluster.
    let mut seen = BTreeSet::new();
    let rows = (0..sizes.len()).filter(|&row| seen.insert((numbers[row] as u64, sizes[row] as u64)));
    let points: Vec<FractalPoint> = rows.map(|row| FractalPoint { size: sizes[row], gyration_radius: radii[row] }).collect();
    let places = points.iter().map(|point| (2.0 * point.gyration_radius / diameter, point.size)).collect();
    let mut series = vec![Series { name: format!("{} clusters", points.len()), color: 5, points: places }];
    let large: Vec<FractalPoint> = points.iter().copied().filter(|point| point.size >= MIN_SIZE).collect();
    let mut title = "Spheres per cluster, N".to_owned();
    if let Ok(fit) = FractalFit::reliable(&large, diameter) {
        let ends = large.iter().fold((f64::INFINITY, 0.0_f64), |ends, point| (ends.0.min(point.size), ends.1.max(point.size)));
        let at = |size: f64| ((size / fit.prefactor).powf(1.0 / fit.dimension), size);
        series.push(Series {
            name: format!("fit to {} of {MIN_SIZE} or more", fit.clusters),
            color: 1,
            points: vec![at(ends.0), at(ends.1)],
        });
        let (low, high) = (fit.prefactor / fit.prefactor_factor, fit.prefactor * fit.prefactor_factor);
        let (dimension, error, prefactor) = (fit.dimension, fit.dimension_error, fit.prefactor);
        title += &format!(
            " = k (2 R/d)^D, D = {dimension:.2} ± {error:.2}, k = {prefactor:.2} ({low:.2} to {high:.2}); 95 % confidence intervals"
        );
    }
    let panel = Panel::new(title, "", Scale::Scatter, series);
    Picture::of("fractal", "Size and radius of gyration", "Radius of gyration over sphere radius, 2 R/d", vec![panel])
}

/// The spheres of a frame.
struct Spheres {
    /// s
    time: f64,
    places: Vec<DVec3>,
    /// m
    radii: Vec<f64>,
    /// Number and size of the cluster of each sphere.
    numbers: Vec<u32>,
    sizes: Vec<u32>,
}

impl Spheres {
    fn of(frame: &Frame) -> Option<Self> {
        let particles = &frame.particles;
        let (Some(FieldValues::Scalar(radii)), Some(FieldValues::Integer(numbers)), Some(FieldValues::Integer(sizes))) =
            (particles.field("radius"), particles.field("cluster"), particles.field("cluster_size"))
        else {
            return None;
        };
        let places: Vec<DVec3> = particles.positions.iter().map(|place| DVec3::from_array(place.map(f64::from))).collect();
        let radii = radii.iter().copied().map(f64::from).collect();
        (!places.is_empty()).then(|| Self { time: frame.time, places, radii, numbers: numbers.clone(), sizes: sizes.clone() })
    }

    fn mean_diameter(&self) -> f64 {
        2.0 * self.radii.iter().sum::<f64>() / self.radii.len() as f64
    }

    fn volume(&self) -> f64 {
        self.radii.iter().map(|radius| 4.0 / 3.0 * PI * radius.powi(3)).sum()
    }
}

/// The neighbourhood of the largest cluster, seen along z through the whole box, which repeats with `period` if there is one.
fn micrograph(spheres: &Spheres, period: Option<f64>) -> Option<Picture> {
    // The first one if several are equally large.
    let largest = (0..spheres.sizes.len()).rev().max_by_key(|&sphere| spheres.sizes[sphere])?;
    let members = (0..spheres.places.len()).filter(|&sphere| spheres.numbers[sphere] == spheres.numbers[largest]);
    let (low, high) = members.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), sphere| {
        (low.min(spheres.places[sphere] - spheres.radii[sphere]), high.max(spheres.places[sphere] + spheres.radii[sphere]))
    });
    let (aspect, diameter) = (PIXELS.0 as f64 / PIXELS.1 as f64, spheres.mean_diameter());
    let height = (VIEW * ((high.x - low.x) / aspect).max(high.y - low.y)).max(MIN_VIEW * diameter);
    let (width, middle) = (aspect * height, 0.5 * (low + high));
    let corner = (middle.x - 0.5 * width, middle.y - 0.5 * height);
    let all = spheres.places.iter().copied().zip(spheres.radii.iter().copied());
    let micrograph = Micrograph::new(all, PIXELS, corner, height / PIXELS.1 as f64, DEPTH * diameter, period);
    let panel = Panel { image: Some(Image { pixels: micrograph.pixels, width, height }), ..Panel::new("y", "m", Scale::Equal, Vec::new()) };
    let size = spheres.sizes[largest];
    let title = format!("The largest cluster ({size} spheres) and its surroundings at {} s", rounded(spheres.time));
    Picture::of("micrograph", &title, "x (m)", vec![panel])
}

/// Three significant digits.
fn rounded(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let unit = 10_f64.powi(value.abs().log10().floor() as i32 - 2);
    let text = format!("{:.*}", (-unit.log10()).ceil().clamp(0.0, 12.0) as usize, (value / unit).round() * unit);
    match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        None => text,
    }
}
