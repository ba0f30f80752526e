//! Aggregates that bounce: conservation in impacts, rates with a sticking probability, walls.

use glam::{DQuat, DVec3};
use plimsoll_aggregates::{
    AggregateSettings, AggregateSimulation, Boundary, Cluster, Encounter, Flight, Motion, MotionLaw, NarrowPhase, Population, TOLERANCE,
    Turning, first_face_contact, free_flight_kernel,
};
use plimsoll_base::math::{Domain, Random};
use plimsoll_contract::simulator::Simulator;

/// No new velocities for longer than any of these runs.
const FOREVER: MotionLaw = MotionLaw::Fixed { time_step: 1.0 };
/// So small that nothing sticks.
const NEVER: f64 = 1e-300;

fn settings(count: usize, volume_fraction: f64, law: MotionLaw) -> AggregateSettings {
    AggregateSettings { seed: 11, ..AggregateSettings::soot(count, volume_fraction, law) }
}

fn simulation(settings: &AggregateSettings) -> AggregateSimulation {
    AggregateSimulation::new(settings).expect("room for all")
}

/// Clusters of several spheres that have stuck, and from now on move as `settings` specify.
fn clusters(settings: &AggregateSettings, left: usize) -> AggregateSimulation {
    let grown = AggregateSettings { sticking: 1.0, law: MotionLaw::Fixed { time_step: 1e-7 }, ..settings.clone() };
    let mut growing = simulation(&grown);
    while growing.population().len() > left {
        growing.advance(f64::INFINITY).unwrap();
    }
    AggregateSimulation::with_population(settings, growing.population().clone())
}

/// A random cluster of touching spheres of radius 1.
fn random_cluster(size: usize, random: &mut Random) -> Cluster {
    let rest = |center| Motion { center, velocity: DVec3::ZERO, orientation: DQuat::IDENTITY, spin: DVec3::ZERO };
    let (mut centers, mut whole) = (vec![DVec3::ZERO], (Cluster::sphere(0, 1.0, 1.0), rest(DVec3::ZERO)));
    while centers.len() < size {
        let near = centers[(random.uniform() * centers.len() as f64) as usize];
        let place = near + 2.0 * random.direction(3);
        if centers.iter().all(|other| other.distance(place) > 1.999) {
            let sphere = Cluster::sphere(centers.len() as u32, 1.0, 1.0);
            whole = Cluster::merged((&whole.0, &whole.1), (&sphere, &rest(place)), false);
            centers.push(place);
        }
    }
    whole.0
}

/// Momentum, angular momentum about the origin, kinetic energy.
fn invariants(population: &Population, time: f64) -> (DVec3, DVec3, f64) {
    let mut sums = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (place, cluster) in population.clusters.iter().enumerate() {
        let motion = population.motion_at(place, time);
        let inertia = cluster.world_inertia(motion.orientation);
        sums.0 += cluster.mass * motion.velocity;
        sums.1 += cluster.mass * motion.center.cross(motion.velocity) + inertia * motion.spin;
        sums.2 += 0.5 * cluster.mass * motion.velocity.length_squared() + 0.5 * motion.spin.dot(inertia * motion.spin);
    }
    sums
}

