//! The fluid at the points of grids: against probes at the same points and closed forms.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_contract::{
    frame::{FieldValues, GridFrame, Value},
    simulator::Simulator,
};
use plimsoll_fluid::{
    FluidSettings, FluidSimulation,
    probes::{PressurePoint, Probe, ProbeKind, SampleGrid, Velocities},
};

use crate::common::{GRAVITY, WATER, box_fill, fixed, run, sample, settings};

const RADIUS: f64 = 0.01;
/// Depth of the pool, m.
const DEPTH: f64 = 0.2;

fn grid(min: DVec3, max: DVec3, spacing: f64) -> SampleGrid {
    SampleGrid::over("plane".to_owned(), &Aabb { min, max }, spacing)
}

fn scalars<'g>(grid: &'g GridFrame, name: &str) -> &'g [f32] {
    match &grid.fields.iter().find(|field| field.name == name).unwrap().values {
        FieldValues::Scalar(values) => values,
        other => panic!("{name}: {other:?}"),
    }
}

fn velocities(grid: &GridFrame) -> &[[f32; 3]] {
    match &grid.fields[0].values {
        FieldValues::Vector(values) => values,
        other => panic!("{other:?}"),
    }
}

/// A settled pool, or one whose fluid moves.
fn pool(grids: Vec<SampleGrid>, probes: Vec<Probe>, velocity: Option<DVec3>) -> FluidSimulation {
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.3, DEPTH, 0.2), velocity.unwrap_or(DVec3::ZERO));
    let settings = FluidSettings { settle: velocity.is_none(), grids, probes, ..settings(RADIUS, vec![fill]) };
    let tank = fixed("tank", sample("small_tank", DVec3::new(0.3, 0.4, 0.2)), Pose::IDENTITY);
    FluidSimulation::new(settings, vec![tank]).unwrap()
}

#[test]
fn spacing_is_adapted_to_the_box() {
    let grid = grid(DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 2.0, 3.26), 0.1);
    assert_eq!(grid.counts, [11, 1, 4]);
    assert!(grid.point([10, 0, 3]).abs_diff_eq(DVec3::new(2.0, 2.0, 3.26), 1e-12) && grid.point([0; 3]) == DVec3::new(1.0, 2.0, 3.0));
}

/// In the middle of a pool at rest, within 2 % of the pressure at the floor; above it everything is zero.
#[test]
fn a_pool_at_rest_has_the_hydrostatic_pressure() {
    let mut simulation = pool(vec![grid(DVec3::new(0.08, 0.05, 0.08), DVec3::new(0.22, 0.35, 0.12), 0.02)], Vec::new(), None);
    run(&mut simulation, 0.1, |_| {});
    let frame = simulation.take_frame();
    let [grid] = frame.grids.as_slice() else { panic!("{} grids", frame.grids.len()) };
    assert_eq!((grid.counts, grid.name.as_str()), ([8, 16, 3], "plane"));
    let (pressures, fractions, densities) = (scalars(grid, "pressure"), scalars(grid, "fraction"), scalars(grid, "density"));
    for (place, &pressure) in pressures.iter().enumerate() {
        let y = grid.origin.y + grid.spacing.y * (place / 8 % 16) as f64;
        let fraction = f64::from(fractions[place]);
        assert!((f64::from(densities[place]) - WATER * fraction).abs() < 1e-3, "{place}");
        if y < DEPTH - 0.03 {
            let expected = WATER * GRAVITY * (DEPTH - y);
            assert!((f64::from(pressure) - expected).abs() < 0.02 * WATER * GRAVITY * DEPTH, "{pressure} Pa at {y} m, expected {expected}");
            assert!((fraction - 1.0).abs() < 0.05, "{fraction} at {y} m");
        } else if y > DEPTH + 0.07 {
            assert_eq!((pressure, fraction, velocities(grid)[place]), (0.0, 0.0, [0.0; 3]), "{y} m");
        }
    }
}

