//! Bodies that touch: depth, creep and energy of shapes on one another, on slopes and on sheets, and impacts. `--nocapture` prints the figures.

use std::{
    f64::consts::{FRAC_PI_2, PI, TAU},
    sync::Arc,
};

use glam::{DQuat, DVec3};
use plimsoll_base::math::{Domain, Pose, Random};
use plimsoll_bodies::{
    Bodies, Body, BodyDefinition, BodyKind, Deformation, Floating, MassSource, MechanismDefinition, PairDefinition, PrescribedMotion,
    Presence,
};
use plimsoll_contract::simulator::Unwatched;
use plimsoll_shape::{SegmentLimits, TriangleMesh};
use rapier3d_f64::parry::transformation::convex_hull;

use super::{GRAVITY, STILL, advance, generate_meshes::solids};

fn mesh_of(points: &[DVec3]) -> TriangleMesh {
    let (vertices, triangles) = convex_hull(points);
    TriangleMesh { vertices, triangles }
}

/// A regular prism with a vertical axis.
fn prism(sides: u32, diameter: f64, height: f64) -> TriangleMesh {
    mesh_of(&rings(sides, &[(-0.5 * height, diameter), (0.5 * height, diameter)]))
}

/// Points on circles of the given heights and diameters.
fn rings(sides: u32, circles: &[(f64, f64)]) -> Vec<DVec3> {
    let circle = |&(height, diameter): &(f64, f64)| {
        (0..sides).map(move |side| {
            let (sin, cos) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
            DVec3::new(0.5 * diameter * cos, height, 0.5 * diameter * sin)
        })
    };
    circles.iter().flat_map(circle).collect()
}

fn barrel(sides: u32, size: f64) -> TriangleMesh {
    mesh_of(&rings(sides, &[(-0.5 * size, 0.8 * size), (0.0, size), (0.5 * size, 0.8 * size)]))
}

fn cone(sides: u32, size: f64) -> TriangleMesh {
    let mut points = rings(sides, &[(-0.5 * size, size)]);
    points.push(DVec3::new(0.0, 0.5 * size, 0.0));
    mesh_of(&points)
}

fn random_hull(seed: u64, size: f64) -> TriangleMesh {
    let mut random = Random::new(seed);
    let points: Vec<DVec3> = (0..30).map(|_| 0.5 * size * random.direction(3)).collect();
    mesh_of(&points)
}

/// The mesh with coordinates rounded to `step` (m) in a turned frame.
fn rounded(mesh: TriangleMesh, step: f64) -> TriangleMesh {
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.7));
    let round = |vertex: DVec3| turn.inverse() * ((turn * vertex / step).round() * step);
    let vertices: Vec<DVec3> = mesh.vertices.into_iter().map(round).collect();
    mesh_of(&vertices)
}

fn definition(mesh: TriangleMesh, pose: Pose, kind: BodyKind) -> BodyDefinition {
    BodyDefinition { name: "body".into(), mesh, pose, kind, friction: 0.5, restitution: 0.0, presence: Presence::default() }
}

fn world(definitions: Vec<BodyDefinition>, size: f64) -> Bodies {
    Bodies::new(definitions, SegmentLimits::new(size, 32), Domain::OPEN, &Unwatched).expect("not interrupted")
}

fn free(density: f64) -> BodyKind {
    BodyKind::Floating(Floating { mass: MassSource::Density(density), ..STILL })
}

/// A slab whose top is at zero.
fn slab(size: f64) -> BodyDefinition {
    definition(solids::cuboid([5.0, 1.0, 5.0].map(|side| side * size)), Pose::from_translation(DVec3::NEG_Y * 0.5 * size), BodyKind::Static)
}

/// Bodies of these meshes on a slab on one another, with `gap` between them, each turned by `turn` against the one below.
fn stack(meshes: &[TriangleMesh], size: f64, gap: f64, turn: f64) -> Vec<BodyDefinition> {
    let mut definitions = vec![slab(size)];
    let mut level = 0.0;
    for (number, mesh) in meshes.iter().enumerate() {
        let bounds = mesh.aabb();
        let rotation = DQuat::from_rotation_y(turn * number as f64);
        let pose = Pose::new(rotation, DVec3::Y * (level + gap - bounds.min.y));
        level += gap + bounds.extent().y;
        definitions.push(definition(mesh.clone(), pose, free(1000.0)));
    }
    definitions
}

fn in_world(body: &Body) -> Vec<DVec3> {
    body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex)).collect()
}

