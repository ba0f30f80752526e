//! Time of a full rebuild of the pair list on one core: the hierarchical grid of `search::hierarchical_grid` against the bounding volume
//! hierarchy of parry3d.
//!
//! `cargo run --release --example grains_rebuild [file ...]`
//!
//! `-- scaling` instead of files times only the hierarchical grid, from 1,000 to 1,000,000 spheres.
//!
//! Without files, mixtures are generated: spheres placed at random in a periodic cube, the largest first. A file contains the same as text:
//! a line `# edge`, then one sphere per line as `x y z diameter`. `LAMMPS=1` writes each mixture to `<name>.data` in LAMMPS format
//! (`atom_style sphere`), so that its neighbour lists can be timed on the same spheres; it does not write our lists.

use std::{env, error::Error, fmt::Write as _, fs, time::Instant};

use glam::DVec3;
use parry3d_f64::{
    bounding_volume::Aabb,
    partitioning::{Bvh, BvhBuildStrategy},
};
use plimsoll::{
    math::{Domain, Random},
    search::{
        Sphere,
        hierarchical_grid::{HierarchicalGrid, LevelChoice, LevelPlan},
    },
};

/// The system measures thread times with a resolution of milliseconds, so many rebuilds are timed together.
const ROUNDS: usize = 201;
const TREE_ROUNDS: usize = 9;
/// The skin used for the peers, in smallest diameters.
const SKIN: f64 = 0.001;

struct Mixture {
    name: String,
    edge: f64,
    spheres: Vec<Sphere>,
}

/// Name, packing, and diameters with the number of spheres.
type Recipe<'a> = (&'a str, f64, &'a [(f64, usize)]);
const RECIPES: [Recipe<'static>; 4] = [
    ("mono", 0.25, &[(1.0, 20_000)]),
    ("1:4:16", 0.25, &[(4.0, 1000), (2.0, 4000), (1.0, 16_000)]),
    ("1:1000, d 10:1", 0.30, &[(10.0, 20), (1.0, 20_000)]),
    ("1:1000, d 10:1, 100,100", 0.30, &[(10.0, 100), (1.0, 100_000)]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let files: Vec<String> = env::args().skip(1).collect();
    if files == ["scaling"] {
        pool.install(scaling);
        return Ok(());
    }
    let mixtures = match files.is_empty() {
        true => RECIPES.iter().map(mixture).collect(),
        false => files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?,
    };
    println!("| mixture | spheres | levels | pairs | hierarchical grid, ms | one level, ms | parry3d tree, ms | searches | tests |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    for mixture in &mixtures {
        if env::var_os("LAMMPS").is_some() {
            write_lammps(mixture)?;
        }
        // On the single thread of the pool, whose time is measured.
        let multi = pool.install(|| time_grid(mixture, LevelChoice::Automatic, ROUNDS));
        let single = pool.install(|| time_grid(mixture, LevelChoice::Levels(1), 5));
        let (tree, tree_pairs) = pool.install(|| time_tree(mixture));
        assert_eq!(multi.pairs, single.pairs, "{}", mixture.name);
        assert_eq!(multi.pairs, tree_pairs, "{}", mixture.name);
        let Timing { milliseconds, levels, pairs, searches, tests } = multi;
        let count = mixture.spheres.len();
        println!(
            "| {} | {count} | {levels} | {pairs} | {milliseconds:.2} | {:.2} | {tree:.2} | {searches} | {tests} |",
            mixture.name, single.milliseconds
        );
    }
    Ok(())
}

/// Time of a rebuild as a function of the number of spheres, and the fitted exponent.
fn scaling() {
    println!("| mixture | spheres | hierarchical grid, ms | ns a sphere |\n|---|---:|---:|---:|");
    for (name, packing, parts) in [("mono", 0.25, [(1.0, 1), (0.0, 0)]), ("1:1000, d 10:1", 0.30, [(10.0, 1), (1.0, 1000)])] {
        let unit: usize = parts.iter().map(|part| part.1).sum();
        let mut points = Vec::new();
        for wanted in [1000_usize, 10_000, 100_000, 1_000_000] {
            let parts: Vec<(f64, usize)> =
                parts.iter().filter(|part| part.1 > 0).map(|&(diameter, share)| (diameter, share * wanted.div_ceil(unit))).collect();
            let mixture = mixture(&(name, packing, &parts));
            let count = mixture.spheres.len();
            let Timing { milliseconds, .. } = time_grid(&mixture, LevelChoice::Automatic, (4_000_000 / count).max(5));
            println!("| {name} | {count} | {milliseconds:.3} | {:.0} |", 1e6 * milliseconds / count as f64);
            points.push(((count as f64).ln(), milliseconds.ln()));
        }
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / points.len() as f64;
        let (x, y) = (mean(|point| point.0), mean(|point| point.1));
        let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>()
            / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>();
        println!("| {name} | | exponent {slope:.3} | |");
    }
}

struct Timing {
    milliseconds: f64,
    levels: usize,
    pairs: usize,
    searches: u64,
    tests: u64,
}

/// CPU time of this thread, seconds, which on a busy machine is less than the wall time; wall time if the system does not report it.
fn core_seconds(start: &Instant) -> f64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()));
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

