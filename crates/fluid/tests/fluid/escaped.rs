//! Fluid away from all bodies: it does not shorten the steps of the rest, and it hits what it meets. Fluid that leaves the domain is removed, reported
//! or ends the run.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_bodies::BodyDefinition;
use plimsoll_contract::frame::Value;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{DomainBox, Fill, FluidSettings, FluidSimulation, Outside};

use crate::common::{box_fill, cuboid, fixed, floating, positions, run, sample, settings};

const RADIUS: f64 = 0.02;

/// A settled pool of 0.4 x 0.2 x 0.4 m.
fn pool() -> Fill {
    box_fill(DVec3::ZERO, DVec3::new(0.4, 0.2, 0.4), DVec3::ZERO)
}

/// A cube of 27 particles around `center` (m).
fn drop_at(center: DVec3, velocity: DVec3) -> Fill {
    box_fill(center - 3.0 * RADIUS, center + 3.0 * RADIUS, velocity)
}

fn tank() -> BodyDefinition {
    fixed("tank", sample("small_tank", DVec3::new(0.4, 0.4, 0.4)), Pose::IDENTITY)
}

fn with(fills: Vec<Fill>, bodies: Vec<BodyDefinition>) -> FluidSimulation {
    FluidSimulation::new(FluidSettings { settle: false, ..settings(RADIUS, fills) }, bodies).unwrap()
}

/// The pool alone and with drops that fall beside the tank from the start, for 1.5 s: they then fall at 15 m/s, with which a step of the
/// CFL condition takes 1.3 ms instead of 5. The same bit by bit with a resume and one thread.
#[test]
fn drops_that_fall_past_the_tank_do_not_shorten_the_steps() {
    let beside = |x: f64| drop_at(DVec3::new(x, 0.3, 0.2), DVec3::new(0.5 * x, 0.0, 0.1));
    let mut alone = with(vec![pool()], vec![tank()]);
    let drops = || with(vec![pool(), beside(-0.3), beside(0.7)], vec![tank()]);
    let mut with_drops = drops();
    for simulation in [&mut alone, &mut with_drops] {
        run(simulation, 1.2, |_| {});
        run(simulation, 0.3, |_| {});
    }
    let mut resumed = drops();
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| {
        run(&mut resumed, 1.2, |_| {});
        resumed = plimsoll_saved::fluid::restored(&resumed);
        run(&mut resumed, 0.3, |_| {});
    });
    assert_eq!((resumed.steps(), &resumed.particles().positions), (with_drops.steps(), &with_drops.particles().positions));
    assert!(with_drops.last_step().max_speed > 14.0, "{}", with_drops.last_step().max_speed);
    let (expected, found) = (alone.steps() as f64, with_drops.steps() as f64);
    assert!(found < 1.02 * expected, "{found} steps, {expected} without the drops");
    let fallen = positions(&with_drops).filter(|x| x.y < -5.0).count();
    assert_eq!(fallen, with_drops.particle_count() - alone.particle_count());
}

/// Fluid that slides over a floor at 8 m/s takes steps in which it moves by half a particle diameter, although all of it moves alike.
#[test]
fn fluid_beside_a_body_keeps_its_steps() {
    let floor = fixed("floor", cuboid(DVec3::new(-1.0, -0.1, -1.0), DVec3::new(5.0, 0.0, 1.0)), Pose::IDENTITY);
    let block = box_fill(DVec3::ZERO, DVec3::new(0.4, 0.2, 0.4), DVec3::X * 8.0);
    let mut simulation = with(vec![block], vec![floor]);
    let mut longest = 0.0_f64;
    run(&mut simulation, 0.2, |simulation| longest = longest.max(simulation.last_step().dt));
    let expected = 0.5 * 2.0 * RADIUS / 8.0;
    assert!(longest < 1.05 * expected, "steps of up to {longest} s, {expected} s for half a diameter");
}