/// How deep two convex bodies overlap at most: along the normals of their faces.
fn penetration(one: &Body, other: &Body) -> f64 {
    let [a, b] = [one, other].map(in_world);
    let along = |normal: DVec3| {
        let low = b.iter().fold(f64::INFINITY, |low, point| low.min(point.dot(normal)));
        a.iter().fold(f64::NEG_INFINITY, |high, point| high.max(point.dot(normal))) - low
    };
    let normals = |body: &Body, points: &[DVec3]| -> Vec<DVec3> {
        let normal = |&[a, b, c]: &[u32; 3]| {
            let [a, b, c] = [a, b, c].map(|vertex| points[vertex as usize]);
            (b - a).cross(c - a).normalize_or_zero()
        };
        body.mesh.triangles.iter().map(normal).collect()
    };
    let of_one = normals(one, &a).into_iter().map(along);
    let of_other = normals(other, &b).into_iter().map(|normal| along(-normal));
    of_one.chain(of_other).fold(f64::INFINITY, f64::min)
}

/// What bodies on one another did, relative to their size.
#[derive(Clone, Copy, Debug, Default)]
struct Outcome {
    /// Largest depth of any pair of successive bodies.
    depth: f64,
    /// The same in the last tenth of the time.
    final_depth: f64,
    /// Largest mean speed sideways in the last fifth of the time, 1/s.
    creep: f64,
    /// Largest rise of the energy, m g size.
    gain: f64,
    /// Largest displacement sideways.
    moved: f64,
}

/// Lets the bodies of a stack rest for `duration` seconds.
fn rest(bodies: &mut Bodies, size: f64, dt: f64, duration: f64) -> Outcome {
    let steps = (duration / dt).round() as u32;
    let mut outcome = Outcome::default();
    let energy = |bodies: &Bodies| bodies.kinetic_energy() + bodies.potential_energy(GRAVITY);
    let mass: f64 = bodies.list.iter().filter(|body| body.mass.is_finite()).map(|body| body.mass).sum();
    let start: Vec<DVec3> = bodies.list.iter().map(Body::center).collect();
    let sideways = |way: DVec3| way.reject_from(DVec3::Y).length();
    let mut least = energy(bodies);
    let mut late = start.clone();
    for step in 1..=steps {
        advance(bodies, GRAVITY, f64::from(step) * dt, dt);
        outcome.gain = outcome.gain.max((energy(bodies) - least) / (mass * GRAVITY.length() * size));
        least = least.min(energy(bodies));
        if step == steps * 4 / 5 {
            late = bodies.list.iter().map(Body::center).collect();
        }
        if step % (steps / 50).max(1) == 0 || step == steps {
            let depth = bodies.list.windows(2).map(|pair| penetration(&pair[0], &pair[1])).fold(0.0, f64::max) / size;
            outcome.depth = outcome.depth.max(depth);
            if step > steps * 9 / 10 {
                outcome.final_depth = outcome.final_depth.max(depth);
            }
        }
    }
    for ((body, late), start) in bodies.list.iter().zip(late).zip(start) {
        outcome.creep = outcome.creep.max(sideways(body.center() - late) / (0.2 * duration * size));
        outcome.moved = outcome.moved.max(sideways(body.center() - start) / size);
    }
    outcome
}

/// Rests bodies and prints and checks what they did.
fn check(name: &str, definitions: Vec<BodyDefinition>, size: f64, dt: f64, duration: f64, limits: Outcome) {
    let mut bodies = world(definitions, size);
    let found = rest(&mut bodies, size, dt, duration);
    println!("| {name} | {:.1e} | {:.1e} | {:.1e} | {:.1e} |", found.depth, found.final_depth, found.creep, found.gain);
    let within = found.depth <= limits.depth && found.creep <= limits.creep && found.gain <= limits.gain;
    assert!(within, "{name}: {found:?} for {limits:?}");
}

/// A thousandth of the size deep, 10⁻⁵ of the size per second, and no energy from nothing.
const LIMITS: Outcome = Outcome { depth: 1e-3, final_depth: 1e-3, creep: 1e-5, gain: 1e-3, moved: f64::INFINITY };
const SIZE: f64 = 0.15;
const DT: f64 = 3e-3;