#[test]
fn an_impact_keeps_momentum_angular_momentum_and_energy_and_parts_the_two() {
    let mut random = Random::new(3);
    let mut impacts = 0;
    for case in 0..200 {
        let pair = [1 + case % 2 * (case % 17), 1 + case % 23].map(|size| random_cluster(size, &mut random));
        let shift = if case % 3 == 0 { DVec3::new(500.0, 0.0, -500.0) } else { DVec3::ZERO };
        let mut population = Population::new(Domain::cube(500.0, true), &[], &[], 1.0, false);
        let reach = pair[0].radius + pair[1].radius;
        let direction = random.direction(3);
        for (number, cluster) in pair.into_iter().enumerate() {
            let center = if number == 0 { DVec3::splat(250.0) } else { DVec3::splat(250.0) + 1.2 * reach * direction - shift };
            let velocity = if number == 0 { DVec3::ZERO } else { 0.3 * random.normals(3) - direction };
            population.flights.push(Flight { center, since: 0.0, velocity, radius: cluster.radius });
            population.turnings.push(Turning { orientation: DQuat::from_scaled_axis(random.normals(3)), spin: 0.4 * random.normals(3) });
            population.clusters.push(cluster);
            population.numbers.push(number as u32);
        }
        let contact_of = |population: &Population, time: f64| {
            let (motion_a, mut motion_b) = (population.motion_at(0, time), population.motion_at(1, time));
            motion_b.center += shift;
            let [a, b] = [0, 1].map(|place| &population.clusters[place]);
            NarrowPhase::Advancement.first_contact((a, &motion_a), (b, &motion_b), (0.0, 3.0 * reach))
        };
        let Some(contact) = contact_of(&population, 0.0) else { continue };
        impacts += 1;
        // Places the second cluster at the image that is hit, so that angular momentum is meaningful.
        let met = |population: &Population| {
            let mut met = population.clone();
            met.flights[1].center += shift;
            invariants(&met, contact.time)
        };
        let before = met(&population);
        let speed_before = population.flights[1].velocity;
        population.bounce(&Encounter { pair: [0, 1], shift, contact }, contact.time);
        let after = met(&population);
        assert!(population.flights[1].velocity != speed_before);
        assert!(after.0.abs_diff_eq(before.0, 1e-12 * before.2), "{before:?} {after:?}");
        assert!(after.1.abs_diff_eq(before.1, 1e-11 * before.1.length().max(1.0)), "{before:?} {after:?}");
        assert!((after.2 / before.2 - 1.0).abs() < 1e-12, "{before:?} {after:?}");
        // The same contact is not found again immediately.
        if let Some(again) = contact_of(&population, contact.time) {
            assert!(again.time > 1e-6, "case {case}: {again:?}");
        }
    }
    assert!(impacts > 60, "{impacts}");
}

/// The minimum distance over the sum of radii between spheres of different clusters.
fn min_epsilon(population: &Population) -> f64 {
    let spheres = |place: usize| {
        let motion = population.motion_at(place, 0.0);
        let members = population.clusters[place].members.iter();
        members.map(|member| (motion.center + motion.orientation * member.offset, member.radius)).collect::<Vec<_>>()
    };
    let all: Vec<Vec<(DVec3, f64)>> = (0..population.len()).map(spheres).collect();
    let mut least = f64::INFINITY;
    for (place, a) in all.iter().enumerate() {
        for &(x, r) in a {
            for &(y, s) in all[..place].iter().flatten() {
                least = least.min(population.domain.nearest_image(y - x).length() / (r + s));
            }
        }
    }
    least
}

#[test]
fn a_population_that_bounces_keeps_momentum_and_energy_and_never_overlaps() {
    for boundary in [Boundary::Periodic, Boundary::Walls] {
        let set = AggregateSettings { sticking: NEVER, boundary, spread: 1.2, ..settings(150, 0.01, FOREVER) };
        let mut simulation = clusters(&set, 40);
        let (count, before) = (simulation.population().len(), invariants(simulation.population(), 0.0));
        let mut deepest = f64::INFINITY;
        for step in 1..=300 {
            while simulation.time() < f64::from(step) * 1e-7 {
                simulation.advance(f64::from(step) * 1e-7).unwrap();
            }
            deepest = deepest.min(min_epsilon(simulation.population()));
        }
        let (after, totals) = (invariants(simulation.population(), 0.0), simulation.totals());
        println!("{boundary:?}: {totals:?}, energy {:e}, deepest 1 − {:e}", after.2 / before.2 - 1.0, 1.0 - deepest);
        assert!(totals.bounces > 1000 && simulation.population().len() == count, "{totals:?}");
        assert!((after.2 / before.2 - 1.0).abs() < 1e-10, "{before:?} {after:?}");
        assert!(deepest > 1.0 - 3.0 * TOLERANCE, "{deepest}");
        assert_eq!(totals.wall_bounces > 100, boundary == Boundary::Walls);
        if boundary == Boundary::Periodic {
            let scale = (2.0 * before.2 * simulation.population().clusters.iter().map(|cluster| cluster.mass).sum::<f64>()).sqrt();
            assert!(after.0.abs_diff_eq(before.0, 1e-12 * scale), "{before:?} {after:?}");
        }
    }
}

