//! Inflow and outflow: amount, speed, force and momentum balance.

use std::f64::consts::PI;

use crate::common::{box_fill, cuboid, fixed, floating, moving, positions, run, sample};
use glam::{DQuat, DVec3};
use plimsoll_base::math::{Aabb, Expression, Pose};
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_contract::{
    frame::FieldValues,
    simulator::{Interaction, Simulator},
};
use plimsoll_fluid::{Emitter, FluidSettings, FluidSimulation, Mouth, PressureSolver, SpeedCourse, TaitLaw};

const RADIUS: f64 = 0.01;

fn disc(radius: f64, position: DVec3, direction: DVec3, speed: f64) -> Emitter {
    Emitter::new(Mouth::Disc { radius }, position, direction.normalize(), speed)
}

fn settings(emitters: Vec<Emitter>) -> FluidSettings {
    FluidSettings { settle: false, emitters, ..crate::common::settings(RADIUS, Vec::new()) }
}

fn weightless(emitters: Vec<Emitter>) -> FluidSettings {
    FluidSettings { gravity: DVec3::ZERO, ..settings(emitters) }
}

fn simulation(settings: FluidSettings, bodies: Vec<BodyDefinition>) -> FluidSimulation {
    FluidSimulation::new(settings, bodies).expect("a simulation")
}

#[test]
fn a_mouth_gives_its_area_times_its_speed() {
    let mouths = [
        (Mouth::Disc { radius: 0.1 }, PI * 0.1 * 0.1),
        (Mouth::Disc { radius: 0.03 }, PI * 0.03 * 0.03),
        (Mouth::Rectangle { width: 0.2, height: 0.06 }, 0.2 * 0.06),
    ];
    for (mouth, area) in mouths {
        for direction in [DVec3::X, DVec3::NEG_Y, DVec3::new(1.0, 2.0, -3.0)] {
            let emitter = Emitter { mouth, ..disc(0.1, DVec3::new(0.3, 0.2, -0.1), direction, 2.0) };
            assert!((emitter.flow() / (2.0 * area) - 1.0).abs() < 1e-12);
            let thickness = emitter.layer_thickness(RADIUS);
            // Nearly one layer longer, so that the last step begins after the last layer is due.
            let mut simulation = simulation(weightless(vec![emitter.clone()]), Vec::new());
            run(&mut simulation, 25.9 * thickness / 2.0, |_| {});
            assert_eq!(simulation.particle_count(), 26 * emitter.places(RADIUS).len(), "{mouth:?} {direction}");
            assert!((crate::common::fluid_volume(&simulation) / (area * 26.0 * thickness) - 1.0).abs() < 1e-9);
            let mut uneven: f64 = 0.0;
            for position in positions(&simulation) {
                let along = (position - emitter.position).dot(emitter.direction);
                let layer = (along + 4.0 * RADIUS - 2.0 * simulation.time()) / thickness;
                uneven = uneven.max((layer - layer.round()).abs());
            }
            let speeds = simulation.particles().velocities.iter().map(|velocity| f64::from(velocity.length()));
            let off = speeds.map(|speed| (speed - 2.0).abs()).fold(0.0, f64::max);
            println!("{mouth:?}: layers uneven by {uneven:.3} of their thickness, speeds off by {off:.3} m/s");
            // Nine particles side by side in a disc with room for seven are too close, and push each other apart on the way.
            assert!(uneven < 0.3 && off < 0.05, "{mouth:?}: {uneven} and {off} m/s");
        }
    }
}

