//! Joints, springs and moorings of bodies without fluid, against closed forms.

use std::f64::consts::{PI, TAU};

use crate::generate_meshes::solids;
use glam::{DMat3, DVec3};
use plimsoll_base::math::Domain;
use plimsoll_bodies::{
    Bodies, Body, BodyDefinition, Floating, JointDefinition, JointKind, LineDefinition, LineLaw, MassSource, MechanismDefinition,
    MooringDefinition, Motor, SpringDefinition,
};
use plimsoll_contract::simulator::Unwatched;
use plimsoll_shape::SegmentLimits;

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

fn block(name: &str, size: [f64; 3], position: DVec3, change: impl FnOnce(&mut Floating)) -> BodyDefinition {
    let mut floating = Floating::new(MassSource::Density(500.0));
    change(&mut floating);
    let kind = plimsoll_bodies::BodyKind::Floating(floating);
    BodyDefinition::new(name, solids::cuboid(size), kind).at(position)
}

fn bodies(definitions: Vec<BodyDefinition>, mechanism: &MechanismDefinition) -> Bodies {
    let bodies = Bodies::new(definitions, SegmentLimits::new(0.5, 32), Domain::OPEN, &Unwatched).expect("not interrupted");
    bodies.with_mechanism(mechanism)
}

/// The mechanism of one joint.
fn joint(joint: JointDefinition) -> MechanismDefinition {
    MechanismDefinition { joints: vec![joint], ..MechanismDefinition::default() }
}

fn advance(bodies: &mut Bodies, gravity: DVec3, time: f64, dt: f64) {
    bodies.begin_step(time, dt, DVec3::ZERO);
    bodies.apply_external_forces(gravity, dt);
    bodies.apply_expected_contacts(dt);
    bodies.step(time + dt, dt);
}

/// Runs `steps` steps of `dt` (s) and looks at the bodies after each.
fn run(bodies: &mut Bodies, gravity: DVec3, steps: u32, dt: f64, mut look: impl FnMut(f64, &Bodies)) {
    for step in 0..steps {
        let time = f64::from(step) * dt;
        advance(bodies, gravity, time, dt);
        look(time + dt, bodies);
    }
}

/// Times at which a value crosses zero upwards, by linear interpolation.
#[derive(Default)]
struct Crossings {
    last: Option<(f64, f64)>,
    times: Vec<f64>,
}

impl Crossings {
    fn add(&mut self, time: f64, value: f64) {
        if let Some((before, old)) = self.last
            && old < 0.0
            && value >= 0.0
        {
            self.times.push(before + (time - before) * old / (old - value));
        }
        self.last = Some((time, value));
    }

    /// Mean period.
    fn period(&self) -> f64 {
        (self.times[self.times.len() - 1] - self.times[0]) / (self.times.len() - 1) as f64
    }
}

fn close(found: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((found - expected).abs() <= tolerance, "{what}: {found} for {expected}");
}

/// Complete elliptic integral of the first kind for the amplitude of a pendulum, by the arithmetic-geometric mean: the period is
/// `2π / agm(1, cos(θ/2))` times the root of `I / (m g l)`.
fn amplitude_factor(amplitude: f64) -> f64 {
    let (mut a, mut g) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..20 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    1.0 / a
}