#[test]
fn convex_bodies_stand_on_one_another() {
    let twice = |mesh: TriangleMesh| [mesh.clone(), mesh];
    for sides in [3, 4, 5, 6, 8, 12, 16, 24, 32, 64, 128] {
        let two = twice(prism(sides, SIZE, SIZE));
        check(&format!("prisms of {sides} sides"), stack(&two, SIZE, 0.0, 0.0), SIZE, DT, 1.25, LIMITS);
        check(&format!("prisms of {sides} sides, turned"), stack(&two, SIZE, 0.0, 0.3), SIZE, DT, 1.25, LIMITS);
    }
    for (name, mesh) in [
        ("discs", prism(32, SIZE, 0.03)),
        ("barrels", barrel(24, SIZE)),
        ("boxes", solids::cuboid([SIZE, 0.5 * SIZE, 0.8 * SIZE])),
        ("rounded prisms of 12 sides", rounded(prism(12, SIZE, SIZE), 1e-5 * SIZE)),
        ("rounded prisms of 32 sides", rounded(prism(32, SIZE, SIZE), 1e-5 * SIZE)),
        ("rounded prisms of 128 sides", rounded(prism(128, SIZE, SIZE), 1e-6 * SIZE)),
    ] {
        check(name, stack(&twice(mesh), SIZE, 0.0, 0.3), SIZE, DT, 1.25, LIMITS);
    }
    check("a cone on a barrel", stack(&[barrel(24, SIZE), cone(24, SIZE)], SIZE, 0.0, 0.0), SIZE, DT, 1.25, LIMITS);
}

#[test]
fn convex_bodies_come_to_rest_on_a_floor() {
    for (name, mesh, turn) in [
        ("a prism of 6 sides on an edge", prism(6, SIZE, SIZE), DQuat::from_rotation_z(FRAC_PI_2)),
        ("a cube from an edge", solids::cuboid([SIZE; 3]), DQuat::from_rotation_z(0.6)),
        ("a cube from a corner", solids::cuboid([SIZE; 3]), DQuat::from_scaled_axis(DVec3::new(0.5, 0.0, 0.7))),
        ("a random hull", random_hull(1, SIZE), DQuat::IDENTITY),
        ("another random hull", random_hull(2, SIZE), DQuat::IDENTITY),
    ] {
        let low = mesh.vertices.iter().fold(f64::INFINITY, |low, &vertex| low.min((turn * vertex).y));
        let body = definition(mesh, Pose::new(turn, DVec3::Y * -low), free(1000.0));
        check(name, vec![slab(SIZE), body], SIZE, DT, 4.0, LIMITS);
    }
    // On its side it rolls from facet to facet.
    let turn = DQuat::from_rotation_z(0.9 * PI);
    let lying = definition(cone(24, SIZE), Pose::new(turn, DVec3::Y * 0.6 * SIZE), free(1000.0));
    check("a cone from its tip", vec![slab(SIZE), lying], SIZE, DT, 4.0, Outcome { creep: 1e-3, gain: 5e-3, ..LIMITS });
    for halvings in [1, 2, 4] {
        let sphere = solids::sphere(0.5 * SIZE, halvings);
        let name = format!("a sphere of {} triangles", sphere.triangles.len());
        let low = sphere.aabb().min.y;
        // It may roll.
        let limits = Outcome { creep: 1.0, ..LIMITS };
        check(&name, vec![slab(SIZE), definition(sphere, Pose::from_translation(DVec3::Y * -low), free(1000.0))], SIZE, DT, 1.0, limits);
    }
}

#[test]
fn gaps_overlaps_steps_and_sizes_make_no_difference() {
    let two = |size: f64| [prism(32, size, size), prism(32, size, size)];
    for gap in [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, -1e-12, -1e-9, -1e-6, -1e-4] {
        check(&format!("gap of {gap:.0e} of the size"), stack(&two(SIZE), SIZE, gap * SIZE, 0.0), SIZE, DT, 1.25, LIMITS);
    }
    // The overlap itself is as deep as allowed.
    let limits = Outcome { depth: 1.1e-3, gain: 2e-3, ..LIMITS };
    check("overlap of 1e-3 of the size", stack(&two(SIZE), SIZE, -1e-3 * SIZE, 0.0), SIZE, DT, 1.0, limits);
    for dt in [1e-4, 1e-3, 1e-2] {
        check(&format!("steps of {} ms", 1e3 * dt), stack(&two(SIZE), SIZE, 0.0, 0.0), SIZE, dt, 1.0, LIMITS);
    }
    for size in [1e-3, 1e-2, 1.0, 10.0, 100.0] {
        let dt = DT * f64::sqrt(size / SIZE);
        check(&format!("bodies of {size} m"), stack(&two(size), size, 0.0, 0.0), size, dt, 400.0 * dt, LIMITS);
    }
}

#[test]
fn stiffness_follows_the_load() {
    for (name, mesh) in [("ten prisms of 32 sides", prism(32, SIZE, SIZE)), ("ten cubes", solids::cuboid([SIZE; 3]))] {
        check(name, stack(&vec![mesh; 10], SIZE, 0.0, 0.0), SIZE, DT, 2.0, LIMITS);
    }
    for (name, mesh) in [("1:1,000, prisms", prism(32, SIZE, SIZE)), ("1:1,000, cubes", solids::cuboid([SIZE; 3]))] {
        let mut definitions = stack(&[mesh.clone(), mesh], SIZE, 0.0, 0.0);
        definitions[2].kind = free(1e6);
        check(name, definitions, SIZE, DT, 2.0, LIMITS);
    }
}

