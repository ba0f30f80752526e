//! Rigid bodies without fluid: free motion, prescribed motion, locks, contacts.

mod contacts;
mod joints;

#[path = "../../../../tools/generate_meshes/main.rs"]
mod generate_meshes;

use std::f64::consts::{PI, TAU};

use generate_meshes::solids;
use glam::{DMat3, DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose};
use plimsoll_bodies::{Bodies, Body, BodyDefinition, BodyKind, Floating, Held, Impulse, Keyframe, MassSource, PrescribedMotion, Presence};
use plimsoll_contract::simulator::Unwatched;
use plimsoll_shape::{SegmentLimits, TriangleMesh};

const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);
const STILL: Floating = Floating::new(MassSource::Density(500.0));

fn definition(name: &str, mesh: TriangleMesh, pose: Pose, kind: BodyKind) -> BodyDefinition {
    BodyDefinition { name: name.into(), mesh, pose, kind, friction: 0.5, restitution: 0.0, presence: Presence::default() }
}

fn bodies(definitions: Vec<BodyDefinition>) -> Bodies {
    Bodies::new(definitions, SegmentLimits::new(0.5, 32), Domain::OPEN, &Unwatched).expect("not interrupted")
}

/// One step as in the fluid simulation, but without fluid.
fn advance(bodies: &mut Bodies, gravity: DVec3, time: f64, dt: f64) {
    bodies.begin_step(time, dt, DVec3::ZERO);
    bodies.apply_external_forces(gravity, dt);
    bodies.apply_expected_contacts(dt);
    bodies.step(time + dt, dt);
}

/// All state that changes, bit by bit.
fn state(bodies: &Bodies) -> Vec<u64> {
    let numbers = bodies.list.iter().flat_map(|body| {
        let rotation = body.pose.rotation;
        let vectors = [body.pose.translation, body.velocity, body.angular_velocity, body.angular_momentum];
        let impulses = [body.contact_impulse.linear, body.contact_impulse.angular, rotation.xyz()];
        vectors.into_iter().chain(impulses).flat_map(|vector| vector.to_array()).chain([rotation.w])
    });
    numbers.map(f64::to_bits).collect()
}

fn close(found: DVec3, expected: DVec3, tolerance: f64, what: &str) {
    assert!((found - expected).length() <= tolerance, "{what}: {found} for {expected}");
}

/// Angle between two orientations, radians.
fn turn_between(a: DQuat, b: DQuat) -> f64 {
    (a.conjugate() * b).to_scaled_axis().length().min((a.conjugate() * -b).to_scaled_axis().length())
}

/// A thrown body that rotates about its middle axis, which is unstable: it flips back and forth repeatedly (Dzhanibekov).
#[test]
fn a_tumbling_body_keeps_momentum_and_energy() {
    let floating = Floating {
        mass: MassSource::Mass(2.0),
        inertia: Some(DMat3::from_diagonal(DVec3::new(0.01, 0.02, 0.03))),
        center_of_mass: Some(DVec3::new(0.05, -0.02, 0.01)),
        velocity: DVec3::new(0.7, -0.3, 0.2),
        angular_velocity: DVec3::new(0.2, 6.0, 0.1),
        ..STILL
    };
    let pose = Pose::from_translation(DVec3::new(1.0, 2.0, -0.5));
    let mut bodies = bodies(vec![definition("top", solids::cuboid([0.3, 0.2, 0.1]), pose, BodyKind::Floating(floating))]);
    let (before, energy) = (bodies.momentum(), bodies.kinetic_energy());
    let (mut flips, mut side) = (0, 1.0);
    let (start, dt) = (bodies.list[0].center(), 1e-3);
    for step in 0..10_000 {
        advance(&mut bodies, DVec3::ZERO, f64::from(step) * dt, dt);
        let body = &bodies.list[0];
        let about_middle = (body.pose.rotation.conjugate() * body.angular_velocity).y;
        if about_middle * side < -3.0 {
            (flips, side) = (flips + 1, -side);
        }
        let energy_error = (bodies.kinetic_energy() / energy - 1.0).abs();
        assert!(energy_error < 1e-3, "step {step}: energy is off by {energy_error}");
    }
    let after = bodies.momentum();
    close(after.linear, before.linear, 1e-9 * before.linear.length(), "linear momentum");
    close(after.angular, before.angular, 1e-9 * before.angular.length(), "angular momentum");
    close(bodies.list[0].center(), start + 10.0 * DVec3::new(0.7, -0.3, 0.2), 1e-9, "center of mass");
    assert_eq!(bodies.external, Impulse::default());
    assert!(flips >= 3, "flipped {flips} times");
}

