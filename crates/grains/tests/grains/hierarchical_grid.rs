//! The hierarchical grid against the search over all pairs, and its counters against the cost model.

use glam::DVec3;
use plimsoll_base::math::{Domain, Random};
use plimsoll_grains::random_packing;
use plimsoll_search::{
    Sphere, brute_force,
    hierarchical_grid::{HierarchicalGrid, LevelChoice, LevelPlan},
};
use proptest::prelude::*;

const SKINS: [f64; 3] = [0.0, 1e-3, 0.05];

/// Spheres in a box and their search options.
#[derive(Clone, Debug)]
struct Mixture {
    domain: Domain,
    spheres: Vec<Sphere>,
    skin: f64,
    choice: LevelChoice,
}

/// Sizes of all kinds: a few classes exactly on the edges of levels, evenly distributed sizes, or sizes over decades.
fn radius(kind: usize, draw: f64) -> f64 {
    match kind {
        0 => 0.05,
        1 => 0.2 / 2.0_f64.powi((draw * 4.0) as i32),
        2 => 0.02 + 0.1 * draw,
        _ => 0.2 * 100.0_f64.powf(-draw),
    }
}

fn mixtures() -> impl Strategy<Value = Mixture> {
    let choice = prop_oneof![Just(LevelChoice::Automatic), (1_usize..6).prop_map(LevelChoice::Levels)];
    let place = (0.0..1.0_f64, 0.0..1.0_f64, 0.0..1.0_f64, 0.0..1.0_f64, 0_u32..12);
    (
        prop::collection::vec(place, 1..160),
        2_usize..=3,
        prop::array::uniform3(prop::bool::ANY),
        prop::array::uniform3(0.85..6.0_f64),
        0_usize..4,
        0_usize..SKINS.len(),
        choice,
    )
        .prop_map(|(places, dimension, periodic, size, kind, skin, choice)| {
            let flat = dimension == 2;
            let low = DVec3::new(-1.7, 0.4, if flat { 0.0 } else { 3.0 });
            let size = DVec3::new(size[0], size[1], if flat { 0.0 } else { size[2] });
            let domain = Domain { low, size, periodic: [periodic[0], periodic[1], periodic[2] && !flat], dimension };
            let sphere = |(x, y, z, draw, snap): (f64, f64, f64, f64, u32)| {
                // Sometimes on the border of the box, or where many cells begin.
                let snapped = |share: f64, axis: u32| match snap {
                    snap if snap == axis => 0.0,
                    snap if snap == 3 + axis => 1.0 - f64::EPSILON,
                    snap if snap == 6 + axis => (share * 8.0).floor() / 8.0,
                    _ => share,
                };
                let share = DVec3::new(snapped(x, 0), snapped(y, 1), snapped(z, 2));
                Sphere { center: low + share * size, radius: radius(kind, draw) }
            };
            Mixture { domain, spheres: places.into_iter().map(sphere).collect(), skin: SKINS[skin], choice }
        })
}

fn search(spheres: &[Sphere], domain: Domain, skin: f64, choice: LevelChoice) -> (HierarchicalGrid, Vec<Sphere>) {
    let mut grid = HierarchicalGrid::new(LevelPlan::new(spheres, &domain, skin, choice), domain);
    grid.sort(spheres);
    let mut sorted = spheres.to_vec();
    grid.reorder(&mut sorted, &mut Vec::new());
    grid.find_pairs(&sorted);
    (grid, sorted)
}

/// The pairs of a grid in the format of brute force: by sphere numbers, sorted.
fn pairs(grid: &HierarchicalGrid) -> Vec<[u32; 2]> {
    let order = grid.order();
    let numbered = |&[first, second]: &[u32; 2]| {
        let (a, b) = (order[first as usize], order[second as usize]);
        [a.min(b), a.max(b)]
    };
    let mut pairs: Vec<[u32; 2]> = grid.list.pairs.iter().map(numbered).collect();
    pairs.sort_unstable();
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn pairs_are_those_of_brute_force(mixture in mixtures()) {
        let Mixture { domain, spheres, skin, choice } = mixture;
        // Along a periodic axis the box must be at least twice the maximum reach, as the simulator requires.
        let reach = 2.0 * (2.0 * spheres.iter().map(|sphere| sphere.radius).fold(0.0, f64::max) + skin);
        prop_assume!((0..3).all(|axis| !domain.periodic[axis] || domain.size[axis] >= reach));
        let (grid, sorted) = search(&spheres, domain, skin, choice);
        prop_assert_eq!(pairs(&grid), brute_force::pairs(&spheres, &domain, skin));
        for (first, pair) in grid.list.pairs.iter().map(|pair| (pair[0] as usize, pair)) {
            prop_assert!(grid.list.starts[first] < grid.list.starts[first + 1]);
            // The smaller one finds the larger one.
            let diameter = |place: u32| grid.plan.level_of(2.0 * sorted[place as usize].radius);
            prop_assert!(diameter(pair[1]) <= diameter(pair[0]));
        }
    }
}

