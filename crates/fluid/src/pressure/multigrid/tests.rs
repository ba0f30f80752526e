//! The grids against their formulas, in open and in periodic space.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{Domain, Random};

use super::*;

/// Particles in two blocks of fluid and a drop, sorted as in a step.
fn particles(domain: &Domain) -> Vec<Vec3A> {
    let mut random = Random::new(5);
    let mut positions: Vec<Vec3A> = (0..6000)
        .map(|i| {
            let at = random.point() * DVec3::new(39.0, 17.0, 23.0);
            (if i % 3 == 0 { DVec3::new(at.x, 0.4 * at.y + 30.0, at.z) } else { at }).as_vec3a()
        })
        .collect();
    // Cells filled in part: a thin layer, and a drop.
    positions.extend((0..500).map(|_| (random.point() * DVec3::new(90.0, 0.5, 80.0) - DVec3::new(10.0, 1.0, 20.0)).as_vec3a()));
    positions.push(Vec3A::new(20.0, 21.0, -30.0));
    positions.iter_mut().for_each(|x| *x = domain.wrap(x.as_dvec3()).as_vec3a());
    positions.sort_by_key(|x| (x / 2.0).floor().as_ivec3().to_array().map(i64::from).into_iter().rev().collect::<Vec<_>>());
    positions
}

const VOLUME: f32 = 1.0;
const ENERGY: f32 = 0.05;

/// Grids of which the particles below y = 30 are free, and the others not. Every fifth free particle is near a surface.
fn grids(positions: &[Vec3A], periods: &Periods) -> Multigrid {
    grids_of(positions, periods, &vec![1.0; positions.len()])
}

/// The same, around the particles whose `inverse_diagonal` is above zero.
fn grids_of(positions: &[Vec3A], periods: &Periods, inverse_diagonal: &[f32]) -> Multigrid {
    let inverse_masses = vec![2.0; positions.len()];
    let free: Vec<f32> =
        positions.iter().zip(inverse_diagonal).map(|(x, inverse)| f32::from(u8::from(x.y < 30.0 && *inverse > 0.0))).collect();
    let mut energies: Vec<f32> = free.iter().enumerate().map(|(i, free)| if i % 5 == 0 { ENERGY * free } else { 0.0 }).collect();
    let mut grids = Multigrid::default();
    let part = SmoothPart { positions, periods, volume: VOLUME, inverse_masses: &inverse_masses };
    grids.place(&part, inverse_diagonal);
    grids.weigh(&part, &free, &mut energies);
    grids
}

fn solved(grids: &mut Multigrid, positions: &[Vec3A], residual: &[f32]) -> Vec<f32> {
    grids.solve(positions, residual);
    spread(grids, positions)
}