/// A bar on a hinge at its upper end, released at 60 degrees.
#[test]
fn a_pendulum_on_a_hinge_has_the_period_of_the_closed_form_and_keeps_its_energy() {
    let size = [0.1, 0.6, 0.08];
    let amplitude = PI / 3.0;
    let bar = block("bar", size, DVec3::ZERO, |_| {});
    let hinge = DVec3::new(0.0, 0.3, 0.0);
    let mut bar = bar;
    bar.pose.rotation = glam::DQuat::from_rotation_z(amplitude);
    bar.pose.translation = hinge - bar.pose.rotation * hinge;
    let mut bodies = bodies(vec![bar], &joint(JointDefinition::new(JointKind::Hinge(DVec3::Z), 0, None, hinge)));
    let inertia = (size[0].powi(2) + size[1].powi(2)) / 12.0 + 0.09;
    let expected = TAU * (inertia / (9.81 * 0.3)).sqrt() * amplitude_factor(amplitude);
    let energy = |bodies: &Bodies| bodies.kinetic_energy() + bodies.potential_energy(GRAVITY);
    let (start, depth) = (energy(&bodies), bodies.list[0].mass * 9.81 * 0.3);
    let (mut crossings, mut gap, mut drift) = (Crossings::default(), 0.0_f64, 0.0_f64);
    run(&mut bodies, GRAVITY, 10_000, 1e-3, |time, bodies| {
        let body = &bodies.list[0];
        crossings.add(time, body.center().x);
        gap = gap.max(body.pose.transform_point(hinge).distance(hinge));
        drift = drift.max((energy(bodies) - start).abs() / depth);
    });
    println!("period {} of {expected}, gap {gap:e} m, energy within {drift:e}", crossings.period());
    close(crossings.period() / expected, 1.0, 5e-3, "period");
    assert!(crossings.times.len() >= 6 && gap < 1e-4, "{} periods, gap {gap}", crossings.times.len());
    assert!(drift < 0.02, "energy is off by {drift}");
}

fn total(bodies: &Bodies) -> (DVec3, DVec3) {
    let momentum = bodies.momentum();
    (momentum.linear, momentum.angular)
}

/// Blocks of different shape and mass, thrown and spinning, in a chain of joints: their center of mass flies freely.
#[test]
fn joined_bodies_keep_their_momentum_in_free_flight() {
    for kind in [JointKind::Ball, JointKind::Hinge(DVec3::new(1.0, 2.0, 0.5).normalize()), JointKind::Slider(DVec3::X), JointKind::Fixed] {
        let one = block("one", [0.3, 0.1, 0.2], DVec3::new(-0.2, 1.0, 0.0), |floating| {
            (floating.velocity, floating.angular_velocity) = (DVec3::new(1.0, 2.0, -0.5), DVec3::new(2.0, -3.0, 4.0));
        });
        let two = block("two", [0.2, 0.25, 0.1], DVec3::new(0.15, 1.05, 0.0), |floating| floating.mass = MassSource::Mass(7.0));
        let three = block("three", [0.1, 0.1, 0.3], DVec3::new(0.45, 1.0, 0.1), |floating| floating.angular_velocity = DVec3::X);
        let joints = vec![
            JointDefinition::new(kind, 0, Some(1), DVec3::new(0.0, 1.0, 0.0)),
            JointDefinition::new(JointKind::Ball, 1, Some(2), DVec3::new(0.3, 1.0, 0.05)),
        ];
        let mut bodies = bodies(vec![one, two, three], &MechanismDefinition { joints, ..MechanismDefinition::default() });
        let (start, mass): (_, f64) = (total(&bodies), bodies.list.iter().map(|body| body.mass).sum());
        let center = |bodies: &Bodies| bodies.list.iter().map(|body| body.mass * body.center()).sum::<DVec3>() / mass;
        let (begin, mut gap) = (center(&bodies), 0.0_f64);
        let points = |bodies: &Bodies| {
            let at = |body: usize, point: DVec3| bodies.list[body].pose.transform_point(point);
            [at(1, DVec3::new(0.15, -0.05, 0.05)), at(2, DVec3::new(-0.15, 0.0, -0.05))]
        };
        assert!(points(&bodies)[0].distance(points(&bodies)[1]) < 1e-12);
        run(&mut bodies, DVec3::ZERO, 2000, 1e-3, |_, bodies| gap = gap.max(points(bodies)[0].distance(points(bodies)[1])));
        let after = total(&bodies);
        let (linear, angular) = ((after.0 - start.0).length(), (after.1 - start.1).length());
        println!("{kind:?}: linear {linear:e}, angular {angular:e}, gap {gap:e} m");
        assert!(linear < 1e-10 && angular < 1e-10, "{kind:?}: {linear:e} {angular:e}");
        assert!(center(&bodies).distance(begin + 2.0 * start.0 / mass) < 1e-3, "{kind:?}");
        assert!(gap < 1e-3 && bodies.external.linear == DVec3::ZERO, "{kind:?}: {gap}");
        assert!(bodies.list[1].angular_velocity.length() > 0.1, "the second body is dragged along");
    }
}