/// A drop at 40 m/s from far away into the pool, through the open top, and one against the outside of the tank: the steps become short
/// before they arrive, and no particle passes a wall.
#[test]
fn fast_drops_do_not_tunnel() {
    let falling = drop_at(DVec3::new(0.2, 6.0, 0.2), DVec3::new(0.0, -40.0, 0.0));
    let sideways = drop_at(DVec3::new(-8.0, 0.4, 0.2), DVec3::new(40.0, 0.0, 0.0));
    let mut simulation = with(vec![pool(), falling, sideways], vec![tank()]);
    let tank_box = Aabb { min: DVec3::ZERO, max: DVec3::splat(0.4) };
    let (mut longest_path, mut longest_away) = (0.0_f64, 0.0_f64);
    while simulation.time() < 0.3 {
        let moving = positions(&simulation).zip(&simulation.particles().velocities).map(|(x, v)| (x, v.as_dvec3()));
        let near = moving.filter(|(x, v)| tank_box.overlaps(&Aabb::around([*x, x + 0.005 * v])));
        let fastest = near.map(|(_, v)| v.length()).fold(0.0, f64::max);
        simulation.advance(0.3).unwrap();
        let dt = simulation.last_step().dt;
        longest_path = longest_path.max(fastest * dt);
        longest_away = longest_away.max(dt * simulation.last_step().max_speed);
    }
    // Single particles of the drops count with a quarter of their speed.
    assert!(longest_path < 1.5 * 4.0 * 0.5 * 2.0 * RADIUS, "{longest_path}");
    assert!(longest_away > 1.6 * longest_path, "{longest_away}");
    assert_eq!(simulation.totals().leaked, 0);
    let inside = |x: &DVec3| x.cmpge(DVec3::ZERO).all() && x.x < 0.4 && x.z < 0.4;
    let in_walls = positions(&simulation).filter(|x| !inside(x) && x.y > 0.0 && x.y < 0.3 && x.x > -0.01 && x.x < 0.41).count();
    assert!(in_walls == 0 && positions(&simulation).any(|x| x.x < -0.01), "{in_walls}");
}

/// Two drops without any body: together at 50 m/s they take the longest steps, and keep their shape; against each other, the CFL condition holds.
#[test]
fn only_relative_speeds_count_away_from_bodies() {
    let drops = |first: f64, second: f64| {
        let at = |x: f64, speed: f64| drop_at(DVec3::new(x, 0.0, 0.0), DVec3::new(speed, 0.0, 0.0));
        let fluid = FluidSettings { settle: false, gravity: DVec3::ZERO, ..settings(RADIUS, vec![at(-0.3, first), at(0.3, second)]) };
        FluidSimulation::new(fluid, Vec::new()).unwrap()
    };
    let mut together = drops(50.0, 50.0);
    let start: Vec<DVec3> = positions(&together).collect();
    run(&mut together, 0.2, |_| {});
    assert_eq!(together.steps(), 40);
    let moved = DVec3::new(10.0, 0.0, 0.0);
    let distance = |x: DVec3| start.iter().map(|other| (x - moved).distance(*other)).fold(f64::INFINITY, f64::min);
    let farthest = positions(&together).map(distance).fold(0.0, f64::max);
    assert!(farthest < 0.1 * RADIUS, "{farthest}");

    let mut against = drops(20.0, -20.0);
    run(&mut against, 0.03, |simulation| {
        let last = simulation.last_step();
        // The path of both until they are apart.
        let way = if simulation.time() < 0.014 { last.dt * last.max_speed } else { 0.0 };
        assert!(way < 1.5 * 0.5 * 2.0 * RADIUS, "{way}");
    });
    let middle = positions(&against).map(|x| x.x.abs()).sum::<f64>() / against.particle_count() as f64;
    assert!(middle < 0.3, "they have passed each other: {middle}");
}

/// The pool with 27 particles beside the tank that fall out of a domain around it.
fn leaving(outside: Outside, bodies: Vec<BodyDefinition>) -> FluidSimulation {
    let fills = vec![pool(), drop_at(DVec3::new(-0.3, 0.0, 0.2), DVec3::new(0.2, 0.0, 0.3))];
    let region = Aabb { min: DVec3::new(-1.0, -0.5, -1.0), max: DVec3::ONE };
    let settings = FluidSettings { settle: false, domain_box: Some(DomainBox { region, outside }), ..settings(RADIUS, fills) };
    FluidSimulation::new(settings, [vec![tank()], bodies].concat()).unwrap()
}

fn column(simulation: &FluidSimulation, name: &str) -> Option<u64> {
    match simulation.diagnostics().into_iter().find(|(column, _)| *column == name)?.1 {
        Value::Integer(count) => Some(count),
        other => panic!("{name}: {other:?}"),
    }
}

