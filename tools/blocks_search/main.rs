//! Tables and figures of the search for blocks: box checks, candidate pairs and time of four searches on four scenes of 713, 1,689, 2,108
//! and 2,395 blocks, a sweep of the cell size, and a comparison with parry2d and broccoli.
//!
//! `cargo run --release --example blocks_search` prints the tables and writes the figures into `docs/images/`. The scenes replace the cases
//! 22 to 25 of classical DDA programs, which are not public; they have the same numbers of blocks. `-- search` skips the runs;
//! `-- runs 1800 5000` prints a table of whole runs with enumeration and the voxel grid, on rock in a trough with these numbers of blocks.

mod peers;
mod runs;
mod scenes;

use std::{path::Path, time::Instant};

use glam::DVec2;
use plimsoll::{
    blocks::{BlocksSimulation, BlocksStage},
    math::Rectangle,
    plot::{Panel, Picture, PictureFormat, Scale, Series, write_picture},
    search::planar::{Outlines, PairSearch, SearchMethod, pairs_within},
    simulator::Simulator,
};
use scenes::Scene;

const IMAGES: &str = "docs/images";
/// Steps of each run.
const STEPS: u64 = 6;
/// Number of consecutive searches that are timed; the median is reported.
const REPEATS: usize = 201;

/// One search on one scene.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    checks: f64,
    pairs: f64,
    /// Time of a search, seconds: with blocks at rest, and in motion.
    search: f64,
    moving: f64,
    /// Total time of the run, seconds; and the part of it for search and contact detection.
    total: f64,
    finding: f64,
}

fn main() {
    if let Some(place) = std::env::args().position(|argument| argument == "runs") {
        let counts = std::env::args().skip(place + 1).map(|count| count.parse().expect("a number of blocks"));
        return runs::table(&counts.collect::<Vec<_>>());
    }
    let only_search = std::env::args().any(|argument| argument == "search");
    let all = scenes::all();
    println!("Means over {STEPS} steps; time per search is the median of {REPEATS}.\n");
    let rows: Vec<(usize, Vec<Measured>)> = all.iter().map(|scene| (scene.count(), table(scene, only_search))).collect();
    plot_methods(&rows);
    sweep(&all[1]);
    let wall = scenes::wall();
    goal(&wall);
}

/// Repeats a search on outlines at rest, or oscillating by up to `speed` (m) from one search to the next. Returns the median seconds at
/// rest, or the mean seconds in motion, where searches may differ; the mean checks; and the pairs of the last search.
fn time_search(outlines: &Outlines, cutoff: f64, search: PairSearch, speed: f64) -> Measured {
    let mut seconds = vec![f64::INFINITY; REPEATS];
    let mut measured = Measured::default();
    // Repeats the motion several times and takes the minimum time of each search, to exclude interruptions of the program.
    for _ in 0..if speed > 0.0 { 7 } else { 1 } {
        let (mut search, mut pairs, mut total) = (search.clone(), Vec::new(), 0);
        let (mut vertices, mut boxes) = (outlines.vertices.to_vec(), outlines.boxes.to_vec());
        for (repeat, least) in seconds.iter_mut().enumerate() {
            // The first outline does not move.
            for index in (1..boxes.len()).filter(|_| speed > 0.0) {
                let turn = if repeat / 20 % 2 == 0 { 1.0 } else { -1.0 };
                let share = (index as f64 * 0.618).fract();
                let shift = turn * share * speed * DVec2::from_angle(2.4 * index as f64);
                let range = outlines.offsets[index] as usize..outlines.offsets[index + 1] as usize;
                vertices[range].iter_mut().for_each(|vertex| *vertex += shift);
                boxes[index] = Rectangle { min: boxes[index].min + shift, max: boxes[index].max + shift };
            }
            let now = Outlines { vertices: &vertices, boxes: &boxes, ..*outlines };
            let start = Instant::now();
            let checks = search.find(&now, cutoff, &mut pairs);
            *least = least.min(start.elapsed().as_secs_f64());
            total += checks;
            measured.pairs = pairs.len() as f64;
        }
        measured.checks = total as f64 / REPEATS as f64;
    }
    let mean = seconds.iter().sum::<f64>() / REPEATS as f64;
    seconds.sort_by(f64::total_cmp);
    Measured { search: if speed > 0.0 { mean } else { seconds[REPEATS / 2] }, ..measured }
}

/// A run of `STEPS` steps.
fn run(scene: &Scene, method: SearchMethod) -> Measured {
    let mut settings = scene.settings.clone();
    settings.search.method = method;
    let mut simulation = BlocksSimulation::new(settings).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let mut sum = Measured::default();
    let start = Instant::now();
    for _ in 0..STEPS {
        simulation.advance(10.0).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        sum.checks += simulation.report().checks as f64 / STEPS as f64;
        sum.pairs += simulation.report().pairs as f64 / STEPS as f64;
    }
    let times = simulation.stage_times();
    let search = times.of(BlocksStage::Search);
    Measured {
        search: search / STEPS as f64,
        finding: search + times.of(BlocksStage::Detection),
        total: start.elapsed().as_secs_f64(),
        ..sum
    }
}