/// What is added from outside explains all of the momentum of bodies on joints to the world and to a fixed body, under gravity.
#[test]
fn the_reaction_of_joints_to_the_world_is_external() {
    let post = BodyDefinition::fixed("post", solids::cuboid([0.1; 3])).at(DVec3::new(0.0, 1.0, 0.0));
    let one = block("one", [0.4, 0.1, 0.1], DVec3::new(0.2, 1.0, 0.0), |_| {});
    let two = block("two", [0.4, 0.1, 0.1], DVec3::new(0.6, 1.0, 0.0), |_| {});
    let free = block("free", [0.2, 0.2, 0.2], DVec3::new(3.0, 1.0, 0.0), |_| {});
    let joints = vec![
        JointDefinition::new(JointKind::Hinge(DVec3::Z), 1, Some(0), DVec3::new(0.0, 1.0, 0.0)),
        JointDefinition::new(JointKind::Ball, 2, Some(1), DVec3::new(0.4, 1.0, 0.0)),
        JointDefinition::new(JointKind::Slider(DVec3::new(1.0, -1.0, 0.0).normalize()), 3, None, DVec3::new(3.0, 1.0, 0.0)),
    ];
    let mut bodies = bodies(vec![post, one, two, free], &MechanismDefinition { joints, ..MechanismDefinition::default() });
    let (mut booked, mut error, mut farthest) = ((DVec3::ZERO, DVec3::ZERO), 0.0_f64, f64::INFINITY);
    run(&mut bodies, GRAVITY, 1500, 1e-3, |_, bodies| {
        booked = (booked.0 + bodies.external.linear, booked.1 + bodies.external.angular);
        let now = total(bodies);
        error = error.max((now.0 - booked.0).length()).max((now.1 - booked.1).length());
        farthest = farthest.min(bodies.list[1].center().x);
    });
    println!("ledger off by {error:e}, swung to {farthest} m");
    assert!(error < 1e-10, "{error:e}");
    assert!(farthest < 0.0, "the double pendulum swings through");
    // Down a slope of 45° without friction.
    let moved = bodies.list[3].center() - DVec3::new(3.0, 1.0, 0.0);
    close(moved.length(), 0.5 * 9.81 * 0.5_f64.sqrt() * 1.5 * 1.5, 0.01, "slide");
    close((moved.x + moved.y) / moved.length(), 0.0, 1e-6, "direction");
    assert!(bodies.list[3].angular_velocity.length() < 1e-9);
}

#[test]
fn limits_hold_a_slider_and_a_hinge() {
    let weight = block("weight", [0.2; 3], DVec3::ZERO, |_| {});
    let slider = JointDefinition { limits: Some([-0.3, 0.1]), ..JointDefinition::new(JointKind::Slider(DVec3::Y), 0, None, DVec3::ZERO) };
    let mut slides = bodies(vec![weight], &joint(slider));
    let mut lowest = 0.0_f64;
    run(&mut slides, GRAVITY, 2000, 1e-3, |_, bodies| lowest = lowest.min(bodies.list[0].center().y));
    println!("slider at {}, lowest {lowest}", slides.list[0].center().y);
    close(slides.list[0].center().y, -0.3, 2e-3, "slider at its limit");
    assert!(lowest > -0.31, "{lowest}");
    let door = block("door", [0.4, 0.1, 0.1], DVec3::new(0.2, 0.0, 0.0), |_| {});
    let limits = Some([-PI / 6.0, PI / 6.0]);
    let hinge = JointDefinition { limits, ..JointDefinition::new(JointKind::Hinge(DVec3::Z), 0, None, DVec3::ZERO) };
    let mut turns = bodies(vec![door], &joint(hinge));
    run(&mut turns, GRAVITY, 2000, 1e-3, |_, _| {});
    let angle = 2.0 * turns.list[0].pose.rotation.z.asin();
    close(angle, -PI / 6.0, 5e-3, "hinge at its limit");
}