fn spread(grids: &Multigrid, positions: &[Vec3A]) -> Vec<f32> {
    let mut values = vec![0.0; positions.len()];
    for (batch, (positions, values)) in positions.chunks(TASK).zip(values.chunks_mut(TASK)).enumerate() {
        grids.spread(batch, positions, values);
    }
    values
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

fn in_all_domains(test: impl Fn(&Domain)) {
    test(&Domain::OPEN);
    // Powers of two, a single cell, and a period that is no whole number of widths.
    test(&Domain { periodic: [true, false, true], ..Domain::periodic(DVec3::new(48.0, 1.0, 24.0)) });
    test(&Domain { periodic: [false, false, true], ..Domain::periodic(DVec3::new(1.0, 1.0, 8.0)) });
    test(&Domain::periodic(DVec3::new(40.0, 37.0, 29.0)));
}

#[test]
fn the_correction_is_symmetric_and_positive() {
    in_all_domains(|domain| {
        let positions = particles(domain);
        let mut grids = grids(&positions, &Periods::of(domain));
        assert!(grids.depth >= 2, "{} levels", grids.depth);
        let mut random = Random::new(7);
        let mut numbers = || -> Vec<f32> { positions.iter().map(|_| random.uniform() as f32 - 0.4).collect() };
        let (a, b) = (numbers(), numbers());
        let (from_a, from_b) = (solved(&mut grids, &positions, &a), solved(&mut grids, &positions, &b));
        let (one, other, scale) = (dot(&a, &from_b), dot(&b, &from_a), dot(&a, &from_a) + dot(&b, &from_b));
        assert!((one - other).abs() < 1e-5 * scale, "{one} and {other} of {scale}");
        assert!(dot(&a, &from_a) > 0.0 && dot(&b, &from_b) > 0.0);
    });
}

/// Sine waves that fit into the periods; linear functions along open axes.
fn smooth(periods: &Periods, x: Vec3A) -> f32 {
    let along = |axis: usize| match periods.lengths()[axis] {
        0.0 => 0.03 * x[axis],
        length => (std::f32::consts::TAU * x[axis] / length).sin(),
    };
    along(0) + along(1) + along(2)
}

#[test]
fn interpolation_is_linear_and_its_adjoint_collects() {
    in_all_domains(|domain| {
        let (positions, periods) = (particles(domain), Periods::of(domain));
        let mut grids = grids(&positions, &periods);
        let level = &mut grids.levels[0];
        let widths = level.axes.widths;
        let exact: Vec<f32> = (0..level.len()).map(|node| smooth(&periods, level.node(node).as_vec3a() * widths)).collect();
        level.solution.clone_from(&exact);
        let found = spread(&grids, &positions);
        for (x, value) in positions.iter().zip(&found) {
            let curvature =
                Vec3A::select(periods.lengths().cmpgt(Vec3A::ZERO), (std::f32::consts::TAU / periods.lengths()).powf(2.0), Vec3A::ZERO);
            let bound = 0.125 * (curvature * widths * widths).element_sum() + 1e-4;
            assert!((value - smooth(&periods, *x)).abs() <= bound, "{x}: {value} for {} within {bound}", smooth(&periods, *x));
        }
        let mut random = Random::new(9);
        let mut numbers = |count: usize| -> Vec<f32> { (0..count).map(|_| random.uniform() as f32 - 0.4).collect() };
        let (values, at_nodes) = (numbers(positions.len()), numbers(exact.len()));
        grids.levels[0].solution.clone_from(&at_nodes);
        let found = spread(&grids, &positions);
        grids.collect(&positions, &values);
        let level = &mut grids.levels[0];
        level.set_load(&grids.cell_sums);
        let (one, other) = (dot(&values, &found), dot(&level.load, &at_nodes));
        let scale = (dot(&level.load, &level.load) * dot(&at_nodes, &at_nodes)).sqrt();
        assert!((one - other).abs() < 1e-5 * scale, "{one} and {other} of {scale}");
    });
}

/// The energy of a function on the finest grid is that of its gradient in the cells, weighted by their particles, and that of its values.
#[test]
fn the_matrix_has_the_energy_of_the_continuum() {
    in_all_domains(|domain| {
        let (positions, periods) = (particles(domain), Periods::of(domain));
        let grids = grids(&positions, &periods);
        for (depth, level) in grids.levels[..grids.depth].iter().enumerate() {
            let free = positions.iter().filter(|x| x.y < 30.0).count() as f64;
            let mass = 2.0 * f64::from(VOLUME) * free;
            let ones = vec![1.0; level.len()];
            let constant = dot(&ones, &level.image(&ones));
            let surface = positions.iter().enumerate().filter(|(i, x)| x.y < 30.0 && i % 5 == 0).count() as f64 * f64::from(ENERGY);
            assert!((constant - surface).abs() < 1e-4 * mass, "level {depth}: {constant} for {surface}");
            if !domain.is_periodic() {
                let slope = Vec3A::new(0.3, -0.7, 0.2);
                let linear: Vec<f32> = (0..level.len()).map(|node| slope.dot(level.node(node).as_vec3a() * level.axes.widths)).collect();
                let values: f64 = linear.iter().zip(&level.constants).map(|(p, c)| f64::from(p * p * c)).sum();
                let (found, expected) = (dot(&linear, &level.image(&linear)), mass * f64::from(slope.length_squared()) + values);
                assert!((found - expected).abs() < 1e-4 * expected, "level {depth}: {found} for {expected}");
            }
        }
    });
}

/// Drops of one particle have no unknown. Each far from the others, they would make the grids many times larger.
#[test]
fn drops_of_one_particle_do_not_enlarge_the_grids() {
    let periods = Periods::of(&Domain::OPEN);
    let pool = particles(&Domain::OPEN);
    let mut alone = grids(&pool, &periods);
    let drops = (0..4000).map(|i| 15.0 * Vec3A::new((i % 20) as f32, (i / 20 % 20) as f32 + 10.0, (i / 400) as f32));
    let positions: Vec<Vec3A> = pool.iter().copied().chain(drops).collect();
    let unknowns: Vec<f32> = (0..positions.len()).map(|i| f32::from(u8::from(i < pool.len()))).collect();
    let mut beside = grids_of(&positions, &periods, &unknowns);
    assert_eq!((beside.depth, beside.levels[0].len()), (alone.depth, alone.levels[0].len()));
    let residual: Vec<f32> = (0..positions.len()).map(|i| (0.3 * i as f32).sin() * unknowns[i]).collect();
    let found = solved(&mut beside, &positions, &residual);
    assert_eq!(found[..pool.len()], solved(&mut alone, &pool, &residual[..pool.len()]));
}

#[test]
fn cycles_solve_the_system_of_the_finest_grid() {
    in_all_domains(|domain| {
        let (positions, periods) = (particles(domain), Periods::of(domain));
        let mut grids = grids(&positions, &periods);
        let count = grids.levels[0].len();
        // A load that a smooth solution has, on the nodes that have free particles.
        let nodes = (0..count).map(|node| grids.levels[0].node(node).as_vec3a() * grids.levels[0].axes.widths);
        let solution: Vec<f32> = nodes.map(|x| (0.2 * x.x).cos() + 0.05 * x.y + (0.3 * x.z).sin()).collect();
        let load = grids.levels[0].image(&solution);
        let mut rest = load.clone();
        let mut factors = Vec::new();
        for _ in 0..6 {
            grids.levels[0].load.clone_from(&rest);
            cycle(&mut grids.levels[..grids.depth]);
            let image = grids.levels[0].image(&grids.levels[0].solution);
            let before = dot(&rest, &rest);
            rest.iter_mut().zip(&image).for_each(|(rest, image)| *rest -= image);
            factors.push((dot(&rest, &rest) / before).sqrt());
        }
        let reduction = (dot(&rest, &rest) / dot(&load, &load)).sqrt();
        assert!(reduction < 0.02, "{factors:?}");
    });
}