/// All 27, with their momentum and energy as outflow, and bit by bit the same after a resume while some are gone and some are not.
#[test]
fn particles_outside_the_domain_are_removed() {
    let mut simulation = leaving(Outside::Remove, Vec::new());
    let start = simulation.particle_count() as u64;
    run(&mut simulation, 0.31, |_| {});
    let half = column(&simulation, "left_domain").unwrap();
    assert!((1..27).contains(&half), "{half}");
    let mut resumed = plimsoll_saved::fluid::restored(&simulation);
    for simulation in [&mut simulation, &mut resumed] {
        run(simulation, 0.3, |simulation| assert!(simulation.last_step().momentum_error < 1e-6));
        assert_eq!((column(simulation, "left_domain"), column(simulation, "outside_domain")), (Some(27), None));
        assert_eq!((simulation.totals().left, simulation.particle_count() as u64), (27, start - 27));
        assert!(simulation.summary().iter().any(|line| line == "left the domain and were removed: 27 particles"));
    }
    assert_eq!(simulation.particles().positions, resumed.particles().positions);
    // Gravity alone changes the energy of what falls: without the outflow, the balance would rise by the energy of the particles.
    let last = simulation.last_step();
    let balance = last.kinetic_energy + last.potential_energy - last.external_work;
    let begin = leaving(Outside::Report, Vec::new());
    assert!(balance < begin.kinetic_energy() + begin.potential_energy(), "{balance}");
}

#[test]
fn particles_and_bodies_outside_the_domain_are_reported() {
    let stone = || floating("stone", cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)), Pose::from_translation(DVec3::splat(0.7)), 2000.0);
    for outside in [Outside::Report, Outside::Remove] {
        let mut simulation = leaving(outside, vec![stone()]);
        run(&mut simulation, 0.2, |_| {});
        assert!(simulation.summary().iter().all(|line| !line.contains("the domain")), "{:?}", simulation.summary());
        run(&mut simulation, 0.5, |_| {});
        let summary = simulation.summary();
        assert!(summary.iter().any(|line| line == "outside the domain: body \"stone\""), "{summary:?}");
        if outside == Outside::Report {
            assert_eq!((column(&simulation, "outside_domain"), column(&simulation, "left_domain")), (Some(27), None));
            assert!(summary.iter().any(|line| line == "outside the domain: 27 particles"), "{summary:?}");
        }
    }
}

#[test]
fn fluid_or_a_body_outside_the_domain_ends_the_run() {
    let ends = |mut simulation: FluidSimulation| loop {
        if let Err(error) = simulation.advance(1.0) {
            break (error, simulation);
        }
        assert!(simulation.time() < 1.0);
    };
    let (error, simulation) = ends(leaving(Outside::End, Vec::new()));
    let outside: Vec<DVec3> = positions(&simulation).filter(|x| x.y < -0.5).collect();
    assert!(!outside.is_empty() && error.time == simulation.time() && error.step == simulation.steps(), "{error}");
    let what = &error.what;
    let count = if outside.len() == 1 {
        String::new()
    } else {
        format!("{} particles are outside fluid.domain, the first of them ", outside.len())
    };
    assert!(what.starts_with(&format!("{count}particle ")), "{what}");
    let place = |x: &DVec3| format!("at [{:.3}, {:.3}, {:.3}]", x.x, x.y, x.z);
    assert!(outside.iter().any(|x| what.contains(&place(x))), "{what}: {outside:?}");

    let thrown =
        floating("stone", cuboid(DVec3::splat(-0.05), DVec3::splat(0.05)), Pose::from_translation(DVec3::new(0.7, -0.3, 0.7)), 2000.0);
    let (error, _) = ends(leaving(Outside::End, vec![thrown]));
    assert!(
        error.what.starts_with("the center of body \"stone\", [0.7, -0.5") && error.what.ends_with("is outside fluid.domain"),
        "{error}"
    );
}

/// Along a periodic axis nothing leaves, even if the box ends with the period.
#[test]
fn nothing_leaves_the_domain_along_a_periodic_axis() {
    let domain = Domain { low: DVec3::ZERO, size: DVec3::new(0.0, 0.0, 0.4), periodic: [false, false, true], dimension: 3 };
    let region = Aabb { min: DVec3::new(-1.0, -1.0, 0.0), max: DVec3::new(1.0, 1.0, 0.4) };
    let fills = vec![box_fill(DVec3::new(0.0, 0.0, 0.1), DVec3::new(0.2, 0.2, 0.3), DVec3::new(0.0, 0.0, 2.0))];
    let settings = FluidSettings {
        settle: false,
        gravity: DVec3::ZERO,
        domain,
        domain_box: Some(DomainBox { region, outside: Outside::End }),
        ..settings(RADIUS, fills)
    };
    let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
    run(&mut simulation, 0.5, |_| {});
}