/// The volume that flows in is that of the speed in the course of time, and a speed of zero stops the flow.
#[test]
fn a_mouth_gives_what_the_course_of_its_speed_says() {
    let table = SpeedCourse::Table(vec![[0.0, 0.0], [0.1, 2.0], [0.3, 2.0], [0.3001, 0.0]]);
    let expression = SpeedCourse::Expression(Expression::parse("2*min(10*t, 1)*step(0.3 - t)").expect("an expression"));
    for course in [table, expression] {
        let emitter = Emitter { course: Some(course.clone()), ..disc(0.1, DVec3::ZERO, DVec3::X, 2.0) };
        let expected = PI * 0.01 * (0.1 + 0.4);
        assert!((emitter.volume([0.0, 0.5]) / expected - 1.0).abs() < 2e-3, "{course:?}");
        let mut simulation = simulation(weightless(vec![emitter.clone()]), Vec::new());
        run(&mut simulation, 0.2, |_| {});
        let mut simulation = plimsoll_saved::fluid::restored(&simulation);
        run(&mut simulation, 0.15, |_| {});
        let layer = emitter.places(RADIUS).len();
        let (count, volume) = (simulation.particle_count(), crate::common::fluid_volume(&simulation));
        // The nozzle is not empty at the start, by the layer that enters at once.
        println!("{volume} m³ for {expected} m³, {count} particles in layers of {layer}");
        assert!((volume / (expected + PI * 0.01 * emitter.layer_thickness(RADIUS)) - 1.0).abs() < 0.05, "{course:?}");
        run(&mut simulation, 0.15, |simulation| assert_eq!(simulation.particle_count(), count));
    }
}

/// An emitter that moves with a body: what it emits has the velocity of the mouth too, and none is lost through the nozzle, also when it turns.
#[test]
fn a_mouth_moves_with_its_body() {
    let sprinkler = |linear: DVec3, angular: DVec3| {
        let mesh = cuboid(DVec3::new(-0.05, -0.3, -0.05), DVec3::new(0.05, -0.2, 0.05));
        moving("arm", mesh, Pose::IDENTITY, PrescribedMotion::Constant { linear, angular, pivot: DVec3::ZERO })
    };
    let mouth = Emitter { body: Some(0), ..disc(0.05, DVec3::new(0.2, 0.0, 0.0), DVec3::X, 2.0) };
    let mut straight = simulation(weightless(vec![mouth.clone()]), vec![sprinkler(DVec3::new(0.5, 0.0, 1.0), DVec3::ZERO)]);
    run(&mut straight, 0.3, |_| {});
    let off =
        straight.particles().velocities.iter().map(|velocity| velocity.as_dvec3().distance(DVec3::new(2.5, 0.0, 1.0))).fold(0.0, f64::max);
    println!("{} particles, velocities off by {off:.3} m/s", straight.particle_count());
    assert!(off < 0.05 && straight.particle_count() > 500, "{off} m/s");
    let spin = 3.0;
    let plate = fixed("plate", cuboid(DVec3::new(0.6, -0.5, -1.0), DVec3::new(0.65, 0.5, 1.0)), Pose::IDENTITY);
    let mut turning = simulation(weightless(vec![mouth]), vec![sprinkler(DVec3::ZERO, DVec3::Y * spin), plate]);
    run(&mut turning, 0.25, |_| {});
    let mut turning = plimsoll_saved::fluid::restored(&turning);
    run(&mut turning, 0.25, |_| {});
    let expected = PI * 0.05 * 0.05 * 2.0 * 0.5;
    let volume = crate::common::fluid_volume(&turning);
    // Before it hits the plate, the jet has the angular momentum about the axis that it had at the mouth.
    let mut worst: f64 = 0.0;
    for (position, velocity) in positions(&turning).zip(&turning.particles().velocities) {
        let velocity = velocity.as_dvec3();
        if (0.25..0.45).contains(&position.length()) {
            worst = worst.max((position.cross(velocity).y - spin * 0.2 * 0.2).abs());
        }
    }
    println!("{volume} m³ for {expected} m³, spin off by {worst:.3} m²/s");
    assert!((volume / expected - 1.0).abs() < 0.1, "{volume} {expected}");
    assert!(worst < 0.15, "{worst} m²/s");
    let (leaked, error) = (turning.totals().leaked, turning.last_step().momentum_error);
    assert!(leaked == 0 && error < 1e-6, "{leaked} leaked, momentum error {error}");
}