#[test]
fn a_motor_reaches_its_speed_with_its_torque() {
    let (inertia, speed) = (0.5, 3.0);
    let wheel =
        || block("wheel", [0.2; 3], DVec3::ZERO, |floating| floating.inertia = Some(DMat3::from_diagonal(DVec3::new(0.4, 0.4, inertia))));
    let driven =
        |motor| joint(JointDefinition { motor: Some(motor), ..JointDefinition::new(JointKind::Hinge(DVec3::Z), 0, None, DVec3::ZERO) });
    let spin = |bodies: &Bodies| bodies.list[0].angular_velocity.z;
    let mut limited = bodies(vec![wheel()], &driven(Motor::Speed { speed, limit: Some(0.25) }));
    let mut work = 0.0;
    run(&mut limited, DVec3::ZERO, 3000, 1e-3, |time, bodies| {
        work += bodies.work;
        if time < 5.9 {
            close(spin(bodies), 0.5 * time, 2e-3, "constant torque");
        }
    });
    close(work, limited.kinetic_energy(), 1e-9, "work");
    run(&mut limited, DVec3::ZERO, 4000, 1e-3, |_, _| {});
    close(spin(&limited), speed, 1e-6, "speed");
    let mut strong = bodies(vec![wheel()], &driven(Motor::Speed { speed, limit: None }));
    run(&mut strong, DVec3::ZERO, 2, 1e-3, |_, _| {});
    close(spin(&strong), speed, 1e-5, "speed without limit");
    let mut pushed = bodies(vec![wheel()], &driven(Motor::Effort(-0.25)));
    run(&mut pushed, DVec3::ZERO, 1000, 1e-3, |_, _| {});
    close(spin(&pushed), -0.5, 1e-9, "given torque");
}

/// The mechanism of one spring between body 0 and the world.
fn spring(stiffness: f64, damping: f64, ends: [DVec3; 2], length: Option<f64>) -> MechanismDefinition {
    let springs = vec![SpringDefinition { bodies: (0, None), ends, stiffness, damping, length }];
    MechanismDefinition { springs, ..MechanismDefinition::default() }
}

#[test]
fn a_spring_has_the_period_and_the_decay_of_the_closed_form() {
    let weight = || block("weight", [0.2; 3], DVec3::new(0.0, 0.0, 0.0), |floating| floating.mass = MassSource::Mass(2.0));
    let (stiffness, mass, ratio) = (80.0_f64, 2.0, 0.05);
    let frequency = (stiffness / mass).sqrt();
    let ends = [DVec3::ZERO, DVec3::new(0.0, 1.0, 0.0)];
    for damping in [0.0, 2.0 * ratio * mass * frequency] {
        let mut bodies = bodies(vec![weight()], &spring(stiffness, damping, ends, None));
        let rest = -mass * 9.81 / stiffness;
        let (mut crossings, mut peaks) = (Crossings::default(), Vec::new());
        let mut before = [0.0; 2];
        run(&mut bodies, GRAVITY, 5000, 1e-3, |time, bodies| {
            let y = bodies.list[0].center().y - rest;
            crossings.add(time, y);
            if before[1] > before[0] && before[1] >= y {
                peaks.push(before[1]);
            }
            before = [before[1], y];
        });
        let damped = if damping > 0.0 { (1.0 - ratio * ratio).sqrt() } else { 1.0 };
        close(crossings.period() * frequency * damped / TAU, 1.0, 2e-3, "period");
        let decay = (peaks[3] / peaks[0]).ln() / 3.0;
        let expected = if damping > 0.0 { -TAU * ratio / damped } else { 0.0 };
        println!("period {} s, decay {decay} of {expected}", crossings.period());
        close(decay, expected, 0.01 * ratio * TAU, "decay per period");
    }
}

