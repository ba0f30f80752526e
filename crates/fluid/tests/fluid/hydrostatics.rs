//! A pool at rest stays at rest, with hydrostatic pressure.

use crate::common::{GRAVITY, WATER, box_fill, fixed};
use glam::{DQuat, DVec3, Vec3};
use parry3d_f64::transformation::convex_hull;
use plimsoll_base::math::Pose;
use plimsoll_contract::{frame::FieldValues, simulator::Simulator};
use plimsoll_fluid::{Fill, FillShape, FluidSettings, FluidSimulation};
use plimsoll_shape::{MassProperties, TriangleMesh};

/// Size of the cavity, m: a square floor, and high enough for a tilted pool.
const CAVITY: DVec3 = DVec3::new(0.5, 1.0, 0.5);
/// Seconds.
const DURATION: f64 = 1.5;

struct Pool {
    simulation: FluidSimulation,
    /// Pose of the tank, from the cavity (0..CAVITY) to the world.
    pose: Pose,
    /// Still-water level.
    level: f64,
    depth: f64,
}

fn tank(pose: Pose) -> plimsoll_bodies::BodyDefinition {
    fixed("tank", crate::common::sample("small_tank", CAVITY), pose)
}

fn upright_pool(radius: f64, depth: f64) -> Pool {
    let fill = box_fill(DVec3::ZERO, DVec3::new(CAVITY.x, depth, CAVITY.z), DVec3::ZERO);
    let simulation = FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank(Pose::IDENTITY)]).unwrap();
    let summary = simulation.summary();
    assert!(summary.iter().any(|line| line.starts_with("settled in")), "settling ends by itself: {summary:?}");
    let level = crate::common::fluid_volume(&simulation) / (CAVITY.x * CAVITY.z);
    Pool { simulation, pose: Pose::IDENTITY, level, depth: level }
}

/// The part of the cavity below a horizontal plane, in the world.
fn cavity_below(pose: &Pose, level: f64) -> TriangleMesh {
    let corners: Vec<DVec3> =
        (0..8).map(|i| pose.transform_point(CAVITY * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))).collect();
    let mut points: Vec<DVec3> = corners.iter().copied().filter(|corner| corner.y <= level).collect();
    for i in 0..8_usize {
        for j in (0..3).map(|axis| i ^ (1 << axis)).filter(|&j| j > i) {
            let (a, b) = (corners[i], corners[j]);
            if (a.y > level) != (b.y > level) {
                points.push(a.lerp(b, (level - a.y) / (b.y - a.y)));
            }
        }
    }
    let (vertices, triangles) = convex_hull(&points);
    TriangleMesh { vertices, triangles }
}

/// A pool with the same amount of water in a tank tilted about a skew axis.
fn tilted_pool(radius: f64, degrees: f64, depth: f64) -> Pool {
    let rotation = DQuat::from_axis_angle(DVec3::new(0.3, 0.2, 1.0).normalize(), f64::to_radians(degrees));
    let pose = Pose::new(rotation, DVec3::new(0.013, 0.0, -0.021));
    let volume_below = |level: f64| MassProperties::of(&cavity_below(&pose, level)).volume;
    let lowest = pose.transform_point(DVec3::ZERO).y - 0.5;
    let wanted = depth * CAVITY.x * CAVITY.z;
    let fill_level = crate::common::solid::bisect(lowest + 0.45, 0.7, |level| volume_below(level) - wanted);
    let fill = Fill { shape: FillShape::Mesh(cavity_below(&pose, fill_level)), velocity: DVec3::ZERO, material: 0 };
    let simulation = FluidSimulation::new(crate::common::settings(radius, vec![fill]), vec![tank(pose)]).unwrap();
    let volume = crate::common::fluid_volume(&simulation);
    let level = crate::common::solid::bisect(lowest + 0.45, 0.7, |level| volume_below(level) - volume);
    let bottom = cavity_below(&pose, level).vertices.iter().fold(f64::INFINITY, |low, vertex| low.min(vertex.y));
    Pool { simulation, pose, level, depth: level - bottom }
}