/// Sorting, reordering the spheres, and finding pairs, starting from the order of the last rebuild.
fn time_grid(mixture: &Mixture, choice: LevelChoice, rounds: usize) -> Timing {
    let domain = Domain { low: DVec3::ZERO, size: DVec3::splat(mixture.edge), periodic: [true; 3], dimension: 3 };
    let plan = LevelPlan::new(&mixture.spheres, &domain, SKIN, choice);
    let levels = plan.level_count();
    let mut grid = HierarchicalGrid::new(plan, domain);
    let (mut spheres, mut scratch) = (mixture.spheres.clone(), Vec::new());
    let clock = Instant::now();
    let start = core_seconds(&clock);
    for _ in 0..rounds {
        grid.sort(&spheres);
        grid.reorder(&mut spheres, &mut scratch);
        grid.find_pairs(&spheres);
    }
    let milliseconds = 1e3 * (core_seconds(&clock) - start) / rounds as f64;
    let list = &grid.list;
    Timing { milliseconds, levels, pairs: list.pairs.len(), searches: list.searches, tests: list.tests }
}

/// Builds the tree and finds all pairs of near spheres among the leaves whose boxes, enlarged by half the skin, overlap. The tree does not
/// support periodic images, so copies of the spheres at the borders are added.
fn time_tree(mixture: &Mixture) -> (f64, usize) {
    let spheres = with_images(mixture);
    let count = mixture.spheres.len();
    let (mut pairs, clock) = (0, Instant::now());
    let start = core_seconds(&clock);
    for _ in 0..TREE_ROUNDS {
        let boxes = spheres.iter().map(|sphere| {
            let half = DVec3::splat(sphere.radius + 0.5 * SKIN);
            Aabb::new(sphere.center - half, sphere.center + half)
        });
        let tree = Bvh::from_iter(BvhBuildStrategy::Binned, boxes.enumerate());
        pairs = 0;
        for (index, sphere) in spheres.iter().enumerate().take(count) {
            let half = DVec3::splat(sphere.radius + 0.5 * SKIN);
            for other in tree.intersect_aabb(&Aabb::new(sphere.center - half, sphere.center + half)) {
                let other = other as usize;
                let reach = sphere.radius + spheres[other].radius + SKIN;
                // A pair across a border has one end among the copies; it is found from both sides and counted half each time.
                let near = other != index && sphere.center.distance_squared(spheres[other].center) < reach * reach;
                pairs += usize::from(near);
            }
        }
    }
    (1e3 * (core_seconds(&clock) - start) / TREE_ROUNDS as f64, pairs / 2)
}

fn with_images(mixture: &Mixture) -> Vec<Sphere> {
    let largest = mixture.spheres.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
    let mut spheres = mixture.spheres.clone();
    for axis in 0..3 {
        for index in 0..spheres.len() {
            let Sphere { center, radius } = spheres[index];
            let margin = radius + largest + SKIN;
            for (near, turn) in [(center[axis] < margin, 1.0), (center[axis] > mixture.edge - margin, -1.0)] {
                if near {
                    let mut moved = center;
                    moved[axis] += turn * mixture.edge;
                    spheres.push(Sphere { center: moved, radius });
                }
            }
        }
    }
    spheres
}

fn mixture(&(name, packing, parts): &Recipe) -> Mixture {
    let solid: f64 = parts.iter().map(|&(diameter, count)| std::f64::consts::PI / 6.0 * diameter.powi(3) * count as f64).sum();
    let edge = (solid / packing).cbrt();
    let spheres = plimsoll::grains::random_packing(DVec3::splat(edge), parts, &mut Random::new(7));
    Mixture { name: name.to_owned(), edge, spheres }
}

fn read(file: &str) -> Result<Mixture, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let mut lines = text.lines();
    let edge = lines.next().and_then(|line| line.strip_prefix('#')).ok_or("the first line is not `# edge`")?.trim().parse()?;
    let mut spheres = Vec::new();
    for line in lines {
        let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let &[x, y, z, diameter] = numbers.as_slice() else { return Err(format!("`{line}` is not `x y z diameter`").into()) };
        spheres.push(Sphere { center: DVec3::new(x, y, z), radius: 0.5 * diameter });
    }
    Ok(Mixture { name: file.to_owned(), edge, spheres })
}

fn write_lammps(mixture: &Mixture) -> Result<(), Box<dyn Error>> {
    let mut diameters: Vec<f64> = mixture.spheres.iter().map(|sphere| 2.0 * sphere.radius).collect();
    diameters.sort_by(f64::total_cmp);
    diameters.dedup();
    let (count, types, edge) = (mixture.spheres.len(), diameters.len(), mixture.edge);
    let mut text =
        format!("spheres\n\n{count} atoms\n{types} atom types\n\n0 {edge} xlo xhi\n0 {edge} ylo yhi\n0 {edge} zlo zhi\n\nAtoms\n\n");
    for (index, Sphere { center, radius }) in mixture.spheres.iter().enumerate() {
        let kind = 1 + diameters.iter().position(|&diameter| diameter == 2.0 * radius).ok_or("a diameter without a type")?;
        writeln!(text, "{} {kind} {} 1.0 {} {} {}", index + 1, 2.0 * radius, center.x, center.y, center.z)?;
    }
    let name: String = mixture.name.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '_' }).collect();
    fs::write(format!("{name}.data"), text)?;
    Ok(())
}
