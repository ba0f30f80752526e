//! Tests that the system matches its formulas and that its two solvers agree.

use glam::{DVec3, Mat3A, Vec3A};
use plimsoll_base::math::{Pose, Random, parallel::TASK};
use plimsoll_bodies::{BodyDefinition, BodyKind, Floating, MassSource, Presence};
use plimsoll_contract::simulator::Simulator;
use plimsoll_shape::TriangleMesh;

use crate::{
    Fill, FillShape, FluidSettings, FluidSimulation,
    coupling::{BodyResponse, RigidMotion},
    pressure::{ConjugateGradients, Load, PressureOperator, PressureSystem, SolveLimits, jacobi::solve_by_jacobi},
};

fn cube(edge: f64) -> TriangleMesh {
    let vertices = (0..8).map(|i| edge * (DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh { vertices, triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect() }
}

/// Fluid around a floating cube of the given density, some steps after its release, with up-to-date neighbours.
fn stirred(density: f64) -> FluidSimulation {
    let floating = Floating {
        velocity: DVec3::new(0.3, -0.5, 0.1),
        angular_velocity: DVec3::new(1.0, 2.0, -1.0),
        ..Floating::new(MassSource::Density(density))
    };
    let body = BodyDefinition {
        name: "cube".into(),
        mesh: cube(0.2),
        pose: Pose::from_translation(DVec3::new(0.2, 0.2, 0.2)),
        kind: BodyKind::Floating(floating),
        friction: 0.5,
        restitution: 0.0,
        presence: Presence::default(),
    };
    let settings = FluidSettings {
        fills: vec![Fill { shape: FillShape::Box { min: DVec3::ZERO, max: DVec3::splat(0.4) }, velocity: DVec3::ZERO, material: 0 }],
        ..FluidSettings::new(0.02)
    };
    let mut simulation = FluidSimulation::new(settings, vec![body]).expect("there is room for fluid");
    for _ in 0..5 {
        simulation.advance(1.0).expect("a step");
    }
    find_neighbours(&mut simulation);
    simulation
}

fn find_neighbours(simulation: &mut FluidSimulation) {
    let FluidSimulation { settings, particles, bodies, neighbourhood, walls, forces, .. } = simulation;
    neighbourhood.find_pairs(settings, particles);
    walls.update(&bodies.list, &neighbourhood.grid, &particles.positions, settings.wall_cutoff());
    neighbourhood.compute_densities(settings, particles, &walls.contacts, forces.corrections());
}

fn with_system<T>(simulation: &FluidSimulation, use_it: impl FnOnce(PressureSystem) -> T) -> T {
    let FluidSimulation { settings, particles, bodies, neighbourhood, walls, .. } = simulation;
    use_it(PressureSystem {
        volume: settings.particle_volume() as f32,
        positions: &particles.positions,
        inverse_masses: &particles.inverse_masses,
        pairs: &neighbourhood.pairs,
        contacts: &walls.contacts,
        compliance: 0.0,
        response: &BodyResponse::of(bodies),
        load: Load { dt: 1.0, ..Load::default() },
    })
}

/// Reproducible pseudorandom numbers from 0 to 1.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.uniform() as f32).collect()
}

fn applied(system: &PressureSystem, q: &[f32]) -> Vec<f32> {
    let mut result = vec![0.0; q.len()];
    let mut products = vec![[0.0; 2]; q.len().div_ceil(TASK)];
    system.apply(q, &mut vec![Vec3A::ZERO; q.len()], &mut result, &mut products, |first, result| {
        [dot(&q[first..first + result.len()], result), 0.0]
    });
    let product = dot(q, &result);
    assert!((products.iter().map(|[product, _]| product).sum::<f64>() - product).abs() <= 1e-9 * product.abs());
    result
}

fn density_rates(system: &PressureSystem, field: &[Vec3A], motions: &[RigidMotion]) -> Vec<f32> {
    let mut rates = vec![0.0; field.len()];
    let mut tasks = vec![(); field.len().div_ceil(TASK)];
    system.density_rates(field, motions, &mut rates, &mut tasks, |_, _| ());
    rates
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

#[test]
fn the_system_is_symmetric_and_takes_energy_only() {
    for density in [10.0, 1000.0, 20_000.0] {
        with_system(&stirred(density), |system| {
            let count = system.count();
            let (p, q) = (numbers(count, 1), numbers(count, 2));
            let (image_p, image_q) = (applied(&system, &p), applied(&system, &q));
            let (one, other) = (dot(&p, &image_q), dot(&q, &image_p));
            assert!((one - other).abs() < 1e-5 * one.abs(), "density {density}: {one} and {other}");
            assert!(dot(&p, &image_p) > 0.0 && dot(&q, &image_q) > 0.0);
        });
    }
}

/// The residual is made in one pass over velocities and accelerations; here in two, with its parts by themselves.
#[test]
fn the_residual_is_that_of_its_parts() {
    let simulation = stirred(500.0);
    with_system(&simulation, |system| {
        let (count, dt) = (system.count(), 0.004);
        let (p, sources) = (numbers(count, 1), numbers(count, 2));
        let velocities = &simulation.particles.velocities;
        let rates = density_rates(&system, velocities, &system.response.motions);
        let system = PressureSystem { load: Load { dt, velocities, sources: &sources }, ..system };
        for p in [p, vec![0.0; count]] {
            let image = applied(&system, &p);
            let (mut impulses, mut expected_impulses) = (vec![Vec3A::ONE; count], vec![Vec3A::ZERO; count]);
            let mut found = vec![0.0; count];
            system.residual(&p, &mut impulses, &mut vec![Vec3A::ZERO; count], &mut found);
            system.impulses(&p, &mut expected_impulses);
            assert_eq!(impulses, expected_impulses);
            let expected: Vec<f32> = (0..count).map(|i| image[i] - rates[i] / dt - sources[i]).collect();
            let difference: Vec<f32> = found.iter().zip(&expected).map(|(a, b)| a - b).collect();
            assert!(dot(&difference, &difference) < 1e-10 * dot(&expected, &expected), "{}", dot(&difference, &difference));
        }
    });
}

#[test]
fn the_diagonal_is_that_of_the_system() {
    with_system(&stirred(50.0), |system| {
        let count = system.count();
        let mut diagonal = vec![0.0; count];
        system.diagonal(&mut diagonal);
        let contact = system.contacts.list.iter().find(|contact| contact.value > 0.01).expect("fluid touches the cube").particle as usize;
        for i in [0, count / 3, count / 2, contact] {
            let mut unit = vec![0.0; count];
            unit[i] = 1.0;
            let expected = applied(&system, &unit)[i];
            assert!((diagonal[i] - expected).abs() < 1e-4 * expected, "particle {i}: {} for {expected}", diagonal[i]);
        }
    });
}

#[test]
fn forces_on_fluid_and_body_cancel() {
    with_system(&stirred(500.0), |system| {
        let q = numbers(system.count(), 3);
        let mut impulses = vec![Vec3A::ZERO; q.len()];
        system.impulses(&q, &mut impulses);
        let force: DVec3 = impulses.iter().map(|impulse| impulse.as_dvec3()).sum();
        let torque: DVec3 = impulses.iter().zip(system.positions).map(|(impulse, x)| x.as_dvec3().cross(impulse.as_dvec3())).sum();
        let wrench = system.body_wrenches(&q).next().expect("a body");
        let about_origin = wrench.torque + system.response.compliances[0].center.cross(wrench.force);
        let scale: f64 = impulses.iter().map(|impulse| f64::from(impulse.length())).sum();
        assert!((force + wrench.force).length() < 1e-6 * scale, "{force} and {}", wrench.force);
        assert!((torque + about_origin).length() < 1e-6 * scale, "{torque} and {about_origin}");
    });
}

/// Velocities of a linear flow about the origin.
fn linear_flow(system: &PressureSystem, gradient: Mat3A) -> Vec<Vec3A> {
    system.positions.iter().map(|&x| gradient * x).collect()
}

fn root_mean_square(values: impl Iterator<Item = f32>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += f64::from(value * value);
        count += 1;
    }
    assert!(count > 10, "{count} values");
    (sum / f64::from(count)).sqrt()
}

#[test]
fn turning_as_one_changes_no_density() {
    with_system(&stirred(500.0), |system| {
        let omega = DVec3::new(1.0, -2.0, 0.5);
        let spin = |x: Vec3A| omega.as_vec3a().cross(x);
        let field: Vec<Vec3A> = system.positions.iter().map(|&x| spin(x)).collect();
        let motion = [RigidMotion { center: DVec3::ZERO, linear: DVec3::ZERO, angular: omega }];
        let greatest = density_rates(&system, &field, &motion).into_iter().map(f32::abs).fold(0.0, f32::max);
        // The same field doubled along one axis compresses at a rate of about one per second. Gradients are rounded to 1/32767 of the
        // steepest one, so the rates of some thirty neighbours add up to this.
        assert!(greatest < 5e-4, "{greatest} per second");
    });
}

/// A shear preserves volumes: its density rate comes only from the uneven distribution of the neighbours.
#[test]
fn shear_changes_densities_much_less_than_it_would_by_uneven_neighbours() {
    let simulation = stirred(500.0);
    let kernel = simulation.settings.kernel();
    with_system(&simulation, |system| {
        let shear = Mat3A::from_cols(Vec3A::new(0.5, 0.0, 1.0), Vec3A::new(1.0, -0.2, 0.0), Vec3A::new(0.0, 0.7, -0.3));
        let field = linear_flow(&system, shear);
        let motions = [RigidMotion::default()];
        let inside: Vec<usize> = (0..field.len())
            .filter(|&i| system.contacts.of(i).iter().all(|contact| contact.value == 0.0) && system.pairs.neighbours.of(i).count() > 24)
            .collect();
        let raw = |i: usize| -> f32 {
            let rate = |j: u32| {
                let x_ij = system.positions[i] - system.positions[j as usize];
                system.volume * kernel.gradient_factor(x_ij.length()) * (shear * x_ij).dot(x_ij)
            };
            system.pairs.neighbours.of(i).map(rate).sum()
        };
        let uneven = root_mean_square(inside.iter().map(|&i| raw(i)));
        let rates = density_rates(&system, &field, &motions);
        let found = root_mean_square(inside.iter().map(|&i| rates[i]));
        println!("{found} of {uneven} per second");
        assert!(uneven > 0.02 && found < 0.3 * uneven, "{found} of {uneven} per second");
    });
}

#[test]
fn conjugate_gradients_and_their_slow_twin_find_the_same_pressures() {
    for density in [10.0, 500.0] {
        with_system(&stirred(density), |system| {
            // A source that requires pressure in some places and negative pressure, which is not allowed, in others.
            let b: Vec<f32> = numbers(system.count(), 4).iter().map(|number| 200.0 * (number - 0.3)).collect();
            let limits = SolveLimits { tolerance_percent: 1e-3, iterations: 20_000, least: 0, percent_per_residual: 100.0 / 200.0 };
            let (mut fast, mut slow) = (vec![0.0; b.len()], vec![0.0; b.len()]);
            let velocities = vec![Vec3A::ZERO; b.len()];
            let mut response = system.response.clone();
            response.motions.iter_mut().for_each(|motion| *motion = RigidMotion { center: motion.center, ..RigidMotion::default() });
            let load = Load { dt: 1.0, velocities: &velocities, sources: &b };
            let system = PressureSystem { response: &response, load, ..system };
            let report = ConjugateGradients::default().solve(&system, &mut fast, limits);
            let twin = solve_by_jacobi(&system, &mut slow, SolveLimits { iterations: 100_000, ..limits });
            assert!(report.converged && twin.converged, "{report:?} {twin:?}");
            // Walls that weigh less where they are convex are easier for the twin.
            assert!(report.iterations * 5 < twin.iterations * 2, "{} and {} sweeps", report.iterations, twin.iterations);
            let difference: Vec<f32> = fast.iter().zip(&slow).map(|(a, b)| a - b).collect();
            let (energy, apart) = (dot(&fast, &applied(&system, &fast)), dot(&difference, &applied(&system, &difference)));
            assert!(apart < 1e-4 * energy, "density {density}: apart by {apart} of {energy}");
            assert!(fast.iter().all(|&q| q >= 0.0));
        });
    }
}

/// Most sweeps of a constant-density solve in the first steps of a column of water that collapses, and its number of particles. From rest the
/// free set is spotty at first.
fn most_sweeps(radius: f64) -> (u32, usize) {
    let tank = BodyDefinition::fixed("tank", TriangleMesh::basin(DVec3::new(2.0, 1.0, 1.0)));
    let (min, max) = (DVec3::new(-1.0, 0.0, -0.5), DVec3::new(-0.375, 0.8, 0.5));
    let fills = vec![Fill { shape: FillShape::Box { min, max }, velocity: DVec3::ZERO, material: 0 }];
    let settings = FluidSettings { fills, settle: false, ..FluidSettings::new(radius) };
    let mut simulation = FluidSimulation::new(settings, vec![tank]).expect("there is room for fluid");
    let sweeps = |_| {
        simulation.advance(1.0).expect("a step");
        simulation.last_step().pressure_iterations
    };
    let most = (0..5).map(sweeps).max().expect("steps");
    (most, simulation.particle_count())
}

/// Without grids the number grows with the depth in particles.
#[test]
fn sweeps_hardly_grow_with_the_number_of_particles() {
    let [(few, small), (many, large)] = [0.025, 0.0084].map(most_sweeps);
    println!("at most {few} sweeps with {small} particles, {many} with {large}");
    assert!(large > 20 * small);
    assert!(f64::from(many) < 1.5 * f64::from(few) && many < 12, "{few} and {many} sweeps");
}

/// Another implementation of the trait: a chain of springs above an obstacle, with `A` the second difference and a known solution.
struct Chain<'a> {
    loads: &'a [f32],
}

