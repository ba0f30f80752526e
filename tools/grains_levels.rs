//! Run time of single-level and multi-level search, as in figure 3 of Lu, Zhou, Feng & Gu (2008, J. Xi'an Jiaotong Univ. 42, 304-307).
//!
//! `cargo run --release --example grains_levels [steps] [folder]`
//!
//! Grains of three sizes (diameters 4:2:1, numbers 1:4:16) fall in a closed box in the plane, 48 to 3,072 equivalent grains at three
//! densities. Then one large grain per thousand small ones, in the plane and in space, at several diameter ratios, and in a bed. There are
//! only normal forces, pairs are searched in every step of 1e-6 s, and everything runs on one core. Prints tables for 20,000 steps (fewer
//! are scaled up) and draws `grains_levels.svg`.

use std::{env, error::Error, f64::consts::PI, fs, path::Path, time::Instant};

use glam::DVec3;
use plimsoll::{
    grains::{ContactLaw, GrainsSettings, GrainsSimulation, Group, Material, PlacedGrain, SearchMethod, Sizes},
    math::Domain,
    plot::{Panel, Picture, Scale, Series, to_svg},
    search::hierarchical_grid::LevelChoice,
    simulator::Simulator,
};

type Failure = Box<dyn Error + Send + Sync>;

/// Number of steps in the paper.
const STEPS: f64 = 20_000.0;
const STEP: f64 = 1e-6;
const RADIUS: f64 = 1e-3;
/// Equivalent grains, and their number per base cell.
const EQUIVALENT: [usize; 4] = [48, 192, 768, 3072];
const DENSITIES: [f64; 3] = [0.75, 0.1875, 0.046_875];
/// Edge of a base cell in diameters of small grains: with 1 there would be no space for random positions.
const BASE_CELL: f64 = 1.12;

/// Edge of a cell of the bed's lattice, in diameters of large grains; 1.414 would be close-packed.
const BED_CELL: f64 = 1.45;
/// Distance of positions for small grains in it, in their radii.
const SMALL_SPACING: f64 = 2.05;

/// Cost of a run.
struct Cost {
    seconds: f64,
    tests: f64,
    levels: usize,
    grains: usize,
}

fn main() -> Result<(), Failure> {
    let steps: u64 = env::args().nth(1).map_or(Ok(20_000), |text| text.parse())?;
    let folder = env::args().nth(2).unwrap_or_else(|| "docs/images".to_owned());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let picture = pool.install(|| -> Result<Picture, Failure> {
        let picture = three_sizes(steps)?;
        thousand(steps)?;
        Ok(picture)
    })?;
    fs::write(Path::new(&folder).join("grains_levels.svg"), to_svg(&picture)?)?;
    Ok(())
}