/// Dented and hollow bodies touch as the convex pieces of their decomposition.
#[test]
fn bodies_of_convex_pieces_come_to_rest() {
    for (name, mesh) in [("a tank", solids::tank([SIZE, 0.5 * SIZE, SIZE], 0.1 * SIZE)), ("a torus", solids::torus(0.4 * SIZE, 0.1 * SIZE))]
    {
        for turn in [DQuat::IDENTITY, DQuat::from_rotation_z(PI)] {
            let low = mesh.vertices.iter().fold(f64::INFINITY, |low, &vertex| low.min((turn * vertex).y));
            let body = definition(mesh.clone(), Pose::new(turn, DVec3::Y * -low), free(1000.0));
            let mut bodies = world(vec![slab(SIZE), body], SIZE);
            let start = bodies.list[1].center().y;
            let found = rest(&mut bodies, SIZE, DT, 1.25);
            let sunk = (start - bodies.list[1].center().y) / SIZE;
            println!("| {name} of convex pieces sinks by {sunk:.1e}, creeps by {:.1e}, gains {:.1e} |", found.creep, found.gain);
            assert!(sunk.abs() < 1e-3 && found.creep < 1e-5 && found.gain < 1e-3, "{name}: {sunk}, {found:?}");
        }
    }
}

/// A slab whose top is tilted by `angle` (rad) and goes through the origin, and a body on it.
fn on_slope(mesh: &TriangleMesh, angle: f64, friction: f64) -> Bodies {
    let tilt = DQuat::from_rotation_z(-angle);
    let lift = -mesh.aabb().min.y;
    let mut slab = slab(20.0 * SIZE);
    slab.pose = Pose::new(tilt, tilt * slab.pose.translation);
    let mut body = definition(mesh.clone(), Pose::new(tilt, tilt * (DVec3::Y * lift)), free(1000.0));
    (slab.friction, body.friction) = (friction, friction);
    world(vec![slab, body], SIZE)
}

fn run(bodies: &mut Bodies, dt: f64, duration: f64) {
    for step in 0..(duration / dt).round() as u32 {
        advance(bodies, GRAVITY, f64::from(step) * dt, dt);
    }
}

#[test]
fn bodies_rest_on_slopes_and_slide_as_friction_lets_them() {
    let meshes = [("cube", solids::cuboid([SIZE; 3])), ("prism of 32 sides", prism(32, SIZE, SIZE))];
    for (name, mesh) in &meshes {
        for degrees in [1.0_f64, 5.0, 10.0, 15.0, 20.0, 25.0, 26.0] {
            for dt in [1e-3, 3e-3] {
                let mut bodies = on_slope(mesh, degrees.to_radians(), 0.5);
                run(&mut bodies, dt, 1.0);
                let start = bodies.list[1].center();
                run(&mut bodies, dt, 1.0);
                let creep = bodies.list[1].center().distance(start) / SIZE;
                println!("| {name} on a slope of {degrees} degrees, {} ms | {creep:.1e} |", 1e3 * dt);
                assert!(creep < 1e-5, "{name} creeps at {degrees} degrees: {creep}");
            }
        }
        for degrees in [28.0_f64, 35.0] {
            let angle = degrees.to_radians();
            let mut bodies = on_slope(mesh, angle, 0.5);
            run(&mut bodies, 3e-3, 0.3);
            let before = bodies.list[1].velocity.length();
            run(&mut bodies, 3e-3, 0.3);
            let acceleration = (bodies.list[1].velocity.length() - before) / 0.3;
            let expected = 9.81 * (angle.sin() - 0.5 * angle.cos());
            println!("| {name} slides at {degrees} degrees | {:+.2} % |", 100.0 * (acceleration / expected - 1.0));
            assert!((acceleration / expected - 1.0).abs() < 0.01, "{name}, {degrees} degrees: {acceleration} for {expected}");
        }
    }
}