/// Measurements of a pool over time.
struct Seen {
    time: f64,
    /// Impulse on the tank, N s.
    impulse: DVec3,
    /// For each layer one diameter thick below the still-water level: number of particles, and sums of depth and pressure over time.
    layers: Vec<[f64; 3]>,
    /// Maximum speed of a particle, m/s.
    fastest: f64,
    /// Maximum root mean square speed, m/s.
    liveliest: f64,
    /// Mean kinetic energy in each quarter of the run, J.
    kinetic_energy: [f64; 4],
    /// Minimum distance of a particle to a wall at any time, m.
    nearest: f64,
}

impl Pool {
    fn position(&self, index: usize) -> DVec3 {
        self.simulation.particles().positions[index].as_dvec3()
    }

    /// Height of the surface, m: the mean over the topmost particle of each column.
    fn surface(&self) -> f64 {
        let cells = (CAVITY.x / (4.0 * self.simulation.settings().particle_radius)) as usize;
        let mut tops = vec![f64::NEG_INFINITY; cells * cells];
        for index in 0..self.simulation.particle_count() {
            let point = self.position(index);
            let local = self.pose.inverse_transform_point(point);
            let cell = |x: f64| ((x / CAVITY.x * cells as f64) as usize).min(cells - 1);
            let top = &mut tops[cell(local.x) * cells + cell(local.z)];
            *top = top.max(point.y);
        }
        tops.iter().sum::<f64>() / tops.len() as f64
    }

    /// Speed of a long wave, m/s: the speed scale of a sloshing pool.
    fn wave_speed(&self) -> f64 {
        (GRAVITY * self.depth).sqrt()
    }

    fn watch(&mut self) -> Seen {
        let count = self.simulation.particle_count();
        let mass = count as f64 * self.simulation.particle_mass(0);
        let diameter = 2.0 * self.simulation.settings().particle_radius;
        let (pose, level) = (self.pose, self.level);
        let mut seen = Seen {
            time: 0.0,
            impulse: DVec3::ZERO,
            layers: vec![[0.0; 3]; 200],
            fastest: 0.0,
            liveliest: 0.0,
            kinetic_energy: [0.0; 4],
            nearest: f64::INFINITY,
        };
        let start = self.simulation.time();
        crate::common::run(&mut self.simulation, DURATION, |simulation| {
            let dt = simulation.last_step().dt;
            // The quarter that contains the middle of the step.
            let quarter = (4.0 * (simulation.time() - start - 0.5 * dt) / DURATION) as usize;
            seen.time += dt;
            seen.impulse += simulation.loads()[0].total().linear;
            seen.fastest = seen.fastest.max(simulation.last_step().max_speed);
            seen.liveliest = seen.liveliest.max((2.0 * simulation.kinetic_energy() / mass).sqrt());
            seen.kinetic_energy[quarter] += dt * simulation.kinetic_energy() * 4.0 / DURATION;
            let particles = simulation.particles();
            for index in 0..count {
                let position = particles.positions[index].as_dvec3();
                let (depth, clearance) = (level - position.y, wall_distances(&pose, position).into_iter().fold(f64::INFINITY, f64::min));
                seen.nearest = seen.nearest.min(clearance);
                if clearance > 2.0 * diameter && depth > 2.0 * diameter {
                    let layer = &mut seen.layers[(depth / diameter) as usize];
                    *layer = [layer[0] + dt, layer[1] + dt * depth, layer[2] + dt * f64::from(particles.pressure(index))];
                }
            }
        });
        seen
    }

    /// Mean distance of the particles in the first layer at each wall, in particle radii: floor and sides.
    fn first_layers(&self) -> [f64; 5] {
        let radius = self.simulation.settings().particle_radius;
        let mut sums = [[0.0; 2]; 5];
        for index in 0..self.simulation.particle_count() {
            for (sum, distance) in sums.iter_mut().zip(wall_distances(&self.pose, self.position(index))) {
                if distance < 2.0 * radius {
                    *sum = [sum[0] + 1.0, sum[1] + distance / radius];
                }
            }
        }
        sums.map(|[count, sum]| sum / count)
    }

    /// Asserts all properties of still water.
    fn assert_still(mut self, what: &str) {
        let surface = self.surface();
        let seen = self.watch();
        self.assert_pressure(&seen, what);
        self.assert_calm(&seen, what);
        let radius = self.simulation.settings().particle_radius;
        let (layers, nearest) = (self.first_layers(), seen.nearest / radius);
        let rise = (self.surface() - surface) / radius;
        println!("  first layers {layers:.3?} r from floor and sides, nearest ever {nearest:.3} r, surface {rise:+.3} r");
        assert!(layers.iter().all(|layer| (0.9..1.2).contains(layer)), "{what}: first layers at {layers:.3?} r");
        assert!(nearest > 0.64, "{what}: a particle {nearest} r from a wall");
        assert!(rise.abs() < 1.0, "{what}: surface moved by {rise} r");
        assert_eq!(self.simulation.totals().leaked, 0);
    }