fn three_sizes(steps: u64) -> Result<Picture, Failure> {
    println!(
        "| equivalent grains | density | grains | one level, s | three levels, s | ratio | chosen, s (levels) | tests, one level | tests, three |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut panels = Vec::new();
    for density in DENSITIES {
        let mut lines = [Vec::new(), Vec::new(), Vec::new()];
        for equivalent in EQUIVALENT {
            let units = equivalent / 48;
            let edge = 2.0 * RADIUS * BASE_CELL * (equivalent as f64 / density).sqrt();
            let parts = [(4.0 * RADIUS, units), (2.0 * RADIUS, 4 * units), (RADIUS, 16 * units)];
            // The CPU times of threads have a resolution of milliseconds.
            let steps = steps * (EQUIVALENT[EQUIVALENT.len() - 1] / equivalent) as u64;
            let measure = |choice| run(&settings(2, DVec3::new(edge, edge, 0.0), &parts, choice), steps);
            let single = measure(LevelChoice::Levels(1))?;
            let multi = measure(LevelChoice::Levels(3))?;
            let chosen = measure(LevelChoice::Automatic)?;
            println!(
                "| {equivalent} | {density} | {} | {:.3} | {:.3} | {:.2} | {:.3} ({}) | {:.0} | {:.0} |",
                21 * units,
                single.seconds,
                multi.seconds,
                multi.seconds / single.seconds,
                chosen.seconds,
                chosen.levels,
                single.tests,
                multi.tests
            );
            for (line, cost) in lines.iter_mut().zip([&single, &multi, &chosen]) {
                line.push((equivalent as f64, cost.seconds));
            }
        }
        let names = ["one level", "three levels", "chosen by cost"];
        let series =
            lines.into_iter().zip(names).enumerate().map(|(color, (points, name))| Series { name: name.to_owned(), color, points });
        panels.push(Panel::new(format!("{density} equivalent grains per base cell"), "s", Scale::Linear, series.collect()));
    }
    let title = "20,000 steps of three sizes, 1:4:16";
    Picture::of("grains_levels", title, "equivalent grains", panels).ok_or_else(|| "nothing to draw".into())
}

fn thousand(steps: u64) -> Result<(), Failure> {
    println!("\n| 1:1000 | diameters | grains | one level, s | chosen, s (levels) | ratio | ratio of tests |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for (dimension, ratio, units, packing) in [(2, 10.0, 5, 0.5), (3, 4.0, 10, 0.3), (3, 10.0, 10, 0.3), (3, 20.0, 30, 0.2)] {
        let solid: f64 = units as f64
            * (f64::powi(ratio, dimension) + 1000.0)
            * if dimension == 2 { PI * RADIUS * RADIUS } else { 4.0 / 3.0 * PI * RADIUS.powi(3) };
        let edge = (solid / packing).powf(1.0 / f64::from(dimension));
        let size = DVec3::new(edge, edge, if dimension == 3 { edge } else { 0.0 });
        let parts = [(ratio * RADIUS, units), (RADIUS, 1000 * units)];
        compare(&format!("{dimension}-D, packing {packing}"), ratio, steps, |choice| settings(dimension as usize, size, &parts, choice))?;
    }
    for ratio in [20.0, 30.0] {
        let (size, placed) = bed(ratio, 4);
        let solid: f64 = placed.iter().map(|grain| 4.0 / 3.0 * PI * grain.radius.powi(3)).sum();
        let packing = solid / size.element_product();
        compare(&format!("3-D, bed, packing {packing:.2}"), ratio, steps, |choice| GrainsSettings {
            placed: placed.clone(),
            ..settings(3, size, &[], choice)
        })?;
    }
    Ok(())
}

/// One level against the levels with the lowest cost: a row of the table.
fn compare(name: &str, ratio: f64, steps: u64, settings: impl Fn(LevelChoice) -> GrainsSettings) -> Result<(), Failure> {
    let single = run(&settings(LevelChoice::Levels(1)), (steps / 200).max(5))?;
    let multi = run(&settings(LevelChoice::Automatic), (steps / 10).max(20))?;
    println!(
        "| {name} | {ratio}:1 | {} | {:.0} | {:.1} ({}) | {:.1} | {:.0} |",
        single.grains,
        single.seconds,
        multi.seconds,
        multi.levels,
        single.seconds / multi.seconds,
        single.tests / multi.tests
    );
    Ok(())
}

/// Large grains in a bed, `cells`³ cells of a face-centered cubic lattice that is not quite close-packed, with a thousand small ones per
/// large one in the voids between them; also returns the size of the box.
fn bed(ratio: f64, cells: u32) -> (DVec3, Vec<PlacedGrain>) {
    let (large, small) = (ratio * RADIUS, RADIUS);
    let edge = BED_CELL * 2.0 * large;
    let size = DVec3::splat((f64::from(cells) - 0.5) * edge + 2.0 * large);
    let grain =
        |radius: f64, position: DVec3| PlacedGrain { radius, material: 0, position, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO };
    let lattice = |count: u32| {
        (0..count.pow(3)).map(move |cell| DVec3::new((cell % count).into(), (cell / count % count).into(), (cell / count.pow(2)).into()))
    };
    let corners = [DVec3::ZERO, DVec3::new(0.5, 0.5, 0.0), DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.5, 0.5)];
    let mut grains: Vec<PlacedGrain> =
        lattice(cells).flat_map(|cell| corners.map(|corner| grain(large, large + (cell + corner) * edge))).collect();
    let (count, reach) = (1000 * grains.len(), large + small);
    let along = (size.x / (SMALL_SPACING * small)).floor() as u32;
    let sites = lattice(along).map(|cell| (cell + 0.5) * size / f64::from(along));
    let free: Vec<DVec3> =
        sites.filter(|site| grains.iter().all(|grain| grain.position.distance_squared(*site) >= reach * reach)).collect();
    assert!(free.len() >= count, "{} places in the voids for {count} grains", free.len());
    // Evenly spread over all free sites.
    grains.extend((0..count).map(|index| grain(small, free[index * free.len() / count])));
    (size, grains)
}

/// Grains in a closed box under gravity, with a search in every step.
fn settings(dimension: usize, size: DVec3, parts: &[(f64, usize)], choice: LevelChoice) -> GrainsSettings {
    let material = Material {
        name: "grain".to_owned(),
        density: 2500.0,
        stiffness: 1e4,
        young_modulus: 1.0,
        poisson_ratio: 0.3,
        restitution: 0.8,
        friction: 0.0,
        rolling_friction: 0.0,
    };
    let group =
        |&(radius, count): &(f64, usize)| Group { count, sizes: Sizes::One(radius), material: 0, velocity: DVec3::ZERO, region: None };
    GrainsSettings {
        domain: Domain { low: DVec3::ZERO, size, periodic: [false; 3], dimension },
        gravity: DVec3::new(0.0, -9.81, 0.0),
        law: ContactLaw::Linear,
        materials: vec![material],
        wall_material: 0,
        groups: parts.iter().map(group).collect(),
        placed: Vec::new(),
        search: SearchMethod::HierarchicalGrid(choice),
        // So thin that every step searches again, as in the paper.
        skin: Some(1e-15),
        time_step: Some(STEP),
        seed: 1,
        contact_lines: false,
        mechanism: plimsoll::bodies::MechanismDefinition::default(),
    }
}

fn run(settings: &GrainsSettings, steps: u64) -> Result<Cost, Failure> {
    let mut simulation = GrainsSimulation::new(settings.clone(), Vec::new())?;
    // Gives the grains some speed, so that every step needs a search.
    simulation.advance(10.0 * STEP).expect("a step");
    let (begun, before) = (simulation.steps(), *simulation.counts());
    let clock = Instant::now();
    let start = core_seconds(&clock);
    let end = (begun + steps) as f64 * STEP;
    while simulation.time() < end {
        simulation.advance(end).expect("a step");
    }
    let taken = (simulation.steps() - begun) as f64;
    let searched = (simulation.counts().rebuilds - before.rebuilds) as f64;
    let tests = simulation.counts().tests - before.tests;
    Ok(Cost {
        seconds: (core_seconds(&clock) - start) * STEPS / taken,
        tests: tests as f64 / searched,
        levels: simulation.plan().level_count(),
        grains: simulation.element_count(),
    })
}

/// CPU time of this thread, seconds; wall time if the system does not report it.
fn core_seconds(start: &Instant) -> f64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}