/// A symmetric top precesses at the rate `L / I₁`, and rotates about its own axis by `(1 − I₃/I₁) ω₃` less.
#[test]
fn a_symmetric_top_precesses_at_its_rate() {
    let (across, along) = (0.03, 0.01);
    let spin = DVec3::new(4.0, 0.0, 3.0);
    let floating = Floating {
        mass: MassSource::Mass(1.0),
        inertia: Some(DMat3::from_diagonal(DVec3::new(across, across, along))),
        angular_velocity: spin,
        ..STILL
    };
    let exact = |time: f64| {
        let momentum = DVec3::new(across * spin.x, 0.0, along * spin.z);
        DQuat::from_scaled_axis(momentum / across * time) * DQuat::from_rotation_z((1.0 - along / across) * spin.z * time)
    };
    let error_at = |dt: f64| {
        let mut bodies =
            bodies(vec![definition("top", solids::cuboid([0.1, 0.1, 0.1]), Pose::IDENTITY, BodyKind::Floating(floating.clone()))]);
        for step in 0..(2.0 / dt).round() as u32 {
            advance(&mut bodies, DVec3::ZERO, f64::from(step) * dt, dt);
        }
        turn_between(bodies.list[0].pose.rotation, exact(2.0))
    };
    let (coarse, fine) = (error_at(2e-3), error_at(1e-3));
    assert!(fine < 1e-4, "off by {fine} rad after 2 s");
    assert!((3.0..5.0).contains(&(coarse / fine)), "second order: {coarse} and {fine}");
}

fn moving(motion: PrescribedMotion, initial: Pose) -> Bodies {
    bodies(vec![definition("moving", solids::cuboid([0.2, 0.2, 0.2]), initial, BodyKind::Moving(motion))])
}

/// Advances in uneven steps and compares the pose at the end of each with `expected`, and with the pose that the velocities lead to.
fn follow(motion: PrescribedMotion, initial: Pose, expected: impl Fn(f64) -> (DVec3, DQuat)) {
    let mut bodies = moving(motion, initial);
    let mut time = 0.0;
    for step in 0..200 {
        let dt = if step % 3 == 0 { 0.013 } else { 0.0071 };
        let before = bodies.list[0].pose;
        advance(&mut bodies, GRAVITY, time, dt);
        time += dt;
        let body = &bodies.list[0];
        let (position, rotation) = expected(time);
        close(body.pose.translation, position, 1e-12, &format!("position at {time} s"));
        assert!(turn_between(body.pose.rotation, rotation) < 1e-7, "turn at {time} s: {}", turn_between(body.pose.rotation, rotation));
        close(before.translation + dt * body.velocity, position, 1e-12, "where the velocity leads");
        let led = DQuat::from_scaled_axis(dt * body.angular_velocity) * before.rotation;
        assert!(turn_between(led, rotation) < 1e-7, "where the angular velocity leads: {}", turn_between(led, rotation));
        assert_eq!(body.previous_pose, before);
    }
}

/// A body that moves as prescribed keeps its velocity when it is released, and a cube on a body that is held falls with it; also if the bodies are saved in between.
#[test]
fn bodies_are_released() {
    let cube = |at: DVec3, held: Option<Held>, velocity: DVec3| {
        let floating = Floating { velocity, held: held.map(Box::new), ..STILL };
        definition("body", solids::cuboid([0.2; 3]), Pose::from_translation(at), BodyKind::Floating(floating))
    };
    let constant = |linear: DVec3, pivot: DVec3| PrescribedMotion::Constant { linear, angular: DVec3::ZERO, pivot };
    let held = |motion, keeps_velocity| Some(Held { motion, keeps_velocity, until: 0.3 });
    let definitions = vec![
        cube(DVec3::Y, held(constant(DVec3::X, DVec3::Y), true), DVec3::ZERO),
        cube(DVec3::X * 5.0, held(constant(DVec3::ZERO, DVec3::ZERO), false), DVec3::Y),
        cube(DVec3::new(5.0, 0.2, 0.0), None, DVec3::ZERO),
    ];
    let mut bodies = Bodies::new(definitions, SegmentLimits::new(0.2, 32), Domain::OPEN, &Unwatched).expect("not interrupted");
    let dt = 1e-3;
    let mut at_rest = 0.0_f64;
    for step in 0..500 {
        let time = f64::from(step) * dt;
        advance(&mut bodies, GRAVITY, time, dt);
        if step < 300 {
            assert_eq!(bodies.list[0].momentum().linear, DVec3::ZERO);
            at_rest = at_rest.max((bodies.list[2].center().y - 0.2).abs());
        }
        if step == 100 || step == 400 {
            bodies = plimsoll_saved::bodies::restored(&bodies);
        }
    }
    println!(
        "{} {} {}; the upper cube moves by {at_rest:.1e} m",
        bodies.list[0].center(),
        bodies.list[1].center(),
        bodies.list[2].center()
    );
    let fall = 0.5 * GRAVITY.y * 0.2 * 0.2;
    assert!(bodies.list[0].center().distance(DVec3::new(0.5, 1.0 + fall, 0.0)) < 2e-3, "{}", bodies.list[0].center());
    assert!(at_rest < 1e-4, "{at_rest} m");
    // Pushed up by the lower one, which had a tenth of a second's worth of it.
    assert!(bodies.list[2].velocity.y > -0.2 * 9.81 + 0.4, "{}", bodies.list[2].velocity);
    let pair = 0.5 * (bodies.list[1].center().y + bodies.list[2].center().y);
    assert!((pair - (0.1 + 0.5 * 0.2 + fall)).abs() < 5e-3, "{pair}");
}