/// A body twice as high as wide falls over when the slope is steeper than its diagonal.
#[test]
fn bodies_tip_at_the_right_angle() {
    for sides in [4, 6, 8, 16, 32] {
        let turn = PI / f64::from(sides);
        let mesh = prism(sides, SIZE, 2.0 * SIZE);
        // A side faces down the slope.
        let vertices = mesh.vertices.iter().map(|&vertex| DQuat::from_rotation_y(turn) * vertex).collect();
        let mesh = TriangleMesh { vertices, triangles: mesh.triangles };
        let right = 0.5 * turn.cos();
        let falls = |tangent: f64| {
            let mut bodies = on_slope(&mesh, tangent.atan(), 2.0);
            let start = bodies.list[1].pose.rotation;
            run(&mut bodies, 3e-3, 3.0);
            super::turn_between(start, bodies.list[1].pose.rotation) > 0.1
        };
        println!("| prism of {sides} sides: falls at 0.95 of the angle {}, at 1.01 {} |", falls(0.95 * right), falls(1.01 * right));
        assert!(!falls(0.95 * right) && falls(1.01 * right), "{sides} sides");
    }
}

/// An open sheet of triangles over a square, with normals up.
fn sheet(size: f64, cells: u32) -> TriangleMesh {
    let step = size / f64::from(cells);
    let corner = |x: u32, z: u32| DVec3::new(f64::from(x) * step - 0.5 * size, 0.0, f64::from(z) * step - 0.5 * size);
    let vertices = (0..=cells).flat_map(|x| (0..=cells).map(move |z| corner(x, z))).collect();
    let at = |x: u32, z: u32| x * (cells + 1) + z;
    let cell = |x: u32, z: u32| [[at(x, z), at(x, z + 1), at(x + 1, z)], [at(x + 1, z), at(x, z + 1), at(x + 1, z + 1)]];
    let triangles = (0..cells).flat_map(|x| (0..cells).flat_map(move |z| cell(x, z))).collect();
    TriangleMesh { vertices, triangles }
}

#[test]
fn sheets_hold_bodies_from_both_sides_and_on_their_rims() {
    for (name, mesh) in [("cube", solids::cuboid([SIZE; 3])), ("prism", prism(32, SIZE, SIZE)), ("sphere", solids::sphere(0.5 * SIZE, 3))] {
        // On a tilted sheet a sphere rolls away.
        let sides: &[(&str, f64)] = &[("front", 0.0), ("back", PI), ("back, tilted", PI + 0.2)];
        for &(side, turn) in if name == "sphere" { &sides[..2] } else { sides } {
            for fall in [0.0, 1e-3, 0.3] {
                let floor = definition(sheet(10.0 * SIZE, 7), Pose::new(DQuat::from_rotation_x(turn), DVec3::ZERO), BodyKind::Static);
                let lift = 0.1 * SIZE - mesh.aabb().min.y + fall;
                let body = definition(mesh.clone(), Pose::from_translation(DVec3::new(0.01, lift, 0.02)), free(1000.0));
                let mut bodies = world(vec![floor, body], SIZE);
                run(&mut bodies, DT, 1.5);
                let place = bodies.list[1].center();
                let above = place.dot(DQuat::from_rotation_x(turn) * DVec3::Y).abs();
                assert!(above > 0.45 * SIZE && place.length() < 5.0 * SIZE, "{name} on the {side} from {fall} m: at {place}");
            }
        }
        // Upright: the body stands on the rim, and falls off to one side if it is not over it.
        let upright = Pose::new(DQuat::from_rotation_x(FRAC_PI_2), DVec3::ZERO);
        let rim = definition(sheet(10.0 * SIZE, 7), upright, BodyKind::Static);
        let lift = 5.0 * SIZE - mesh.aabb().min.y;
        let body = definition(mesh.clone(), Pose::from_translation(DVec3::new(0.01, lift, 0.0)), free(1000.0));
        let mut bodies = world(vec![rim, body], SIZE);
        run(&mut bodies, DT, 0.3);
        let fallen = lift - bodies.list[1].center().y;
        println!("| {name} on the rim of a sheet falls by | {:.1e} |", fallen / SIZE);
        assert!(fallen < 1e-2 * SIZE, "{name} falls through the rim: {fallen}");
    }
}