#[test]
fn a_jet_falls_along_a_parabola() {
    let mut settings = settings(vec![disc(0.05, DVec3::ZERO, DVec3::X, 2.0)]);
    settings.time_step.maximum = 1e-3;
    let mut simulation = simulation(settings, Vec::new());
    run(&mut simulation, 0.6, |_| {});
    let mut slices = vec![(0, 0.0); 10];
    for position in positions(&simulation).filter(|position| position.x > 0.0 && position.x < 1.0) {
        let slice = &mut slices[(10.0 * position.x) as usize];
        *slice = (slice.0 + 1, slice.1 + position.y);
    }
    for (index, (count, sum)) in slices.into_iter().enumerate() {
        let (mean, x) = (sum / f64::from(count), 0.1 * (index as f64 + 0.5));
        // Mean over a slice 0.1 m thick, not the value at its middle.
        let expected = -0.5 * crate::common::GRAVITY * (x * x + 0.01 / 12.0) / 4.0;
        assert!((mean - expected).abs() < RADIUS, "{mean} m at {x} m, expected {expected} m");
    }
}

/// The force of a steady jet on a wall that deflects it is `ρ A v²`.
#[test]
fn a_jet_presses_on_a_wall_with_its_momentum() {
    let (speed, emitter) = (3.0, disc(0.06, DVec3::ZERO, DVec3::X, 3.0));
    let plate = fixed("plate", cuboid(DVec3::new(0.3, -0.6, -0.6), DVec3::new(0.34, 0.6, 0.6)), Pose::IDENTITY);
    let mut simulation = simulation(weightless(vec![emitter.clone()]), vec![plate]);
    run(&mut simulation, 0.25, |_| {});
    let mut impulse = DVec3::ZERO;
    run(&mut simulation, 0.25, |simulation| impulse += simulation.loads()[0].total().linear);
    let (force, expected) = (impulse / 0.25, crate::common::WATER * emitter.flow() * speed);
    println!("{force} N, expected {expected} N");
    // The sheet on the wall is thinner than a particle, and particles that hit it rebound at a twentieth of the jet's speed.
    assert!((1.0..1.12).contains(&(force.x / expected)), "{force} N, expected {expected} N");
    assert!(force.y.hypot(force.z) < 0.01 * expected, "{force} N");
    assert_eq!(simulation.totals().leaked, 0);
}

fn pond(emitters: Vec<Emitter>) -> (FluidSettings, Vec<BodyDefinition>) {
    let tank = fixed("tank", sample("small_tank", DVec3::splat(0.5)), Pose::IDENTITY);
    let pose = Pose { translation: DVec3::new(0.25, 0.26, 0.25), rotation: DQuat::IDENTITY };
    let cube = floating("cube", sample("box", DVec3::splat(0.12)), pose, 500.0);
    let fill = box_fill(DVec3::ZERO, DVec3::new(0.5, 0.18, 0.5), DVec3::ZERO);
    (FluidSettings { fills: vec![fill], ..settings(emitters) }, vec![tank, cube])
}

/// An emitter under water delivers the specified flow, the level rises accordingly, and the momentum exchanged between nozzle and water is
/// in the ledger.
#[test]
fn a_spring_under_water_keeps_flowing_and_the_books_balance() {
    // The steps of weakly compressible fluid are a tenth as long.
    for (seconds, pressure) in [(1.0, None), (0.5, Some(PressureSolver::Wcsph(TaitLaw { sound_speed: 40.0, exponent: 7.0 })))] {
        let emitter = disc(0.04, DVec3::new(0.1, 0.08, 0.1), DVec3::new(1.0, 0.5, 1.0), 1.0);
        let (mut settings, bodies) = pond(vec![emitter.clone()]);
        settings.pressure = pressure.unwrap_or(settings.pressure);
        let mut simulation = simulation(settings, bodies);
        let before = simulation.particle_count();
        let mut held = 0;
        run(&mut simulation, seconds, |simulation| {
            held = held.max(positions(simulation).filter(|x| (*x - emitter.position).length() < 0.02).count());
        });
        let came = (simulation.particle_count() - before) as f64 * (2.0 * RADIUS).powi(3);
        // The first layers find the nozzle still full of water.
        println!("{came} m³ of {}, ledger {:e}", seconds * emitter.flow(), simulation.last_step().momentum_error);
        assert!((came / (seconds * emitter.flow()) - 1.0).abs() < 0.06, "{came} m³ of {}", seconds * emitter.flow());
        let last = simulation.last_step();
        assert!(last.momentum_error < 1e-5 && last.angular_momentum_error < 1e-5, "{last:?}");
        assert!(simulation.momentum().linear.is_finite() && last.max_speed < 5.0);
        assert_eq!(simulation.totals().leaked, 0);
        let solves = simulation.totals();
        assert_eq!((solves.density_not_converged, solves.divergence_not_converged), (0, 0));
    }
}