/// A body whose release comes before it appears has the velocity of its motion when it appears.
#[test]
fn a_body_that_appears_after_its_release_has_its_velocity() {
    let motion = PrescribedMotion::Constant { linear: DVec3::X, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let floating = Floating { held: Some(Box::new(Held { motion, keeps_velocity: true, until: 0.1 })), ..STILL };
    let mut body = definition("body", solids::cuboid([0.2; 3]), Pose::IDENTITY, BodyKind::Floating(floating));
    body.presence = Presence { from: 0.2, ..Presence::default() };
    let mut bodies = bodies(vec![body]);
    for step in 0..400 {
        advance(&mut bodies, DVec3::ZERO, f64::from(step) * 1e-3, 1e-3);
    }
    let body = &bodies.list[0];
    assert!(
        body.center().distance(DVec3::X * 0.4) < 1e-9 && body.velocity.distance(DVec3::X) < 1e-9,
        "{} {}",
        body.center(),
        body.velocity
    );
    assert!(bodies.momentum().linear.x > 0.0);
}

#[test]
fn constant_motion_ends_where_it_should() {
    let initial = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(1.0, 0.5, 0.0));
    let (linear, pivot) = (DVec3::new(0.1, 0.2, -0.3), DVec3::new(0.0, 0.5, 0.0));
    let motion = PrescribedMotion::Constant { linear, angular: DVec3::new(0.0, 2.0, 0.0), pivot };
    follow(motion, initial, |time| {
        // On a circle of radius 1 m about the moving pivot.
        let angle = 2.0 * time;
        (pivot + linear * time + DVec3::new(angle.cos(), 0.0, -angle.sin()), DQuat::from_rotation_y(angle) * initial.rotation)
    });
}

#[test]
fn sinusoidal_motion_ends_where_it_should() {
    let initial = Pose::new(DQuat::from_rotation_y(-0.2), DVec3::new(0.0, 1.0, 0.0));
    let amplitude = DVec3::new(0.1, 0.0, 0.05);
    let motion =
        PrescribedMotion::Sinusoid { amplitude, rotation: DVec3::new(0.0, 0.0, 0.5), pivot: DVec3::ZERO, frequency: 0.7, phase: -0.5 * PI };
    follow(motion, initial, |time| {
        let sine = -(TAU * 0.7 * time).cos();
        let angle = 0.5 * sine;
        (amplitude * sine + DVec3::new(-angle.sin(), angle.cos(), 0.0), DQuat::from_rotation_z(angle) * initial.rotation)
    });
}

/// Fluid is placed around it before the first step: the body must already be there, and not jump.
#[test]
fn a_sine_with_a_phase_begins_where_it_has_the_body() {
    let amplitude = DVec3::new(0.1, 0.0, 0.0);
    let motion = PrescribedMotion::Sinusoid { amplitude, rotation: DVec3::ZERO, pivot: DVec3::ZERO, frequency: 0.5, phase: -0.5 * PI };
    let mut bodies = moving(motion, Pose::from_translation(DVec3::Y));
    close(bodies.list[0].pose.translation, DVec3::Y - amplitude, 1e-12, "before the first step");
    bodies.begin_step(0.0, 1e-3, DVec3::ZERO);
    let mean_speed = 0.1 * (1.0 - (PI * 1e-3).cos()) / 1e-3;
    close(bodies.list[0].velocity, DVec3::X * mean_speed, 1e-9, "velocity of the first step");
}