impl PressureOperator for Chain<'_> {
    fn count(&self) -> usize {
        self.loads.len()
    }

    fn residual(&self, p: &[f32], _: &mut [Vec3A], accelerations: &mut [Vec3A], result: &mut [f32]) {
        self.apply(p, accelerations, result, &mut vec![[0.0; 2]; p.len().div_ceil(TASK)], |_, _| [0.0; 2]);
        result.iter_mut().zip(self.loads).for_each(|(value, load)| *value -= load);
    }

    fn apply(
        &self,
        p: &[f32],
        _: &mut [Vec3A],
        result: &mut [f32],
        products: &mut [[f64; 2]],
        product: impl Fn(usize, &[f32]) -> [f64; 2] + Sync,
    ) {
        let at = |i: usize| p.get(i).copied().unwrap_or(0.0);
        result.iter_mut().enumerate().for_each(|(i, value)| *value = 2.0 * at(i) - at(i.wrapping_sub(1)) - at(i + 1));
        let tasks = result.chunks(TASK).enumerate().zip(products);
        tasks.for_each(|((task, result), value)| *value = product(task * TASK, result));
    }

    fn diagonal(&self, diagonal: &mut [f32]) {
        diagonal.fill(2.0);
    }
}

/// Under a uniform load the solution is a parabola, under a uniform pull it is zero. If the middle is loaded and the rest is pulled, three
/// parabolas meet with equal slopes, and the outer ones touch zero at 40 points from the center, where `f a = g (40 − a)`.
#[test]
fn the_solver_finds_the_known_solutions_of_obstacle_problems() {
    let limits = SolveLimits { tolerance_percent: 1e-5, iterations: 1000, least: 0, percent_per_residual: 100.0 };
    let (f, g, a) = (0.01_f32, 0.006, 15.0);
    let parabola = |x: f32| 0.5 * f * (50.0 * 50.0 - x * x);
    let mound = |x: f32| if x < a { 3.0 - 0.5 * f * x * x } else { 0.5 * g * (40.0 - x).max(0.0).powi(2) };
    type Profile<'a> = &'a dyn Fn(f32) -> f32;
    let problems: [(Profile, Profile, usize); 3] =
        [(&|_| f, &parabola, 99), (&|_| -f, &|_| 0.0, 99), (&|x| if x < a { f } else { -g }, &mound, 100)];
    for (number, (load, expected, count)) in problems.into_iter().enumerate() {
        let distance = |i: usize| (i as f32 - 0.5 * (count - 1) as f32).abs();
        let loads: Vec<f32> = (0..count).map(|i| load(distance(i))).collect();
        // From below, and from above, where pressures must be cut off at zero.
        for start in [0.0, 15.0] {
            let mut p = vec![start; count];
            let report = ConjugateGradients::default().solve(&Chain { loads: &loads }, &mut p, limits);
            assert!(report.converged, "problem {number} from {start}: {report:?}");
            for (i, &p) in p.iter().enumerate() {
                let expected = expected(distance(i));
                assert!((p - expected).abs() < 1e-3 * 12.5, "problem {number} from {start}, point {i}: {p}, expected {expected}");
            }
        }
    }
}