    /// The tank carries exactly the weight of the water, and the pressure increases with depth as it should.
    fn assert_pressure(&self, seen: &Seen, what: &str) {
        let weight = self.simulation.particle_count() as f64 * self.simulation.particle_mass(0) * GRAVITY;
        let reaction = seen.impulse / seen.time;
        let layers = seen.layers.iter().filter(|layer| layer[0] > 3.0 * seen.time);
        let ratios: Vec<f64> = layers.map(|layer| layer[2] / (layer[1] * WATER * GRAVITY)).collect();
        println!("{what}: {} particles, depth {:.3} m", self.simulation.particle_count(), self.depth);
        let sideways = 100.0 * reaction.with_y(0.0).length() / weight;
        println!("  reaction {:+.3} % off the weight, sideways {sideways:.3} %", 100.0 * (-reaction.y / weight - 1.0));
        println!("  pressure over still water's, from the top: {ratios:.3?}");
        assert!((reaction + DVec3::Y * weight).length() < 0.01 * weight, "{what}: reaction {reaction}, weight {weight}");
        assert!(ratios.len() >= 4 && ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.05), "{what}: pressure {ratios:.3?}");
    }

    /// No particle is ever fast. The kinetic energy is zero initially; then the lattice melts, and the noise of single particles settles.
    fn assert_calm(&self, seen: &Seen, what: &str) {
        let wave = self.wave_speed();
        let [_, second, _, last] = seen.kinetic_energy;
        println!(
            "  fastest {:.3} % of {wave:.3} m/s, r.m.s. speed at most {:.3} %",
            100.0 * seen.fastest / wave,
            100.0 * seen.liveliest / wave
        );
        println!(
            "  kinetic energy by quarters {:?} J, last over second {:.3}",
            seen.kinetic_energy.map(|j| format!("{j:.2e}")),
            last / second
        );
        assert!(seen.fastest < 0.05 * wave, "{what}: {} m/s, allowed {}", seen.fastest, 0.05 * wave);
        assert!(seen.liveliest < 0.004 * wave, "{what}: r.m.s. speed {} m/s, allowed {}", seen.liveliest, 0.004 * wave);
        assert!(last < 1.2 * second, "{what}: kinetic energy by quarters {:?} J", seen.kinetic_energy);
    }
}

/// Distances (m) of a point (world) from floor and sides of the cavity; negative outside.
fn wall_distances(pose: &Pose, point: DVec3) -> [f64; 5] {
    let local = pose.inverse_transform_point(point);
    [local.y, local.x, CAVITY.x - local.x, local.z, CAVITY.z - local.z]
}

#[test]
fn a_pool_at_rest_stays_at_rest() {
    upright_pool(0.0125, 0.4).assert_still("upright, r 0.0125");
}

#[test]
fn a_coarser_pool_at_rest_stays_at_rest() {
    upright_pool(0.0167, 0.4).assert_still("upright, r 0.0167");
}

#[test]
fn a_pool_in_a_tilted_tank_stays_at_rest() {
    let mut pool = tilted_pool(0.0125, 17.0, 0.35);
    // Just settled, it is calmer than later: its kinetic energy grows for a second and then stays.
    crate::common::run(&mut pool.simulation, DURATION, |_| {});
    pool.assert_still("tilted, r 0.0125");
}

/// A pool that was set in motion slows down all the time: two halves that pass each other at 0.6 m/s, the slower the less is left.
#[test]
fn the_kinetic_energy_of_a_pool_decays() {
    let half = |side: f64, velocity: f64| {
        let (min, max) = (DVec3::new(side * 0.25, 0.0, 0.0), DVec3::new(side * 0.25 + 0.25, 0.3, 0.5));
        box_fill(min, max, DVec3::new(0.0, 0.0, velocity))
    };
    let fills = vec![half(0.0, 0.3), half(1.0, -0.3)];
    let mut simulation = FluidSimulation::new(crate::common::settings(0.0167, fills), vec![tank(Pose::IDENTITY)]).unwrap();
    let start = simulation.kinetic_energy();
    let mut energies = Vec::new();
    for _ in 0..6 {
        let (mut sum, mut time) = (0.0, 0.0);
        crate::common::run(&mut simulation, 0.5, |simulation| {
            sum += simulation.last_step().dt * simulation.kinetic_energy();
            time += simulation.last_step().dt;
        });
        energies.push(sum / time / start);
    }
    println!("kinetic energy of each half second over that of the start, {start:.3} J: {energies:.4?}");
    assert!(energies.windows(2).all(|pair| pair[1] < pair[0]), "{energies:?}");
    assert!(energies[5] < 0.15, "{energies:?}");
}