/// A sheet beside a solid in one mesh.
#[test]
fn sheets_beside_a_solid_hold_bodies() {
    let solid = solids::cuboid([SIZE; 3]);
    let mut mesh = sheet(10.0 * SIZE, 7);
    let first = mesh.vertices.len() as u32;
    mesh.vertices.extend(solid.vertices.iter().map(|vertex| vertex - 3.0 * SIZE * DVec3::Y));
    mesh.triangles.extend(solid.triangles.iter().map(|corners| corners.map(|vertex| first + vertex)));
    for turn in [0.0, PI] {
        let floor = definition(mesh.clone(), Pose::new(DQuat::from_rotation_x(turn), DVec3::ZERO), BodyKind::Static);
        // Over the solid, where only the sheet is in between.
        let above = if turn == 0.0 { DVec3::new(0.01, 0.6 * SIZE, 0.02) } else { DVec3::new(2.0 * SIZE, 0.6 * SIZE, 0.02) };
        let body = definition(solid.clone(), Pose::from_translation(above), free(1000.0));
        let mut bodies = world(vec![floor, body], SIZE);
        run(&mut bodies, DT, 1.0);
        let place = bodies.list[1].center();
        assert!((place.y - 0.5 * SIZE).abs() < 0.02 * SIZE, "turned by {turn}: at {place}");
    }
    // A body with a sheet has the mass of its solid, and its place.
    let heavy = definition(mesh, Pose::IDENTITY, free(1000.0));
    let bodies = world(vec![heavy], SIZE);
    let body = &bodies.list[0];
    assert!((body.mass / (1000.0 * SIZE.powi(3)) - 1.0).abs() < 1e-12 && (body.center() + 3.0 * SIZE * DVec3::Y).length() < 1e-12);
}

#[test]
fn bodies_slide_over_triangles_as_over_a_plane() {
    let meshes = [
        ("cube", solids::cuboid([SIZE; 3])),
        ("prism of 32 sides", prism(32, SIZE, SIZE)),
        ("disc", prism(32, SIZE, 0.03)),
        ("sphere", solids::sphere(0.5 * SIZE, 3)),
    ];
    for (name, mesh) in &meshes {
        for cells in [6, 27, 70] {
            let mut floor = definition(sheet(20.0 * SIZE, cells), Pose::default(), BodyKind::Static);
            let kind = BodyKind::Floating(Floating { velocity: DVec3::new(1.0, 0.0, 0.1), ..STILL });
            let mut body = definition(mesh.clone(), Pose::from_translation(DVec3::new(-0.5, -mesh.aabb().min.y, 0.0)), kind);
            (floor.friction, body.friction) = (0.0, 0.0);
            let mut bodies = world(vec![floor, body], SIZE);
            run(&mut bodies, DT, 1.0);
            let body = &bodies.list[1];
            let (speed, spin) = (body.velocity.x - 1.0, body.angular_velocity.length());
            println!("| {name} over cells of {:.2} of its size | {speed:.1e} | {spin:.1e} |", 20.0 / f64::from(cells));
            assert!(speed.abs() < 1e-6, "{name}, {cells} cells: {speed}");
            assert!(spin < 1e-3 || *name == "sphere", "{name}, {cells} cells: {spin} rad/s");
        }
    }
}

/// Bodies that fall flat without friction keep their energy and do not spin.
#[test]
fn flat_falls_make_neither_spin_nor_energy() {
    let turned = DQuat::from_rotation_x(0.15);
    for (name, mesh, rotation) in [
        ("cube", solids::cuboid([0.5; 3]), DQuat::IDENTITY),
        ("prism of 32 sides", prism(32, 0.5, 0.5), DQuat::IDENTITY),
        ("disc", prism(32, 0.5, 0.1), DQuat::IDENTITY),
        ("cube, tilted", solids::cuboid([0.5; 3]), turned),
    ] {
        for (dt, tolerance) in [(1e-3, 0.01), (3e-3, 0.015)] {
            let lift = mesh.vertices.iter().fold(f64::INFINITY, |low, &vertex| low.min((rotation * vertex).y));
            let mut floor = slab(1.0);
            let mut body = definition(mesh.clone(), Pose::new(rotation, DVec3::Y * (1.0 - lift)), free(1000.0));
            (floor.restitution, floor.friction, body.friction) = (1.0, 0.0, 0.0);
            let mut bodies = world(vec![floor, body], 0.5);
            let ground = -lift * 9.81 * bodies.list[1].mass;
            let energy = |bodies: &Bodies| bodies.kinetic_energy() + bodies.potential_energy(GRAVITY) - ground;
            let start = energy(&bodies);
            let (mut bounces, mut rising, mut step) = (0, false, 0);
            // Until the highest point after the fifth bounce.
            while bounces < 5 || rising {
                advance(&mut bodies, GRAVITY, f64::from(step) * dt, dt);
                step += 1;
                let upward = bodies.list[1].velocity.y > 0.0;
                bounces += u32::from(upward && !rising);
                rising = upward;
                assert!(step < 100_000, "{name} bounces");
            }
            let (kept, spin) = (energy(&bodies) / start, bodies.list[1].angular_velocity.length());
            println!("| {name}, steps of {} ms | {kept:.4} | {spin:.1e} |", 1e3 * dt);
            assert!((kept - 1.0).abs() < tolerance, "{name}: {kept} of the energy");
            assert!(spin < 1e-6 || rotation == turned, "{name}: {spin} rad/s");
        }
    }
}