/// Sums over all pairs in double precision, with gradients that are not rounded.
#[test]
fn the_excess_is_smoothed_over_the_neighbours() {
    let mut simulation = stirred(1000.0);
    simulation.particles.positions.iter_mut().for_each(|x| *x *= 0.99);
    find_neighbours(&mut simulation);
    let corrections = simulation.forces.corrections().clone();
    let FluidSimulation { settings, particles, neighbourhood, .. } = &simulation;
    let (kernel, volume, neighbours) = (settings.kernel(), settings.particle_volume() as f32, &neighbourhood.pairs.neighbours);
    let own = f64::from(volume * kernel.max_gradient());
    let smooth = |values: &[f64]| -> Vec<f64> {
        let mean = |i: usize| {
            let (mut sum, mut total) = (own * values[i], own);
            for j in neighbours.of(i) {
                let x = neighbours.difference(particles.positions[i], particles.positions[j as usize]);
                let gradient = corrections[i] * (volume * kernel.gradient_factor(x.length()) * x);
                let weight = f64::from(gradient.length());
                (sum, total) = (sum + weight * values[j as usize], total + weight);
            }
            sum / total
        };
        (0..values.len()).map(mean).collect()
    };
    let densities: Vec<f64> = particles.relative_densities.iter().map(|&s| f64::from(s)).collect();
    let excess: Vec<f64> = densities.iter().map(|s| s.max(1.0)).collect();
    let twice = smooth(&smooth(&excess));
    let expected: Vec<f64> = (0..densities.len()).map(|i| densities[i] + twice[i] - excess[i]).collect();
    let found = &neighbourhood.pairs.smoothed_densities;
    let changed = expected.iter().zip(&densities).filter(|(smoothed, raw)| (*smoothed - *raw).abs() > 1e-4).count();
    let error = expected.iter().zip(found).map(|(a, b)| (a - f64::from(*b)).abs()).fold(0.0, f64::max);
    assert!(changed > densities.len() / 10 && error < 2e-6, "{changed} of {} changed, error {error}", densities.len());
}
