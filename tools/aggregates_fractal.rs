//! Radius of gyration and size of clusters, as in Figure 9 of Wang et al. (2019), and pictures of clusters, as in their Figure 7.
//!
//! ```text
//! cargo run --release --example aggregates_fractal
//! cargo run --release --example aggregates_fractal -- rotation    effect of rotational diffusion on the dimension
//! cargo run --release --example aggregates_fractal -- sticking    effect of the sticking probability
//! ```
//!
//! The first command writes `docs/images/aggregates_fractal.png` and `docs/images/aggregates_stages.png` and prints the fits. For each
//! motion law, clusters of at least 10 spheres are collected from several runs at three stages, as a probe would collect them at several
//! heights of a flame.

use std::{error::Error, fs::File, io::BufWriter};

use glam::DVec3;
use plimsoll::aggregates::{AggregateSettings, AggregateSimulation, Drag, FractalFit, FractalPoint, Medium, Micrograph, MotionLaw};
use plimsoll::simulator::Simulator;
use plotters::{prelude::*, style::register_font};

const SPHERES: usize = 2000;
const RUNS: u64 = 3;
/// Mean sizes at which clusters are collected.
const STAGES: [usize; 3] = [10, 30, 75];
const MIN_SIZE: usize = 10;
const DIAMETER: f64 = 30e-9;

/// Mean sizes of the pictures.
const PICTURES: [usize; 4] = [1, 6, 30, 120];
/// Pixels along an edge, and the width of the view, m.
const PICTURE: usize = 520;
const VIEW: f64 = 3e-6;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("rotation") => return compare(&ways_to_turn()),
        Some("sticking") => return compare(&ways_to_stick()),
        _ => {}
    }
    picture()?;
    let ways = [
        ("flame: drawn every 1e-6 s, f = 3e-6", AggregateSettings::soot(SPHERES, 3e-6, MotionLaw::Fixed { time_step: 1e-6 })),
        ("clocks of their own, 1700 K, f = 3e-5", AggregateSettings::soot(SPHERES, 3e-5, MotionLaw::Relaxation)),
        ("ballistic: drawn every 3e-6 s, f = 1e-5", AggregateSettings::soot(SPHERES, 1e-5, MotionLaw::Fixed { time_step: 3e-6 })),
        ("in water, f = 1e-3, without spin", AggregateSettings { rotation: 0.0, ..in_water() }),
        ("in water, f = 1e-3", in_water()),
    ];
    let mut drawn = Vec::new();
    for (name, settings) in ways {
        let points = gather(&settings, RUNS);
        let fit = FractalFit::new(&points, DIAMETER).ok_or("clusters enough for a fit")?;
        println!("{name}: {fit}");
        drawn.push((name, points, fit));
    }
    draw(&drawn)
}

/// Mean displacement of 0.15 diameters per step.
fn in_water() -> AggregateSettings {
    let medium = Medium { temperature: 298.15, viscosity: 0.89e-3, mean_free_path: 0.0, drag: Drag::AdjustedSphere };
    AggregateSettings { medium, ..AggregateSettings::soot(SPHERES, 1e-3, MotionLaw::Brownian { time_step: 6e-7 }) }
}

/// In water with several rotation factors; and at factor 1 with shorter steps and larger distances, which should not matter.
fn ways_to_turn() -> Vec<(String, AggregateSettings)> {
    let factor = |rotation: f64| (format!("rotation {rotation}"), AggregateSettings { rotation, ..in_water() });
    let mut ways: Vec<(String, AggregateSettings)> = [0.0, 0.1, 0.3, 1.0, 3.0].map(factor).into();
    ways.push((
        "rotation 1, a quarter of the step".to_owned(),
        AggregateSettings { law: MotionLaw::Brownian { time_step: 1.5e-7 }, ..in_water() },
    ));
    ways.push(("rotation 1, a third of the volume fraction".to_owned(), AggregateSettings { volume_fraction: 3e-4, ..in_water() }));
    ways
}

fn ways_to_stick() -> Vec<(String, AggregateSettings)> {
    let ways = |sticking: f64| {
        let soot = AggregateSettings::soot(SPHERES, 3e-5, MotionLaw::Relaxation);
        (format!("sticking {sticking}"), AggregateSettings { sticking, ..soot })
    };
    [1.0, 0.1].map(ways).into()
}

/// Prints the fit of each way.
fn compare(ways: &[(String, AggregateSettings)]) -> Result<(), Box<dyn Error>> {
    for (name, settings) in ways {
        let points = gather(settings, 2 * RUNS);
        println!("{name}: {}", FractalFit::new(&points, DIAMETER).ok_or("clusters enough for a fit")?);
    }
    Ok(())
}

fn gather(settings: &AggregateSettings, runs: u64) -> Vec<FractalPoint> {
    let mut points = Vec::new();
    for seed in 0..runs {
        let mut simulation = AggregateSimulation::new(&AggregateSettings { seed, ..settings.clone() }).expect("room for all");
        for size in STAGES {
            while simulation.population().len() * size > SPHERES {
                simulation.advance(f64::INFINITY).expect("a step");
            }
            points.extend(simulation.fractal_points(MIN_SIZE));
        }
    }
    points
}

/// Labels of a logarithmic axis: every number that begins with 1, 2 or 5.
fn label(value: f64) -> String {
    let first = value / 10_f64.powf(value.log10().floor());
    if [1.0, 2.0, 5.0].iter().any(|round| (first - round).abs() < 1e-6) { format!("{value}") } else { String::new() }
}