/// The larger restitution of two bodies counts.
#[test]
fn restitution_is_that_of_the_bouncier_body() {
    for (of_floor, of_body) in [(0.8, 0.0), (0.0, 0.8), (0.8, 0.3)] {
        let mut floor = slab(1.0);
        let mut body = definition(solids::cuboid([0.5; 3]), Pose::from_translation(DVec3::Y * 1.25), free(1000.0));
        (floor.restitution, body.restitution) = (of_floor, of_body);
        let mut bodies = world(vec![floor, body], 0.5);
        let (mut fastest, mut rebound) = (0.0_f64, 0.0_f64);
        for step in 0..600 {
            advance(&mut bodies, GRAVITY, f64::from(step) * 1e-3, 1e-3);
            fastest = fastest.min(bodies.list[1].velocity.y);
            rebound = rebound.max(bodies.list[1].velocity.y);
        }
        assert!((rebound / -fastest - 0.8).abs() < 0.01, "{of_floor}, {of_body}: {}", rebound / -fastest);
    }
}

/// A pair of bodies may have a friction and a restitution of its own; the third body keeps the rule.
#[test]
fn a_pair_has_its_own_friction_and_restitution() {
    let place = |x: f64, height: f64| Pose::from_translation(DVec3::new(x, height, 0.0));
    let mut floor = slab(4.0);
    (floor.friction, floor.restitution) = (0.0, 0.0);
    let sliding = |x: f64| {
        let kind = BodyKind::Floating(Floating { velocity: DVec3::Z, ..STILL });
        definition(solids::cuboid([0.2; 3]), place(x, 0.1), kind)
    };
    let falling = |x: f64| definition(solids::cuboid([0.2; 3]), place(x, 0.6), free(1000.0));
    let pair = |body, friction, restitution| PairDefinition { bodies: [0, body], friction, restitution };
    let mechanism =
        MechanismDefinition { pairs: vec![pair(3, None, Some(0.8)), pair(1, Some(0.25), None)], ..MechanismDefinition::default() };
    let bodies = [floor, sliding(-1.0), sliding(-0.5), falling(0.5), falling(1.0)];
    let mut bodies = world(bodies.into(), 0.2).with_mechanism(&mechanism);
    let (mut rebound, mut speeds) = ([0.0_f64; 2], [0.0; 2]);
    for step in 0..450 {
        advance(&mut bodies, GRAVITY, f64::from(step) * 1e-3, 1e-3);
        rebound = [0, 1].map(|k| rebound[k].max(bodies.list[3 + k].velocity.y));
        if step == 299 {
            speeds = [1, 2].map(|k| bodies.list[k].velocity.z);
            bodies = plimsoll_saved::bodies::restored(&bodies);
        }
    }
    let [slowed, free] = speeds;
    println!("with friction {slowed} m/s, without {free} m/s; rebound {rebound:?} m/s");
    assert!((slowed - (1.0 - 0.25 * 9.81 * 0.3)).abs() < 0.01, "{slowed} m/s");
    assert!((free - 1.0).abs() < 1e-6, "{free} m/s");
    let fall = (2.0 * 9.81 * 0.5_f64).sqrt();
    assert!((rebound[0] / fall - 0.8).abs() < 0.02 && rebound[1] < 0.02, "{rebound:?} m/s");
}

/// The largest depth of a body thrown down on a floor, relative to its size, and the largest rise of its energy, relative to that before the impact.
fn impact(mesh: &TriangleMesh, turn: DQuat, spin: DVec3, speed: f64, dt: f64) -> (f64, f64) {
    let kind = BodyKind::Floating(Floating { velocity: DVec3::NEG_Y * speed, angular_velocity: spin, ..STILL });
    let body = definition(mesh.clone(), Pose::new(turn, DVec3::Y * (0.1 + SIZE)), kind);
    let mut bodies = world(vec![slab(40.0 * SIZE), body], SIZE);
    let energy = |bodies: &Bodies| bodies.kinetic_energy() + bodies.potential_energy(GRAVITY);
    let (start, mut least) = (energy(&bodies), energy(&bodies));
    let (mut depth, mut gain) = (0.0_f64, 0.0_f64);
    for step in 0..(0.5 / dt) as u32 {
        advance(&mut bodies, GRAVITY, f64::from(step) * dt, dt);
        depth = depth.max(-in_world(&bodies.list[1]).iter().fold(f64::INFINITY, |low, point| low.min(point.y)) / SIZE);
        gain = gain.max((energy(&bodies) - least) / start);
        least = least.min(energy(&bodies));
    }
    (depth, gain)
}

