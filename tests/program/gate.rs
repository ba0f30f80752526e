//! A gate on a hinge in water, and moored bodies in water: forces against hydrostatics, momentum, restart, threads.

use crate::common::{GRAVITY, WATER, box_fill, cuboid, fixed, floating, with};
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_bodies::{Body, JointDefinition, JointKind, LineDefinition, LineLaw, MechanismDefinition, MooringDefinition};
use plimsoll_contract::{
    frame::{Value, name_and_unit},
    simulator::Simulator,
};
use plimsoll_fluid::FluidSimulation;
use plimsoll_output::checkpoint;
use plimsoll_run::Simulation;

const RADIUS: f64 = 0.02;
/// Width of the channel, m.
const WIDTH: f64 = 0.4;
/// Depth of the water, m.
const DEPTH: f64 = 0.4;
/// The gate hangs at this height, m.
const HINGE: DVec3 = DVec3::new(0.5, 0.6, 0.0);
/// Half the thickness of the gate, m.
const HALF: f64 = 0.03;

/// A channel with water on the left of a gate of this density (kg/m³) that hangs at its upper end, on a joint of this kind.
fn channel(kind: JointKind, density: f64) -> FluidSimulation {
    let tank = crate::common::closed_tank([DVec3::new(0.0, 0.0, -0.5 * WIDTH), DVec3::new(1.2, 1.0, 0.5 * WIDTH)], 0.1);
    let gap = 0.005;
    let size = DVec3::new(HALF, 0.5 * (HINGE.y - gap), 0.5 * WIDTH - gap);
    let middle = DVec3::new(HINGE.x, 0.5 * (HINGE.y + gap), 0.0);
    let gate = floating("gate", cuboid(-size, size), Pose::from_translation(middle), density);
    let fill = box_fill(DVec3::new(0.0, 0.0, -0.5 * WIDTH), DVec3::new(HINGE.x - HALF, DEPTH, 0.5 * WIDTH), DVec3::ZERO);
    let mut settings = crate::common::settings(RADIUS, vec![fill]);
    settings.mechanism = MechanismDefinition {
        joints: vec![JointDefinition::new(kind, 1, None, HINGE)],
        without_contact: vec![[0, 1]],
        ..MechanismDefinition::default()
    };
    FluidSimulation::new(settings, vec![fixed("tank", tank, Pose::IDENTITY), gate]).unwrap()
}

fn gate(simulation: &FluidSimulation) -> &Body {
    crate::common::body_named(simulation, "gate")
}

fn angle(simulation: &FluidSimulation) -> f64 {
    2.0 * gate(simulation).pose.rotation.z.asin()
}

/// A number of the table of the joints.
fn joint_value(simulation: &FluidSimulation, column: &str) -> f64 {
    let tables = simulation.tables();
    let table = tables.iter().find(|table| table.name == "joints").expect("a table of the joints");
    assert_eq!((table.rows.len(), &table.rows[0][2]), (1, &Value::Text("hinge: gate to the world".to_owned())));
    let place = table.columns.iter().position(|name| name_and_unit(name).0 == column).unwrap();
    let Value::Real(value) = table.rows[0][place] else { panic!("{:?}", table.rows[0][place]) };
    value
}

/// Mean torque of the joint about the axis through the hinge, N m, over a step.
fn joint_torque(simulation: &FluidSimulation) -> f64 {
    let body = gate(simulation);
    let impulse = body.contact_impulse;
    (impulse.angular + (body.center() - HINGE).cross(impulse.linear)).z / simulation.last_step().dt
}