fn draw(drawn: &[(&str, Vec<FractalPoint>, FractalFit)]) -> Result<(), Box<dyn Error>> {
    let letters = include_bytes!("../crates/plot/fonts/DejaVuSansLatin.ttf");
    register_font("sans-serif", FontStyle::Normal, letters).map_err(|_| "the letters shipped are a font")?;
    let (width, height) = (1000, 1080);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    let root = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, (name, points, fit)) in root.split_evenly((3, 2)).iter().zip(drawn) {
        let mut chart = ChartBuilder::on(area)
            .caption(name, ("sans-serif", 14))
            .margin(10)
            .x_label_area_size(36)
            .y_label_area_size(48)
            .build_cartesian_2d((2.0..40.0).log_scale(), (8.0..1500.0).log_scale())?;
        let number = |value: &f64| label(*value);
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .x_desc("2 R_g / d")
            .y_desc("N")
            .x_label_formatter(&number)
            .y_label_formatter(&number)
            .draw()?;
        let ratio = |point: &FractalPoint| 2.0 * point.gyration_radius / DIAMETER;
        let dots = points.iter().map(|point| Circle::new((ratio(point), point.size), 2, RGBColor(60, 110, 170).mix(0.45).filled()));
        chart.draw_series(dots)?;
        let lines = [
            (
                format!("fit: D = {:.2} ± {:.2}, k = {:.2}", fit.dimension, fit.dimension_error, fit.prefactor),
                fit.prefactor,
                fit.dimension,
                RGBColor(20, 20, 20),
            ),
            ("Wang et al., simulated: 1.73, 2.15".to_owned(), 2.15, 1.73, RGBColor(200, 90, 40)),
            ("Wang et al., measured: 1.76, 2.21".to_owned(), 2.21, 1.76, RGBColor(60, 140, 80)),
        ];
        for (label, prefactor, dimension, color) in lines {
            let ends = [2.0_f64, 40.0].map(|ratio| (ratio, prefactor * ratio.powf(dimension)));
            // Within the frame of the diagram.
            let at = |size: f64| ((size / prefactor).powf(1.0 / dimension), size);
            let ends = [if ends[0].1 < 8.0 { at(8.0) } else { ends[0] }, if ends[1].1 > 1500.0 { at(1500.0) } else { ends[1] }];
            chart
                .draw_series(LineSeries::new(ends, color.stroke_width(2)))?
                .label(label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
            .background_style(WHITE.mix(0.9))
            .border_style(BLACK)
            .draw()?;
    }
    root.present()?;
    drop(root);
    write("docs/images/aggregates_fractal.png", &pixels, (width, height), png::ColorType::Rgb)
}

/// Four stages of one run side by side, at the same scale, each around its largest cluster; the bars are 500 nm long.
fn picture() -> Result<(), Box<dyn Error>> {
    let set = AggregateSettings { spread: 1.2, ..AggregateSettings::soot(6000, 3e-6, MotionLaw::Fixed { time_step: 1e-6 }) };
    let mut simulation = AggregateSimulation::new(&set)?;
    let gap = 8;
    let (width, height) = (2 * PICTURE + gap, 2 * PICTURE + gap);
    let mut pixels = vec![255_u8; width * height];
    for (panel, size) in PICTURES.into_iter().enumerate() {
        while simulation.population().len() * size > set.count {
            simulation.advance(f64::INFINITY).expect("a step");
        }
        let micrograph = look(&simulation);
        let corner = (panel % 2 * (PICTURE + gap), panel / 2 * (PICTURE + gap));
        for (row, line) in micrograph.pixels.chunks(PICTURE).enumerate() {
            let start = (corner.1 + row) * width + corner.0;
            pixels[start..start + PICTURE].copy_from_slice(line);
            if (PICTURE - 22..PICTURE - 16).contains(&row) {
                pixels[start + 16..start + 16 + (500e-9 / VIEW * PICTURE as f64) as usize].fill(0);
            }
        }
        println!(
            "picture {}: {:.2e} s, mean size {:.1}",
            panel + 1,
            simulation.time(),
            set.count as f64 / simulation.population().len() as f64
        );
    }
    write("docs/images/aggregates_stages.png", &pixels, (width as u32, height as u32), png::ColorType::Grayscale)
}

fn write(path: &str, pixels: &[u8], (width, height): (u32, u32), color: png::ColorType) -> Result<(), Box<dyn Error>> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(color);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    encoder.write_header()?.write_image_data(pixels)?;
    println!("{path}");
    Ok(())
}

/// The view along z around the largest cluster, through the whole box.
fn look(simulation: &AggregateSimulation) -> Micrograph {
    let population = simulation.population();
    let mut spheres: Vec<(DVec3, f64)> = Vec::new();
    let (mut largest, mut middle) = (0, DVec3::ZERO);
    for (place, cluster) in population.clusters.iter().enumerate() {
        let motion = population.motion_at(place, 0.0);
        if cluster.len() > largest {
            (largest, middle) = (cluster.len(), motion.center);
        }
        spheres.extend(cluster.members.iter().map(|member| (motion.center + motion.orientation * member.offset, member.radius)));
    }
    let corner = (middle.x - 0.5 * VIEW, middle.y - 0.5 * VIEW);
    Micrograph::new(spheres, (PICTURE, PICTURE), corner, VIEW / PICTURE as f64, 60e-9, Some(population.domain.size.x))
}