#[test]
fn one_giant_among_a_hundred_thousand() {
    let mut spheres = random_packing(DVec3::splat(40.0), &[(0.5, 100_000)], &mut Random::new(5));
    spheres.push(Sphere { center: DVec3::splat(3.0), radius: 8.0 });
    let domain = Domain { low: DVec3::ZERO, size: DVec3::splat(40.0), periodic: [true; 3], dimension: 3 };
    let (grid, _) = search(&spheres, domain, 0.01, LevelChoice::Automatic);
    assert_eq!(grid.plan.diameters, [16.0, 0.5]);
    let giant = 100_000_u32;
    let near = |other: &u32| domain.nearest_image(spheres[*other as usize].center - DVec3::splat(3.0)).length() < 8.26;
    let expected: Vec<u32> = (0..giant).filter(near).collect();
    let found: Vec<u32> = pairs(&grid).into_iter().filter(|pair| pair[1] == giant).map(|pair| pair[0]).collect();
    assert!(expected.len() > 500, "{}", expected.len());
    assert_eq!(found, expected);
    // Every small sphere visits the cells of the giant's level, but tests no sphere except the giant there.
    assert!(grid.list.tests < 40 * 100_000, "{} tests", grid.list.tests);
}

/// Randomly placed points, so that the counts match the model except for statistical fluctuations.
fn thrown(parts: &[(f64, usize)], domain: &Domain, seed: u64) -> Vec<Sphere> {
    let mut random = Random::new(seed);
    let mut spheres = Vec::new();
    for &(diameter, count) in parts {
        for _ in 0..count {
            let mut share = || random.uniform();
            let center = domain.low + DVec3::new(share(), share(), if domain.dimension == 3 { share() } else { 0.0 }) * domain.size;
            spheres.push(Sphere { center, radius: 0.5 * diameter });
        }
    }
    spheres
}

#[test]
fn counts_are_those_of_the_cost_model() {
    let plane = Domain { low: DVec3::ZERO, size: DVec3::new(128.0, 128.0, 0.0), periodic: [true, true, false], dimension: 2 };
    let cube = Domain { low: DVec3::ZERO, size: DVec3::splat(48.0), periodic: [true; 3], dimension: 3 };
    // The mixture 1:4:16 of table 1 of Lu et al. in the plane; the same in space; and 1:1000.
    let parts: [&[(f64, usize)]; 2] = [&[(4.0, 400), (2.0, 1600), (1.0, 6400)], &[(8.0, 20), (1.0, 20_000)]];
    for domain in [plane, cube] {
        for parts in parts {
            for levels in [1, 2, 3] {
                let (grid, spheres) = search(&thrown(parts, &domain, 3), domain, 0.0, LevelChoice::Levels(levels));
                let expected = grid.expected(&spheres);
                let (searches, tests) = (grid.list.searches as f64, grid.list.tests as f64);
                // The number of rows that a ball meets depends on its position in the cells; on its own level the number of cells is fixed.
                let coarse: usize = grid.plan.counts.iter().rev().skip(1).sum();
                let scatter = if coarse == 0 { 1e-12 } else { 1.0 / (coarse as f64).sqrt() };
                println!("{} levels: searches {searches} of {:.0}, scatter {scatter:.3}", grid.plan.level_count(), expected.searches);
                assert!((searches / expected.searches - 1.0).abs() < scatter, "{levels} levels of {parts:?}: {searches}, {expected:?}");
                // Tests of the few large ones fluctuate most: by the square root of their number, weighted by how often each is met.
                let scatter = (27.0 / spheres.len() as f64 + 1.0 / parts[0].1 as f64 / parts[1].1 as f64 + 1.0 / expected.tests).sqrt();
                println!("{} levels: tests {tests} of {:.0}, scatter {scatter:.3}", grid.plan.level_count(), expected.tests);
                assert!((tests / expected.tests - 1.0).abs() < scatter, "{levels} levels of {parts:?}: {tests}, {expected:?}");
            }
        }
    }
}