/// Frames contain means over the time since the last frame, at every output rate: the impulses on the tank add up, and the pressure is
/// hydrostatic.
#[test]
fn frames_show_the_pressure_of_still_water() {
    // At 400 frames a second a frame is a single step.
    for (frames_per_second, noise) in [(50.0, 0.05), (400.0, 0.1)] {
        let mut pool = upright_pool(0.025, 0.4);
        assert!(pool.simulation.frame().particles.field("momentary_pressure").is_none());
        let simulation = &mut pool.simulation;
        let weight = simulation.particle_count() as f64 * simulation.particle_mass(0) * GRAVITY;
        simulation.take_frame();
        let (mut impulse, mut of_frames) = (DVec3::ZERO, DVec3::ZERO);
        let (mut depths, mut pressures) = (0.0, 0.0);
        for _ in 0..(0.2 * frames_per_second) as u32 {
            crate::common::run(simulation, 1.0 / frames_per_second, |simulation| impulse += simulation.loads()[0].total().linear);
            let frame = simulation.take_frame();
            of_frames += frame.bodies[0].force / frames_per_second;
            assert!((frame.bodies[0].force.y + weight).abs() < noise * weight, "{} N of {weight} N", frame.bodies[0].force.y);
            let Some(FieldValues::Scalar(values)) = frame.particles.field("pressure") else { panic!("no pressures") };
            for (position, &pressure) in frame.particles.positions.iter().zip(values) {
                let position = Vec3::from(*position).as_dvec3();
                if pool.level - position.y > 0.1 && wall_distances(&pool.pose, position).into_iter().fold(f64::INFINITY, f64::min) > 0.1 {
                    (depths, pressures) = (depths + pool.level - position.y, pressures + f64::from(pressure));
                }
            }
        }
        let ratio = pressures / (depths * WATER * GRAVITY);
        println!(
            "{frames_per_second} frames a second: pressure {ratio:.4} of still water's, impulse {:.6} of the weight's",
            -impulse.y / (0.2 * weight)
        );
        assert!((ratio - 1.0).abs() < 0.02, "{ratio}");
        assert!((impulse - of_frames).length() < 1e-6 * impulse.length(), "{impulse}, {of_frames}");
    }
}

/// The instantaneous pressure is a separate field; after a single step the mean is the same.
#[test]
fn frames_show_the_momentary_pressure_if_asked() {
    let fill = box_fill(DVec3::ZERO, DVec3::new(CAVITY.x, 0.2, CAVITY.z), DVec3::X);
    let settings = FluidSettings { momentary_pressure: true, settle: false, ..crate::common::settings(0.05, vec![fill]) };
    let mut simulation = FluidSimulation::new(settings, vec![tank(Pose::IDENTITY)]).unwrap();
    let scalars = |simulation: &FluidSimulation, name: &str| match simulation.frame().particles.field(name) {
        Some(FieldValues::Scalar(values)) => values.clone(),
        other => panic!("{name}: {other:?}"),
    };
    let largest_difference = |simulation: &FluidSimulation| {
        let (means, momentary) = (scalars(simulation, "pressure"), scalars(simulation, "momentary_pressure"));
        let largest = momentary.iter().copied().fold(0.0, f32::max);
        means.iter().zip(&momentary).map(|(mean, momentary)| (mean - momentary).abs()).fold(0.0, f32::max) / largest
    };
    simulation.take_frame();
    simulation.advance(1.0).unwrap();
    assert!(largest_difference(&simulation) < 1e-4, "{}", largest_difference(&simulation));
    crate::common::run(&mut simulation, 0.2, |_| ());
    assert!(largest_difference(&simulation) > 1e-3, "{}", largest_difference(&simulation));
}