#[test]
fn what_flows_in_flows_out_through_a_drain() {
    let (mut settings, bodies) = pond(vec![disc(0.04, DVec3::new(0.1, 0.4, 0.25), DVec3::NEG_Y, 1.0)]);
    settings.drains = vec![Aabb { min: DVec3::new(0.4, -0.1, -0.1), max: DVec3::new(0.6, 0.1, 0.6) }];
    let mut simulation = simulation(settings, bodies);
    let begin = simulation.particle_count() as u64;
    run(&mut simulation, 0.5, |simulation| {
        let (emitted, drained) = (simulation.inflow().emitted, simulation.inflow().drained);
        assert_eq!(simulation.particle_count() as u64, begin + emitted - drained);
    });
    let in_drain = |x: &DVec3| simulation.settings().drains[0].contains(*x);
    // Particles that have entered since the last step are removed in the next.
    assert!(simulation.inflow().drained > 1000 && positions(&simulation).filter(in_drain).count() < 100);
    assert!(simulation.last_step().momentum_error < 1e-5 && simulation.last_step().angular_momentum_error < 1e-5);
    let particles = simulation.frame().particles;
    let Some(FieldValues::Integer(ids)) = particles.field("id") else { panic!("ids are whole numbers") };
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "particles are in the order of their ids, each once");
    assert!(u64::from(*ids.last().expect("a particle")) >= begin, "ids are never given again");
}

/// Start and end times, rate, and bodies that block an emitter.
#[test]
fn emitters_begin_end_and_make_way() {
    let mut emitter = disc(0.04, DVec3::ZERO, DVec3::X, 1.0);
    (emitter.start, emitter.end) = (0.1, Some(0.219));
    let mut timed = simulation(weightless(vec![emitter.clone()]), Vec::new());
    run(&mut timed, 0.1, |_| {});
    assert_eq!(timed.particle_count(), 0);
    run(&mut timed, 0.3, |_| {});
    let layers = |seconds: f64, speed: f64| (seconds * speed / emitter.layer_thickness(RADIUS)) as usize + 1;
    assert_eq!(timed.particle_count(), layers(0.119, 1.0) * emitter.places(RADIUS).len());

    let mut slow = simulation(weightless(vec![disc(0.04, DVec3::ZERO, DVec3::X, 1.0)]), Vec::new());
    slow.set_parameter("emitters", 0.5);
    run(&mut slow, 0.219, |_| {});
    assert_eq!(slow.particle_count(), layers(0.219, 0.5) * emitter.places(RADIUS).len());

    let still = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    // Half of the mouth is inside a plate: nothing comes out of that half.
    let plate = cuboid(DVec3::new(-0.2, -0.2, -0.2), DVec3::new(0.2, 0.0, 0.2));
    for body in [fixed("plate", plate.clone(), Pose::IDENTITY), moving("plate", plate.clone(), Pose::IDENTITY, still)] {
        let mut blocked = simulation(weightless(vec![disc(0.04, DVec3::ZERO, DVec3::X, 1.0)]), vec![body]);
        run(&mut blocked, 0.2, |_| {});
        assert!(blocked.particle_count() > 0 && positions(&blocked).all(|position| position.y > 0.0));
    }
}