/// A spring whose period is a small part of the step hangs still where it should.
#[test]
fn a_stiff_spring_is_stable_and_hangs_right() {
    let weight = block("weight", [0.2; 3], DVec3::ZERO, |floating| floating.mass = MassSource::Mass(2.0));
    let mut bodies = bodies(vec![weight], &spring(1e8, 0.0, [DVec3::ZERO, DVec3::new(0.0, 1.0, 0.0)], None));
    run(&mut bodies, GRAVITY, 2000, 2e-3, |_, bodies| assert!(bodies.list[0].center().length() < 1e-3));
    let y = bodies.list[0].center().y;
    close(y / (-2.0 * 9.81 / 1e8), 1.0, 1e-3, "elongation");
}

/// Two bodies on a spring, off their centers: momentum is kept.
#[test]
fn a_spring_between_bodies_keeps_momentum() {
    let definitions = vec![
        block("one", [0.2, 0.3, 0.1], DVec3::ZERO, |floating| floating.velocity = DVec3::new(0.3, 1.0, 0.0)),
        block("two", [0.3, 0.1, 0.2], DVec3::new(0.8, 0.1, 0.0), |_| {}),
    ];
    let ends = [DVec3::new(0.1, 0.1, 0.05), DVec3::new(0.7, 0.1, -0.1)];
    let springs = vec![SpringDefinition { bodies: (0, Some(1)), ends, stiffness: 200.0, damping: 3.0, length: Some(0.4) }];
    let mut bodies = bodies(definitions, &MechanismDefinition { springs, ..MechanismDefinition::default() });
    let start = total(&bodies);
    run(&mut bodies, DVec3::ZERO, 3000, 1e-3, |_, bodies| assert_eq!(bodies.external.linear, DVec3::ZERO));
    let after = total(&bodies);
    assert!((after.0 - start.0).length() < 1e-10 && (after.1 - start.1).length() < 1e-10, "{start:?} {after:?}");
    assert!(bodies.list[1].velocity.length() > 0.01, "the spring pulls");
}

/// A body under a given force on one mooring line, with drag, comes to rest where the line carries the force. `force` is what is left for the
/// line, N.
fn moored(line: LineDefinition, force: DVec3) -> (DVec3, f64) {
    let anchor = DVec3::new(-5.0, -3.0, 1.0);
    let buoy = block("buoy", [0.2; 3], DVec3::ZERO, |floating| {
        (floating.mass, floating.force) = (MassSource::Mass(20.0), force - 20.0 * GRAVITY);
        floating.locked_rotation = [true; 3];
    });
    let mooring = MooringDefinition { name: "line".into(), body: 0, attachment: DVec3::ZERO, anchor, line };
    let drag = |axis: usize| SpringDefinition {
        bodies: (0, None),
        ends: [DVec3::ZERO, 1e3 * DVec3::AXES[axis]],
        stiffness: 1e-9,
        damping: 40.0,
        length: None,
    };
    let springs = (0..3).map(drag).collect();
    let mut bodies = bodies(vec![buoy], &MechanismDefinition { springs, moorings: vec![mooring], ..MechanismDefinition::default() });
    run(&mut bodies, GRAVITY, 30_000, 2e-3, |_, _| {});
    let body: &Body = &bodies.list[0];
    assert!(body.velocity.length() < 1e-5, "at rest: {}", body.velocity);
    (body.center() - anchor, bodies.mechanism().tension(0, 2e-3))
}

#[test]
fn a_straight_mooring_carries_a_given_force() {
    let line = LineDefinition { length: 5.0, axial_stiffness: 2e3, damping: 0.0, law: LineLaw::Straight };
    let force = DVec3::new(60.0, 80.0, 0.0);
    let (end, tension) = moored(line, force);
    // The dampers that bring it to rest hold a part β² of the force, 6e-5.
    close(tension, 100.0, 0.02, "tension");
    close(end.distance(force.normalize() * 5.0 * (1.0 + 100.0 / 2e3)), 0.0, 2e-3, "end");
}