#[test]
fn keyframed_motion_ends_where_it_should() {
    let keyframe = |time, x, angle| Keyframe { time, position: DVec3::new(x, 1.0, 0.0), rotation: DQuat::from_rotation_z(angle) };
    let keyframes = vec![keyframe(0.2, 0.0, 0.0), keyframe(0.7, 1.0, 0.5 * PI), keyframe(1.5, 1.0, -0.25 * PI)];
    let initial = Pose::new(keyframes[0].rotation, keyframes[0].position);
    follow(PrescribedMotion::Keyframes(keyframes), initial, |time| {
        let (x, angle) = match time {
            ..0.2 => (0.0, 0.0),
            ..0.7 => ((time - 0.2) / 0.5, 0.5 * PI * (time - 0.2) / 0.5),
            ..1.5 => (1.0, 0.5 * PI - 0.75 * PI * (time - 0.7) / 0.8),
            _ => (1.0, -0.25 * PI),
        };
        (DVec3::new(x, 1.0, 0.0), DQuat::from_rotation_z(angle))
    });
}

/// A box that can only rise, sink and rotate about y, pushed in all directions and dropped on a slope.
#[test]
fn locked_axes_stay_locked() {
    let floating = Floating {
        locked_translation: [true, false, true],
        locked_rotation: [true, false, true],
        force: DVec3::new(30.0, 0.0, -20.0),
        torque: DVec3::new(3.0, 0.02, -2.0),
        velocity: DVec3::new(1.0, 0.5, 1.0),
        angular_velocity: DVec3::new(1.0, 1.0, 1.0),
        ..STILL
    };
    let slope = Pose::new(DQuat::from_rotation_z(0.3), DVec3::new(0.0, -0.5, 0.0));
    let mut bodies = bodies(vec![
        definition("slope", solids::cuboid([3.0, 0.5, 3.0]), slope, BodyKind::Static),
        definition(
            "box",
            solids::cuboid([0.3, 0.2, 0.1]),
            Pose::from_translation(DVec3::new(0.4, 0.6, -0.2)),
            BodyKind::Floating(floating),
        ),
    ]);
    let (mut touched, mut explained) = (false, bodies.momentum());
    for step in 0..600 {
        advance(&mut bodies, GRAVITY, f64::from(step) * 2e-3, 2e-3);
        bodies.apply_impulse(1, Impulse { linear: DVec3::new(0.3, 0.01, 0.2), angular: DVec3::new(0.01, 1e-4, 0.02) });
        // The impulse counts as exchanged with another part of the system, which does not exist here.
        explained += Impulse { linear: DVec3::new(0.3, 0.01, 0.2), angular: DVec3::new(0.01, 1e-4, 0.02) };
        explained.angular += bodies.list[1].center().cross(DVec3::new(0.3, 0.01, 0.2));
        explained += bodies.external;
        let body = &bodies.list[1];
        touched |= body.contact_impulse != Impulse::default();
        let rotation = body.pose.rotation;
        assert!(body.center().x == 0.4 && body.center().z == -0.2, "step {step}: {}", body.center());
        assert!(rotation.x.abs() < 1e-12 && rotation.z.abs() < 1e-12, "step {step}: {rotation}");
        assert!(body.velocity.x == 0.0 && body.velocity.z == 0.0, "step {step}: {}", body.velocity);
        assert!(body.angular_velocity.x.abs() < 1e-12 && body.angular_velocity.z.abs() < 1e-12, "step {step}: {}", body.angular_velocity);
    }
    assert!(touched, "the box reached the slope");
    let body = &bodies.list[1];
    assert!(turn_between(body.pose.rotation, DQuat::IDENTITY) > 0.1, "it could turn about y");
    let found = bodies.momentum();
    close(found.linear, explained.linear, 1e-9, "linear momentum against the books");
    close(found.angular, explained.angular, 1e-9, "angular momentum against the books");
}