/// The joint holds the gate with the torque of the water pressure: `∫ ρ g (d − y) (h − y) b dy` over the wet part.
#[test]
fn a_fixed_gate_is_held_with_the_torque_of_the_water() {
    let mut simulation = channel(JointKind::Fixed, 2000.0);
    crate::common::run(&mut simulation, 0.5, |_| {});
    let (mut impulse, mut time) = (0.0, 0.0);
    crate::common::run(&mut simulation, 1.0, |simulation| {
        let dt = simulation.last_step().dt;
        (impulse, time) = (impulse + dt * joint_torque(simulation), time + dt);
    });
    let level = crate::common::fluid_volume(&simulation) / (WIDTH * (HINGE.x - HALF));
    let arm = HINGE.y - level / 3.0;
    let expected = -0.5 * WATER * GRAVITY * level * level * WIDTH * arm;
    let torque = impulse / time;
    println!("torque {torque} of {expected}, level {level}, turned by {:e}, leaked {}", angle(&simulation), simulation.totals().leaked);
    assert!((torque / expected - 1.0).abs() < 0.04, "{torque} for {expected}");
    assert!(angle(&simulation).abs() < 1e-4 && gate(&simulation).velocity.length() < 1e-3);
    assert_eq!(simulation.totals().leaked, 0);
}

/// A heavy gate turns as one body about its hinge: its first angular acceleration is that of the pressure, of its weight and of the water it
/// pushes, and its hinge does not move.
#[test]
fn water_opens_a_gate_and_flows_out_below_it() {
    let mut simulation = channel(JointKind::Hinge(DVec3::Z), 1500.0);
    let hinge_in_gate = gate(&simulation).pose.inverse_transform_point(HINGE);
    let (mut gap, mut widest) = (0.0_f64, 0.0_f64);
    let mut recorded_gap = 0.0_f64;
    crate::common::run(&mut simulation, 2.0, |simulation| {
        let recorded = |column| joint_value(simulation, column);
        assert!((recorded("angle") - angle(simulation)).abs() < 1e-9 && recorded("displacement") == 0.0, "{:?}", simulation.tables());
        assert!((recorded("angular_speed") - gate(simulation).angular_velocity.z).abs() < 1e-9);
        recorded_gap = recorded_gap.max(recorded("gap"));
        gap = gap.max(gate(simulation).pose.transform_point(hinge_in_gate).distance(HINGE));
        widest = widest.max(angle(simulation));
    });
    let through = crate::common::positions(&simulation).filter(|position| position.x > HINGE.x + HALF).count();
    let share = through as f64 / simulation.particle_count() as f64;
    let last = simulation.last_step();
    println!(
        "gap {gap:e}, opened to {widest}, {share} of the water through, errors {:e} {:e}",
        last.momentum_error, last.angular_momentum_error
    );
    assert!(gap < 1e-3, "the hinge opened by {gap} m");
    assert!((recorded_gap - gap).abs() < 1e-9, "{recorded_gap} for {gap}");
    assert!(widest > 0.2, "opened to {widest}");
    assert!((0.3..0.8).contains(&share), "{share} of the water is behind the gate");
    assert_eq!(simulation.totals().leaked, 0);
    assert!(last.momentum_error < 1e-5 && last.angular_momentum_error < 1e-5, "{last:?}");
}

/// The pressure solve predicts the motion of a gate on a hinge: what the joint adds afterwards is not the water's impulse on a free body.
#[test]
fn the_pressure_solve_knows_the_hinge() {
    let mut simulation = channel(JointKind::Fixed, 300.0);
    crate::common::run(&mut simulation, 0.3, |_| {});
    let (mut worst, mut steps) = (0.0_f64, 0);
    crate::common::run(&mut simulation, 0.3, |simulation| {
        worst = worst.max(simulation.last_step().compression_percent);
        steps += 1;
    });
    let speed = simulation.last_step().max_speed;
    println!("compression {worst} %, {steps} steps, fastest {speed} m/s, {:?}", simulation.totals());
    // With the compliance of a free gate, the water would be compressed by the gate that does not yield.
    assert!(worst < 0.02, "{worst} %");
    assert!(speed < 0.05, "{speed} m/s at rest");
}