#[test]
fn a_catenary_carries_a_given_force() {
    let (length, axial_stiffness, weight) = (7.0_f64, 4e3, 10.0);
    let line = LineDefinition { length, axial_stiffness, damping: 0.0, law: LineLaw::Catenary { weight, up: DVec3::Y } };
    // With 50 N of the line's 70 N lifted, a part is on the floor; with 90 N all of it hangs.
    for vertical in [50.0_f64, 90.0] {
        let horizontal = 40.0;
        let (end, tension) = moored(line, DVec3::new(horizontal, vertical, 0.0));
        let below = vertical - weight * length;
        let (root, asinh) = (|v: f64| (1.0 + (v / horizontal).powi(2)).sqrt(), |v: f64| (v / horizontal).asinh());
        let scale = horizontal / weight;
        let stretch = horizontal * length / axial_stiffness;
        let [x, z] = match below < 0.0 {
            true => [
                length - vertical / weight + scale * asinh(vertical) + stretch,
                scale * (root(vertical) - 1.0) + vertical * vertical / (2.0 * axial_stiffness * weight),
            ],
            false => [
                scale * (asinh(vertical) - asinh(below)) + stretch,
                scale * (root(vertical) - root(below)) + (vertical - 0.5 * weight * length) * length / axial_stiffness,
            ],
        };
        println!("end {end} for {x} {z}, tension {tension}");
        close(end.distance(DVec3::new(x, z, 0.0)), 0.0, 5e-3, "end");
        close(tension, horizontal.hypot(vertical), 0.01, "tension");
    }
}

#[test]
fn a_slack_mooring_does_not_pull() {
    let line = LineDefinition { length: 8.0, axial_stiffness: 2e3, damping: 10.0, law: LineLaw::Straight };
    let ball = block("ball", [0.2; 3], DVec3::ZERO, |floating| floating.velocity = DVec3::new(0.5, 0.0, 0.0));
    let anchor = DVec3::new(-5.0, 0.0, 0.0);
    let mooring = MooringDefinition { name: "line".into(), body: 0, attachment: DVec3::ZERO, anchor, line };
    let mut bodies = bodies(vec![ball], &MechanismDefinition { moorings: vec![mooring], ..MechanismDefinition::default() });
    let mut fastest_back = 0.0_f64;
    run(&mut bodies, DVec3::ZERO, 8000, 1e-3, |time, bodies| {
        let body = &bodies.list[0];
        if time < 5.9 {
            assert_eq!((body.velocity, bodies.mechanism().tension(0, 1e-3)), (DVec3::new(0.5, 0.0, 0.0), 0.0), "{time}");
        }
        fastest_back = fastest_back.min(body.velocity.x);
    });
    assert!(fastest_back < -0.3, "the taut line throws it back: {fastest_back}");
}

/// A block falls onto a table, or through it if they do not collide.
#[test]
fn bodies_without_contact_pass_through_each_other() {
    let fall = |mechanism: &MechanismDefinition| {
        let table = BodyDefinition::fixed("table", solids::cuboid([2.0, 0.2, 2.0])).at(DVec3::new(0.0, -0.5, 0.0));
        let one = block("one", [0.2; 3], DVec3::ZERO, |_| {});
        let mut bodies = bodies(vec![table, one], mechanism);
        run(&mut bodies, GRAVITY, 700, 2e-3, |_, _| {});
        bodies.list[1].center().y
    };
    close(fall(&MechanismDefinition::default()), -0.3, 0.01, "on the table");
    let free = -0.5 * 9.81 * 1.4 * 1.4;
    close(fall(&MechanismDefinition { without_contact: vec![[1, 0]], ..MechanismDefinition::default() }), free, 0.02, "one pair");
    close(fall(&MechanismDefinition { without_any_contact: vec![1], ..MechanismDefinition::default() }), free, 0.02, "any");
    let ball = JointDefinition::new(JointKind::Slider(DVec3::Y), 1, Some(0), DVec3::ZERO);
    close(fall(&joint(ball.clone())), free, 0.02, "joined");
    close(fall(&joint(JointDefinition { contacts: true, ..ball })), -0.3, 0.01, "joined with contacts");
}