#[test]
fn nothing_leaves_a_box_with_walls() {
    for law in [FOREVER, MotionLaw::Fixed { time_step: 3e-8 }, MotionLaw::Relaxation] {
        let set = AggregateSettings { boundary: Boundary::Walls, spread: 1.3, ..settings(200, 0.005, law) };
        let mut simulation = simulation(&set);
        let side = simulation.population().domain.size.x;
        for step in 1..=600 {
            while simulation.time() < f64::from(step) * 2e-8 {
                simulation.advance(f64::from(step) * 2e-8).unwrap();
            }
            for (place, cluster) in simulation.population().clusters.iter().enumerate() {
                let motion = simulation.population().motion_at(place, 0.0);
                for member in &cluster.members {
                    let x = motion.center + motion.orientation * member.offset;
                    let gap = x.min(side - x).min_element() - member.radius;
                    assert!(gap > -3.0 * TOLERANCE * member.radius, "{law:?}, cluster of {}: {gap:e} m", cluster.len());
                }
            }
        }
        let totals = simulation.totals();
        println!("{law:?}: {} clusters, {totals:?}", simulation.population().len());
        assert!(totals.wall_bounces > 300 && totals.mergers > 50, "{totals:?}");
    }
}

#[test]
fn walls_are_met_when_closed_forms_say() {
    let side = 10.0;
    let motion = |velocity: DVec3, spin: DVec3| Motion { center: DVec3::new(4.0, 5.0, 6.0), velocity, orientation: DQuat::IDENTITY, spin };
    // A sphere hits the first of two walls.
    let sphere = Cluster::sphere(0, 1.0, 1.0);
    let contact = first_face_contact(&sphere, &motion(DVec3::new(-2.0, 1.0, 0.0), DVec3::ZERO), side, 9.0).expect("it reaches the wall");
    assert!((contact.time - 1.5).abs() < 2.0 * TOLERANCE && contact.normal == DVec3::X && contact.member == 0, "{contact:?}");
    assert!(first_face_contact(&sphere, &motion(DVec3::new(-2.0, 1.0, 0.0), DVec3::ZERO), side, 1.49).is_none());
    assert!(first_face_contact(&sphere, &motion(DVec3::ZERO, DVec3::ONE), side, 1e9).is_none());
    // A row of four rotates at rest about its middle, 4 from the wall, once in 2π. The center of its last sphere is at 3, so 3 sin ωt + 1 =
    // 4 is a grazing contact after a quarter turn; slightly nearer to the wall it hits earlier.
    let rest = |x: f64| Motion { center: x * DVec3::X, ..motion(DVec3::ZERO, DVec3::ZERO) };
    let pair = |a: (&Cluster, &Motion), b: (&Cluster, &Motion)| Cluster::merged(a, b, false);
    let two = pair((&sphere, &rest(0.0)), (&sphere, &rest(2.0)));
    let three = pair((&two.0, &two.1), (&sphere, &rest(4.0)));
    let four = pair((&three.0, &three.1), (&sphere, &rest(6.0)));
    let mut turning = motion(DVec3::ZERO, DVec3::Z);
    turning.center = DVec3::new(5.0, 3.9, 5.0);
    let contact = first_face_contact(&four.0, &turning, side, 10.0).expect("it turns into the wall");
    // The left sphere hits the lower wall after asin(2.9 / 3).
    assert!((contact.time - (2.9_f64 / 3.0).asin()).abs() < 1e-5 && contact.normal == DVec3::Y, "{contact:?}");
    turning.center.y = 4.1;
    assert!(first_face_contact(&four.0, &turning, side, 100.0).is_none());
    // Equal spheres in free flight hit a wall n v̄ / 4 times per area and time.
    let set = AggregateSettings { boundary: Boundary::Walls, ..settings(50_000, 1e-7, FOREVER) };
    let mut gas = simulation(&set);
    let (space, mass) = (gas.population().domain.size.x, gas.population().clusters[0].mass);
    let speed = (8.0 * set.medium.thermal_energy() / (std::f64::consts::PI * mass)).sqrt();
    let end = 0.1 * space / speed;
    while gas.time() < end {
        gas.advance(end).unwrap();
    }
    let expected = 50_000.0 / (space - 30e-9).powi(3) * 0.25 * speed * 6.0 * (space - 30e-9).powi(2) * end;
    let ratio = gas.totals().wall_bounces as f64 / expected;
    println!("{} hits of walls, {ratio:.4} of n v / 4", gas.totals().wall_bounces);
    assert!((ratio - 1.0).abs() < 3.0 / expected.sqrt(), "{ratio}");
}