#[test]
fn a_falling_box_comes_to_rest_on_a_box() {
    let pose = Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.1, 0.75, 0.05));
    let mut bodies = bodies(vec![
        definition("ground", solids::cuboid([1.0, 1.0, 1.0]), Pose::IDENTITY, BodyKind::Static),
        definition("box", solids::cuboid([0.2, 0.2, 0.2]), pose, BodyKind::Floating(STILL)),
    ]);
    let (dt, mut time) = (2e-3, 0.0);
    let (mut explained, mut deepest, mut free_fall) = (Impulse::default(), f64::INFINITY, true);
    while time < 2.0 {
        advance(&mut bodies, GRAVITY, time, dt);
        time += dt;
        explained += bodies.external;
        let body = &bodies.list[1];
        free_fall &= body.contact_impulse == Impulse::default();
        if free_fall {
            close(body.velocity, GRAVITY * time, 1e-12, "speed in free fall");
        }
        let low = |body: &Body| body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex).y).fold(f64::INFINITY, f64::min);
        deepest = deepest.min(low(body));
    }
    let body = &bodies.list[1];
    assert!(deepest > 0.49, "the box went down to {deepest} m, into the ground at 0.5 m");
    close(body.center(), DVec3::new(0.1, 0.6, 0.05), 2e-3, "where the box rests");
    assert!(turn_between(body.pose.rotation, pose.rotation) < 0.01, "the box stands upright");
    assert!(body.velocity.length() < 1e-3 && body.angular_velocity.length() < 1e-3, "{} {}", body.velocity, body.angular_velocity);
    let weight = -body.mass * GRAVITY * dt;
    close(body.contact_impulse.linear, weight, 0.01 * weight.length(), "what carries the box");
    let found = bodies.momentum();
    close(found.linear, explained.linear, 1e-9, "linear momentum against the books");
    close(found.angular, explained.angular, 1e-9, "angular momentum against the books");
}

/// Two spinning boxes that collide off center, with nothing else around.
fn collision() -> Bodies {
    let thrown = |density, velocity, angular_velocity| {
        BodyKind::Floating(Floating { mass: MassSource::Density(density), velocity, angular_velocity, ..STILL })
    };
    let right = thrown(500.0, DVec3::new(2.0, 0.1, 0.0), DVec3::new(0.3, 1.0, -2.0));
    let left = thrown(800.0, DVec3::new(-1.0, 0.0, 0.2), DVec3::new(-1.0, 0.5, 0.4));
    let away = DVec3::new(0.3, 2.0, -1.0);
    let pose = |x: f64, y: f64, turn: f64| Pose::new(DQuat::from_scaled_axis(DVec3::new(turn, 0.3, -0.2)), away + DVec3::new(x, y, 0.03));
    bodies(vec![
        definition("first", solids::cuboid([0.3, 0.2, 0.25]), pose(-0.4, 0.0, 0.4), right),
        definition("second", solids::cuboid([0.2, 0.3, 0.2]), pose(0.4, 0.1, -0.7), left),
    ])
}

/// Whether any body is pushed by another.
fn touching(bodies: &Bodies) -> bool {
    bodies.list.iter().any(|body| body.contact_impulse != Impulse::default())
}

#[test]
fn colliding_bodies_keep_their_momentum() {
    let mut bodies = collision();
    let (before, velocity, energy) = (bodies.momentum(), bodies.list[0].velocity, bodies.kinetic_energy());
    // The scale is the momentum of the bodies, not the sum, in which it may cancel.
    let linear_scale: f64 = bodies.list.iter().map(|body| body.momentum().linear.length()).sum();
    let angular_scale: f64 = bodies.list.iter().map(|body| body.momentum().angular.length()).sum();
    let mut steps_touching = 0;
    for step in 0..500 {
        advance(&mut bodies, DVec3::ZERO, f64::from(step) * 1e-3, 1e-3);
        steps_touching += u32::from(touching(&bodies));
        assert_eq!(bodies.external, Impulse::default(), "step {step}");
        let now = bodies.momentum();
        close(now.linear, before.linear, 1e-9 * linear_scale, &format!("linear momentum after step {step}"));
        close(now.angular, before.angular, 1e-9 * angular_scale, &format!("angular momentum after step {step}"));
    }
    assert!(steps_touching > 0, "the bodies met");
    assert!((bodies.list[0].velocity - velocity).length() > 0.5, "the first was thrown back: {}", bodies.list[0].velocity);
    assert!(bodies.kinetic_energy() < energy, "a collision without restitution costs energy");
}

#[test]
fn bodies_saved_while_they_touch_go_on_bit_by_bit() {
    let mut bodies = collision();
    let mut step = 0;
    let next = |bodies: &mut Bodies, step: i32| advance(bodies, GRAVITY, f64::from(step) * 1e-3, 1e-3);
    while !touching(&bodies) {
        next(&mut bodies, step);
        step += 1;
        assert!(step < 500, "the bodies meet");
    }
    let mut resumed = plimsoll_saved::bodies::restored(&bodies);
    assert!(resumed.list.iter().zip(&bodies.list).all(|(a, b)| a.segmentation == b.segmentation));
    assert_eq!(state(&resumed), state(&bodies));
    for step in step..step + 300 {
        next(&mut bodies, step);
        next(&mut resumed, step);
        assert_eq!(state(&resumed), state(&bodies), "step {step}");
    }
}
