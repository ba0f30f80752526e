//! Mean time to find the first collision, as in Figure 11 of Wang et al. (2019): their three algorithms on identical states, and cells with
//! a queue.
//!
//! ```text
//! cargo run --release --example aggregates_rounds              table, and docs/images/aggregates_rounds.svg
//! cargo run --release --example aggregates_rounds -- quick     up to 1,000 spheres only
//! cargo run --release --example aggregates_rounds -- one       200 spheres to one cluster only
//! cargo run --release --example aggregates_rounds -- million   a million spheres for three steps
//! ```
//!
//! Soot as in the paper: volume fraction 3e-6, a new velocity every 1e-6 s, 30 nm, 1700 K. Cells and queue run for 2,000 rounds (a round
//! ends with a collision or with the step); their time includes velocities and moves. In between, the three algorithms search for the first
//! collision of the current state in the remaining time of the step, as often as some seconds allow, at least once. Times are CPU times of
//! one thread (Linux; elsewhere wall time).

use std::{error::Error, fs, time::Instant};

use plimsoll::aggregates::{AggregateSettings, AggregateSimulation, Algorithm, MotionLaw, NarrowPhase, first_collision};
use plimsoll::simulator::Simulator;
use plotters::{prelude::*, style::register_font};

const ROUNDS: u64 = 2000;
const TIME_STEP: f64 = 1e-6;
/// Time spent on each algorithm and number of spheres, s, not counting the first search.
const BUDGET: f64 = 3.0;
/// Maximum number of states.
const STATES: u64 = 100;

const COUNTS: [usize; 11] = [100, 158, 251, 398, 631, 1000, 1585, 2512, 3981, 6310, 10_000];
const ALGORITHMS: [Algorithm; 3] = [Algorithm::Plain, Algorithm::Boxes, Algorithm::Spheres];