#[test]
fn the_early_rate_is_the_probability_of_sticking_times_that_of_free_flight() {
    let (diameter, count, sticking) = (30e-9, 100_000, 0.25);
    let mass = 1800.0 * std::f64::consts::PI / 6.0 * 30e-9_f64.powi(3);
    let mut set = AggregateSettings { sticking, ..settings(count, 1e-4, MotionLaw::Relaxation) };
    let energy = set.medium.thermal_energy();
    // Paths of thirty diameters per step, as in the test where all stick.
    let time_step = 30.0 * diameter / (8.0 * energy / (std::f64::consts::PI * mass)).sqrt();
    set.law = MotionLaw::Fixed { time_step };
    let mut simulation = simulation(&set);
    let (density, end) = (count as f64 / simulation.population().domain.size.x.powi(3), 10.0 * time_step);
    while simulation.time() < end {
        simulation.advance(end).unwrap();
    }
    // dn/dt = −½ p K n².
    let rate = 0.5 * sticking * free_flight_kernel(diameter, mass, energy) * density;
    let expected = count as f64 * (1.0 - 1.0 / (1.0 + rate * end));
    let totals = simulation.totals();
    let ratio = totals.mergers as f64 / expected;
    let stuck = totals.mergers as f64 / (totals.mergers + totals.bounces) as f64;
    println!("{} mergers, {ratio:.4} of those expected; of all contacts {stuck:.4} stuck", totals.mergers);
    assert!((ratio - 1.0).abs() < 3.0 / expected.sqrt(), "{ratio}");
    assert!((stuck - sticking).abs() < 3.0 * (sticking * (1.0 - sticking) / (totals.mergers + totals.bounces) as f64).sqrt(), "{stuck}");
}

#[test]
fn bounces_depend_neither_on_threads_nor_on_interruptions() {
    for law in [MotionLaw::Fixed { time_step: 3e-7 }, MotionLaw::Relaxation, MotionLaw::Brownian { time_step: 4e-7 }] {
        let set = AggregateSettings { spread: 1.3, sticking: 0.3, boundary: Boundary::Walls, ..settings(3000, 2e-3, law) };
        let run = |threads: usize, interrupted: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
            pool.install(|| {
                let mut simulation = simulation(&set);
                for until in [4e-6, 8e-6] {
                    while simulation.time() < until {
                        simulation.advance(until).unwrap();
                    }
                    if interrupted {
                        let saved = postcard::to_allocvec(&simulation).expect("plain data");
                        simulation = postcard::from_bytes(&saved).expect("what was written");
                    }
                }
                let totals = simulation.totals();
                assert!(totals.mergers > 100 && totals.bounces > 200 && totals.wall_bounces > 20, "{law:?} {totals:?}");
                let bytes = |value: Result<Vec<u8>, postcard::Error>| value.expect("plain data");
                [bytes(postcard::to_allocvec(simulation.population())), bytes(postcard::to_allocvec(&totals))].concat()
            })
        };
        let one = run(1, false);
        assert!(run(2, false) == one && run(4, false) == one, "{law:?}: threads");
        assert!(run(3, true) == one, "{law:?}: interrupted");
    }
}