const IMPACTS: [(f64, f64); 4] = [(2.0, 3e-3), (5.0, 3e-3), (10.0, 1e-3), (5.0, 1e-2)];

#[test]
fn fast_bodies_do_not_enter_others() {
    for (name, mesh) in [("cube", solids::cuboid([SIZE; 3])), ("prism", prism(32, SIZE, SIZE)), ("disc", prism(32, SIZE, 0.03))] {
        for (speed, dt) in IMPACTS {
            let (depth, _) = impact(&mesh, DQuat::IDENTITY, DVec3::ZERO, speed, dt);
            println!("| {name} at {speed} m/s, steps of {} ms | {depth:.1e} |", 1e3 * dt);
            assert!(depth < 1e-3, "{name} at {speed} m/s: {depth}");
        }
    }
}

/// Bodies that tumble turn by up to half a radian in a step after they hit. A body that nearly touches may enter by g Δt², because the contact solve adds the acceleration of a step
/// gradually and free motion at once.
#[test]
fn tumbling_bodies_hardly_enter_others() {
    let (mut deepest, mut most) = (0.0_f64, 0.0_f64);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mesh = match seed % 4 {
            0 => random_hull(seed, SIZE),
            1 => cone(12, SIZE),
            2 => prism(3 + seed as u32 / 4, SIZE, SIZE),
            _ => solids::cuboid([SIZE, 0.3 * SIZE, 0.6 * SIZE]),
        };
        for (speed, dt) in IMPACTS {
            let (spin, turn) = (5.0 * random.direction(3), DQuat::from_scaled_axis(2.0 * random.direction(3)));
            let (depth, gain) = impact(&mesh, turn, spin, speed, dt);
            let depth = depth - GRAVITY.length() * dt * dt / SIZE;
            assert!(depth < 1.5e-3 && gain < 5e-3, "{seed}, {speed} m/s, {dt} s: {depth} deep, {gain} of the energy");
            (deepest, most) = (deepest.max(depth), most.max(gain));
        }
    }
    println!("| tumbling bodies | {deepest:.1e} | {most:.1e} |");
}

/// A sheet that rises by a tenth of the size in a second lifts a cube. The contact solver knows the shapes and not the speed of a surface that deforms, so
/// that the cube lags behind.
#[test]
fn a_deforming_sheet_lifts_a_body() {
    let flat = sheet(5.0 * SIZE, 9);
    let height = |time: f64| 0.05 * SIZE * (1.0 - (PI * time).cos());
    let shapes = (0..=10).map(|number| flat.vertices.iter().map(|&vertex| vertex + height(0.1 * f64::from(number)) * DVec3::Y).collect());
    let deformation = Arc::new(Deformation { interval: 0.1, repeats: false, shapes: shapes.collect() });
    let at_rest = PrescribedMotion::Constant { linear: DVec3::ZERO, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let motion = PrescribedMotion::Deforming { motion: Box::new(at_rest), deformation };
    let cube = definition(solids::cuboid([SIZE; 3]), Pose::from_translation(DVec3::Y * 0.5 * SIZE), free(1000.0));
    let mut bodies = world(vec![definition(flat, Pose::default(), BodyKind::Moving(motion)), cube], SIZE);
    let mut depth = 0.0_f64;
    for step in 0..500 {
        let time = f64::from(step) * DT;
        advance(&mut bodies, GRAVITY, time, DT);
        let floor = height((time + DT).min(1.0));
        depth = depth.max((floor + 0.5 * SIZE - bodies.list[1].center().y) / SIZE);
    }
    println!("| a cube lifted by a deforming sheet | {depth:.1e} |");
    assert!(depth < 1e-2, "{depth}");
    let lifted = bodies.list[1].center().y - 0.5 * SIZE;
    assert!((lifted / (0.1 * SIZE) - 1.0).abs() < 0.01, "lifted by {lifted} m");
}

/// A pile that is saved while it falls goes on bit by bit.
#[test]
fn a_saved_pile_continues_bit_by_bit() {
    let mut definitions = stack(&[prism(32, SIZE, SIZE), cone(12, SIZE), solids::cuboid([SIZE; 3]), random_hull(5, SIZE)], SIZE, 0.02, 0.4);
    definitions[0] = definition(sheet(5.0 * SIZE, 9), Pose::default(), BodyKind::Static);
    definitions[2].restitution = 0.7;
    let mut bodies = world(definitions, SIZE);
    run(&mut bodies, DT, 0.3);
    let mut loaded = plimsoll_saved::bodies::restored(&bodies);
    run(&mut bodies, DT, 0.5);
    run(&mut loaded, DT, 0.5);
    assert_eq!(super::state(&bodies), super::state(&loaded));
}