/// Mean times of a round for one number of spheres, s.
struct Line {
    count: usize,
    algorithms: [f64; 3],
    states: [u64; 3],
    /// Number of searches in which an algorithm finds the same pair as advancement over all windows, or none if it finds none.
    same: [u64; 3],
    cells: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let argument = std::env::args().nth(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    if argument.as_deref() == Some("million") {
        million();
        return Ok(());
    }
    if argument.as_deref() == Some("one") {
        pool.install(to_one_cluster);
        return Ok(());
    }
    let most = if argument.as_deref() == Some("quick") { 1000 } else { usize::MAX };
    let mut lines = Vec::new();
    println!("|    N_t |  1, ms |  2, ms |   3, ms | cells, ms |  1 / 3 |  2 / 3 | 3 / cells | states        | same pair, % |");
    println!("|-------:|-------:|-------:|--------:|----------:|-------:|-------:|----------:|:--------------|:-------------|");
    for count in COUNTS.into_iter().filter(|&count| count <= most) {
        let line = pool.install(|| measure(count));
        let [plain, boxes, spheres] = line.algorithms;
        let shares: Vec<String> = line.same.iter().zip(&line.states).map(|(same, states)| format!("{}", 100 * same / states)).collect();
        println!(
            "| {count:6} | {:6.3} | {:6.3} | {:7.4} | {:9.5} | {:6.0} | {:6.0} | {:9.1} | {:13} | {:12} |",
            1e3 * plain,
            1e3 * boxes,
            1e3 * spheres,
            1e3 * line.cells,
            plain / spheres,
            boxes / spheres,
            spheres / line.cells,
            line.states.map(|states| states.to_string()).join(" "),
            shares.join(" "),
        );
        lines.push(line);
    }
    pool.install(to_one_cluster);
    draw(&lines)
}

fn settings(count: usize, volume_fraction: f64, time_step: f64) -> AggregateSettings {
    AggregateSettings { seed: 1, ..AggregateSettings::soot(count, volume_fraction, MotionLaw::Fixed { time_step }) }
}

/// CPU time of this thread, s.
fn processor_time(start: Instant) -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds: Option<f64> = text.split(' ').next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

fn measure(count: usize) -> Line {
    let mut simulation = AggregateSimulation::new(&settings(count, 3e-6, TIME_STEP)).expect("room for all");
    let clock = Instant::now();
    let (mut cells, mut spent) = (0.0, [0.0; 3]);
    let (mut states, mut same) = ([0; 3], [0; 3]);
    let (mut next_state, mut halves) = (0, false);
    while simulation.totals().rounds < ROUNDS {
        if simulation.totals().rounds >= next_state {
            next_state += ROUNDS / STATES;
            look(&simulation, clock, &mut spent, &mut states, &mut same);
        }
        // Includes states from the middle of steps, because the remaining time of a step varies in the original.
        let length = if halves { simulation.remaining() } else { 0.5 * TIME_STEP };
        halves = !halves;
        let before = processor_time(clock);
        simulation.advance(simulation.time() + length).expect("a step");
        cells += processor_time(clock) - before;
    }
    let mean = |index: usize| spent[index] / f64::from(u32::try_from(states[index]).expect("few states"));
    Line { count, algorithms: [mean(0), mean(1), mean(2)], states, same, cells: cells / simulation.totals().rounds as f64 }
}

/// Runs each algorithm that has time left on the current state.
fn look(simulation: &AggregateSimulation, clock: Instant, spent: &mut [f64; 3], states: &mut [u64; 3], same: &mut [u64; 3]) {
    let (population, remaining) = (simulation.population(), simulation.remaining());
    if spent.iter().all(|&spent| spent > BUDGET) {
        return;
    }
    let exact = first_collision(population, remaining, Algorithm::Spheres, NarrowPhase::Advancement).map(|first| first.pair);
    for (index, algorithm) in ALGORITHMS.into_iter().enumerate() {
        if spent[index] > BUDGET {
            continue;
        }
        let before = processor_time(clock);
        let first = first_collision(population, remaining, algorithm, NarrowPhase::Sampling).map(|first| first.pair);
        spent[index] += processor_time(clock) - before;
        states[index] += 1;
        same[index] += u64::from(first == exact);
    }
}

/// 200 spheres until one cluster is left.
fn to_one_cluster() {
    for (name, volume_fraction, law) in [
        ("8e-4, clocks of their own", 8e-4, MotionLaw::Relaxation),
        ("8e-4, every 1e-7 s", 8e-4, MotionLaw::Fixed { time_step: 1e-7 }),
        ("3e-6, every 1e-6 s", 3e-6, MotionLaw::Fixed { time_step: 1e-6 }),
    ] {
        let clock = Instant::now();
        let before = processor_time(clock);
        let mut simulation = AggregateSimulation::new(&AggregateSettings { law, ..settings(200, volume_fraction, 1e-7) }).expect("room");
        while simulation.population().len() > 1 {
            simulation.advance(f64::INFINITY).expect("a step");
        }
        let spent = processor_time(clock) - before;
        println!("200 spheres at {name}: one cluster after {:.2e} s, in {spent:.4} s", simulation.time());
    }
}

fn million() {
    let clock = Instant::now();
    let mut simulation = AggregateSimulation::new(&settings(1_000_000, 3e-6, TIME_STEP)).expect("room for all");
    println!("1,000,000 spheres placed in {:.1} s", clock.elapsed().as_secs_f64());
    for _ in 0..3 {
        let before = Instant::now();
        simulation.advance(simulation.time() + simulation.remaining()).expect("a step");
        println!(
            "{:.1e} s: {} clusters, {:.2} s of wall time",
            simulation.time(),
            simulation.population().len(),
            before.elapsed().as_secs_f64()
        );
    }
    println!("{:?}", simulation.totals());
}

/// Labels of a logarithmic axis: every number that begins with 1, 2 or 5.
fn label(value: f64) -> String {
    let first = value / 10_f64.powf(value.log10().floor());
    if [1.0, 2.0, 5.0].iter().any(|round| (first - round).abs() < 1e-6) { format!("{value}") } else { String::new() }
}

fn draw(lines: &[Line]) -> Result<(), Box<dyn Error>> {
    let letters = include_bytes!("../crates/plot/fonts/DejaVuSansLatin.ttf");
    register_font("sans-serif", FontStyle::Normal, letters).map_err(|_| "the letters shipped are a font")?;
    let root = SVGBackend::new("docs/images/aggregates_rounds.svg", (760, 480)).into_drawing_area();
    root.fill(&WHITE)?;
    let names = [
        ("1: samples", RGBColor(180, 60, 50)),
        ("2: boxes, samples", RGBColor(210, 140, 30)),
        ("3: spheres, regions, samples", RGBColor(60, 130, 70)),
        ("cells and queue", RGBColor(40, 90, 170)),
    ];
    // In milliseconds.
    let time = |line: &Line, series: usize| 1e3 * line.algorithms.get(series).copied().unwrap_or(line.cells);
    let values = || lines.iter().flat_map(|line| (0..names.len()).map(move |series| time(line, series)));
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let counts = (lines[0].count as f64, lines[lines.len() - 1].count as f64);
    let mut chart = ChartBuilder::on(&root)
        .caption("Mean time per round", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((counts.0 * 0.9..counts.1 * 1.1).log_scale(), (0.5 * least..2.0 * most).log_scale())?;
    let times = |value: &f64| label(*value);
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .x_desc("number of spheres")
        .y_desc("ms")
        .x_label_formatter(&times)
        .y_label_formatter(&times)
        .draw()?;
    for (series, (name, color)) in names.into_iter().enumerate() {
        let points = lines.iter().map(|line| (line.count as f64, time(line, series)));
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)).point_size(3))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color.stroke_width(2)));
    }
    chart.configure_series_labels().position(SeriesLabelPosition::UpperLeft).background_style(WHITE.mix(0.9)).border_style(BLACK).draw()?;
    root.present()?;
    println!("docs/images/aggregates_rounds.svg");
    Ok(())
}