fn table(scene: &Scene, only_search: bool) -> Vec<Measured> {
    let simulation = BlocksSimulation::new(scene.settings.clone()).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let (outlines, cutoff) = (simulation.state().outlines(), scene.settings.step.cutoff());
    let true_pairs = pairs_within(&outlines, cutoff);
    println!("### {}: {} blocks, {} pairs within the cutoff\n", scene.name, scene.count(), true_pairs.len());
    println!("| search | box checks | enumeration has | pairs | fewer pairs | search, ms | moving, ms | run, s | finding contacts, s |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut rows: Vec<Measured> = Vec::new();
    for method in SearchMethod::ALL {
        let timed = time_search(&outlines, cutoff, PairSearch::new(method, None), 0.0);
        let moving = time_search(&outlines, cutoff, PairSearch::new(method, None), scene.settings.step.maximum_displacement).search;
        let mut pairs = Vec::new();
        PairSearch::new(method, None).find(&outlines, cutoff, &mut pairs);
        pairs.sort_unstable();
        let lost = true_pairs.iter().filter(|pair| pairs.binary_search(pair).is_err()).count();
        assert_eq!(lost, 0, "{}: pairs lost", method.name());
        let ran = if only_search { timed } else { run(scene, method) };
        let row = Measured { search: timed.search, moving, ..ran };
        let first = *rows.first().unwrap_or(&row);
        println!(
            "| {} | {:.0} | {:.1} × | {:.0} | {:.1} % | {:.3} | {:.3} | {:.2} | {:.3} |",
            method.name(),
            row.checks,
            first.checks / row.checks,
            row.pairs,
            100.0 * (1.0 - row.pairs / first.pairs),
            1e3 * row.search,
            1e3 * row.moving,
            row.total,
            row.finding,
        );
        rows.push(row);
    }
    println!();
    rows
}

fn plot_methods(rows: &[(usize, Vec<Measured>)]) {
    let counts: Vec<f64> = rows.iter().map(|(count, _)| *count as f64).collect();
    let series = |value: fn(&Measured) -> f64| -> Vec<Series> {
        let line = |(place, method): (usize, SearchMethod)| {
            Series::new(method.name(), place, &counts, rows.iter().map(|(_, measured)| value(&measured[place])))
        };
        SearchMethod::ALL.into_iter().enumerate().map(line).collect()
    };
    let panels = vec![
        Panel::new("Box checks per step", "", Scale::Logarithmic, series(|row| row.checks)),
        Panel::new("Candidate pairs per step", "", Scale::Linear, series(|row| row.pairs)),
        Panel::new("Time per search, moving blocks", "s", Scale::Logarithmic, series(|row| row.moving)),
        Panel::new("Time of contact detection in the run", "s", Scale::Linear, series(|row| row.finding)),
    ];
    draw("blocks_searches", "Four searches on four scenes", "blocks", panels);
}

/// Cell sizes from a fraction of a median block to a third of the scene.
fn sweep(scene: &Scene) {
    let simulation = BlocksSimulation::new(scene.settings.clone()).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let (outlines, cutoff) = (simulation.state().outlines(), scene.settings.step.cutoff());
    // In motion, because at rest no cells are visited.
    let speed = scene.settings.step.maximum_displacement;
    let extent = scene.extent();
    let median = scene.median_side();
    println!("### Cell size on {} ({} blocks, median block {:.2} m, scene {:.0} m)\n", scene.name, scene.count(), median, extent);
    println!("| cell / scene | cell / median block | box checks | pairs | search, ms |");
    println!("|---|---|---|---|---|");
    let blocks = [0.5, 0.7, 1.0, 1.4, 2.0, 3.0, 4.0].map(|share| share * median / extent);
    let mut shares: Vec<f64> = blocks.into_iter().chain([0.05, 0.1, 0.25, 0.33]).collect();
    shares.sort_by(f64::total_cmp);
    let mut rows = Vec::new();
    for &share in &shares {
        let row = time_search(&outlines, cutoff, PairSearch::new(SearchMethod::VoxelGrid, Some(share * extent)), speed);
        let times = share * extent / median;
        println!("| {share:.4} | {times:.2} | {:.0} | {:.0} | {:.3} |", row.checks, row.pairs, 1e3 * row.search);
        rows.push(row);
    }
    println!();
    let line = |value: fn(&Measured) -> f64| vec![Series::new("", 0, &shares, rows.iter().map(value))];
    let panels = vec![
        Panel::new("box checks", "", Scale::Logarithmic, line(|row| row.checks)),
        Panel::new("candidate pairs", "", Scale::Linear, line(|row| row.pairs)),
        Panel::new("Time per search", "s", Scale::Logarithmic, line(|row| row.search)),
    ];
    draw("blocks_cell_size", "Side of a cell", "side of a cell over the scene's", panels);
}

/// Compares the searches of this crate and of others on a wall of bricks with two concave blocks in a trough.
fn goal(scene: &Scene) {
    let simulation = BlocksSimulation::new(scene.settings.clone()).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
    let (outlines, cutoff) = (simulation.state().outlines(), scene.settings.step.cutoff());
    let near = pairs_within(&outlines, cutoff);
    println!("### {}: {} blocks, {} pairs within the cutoff\n", scene.name, scene.count(), near.len());
    println!("| search | box checks | pairs | ms |");
    println!("|---|---|---|---|");
    for method in SearchMethod::ALL {
        let row = time_search(&outlines, cutoff, PairSearch::new(method, None), 0.0);
        println!("| {} | {:.0} | {:.0} | {:.3} |", method.name(), row.checks, row.pairs, 1e3 * row.search);
    }
    for (name, peer) in [("parry2d", peers::parry as peers::Peer), ("broccoli", peers::broccoli)] {
        let (pairs, seconds) = peer(&outlines, cutoff, REPEATS);
        println!("| {name} | | {pairs} | {:.3} |", 1e3 * seconds);
    }
    println!();
}

fn draw(name: &str, title: &str, horizontal: &str, panels: Vec<Panel>) {
    let picture = Picture::of(name, title, horizontal, panels).expect("something to draw");
    let path = Path::new(IMAGES).join(format!("{name}.svg"));
    write_picture(&path, &picture, PictureFormat::Svg).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