#[test]
fn table_1_in_the_plane() {
    // C large, B medium and A small ones in M base cells; pairs within a class are counted once, while the table counts them twice.
    let (c, b, a, m) = (16.0, 64.0, 256.0, 64.0);
    let domain = Domain { low: DVec3::ZERO, size: DVec3::new(32.0, 32.0, 0.0), periodic: [true, true, false], dimension: 2 };
    let sphere = |diameter: f64| Sphere { center: DVec3::ONE, radius: 0.5 * diameter };
    let spheres: Vec<Sphere> =
        [(4.0, 16), (2.0, 64), (1.0, 256)].iter().flat_map(|&(diameter, count)| std::iter::repeat_n(sphere(diameter), count)).collect();
    let pairs = |n: f64| 0.5 * n * (n - 1.0);
    // One level: nine cells, of which five are in the forward half, in two rows.
    let single = LevelPlan { diameters: vec![4.0], counts: vec![336], skin: 0.0 }.expected(&spheres, &domain, &[4.0]);
    assert!((single.searches - 9.0 * (a + b + c) * 2.0 / 9.0).abs() < 1e-9);
    assert!((single.tests - 9.0 / m * pairs(a + b + c)).abs() < 1e-9);
    // Several levels: within a class as in the table; across classes, the large ones search the lower levels.
    let multi =
        LevelPlan { diameters: vec![4.0, 2.0, 1.0], counts: vec![16, 64, 256], skin: 0.0 }.expected(&spheres, &domain, &[4.0, 2.0, 1.0]);
    let across = |reach: f64, edge: f64| edge * edge + 4.0 * edge * reach + std::f64::consts::PI * reach * reach;
    let (rows, volume) = (|reach: f64, edge: f64| 1.0 + 2.0 * reach / edge, 1024.0);
    let searches = 2.0 * (a + b + c) + c * (rows(3.0, 2.0) + rows(2.5, 1.0)) + b * rows(1.5, 1.0);
    assert!((multi.searches - searches).abs() < 1e-9 * searches, "{} {searches}", multi.searches);
    let within = 9.0 / (16.0 * m) * (pairs(a) + 4.0 * pairs(b) + 16.0 * pairs(c));
    let tests = within + (b * c * across(3.0, 2.0) + a * c * across(2.5, 1.0) + a * b * across(1.5, 1.0)) / volume;
    assert!((multi.tests - tests).abs() < 1e-9 * tests, "{} {tests}", multi.tests);
    // In the table the small ones search the upper levels, with more searches and more tests.
    let table = within + 9.0 / (16.0 * m) * (4.0 * a * b + 16.0 * b * c + 16.0 * a * c);
    assert!(multi.tests < 0.6 * table && multi.searches < 9.0 * (3.0 * a + 2.0 * b + c) / 3.0, "{multi:?}, {table} tests by looking up");
}

#[test]
fn the_levels_chosen_cost_least() {
    let domain = Domain { low: DVec3::ZERO, size: DVec3::splat(30.0), periodic: [true; 3], dimension: 3 };
    let sphere = |diameter: f64| Sphere { center: DVec3::splat(1.0), radius: 0.5 * diameter };
    let mixture = |parts: &[(f64, usize)]| -> Vec<Sphere> { parts.iter().flat_map(|&(d, n)| std::iter::repeat_n(sphere(d), n)).collect() };
    let levels = |parts: &[(f64, usize)]| LevelPlan::new(&mixture(parts), &domain, 0.0, LevelChoice::Automatic).diameters;
    assert_eq!(levels(&[(1.0, 20_000)]), [1.0]);
    assert_eq!(levels(&[(10.0, 20), (1.0, 20_000)]), [10.0, 1.0]);
    // A slightly smaller size does not get its own level.
    assert_eq!(levels(&[(1.0, 10_000), (0.95, 10_000)]), [1.0]);
    let plan = LevelPlan::new(&mixture(&[(4.0, 10), (2.0, 400), (1.0, 9000)]), &domain, 0.0, LevelChoice::Levels(3));
    assert_eq!((plan.diameters, plan.counts), (vec![4.0, 2.0, 1.0], vec![10, 400, 9000]));
    let plan = LevelPlan::new(&mixture(&[(2.0, 10), (1.0, 10)]), &domain, 0.0, LevelChoice::Levels(5));
    assert_eq!(plan.level_of(1.0), 1);
    assert_eq!(plan.level_of(1.0 + 1e-12), 0);
    assert_eq!(plan.level_of(2.0), 0);
}

#[test]
fn work_grows_as_the_number_of_spheres() {
    let mut last: Option<(f64, f64)> = None;
    for count in [1000_usize, 8000, 64_000] {
        let edge = (count as f64).cbrt() * 1.5;
        let domain = Domain { low: DVec3::ZERO, size: DVec3::splat(edge), periodic: [true; 3], dimension: 3 };
        let spheres = thrown(&[(1.0, count), (4.0, count / 500)], &domain, 9);
        let (grid, _) = search(&spheres, domain, 0.01, LevelChoice::Automatic);
        let work = grid.list.tests as f64 + grid.list.searches as f64;
        if let Some((count_before, work_before)) = last {
            let slope = (work / work_before).ln() / (count as f64 / count_before).ln();
            assert!((slope - 1.0).abs() < 0.1, "{slope} at {count}");
        }
        last = Some((count as f64, work));
    }
}

#[test]
fn pairs_do_not_depend_on_the_number_of_threads() {
    let spheres = random_packing(DVec3::splat(30.0), &[(4.0, 60), (1.0, 12_000)], &mut Random::new(2));
    let domain = Domain { low: DVec3::ZERO, size: DVec3::splat(30.0), periodic: [true, false, true], dimension: 3 };
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
        pool.install(|| search(&spheres, domain, 0.1, LevelChoice::Automatic).0.list.pairs)
    };
    let one = on(1);
    assert!(one.len() > 1000, "{} pairs", one.len());
    assert_eq!(on(2), one);
    assert_eq!(on(4), one);
}