/// Particles, bodies and diagnostics, bit by bit.
fn state(simulation: &FluidSimulation) -> [Vec<u8>; 3] {
    [
        postcard::to_allocvec(simulation.particles()).unwrap(),
        postcard::to_allocvec(simulation.bodies()).unwrap(),
        postcard::to_allocvec(simulation.last_step()).unwrap(),
    ]
}

/// A floating box with two kinds of moorings and a second box on a ball joint.
fn moored() -> FluidSimulation {
    let tank = fixed("tank", crate::common::sample("small_tank", DVec3::new(1.0, 1.0, 1.0)), Pose::IDENTITY);
    let half = DVec3::splat(0.1);
    let at = |x: f64| Pose::from_translation(DVec3::new(x, 0.42, 0.5));
    let one = floating("one", cuboid(-half, half), at(0.4), 500.0);
    let two = with(floating("two", cuboid(-half, half), at(0.65), 400.0), |floating| floating.velocity = DVec3::new(0.2, 0.0, 0.3));
    let line = |law| LineDefinition { length: 0.45, axial_stiffness: 500.0, damping: 2.0, law };
    let mooring = |name: &str, body, x: f64, law| MooringDefinition {
        name: name.into(),
        body,
        attachment: DVec3::new(x, 0.32, 0.5),
        anchor: DVec3::new(if x < 0.5 { 0.05 } else { 0.95 }, 0.0, 0.5),
        line: line(law),
    };
    let mut settings = crate::common::settings(0.025, vec![box_fill(DVec3::ZERO, DVec3::new(1.0, 0.4, 1.0), DVec3::ZERO)]);
    settings.settle = false;
    settings.mechanism = MechanismDefinition {
        joints: vec![JointDefinition::new(JointKind::Ball, 1, Some(2), DVec3::new(0.525, 0.42, 0.5))],
        moorings: vec![
            mooring("chain", 1, 0.4, LineLaw::Catenary { weight: 8.0, up: DVec3::Y }),
            mooring("rope", 2, 0.65, LineLaw::Straight),
        ],
        ..MechanismDefinition::default()
    };
    FluidSimulation::new(settings, vec![tank, one, two]).unwrap()
}

fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn steps(simulation: &mut FluidSimulation, count: u32) {
    for _ in 0..count {
        simulation.advance(f64::INFINITY).unwrap();
    }
}

#[test]
fn moored_and_joined_bodies_are_the_same_on_any_threads_and_after_a_restart_and_keep_the_ledger() {
    let run = |threads: usize| {
        on_threads(threads, || {
            let mut simulation = moored();
            steps(&mut simulation, 150);
            simulation
        })
    };
    let expected = run(1);
    let last = expected.last_step();
    println!("{} s, momentum errors {:e} {:e}", expected.time(), last.momentum_error, last.angular_momentum_error);
    assert!(last.momentum_error < 1e-5 && last.angular_momentum_error < 1e-5, "{last:?}");
    let tables = expected.tables();
    let moorings = tables.iter().find(|table| table.name == "moorings").expect("a table of the moorings");
    assert_eq!(moorings.rows.len(), 2);
    let pulls = expected.bodies().iter().map(|body| body.contact_impulse.linear.length()).sum::<f64>();
    assert!(pulls > 0.0, "the joint carries something");
    assert!(state(&run(3)) == state(&expected), "three threads");
    let mut first = moored();
    steps(&mut first, 70);
    let folder = tempfile::tempdir().unwrap();
    let (path, hash) = (folder.path().join("checkpoint.plimsoll"), checkpoint::scene_hash("moored"));
    Simulation::Fluid(Box::new(first)).save(&path, hash).unwrap();
    let saved = Simulation::load(&path, hash).unwrap();
    let Simulation::Fluid(mut resumed) = saved else { panic!("a fluid") };
    steps(&mut resumed, 80);
    assert!(state(&resumed) == state(&expected), "after a restart");
}