/// Pressures and velocities of a step that ends with an output, in a sloshing pool.
#[test]
fn grids_measure_what_probes_measure_at_their_points() {
    let grid = grid(DVec3::new(0.0, 0.01, 0.1), DVec3::new(0.3, 0.25, 0.1), 0.03);
    let mut probes = Vec::new();
    let points: Vec<[usize; 3]> = (0..grid.len()).map(|place| [place % grid.counts[0], place / grid.counts[0], 0]).collect();
    for &point in &points {
        let position = grid.point(point);
        let probe = |kind: ProbeKind, what: &str| Probe { name: format!("{what} {}", probes.len()), rate: 500.0, kind };
        let pressure = probe(ProbeKind::Pressure(PressurePoint { position, body: None }), "p");
        let velocity = probe(ProbeKind::Velocity(Velocities { points: vec![position] }), "v");
        probes.extend([pressure, velocity]);
    }
    let mut simulation = pool(vec![grid.clone()], probes, Some(DVec3::new(0.5, 0.0, 0.1)));
    run(&mut simulation, 0.1, |_| {});
    simulation.take_frame();
    simulation.advance(0.102).unwrap();
    assert_eq!(simulation.time(), 0.102, "one step");
    let (tables, frame) = (simulation.tables(), simulation.frame());
    let rows = tables.iter().filter(|table| table.name.starts_with("probes/"));
    let value = |row: &[Value], column: usize| if let Value::Real(value) = row[column] { value } else { panic!("{row:?}") };
    let rows: Vec<&[Value]> = rows.map(|table| table.rows.last().unwrap().as_slice()).collect();
    let (mut highest, mut fastest) = (0.0_f64, 0.0_f64);
    for place in 0..points.len() {
        let (pressure, velocity) = (value(rows[2 * place], 2), [2, 6, 10].map(|column| value(rows[2 * place + 1], column)));
        let found = f64::from(scalars(&frame.grids[0], "pressure")[place]);
        assert!((found - pressure).abs() < 1e-5 * pressure.abs() + 1e-3, "point {place}: {found} Pa, expected {pressure}");
        let of_grid = DVec3::from_array(velocities(&frame.grids[0])[place].map(f64::from));
        assert!(of_grid.distance(DVec3::from_array(velocity)) < 1e-6, "point {place}: {of_grid}, expected {velocity:?}");
        (highest, fastest) = (highest.max(pressure), fastest.max(of_grid.length()));
    }
    assert!(highest > 1000.0 && fastest > 0.1, "{highest} Pa, {fastest} m/s");
    // A step that does not end with an output measures none.
    simulation.advance(1.0).unwrap();
    assert!(simulation.frame().grids.is_empty());
}

/// Across the ends of a period, and bit by bit the same in a run that was resumed, with any number of threads.
#[test]
fn grids_continue_across_periodic_ends_and_after_a_resume() {
    let domain = Domain { low: DVec3::ZERO, size: DVec3::new(0.2, 0.0, 0.0), periodic: [true, false, false], dimension: 3 };
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.2, 0.2, 0.2), DVec3::new(1.0, 0.0, 0.0));
    let grids = vec![grid(DVec3::new(-0.1, 0.04, 0.1), DVec3::new(0.3, 0.16, 0.14), 0.02)];
    let settings = FluidSettings { settle: false, gravity: DVec3::ZERO, domain, grids, ..settings(RADIUS, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    run(&mut simulation, 0.05, |_| {});
    let mut resumed = plimsoll_saved::fluid::restored(&simulation);
    for (simulation, threads) in [(&mut simulation, 1), (&mut resumed, 3)] {
        let workers = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        workers.install(|| run(simulation, 0.05, |_| {}));
    }
    let (frame, expected) = (resumed.frame(), simulation.frame());
    assert_eq!(frame.grids, expected.grids);
    let grid = &frame.grids[0];
    assert_eq!(grid.counts, [21, 7, 3]);
    for row in 0..21 {
        for place in 21 * row..21 * row + 11 {
            let (one, other) = (scalars(grid, "fraction")[place], scalars(grid, "fraction")[place + 10]);
            assert!((one - other).abs() < 1e-5 && (one - 1.0).abs() < 0.05, "{place}: {one}, {other}");
            assert!((DVec3::from_array(velocities(grid)[place].map(f64::from)) - DVec3::X).length() < 0.01, "{place}");
        }
    }
}
