//! Aggregates: contacts against closed forms and fine steps, algorithms against each other, rates and diffusion against theory.

mod bounces;

use std::{path::Path, sync::atomic::AtomicBool};

use glam::{DQuat, DVec3};
use plimsoll_aggregates::{
    AggregateSettings, AggregateSimulation, Algorithm, Cluster, DEEPEST, DetectionRegion, Extremes, Flight, FractalFit, FractalPoint,
    Method, Motion, MotionLaw, NarrowPhase, Population, TOLERANCE, first_collision, free_flight_kernel,
};
use plimsoll_base::math::{Domain, Random};
use plimsoll_contract::simulator::{Simulator, Unwatched};
use plimsoll_plot as plot;
use plimsoll_run::{Outcome, Run, RunFolder, RunPlan, Silent, Simulation};
use plimsoll_scene::Scene;

const NARROW: [NarrowPhase; 2] = [NarrowPhase::Advancement, NarrowPhase::Sampling];

fn still(center: DVec3) -> Motion {
    Motion { center, velocity: DVec3::ZERO, orientation: DQuat::IDENTITY, spin: DVec3::ZERO }
}

fn moving(center: DVec3, velocity: DVec3) -> Motion {
    Motion { velocity, ..still(center) }
}

/// Spheres of radius 1 with the given centers as one cluster, at rest about its center.
fn chain(centers: &[DVec3]) -> (Cluster, Motion) {
    let mut whole = (Cluster::sphere(0, 1.0, 1.0), still(centers[0]));
    for (id, &center) in (1..).zip(&centers[1..]) {
        whole = Cluster::merged((&whole.0, &whole.1), (&Cluster::sphere(id, 1.0, 1.0), &still(center)), false);
    }
    whole
}

/// A random cluster of touching spheres: a single sphere, a chain or a branched cluster.
fn random_cluster(size: usize, random: &mut Random) -> Cluster {
    let mut centers = vec![DVec3::ZERO];
    while centers.len() < size {
        let near = centers[(random.uniform() * centers.len() as f64) as usize];
        let place = near + 2.0 * random.normals(3).normalize();
        if centers.iter().all(|other| other.distance(place) > 1.999) {
            centers.push(place);
        }
    }
    chain(&centers).0
}

fn settings(count: usize, volume_fraction: f64, law: MotionLaw) -> AggregateSettings {
    AggregateSettings { seed: 11, ..AggregateSettings::soot(count, volume_fraction, law) }
}

fn simulation(settings: &AggregateSettings) -> AggregateSimulation {
    AggregateSimulation::new(settings).expect("room for all")
}

/// The minimum `ε` of two clusters `seconds` after the given motions.
fn min_epsilon(a: (&Cluster, &Motion), b: (&Cluster, &Motion), seconds: f64) -> f64 {
    let (moved_a, moved_b) = (a.1.after(seconds), b.1.after(seconds));
    let mut least = f64::INFINITY;
    for m in &a.0.members {
        let place = moved_a.center + moved_a.orientation * m.offset;
        for n in &b.0.members {
            least = least.min(place.distance(moved_b.center + moved_b.orientation * n.offset) / (m.radius + n.radius));
        }
    }
    least
}

#[test]
fn a_head_on_pair_meets_after_the_gap_over_the_speed_and_a_graze_counts() {
    let (a, b) = (Cluster::sphere(0, 1.0, 1.0), Cluster::sphere(1, 1.0, 1.0));
    let (rest, head_on) = (still(DVec3::ZERO), moving(DVec3::X * 10.0, -4.0 * DVec3::X));
    for narrow in NARROW {
        let contact = narrow.first_contact((&a, &rest), (&b, &head_on), (0.0, 10.0)).expect("a contact");
        let tolerance = if narrow == NarrowPhase::Advancement { 2.0 * TOLERANCE } else { 1.0 - DEEPEST };
        assert!((0.0..=0.5 * tolerance).contains(&(contact.time - 2.0)), "{narrow:?} {contact:?}");
    }
    let graze = |offset: f64| {
        let passing = moving(DVec3::new(10.0, offset, 0.0), -4.0 * DVec3::X);
        NarrowPhase::Advancement.first_contact((&a, &rest), (&b, &passing), (0.0, 10.0))
    };
    let contact = graze(1.9999).expect("a graze");
    assert!((contact.time - (10.0 - (4.0 - 1.9999_f64.powi(2)).sqrt()) / 4.0).abs() < 1e-4, "{contact:?}");
    assert!(graze(2.0001).is_none());
    // The same with a pair instead of one of them, where advancement takes steps.
    let (pair, middle) = chain(&[DVec3::ZERO, 2.0 * DVec3::Y]);
    let against_pair = |offset: f64| {
        let passing = moving(DVec3::new(10.0, offset, 0.0), -4.0 * DVec3::X);
        NarrowPhase::Advancement.first_contact((&pair, &middle), (&b, &passing), (0.0, 10.0))
    };
    assert!(against_pair(3.9999).is_some() && against_pair(4.0001).is_none());
    let contact = against_pair(0.0).expect("a contact");
    assert!((contact.time - 2.0).abs() < 2.0 * TOLERANCE && contact.epsilon <= 1.0 - TOLERANCE * 0.999, "{contact:?}");
}

#[test]
fn spin_alone_brings_clusters_together() {
    // A rod along x rotates about z once in 2π seconds. A sphere waits beside its middle, at a distance that its tip sweeps over.
    let (rod, middle) = chain(&[-4.0 * DVec3::X, -2.0 * DVec3::X, DVec3::ZERO, 2.0 * DVec3::X, 4.0 * DVec3::X]);
    let waiting = Cluster::sphere(9, 1.0, 1.0);
    for speed in [1.0, 50.0] {
        let spinning = Motion { spin: speed * DVec3::Z, ..middle };
        let place = still(DVec3::Y * 4.5);
        // The tip is 4 from the axis and the sphere 4.5. Their distance is 2 when 16 + 20.25 − 36 cos α = 4.
        let angle = std::f64::consts::FRAC_PI_2 - (32.25_f64 / 36.0).acos();
        for narrow in NARROW {
            let contact = narrow.first_contact((&rod, &spinning), (&waiting, &place), (0.0, 10.0)).expect("a contact");
            let late = speed * contact.time - angle;
            let allowed = if narrow == NarrowPhase::Advancement { 1e-5 } else { 0.1 };
            assert!(late >= 0.0 && late < allowed, "{narrow:?}, {speed} rad/s: {late}");
        }
        let beyond = still(DVec3::Y * 6.01);
        assert!(NarrowPhase::Advancement.first_contact((&rod, &spinning), (&waiting, &beyond), (0.0, 10.0)).is_none());
    }
}

#[test]
fn clusters_within_each_other_are_not_lost() {
    // A square frame with a sphere inside: the bounding spheres overlap from the start, and in any direction in its plane the sphere hits
    // the frame.
    let mut corners = Vec::new();
    for step in 0..5 {
        let along = 2.0 * f64::from(step) - 5.0;
        corners.extend([
            DVec3::new(along, -5.0, 0.0),
            DVec3::new(5.0, along, 0.0),
            DVec3::new(-along, 5.0, 0.0),
            DVec3::new(-5.0, -along, 0.0),
        ]);
    }
    let (frame, middle) = chain(&corners);
    let inside = Cluster::sphere(99, 1.0, 1.0);
    for (velocity, hit) in [(DVec3::X, true), (DVec3::new(0.3, -1.0, 0.0), true), (DVec3::Z, false), (DVec3::ZERO, false)] {
        for narrow in NARROW {
            let contact = narrow.first_contact((&frame, &middle), (&inside, &moving(DVec3::ZERO, velocity)), (0.0, 20.0));
            assert_eq!(contact.is_some(), hit, "{narrow:?} {velocity}");
        }
    }
    // Also through the whole search: the broad phase of the population must not drop the pair.
    let mut population = Population::new(Domain::cube(60.0, true), &[], &[], 1.0, false);
    for (number, (cluster, center, velocity)) in [(frame, 30.0, DVec3::ZERO), (inside, 30.0, DVec3::X)].into_iter().enumerate() {
        population.flights.push(Flight { center: DVec3::splat(center), since: 0.0, velocity, radius: cluster.radius });
        population.turnings.push(plimsoll_aggregates::Turning { orientation: DQuat::IDENTITY, spin: DVec3::ZERO });
        population.clusters.push(cluster);
        population.numbers.push(number as u32);
    }
    for algorithm in [Algorithm::Plain, Algorithm::Boxes, Algorithm::Spheres] {
        let first = first_collision(&population, 10.0, algorithm, NarrowPhase::Sampling).expect("the sphere hits the frame");
        // The sphere goes between two spheres of the frame, where (5 − x)² + 1 = 4.
        assert!((first.contact.time - (5.0 - 3_f64.sqrt())).abs() < 0.1, "{algorithm:?} {first:?}");
    }
}

#[test]
fn samples_that_begin_too_deep_end() {
    let (a, b) = (Cluster::sphere(0, 1.0, 1.0), Cluster::sphere(1, 1.0, 1.0));
    let (rest, deep) = (still(DVec3::ZERO), moving(DVec3::X, -DVec3::X));
    let contact = NarrowPhase::Sampling.first_contact((&a, &rest), (&b, &deep), (0.0, 1.0)).expect("a contact");
    assert!(contact.time == 0.0 && contact.epsilon == 0.5, "{contact:?}");
}

#[test]
fn advancement_misses_nothing_that_fine_steps_find() {
    let mut random = Random::new(8);
    let (mut hits, mut sampled_late, mut misses_of_samples) = (0, 0, 0);
    for case in 0..250 {
        let sizes = [1 + (random.uniform() * 12.0) as usize, 1 + (random.uniform() * 40.0) as usize];
        let [a, b] = sizes.map(|size| random_cluster(size, &mut random));
        let spin = if case % 5 == 0 { 8.0 } else { 0.3 };
        let mut motion = |center: DVec3| Motion {
            center,
            velocity: 0.7 * random.normals(3),
            orientation: DQuat::from_scaled_axis(random.normals(3)),
            spin: spin * random.normals(3),
        };
        let (motion_a, mut motion_b) = (motion(DVec3::ZERO), motion(DVec3::ZERO));
        // Starts where the bounding spheres almost touch, or overlap without contact, and moves towards the other cluster with an offset.
        let direction = random.normals(3).normalize();
        let reach = a.radius + b.radius;
        motion_b.center = direction * reach * (0.4 + random.uniform());
        motion_b.velocity = motion_a.velocity - 2.0 * direction + 0.4 * random.normals(3);
        if min_epsilon((&a, &motion_a), (&b, &motion_b), 0.0) < 1.01 {
            continue;
        }
        let until = 6.0;
        // No point moves by more than 1/200 of a radius per step.
        let fastest =
            (motion_b.velocity - motion_a.velocity).length() + motion_a.spin.length() * a.radius + motion_b.spin.length() * b.radius;
        let step = 0.005 / fastest;
        let count = (until / step) as u64;
        let oracle =
            (0..=count).map(|k| k as f64 * step).find(|&time| min_epsilon((&a, &motion_a), (&b, &motion_b), time) < 1.0 - 2.0 * TOLERANCE);
        let found = NarrowPhase::Advancement.first_contact((&a, &motion_a), (&b, &motion_b), (0.0, until));
        match (oracle, found) {
            (Some(oracle), Some(found)) => {
                hits += 1;
                assert!(found.time <= oracle && oracle - found.time <= step * 1.001, "case {case}: {oracle} {found:?}");
                let epsilon = min_epsilon((&a, &motion_a), (&b, &motion_b), found.time);
                assert!(
                    (epsilon - found.epsilon).abs() < 1e-9 && (1.0 - epsilon) >= 0.99 * TOLERANCE && (1.0 - epsilon) <= 2.01 * TOLERANCE
                );
            }
            // A grazing contact between two fine steps.
            (None, Some(found)) => {
                let epsilon = min_epsilon((&a, &motion_a), (&b, &motion_b), found.time);
                assert!(epsilon < 1.0 && (1.0 - epsilon) <= 2.01 * TOLERANCE, "case {case}: {found:?}");
            }
            (Some(oracle), None) => panic!("case {case}: missed the contact at {oracle}"),
            (None, None) => {}
        }
        if let Some(oracle) = oracle {
            match NarrowPhase::Sampling.first_contact((&a, &motion_a), (&b, &motion_b), (0.0, until)) {
                Some(sampled) => sampled_late += u32::from(sampled.time > oracle + 40.0 * step),
                None => misses_of_samples += 1,
            }
        }
    }
    println!("{hits} hits; samples missed {misses_of_samples} and found another one later {sampled_late} times");
    assert!(hits > 100, "{hits}");
    // The reason why advancement is the default.
    assert!(misses_of_samples + sampled_late < hits / 3);
}

#[test]
fn the_detection_region_holds_every_hit() {
    let mut random = Random::new(5);
    let (mut hits, mut signs, mut outside) = (0_u32, std::collections::BTreeSet::new(), 0_u32);
    for _ in 0..100_000 {
        let remaining = random.uniform();
        let mut flight =
            || Flight { center: 2.0 * random.normals(3), since: 0.0, velocity: 3.0 * random.normals(3), radius: 0.1 + random.uniform() };
        let flights = [flight(), flight(), flight(), flight()];
        let extremes = Extremes::of(&flights);
        let region = DetectionRegion::new(&flights[0], &extremes, remaining);
        for other in &flights[1..] {
            let (r, v) = (other.center - flights[0].center, other.velocity - flights[0].velocity);
            let inside = region.contains(r);
            outside += u32::from(!inside);
            // The closest approach within the remaining time, in closed form.
            let nearest = (-r.dot(v) / v.length_squared()).clamp(0.0, remaining);
            if (r + nearest * v).length() <= flights[0].radius + other.radius {
                assert!(inside, "{flights:?} {remaining}");
                hits += 1;
                let target = flights[0].velocity;
                signs.insert([target.x > 0.0, target.y > 0.0, target.z > 0.0]);
            }
        }
    }
    assert!(hits > 10_000 && signs.len() == 8 && outside > 20_000, "{hits} {} {outside}", signs.len());
}

/// The first `mergers` mergers: numbers and times.
fn history(settings: &AggregateSettings, mergers: usize) -> Vec<([u32; 2], f64)> {
    let mut simulation = simulation(settings);
    let mut history = Vec::new();
    while history.len() < mergers {
        simulation.advance(f64::INFINITY).unwrap();
        history.extend(simulation.mergers().iter().map(|merger| (merger.numbers, merger.time)));
    }
    history
}

#[test]
fn all_algorithms_find_the_same_events() {
    // With the same narrow phase whole histories agree, except for rounding errors, which every merger magnifies.
    let fixed = AggregateSettings { spread: 1.3, ..settings(120, 4e-3, MotionLaw::Fixed { time_step: 2e-7 }) };
    // So many that cells are used at first, and no longer when few are left.
    let many = AggregateSettings { count: 250, ..fixed.clone() };
    let cells = history(&many, 200);
    let rounds = history(&AggregateSettings { method: Method::Rounds(Algorithm::Spheres), ..many }, 200);
    for (index, (a, b)) in cells.iter().zip(&rounds).enumerate() {
        assert!(a.0 == b.0 && (a.1 / b.1 - 1.0).abs() < 1e-5, "merger {index}: {a:?} {b:?}");
    }
    // Sampling may shift times by what 0.95 ≤ ε allows, so histories would diverge. These are compared round by round, from the same state.
    let mut simulation = simulation(&fixed);
    let (mut compared, mut same, mut missed) = (0, [0; 3], [0; 3]);
    while simulation.population().len() > 15 {
        simulation.advance(simulation.time() + 2e-7).unwrap();
        let population = simulation.population();
        let exact = first_collision(population, 2e-7, Algorithm::Spheres, NarrowPhase::Advancement);
        for (index, algorithm) in [Algorithm::Plain, Algorithm::Boxes, Algorithm::Spheres].into_iter().enumerate() {
            let sampled = first_collision(population, 2e-7, algorithm, NarrowPhase::Sampling);
            same[index] += i32::from(sampled.map(|first| first.pair) == exact.map(|first| first.pair));
            missed[index] += i32::from(exact.is_some() && sampled.is_none_or(|first| first.pair != exact.expect("one").pair));
        }
        compared += i32::from(exact.is_some());
    }
    println!("{compared} rounds with a collision; the same pair {same:?}, another one {missed:?}");
    assert!(compared > 20 && missed.iter().all(|&missed| missed * 5 < compared), "{compared} {missed:?}");
}

/// The first pair of the population to touch, by steps so fine that nothing moves by more than 1/100 of a radius.
fn first_by_fine_steps(population: &Population, until: f64) -> Option<([usize; 2], f64)> {
    let fastest = population
        .flights
        .iter()
        .zip(&population.turnings)
        .map(|(flight, turning)| flight.velocity.length() + turning.spin.length() * flight.radius);
    let step = 0.01 * 15e-9 / fastest.fold(0.0, f64::max);
    let count = (until / step).ceil() as u64;
    let near = |time: f64, a: usize, b: usize| {
        let (motion_a, mut motion_b) = (population.motion_at(a, time), population.motion_at(b, time));
        let r = motion_b.center - motion_a.center;
        motion_b.center = motion_a.center + population.domain.nearest_image(r);
        let reach = population.flights[a].radius + population.flights[b].radius;
        motion_b.center.distance(motion_a.center) < reach
            && min_epsilon((&population.clusters[a], &motion_a), (&population.clusters[b], &motion_b), 0.0) < 1.0 - TOLERANCE
    };
    for time in (0..=count).map(|k| (k as f64 * step).min(until)) {
        for a in 0..population.len() {
            for b in a + 1..population.len() {
                if near(time, a, b) {
                    return Some(([a, b], time));
                }
            }
        }
    }
    None
}

#[test]
fn no_event_of_a_population_is_missed_against_fine_steps() {
    let law = MotionLaw::Fixed { time_step: 1e-7 };
    let mut simulation = simulation(&settings(60, 0.01, law));
    let mut compared = 0;
    while simulation.population().len() > 4 {
        let population = simulation.population().clone();
        let oracle = first_by_fine_steps(&population, 4e-8);
        let found = first_collision(&population, 4e-8, Algorithm::Spheres, NarrowPhase::Advancement);
        if let Some((pair, time)) = oracle {
            let found = found.unwrap_or_else(|| panic!("missed {pair:?} at {time}"));
            assert!(found.pair == pair || found.contact.time <= time, "{pair:?} at {time}: {found:?}");
            compared += 1;
        }
        simulation.advance(simulation.time() + 1.5e-7).unwrap();
    }
    assert!(compared > 8, "{compared}");
}

/// The minimum distance over the sum of radii within a cluster, and between two clusters.
fn extremes_of_epsilon(population: &Population) -> (f64, f64) {
    let (mut within, mut between) = (f64::INFINITY, f64::INFINITY);
    for a in 0..population.len() {
        let cluster = &population.clusters[a];
        for (index, m) in cluster.members.iter().enumerate() {
            for n in &cluster.members[..index] {
                within = within.min(m.offset.distance(n.offset) / (m.radius + n.radius));
            }
        }
        for b in 0..a {
            let (motion_a, mut motion_b) = (population.motion_at(a, 0.0), population.motion_at(b, 0.0));
            motion_b.center = motion_a.center + population.domain.nearest_image(motion_b.center - motion_a.center);
            between = between.min(min_epsilon((cluster, &motion_a), (&population.clusters[b], &motion_b), 0.0));
        }
    }
    (within, between)
}

#[test]
fn touching_pairs_are_within_bounds_after_every_merger() {
    for narrow in NARROW {
        for law in [MotionLaw::Fixed { time_step: 1e-7 }, MotionLaw::Relaxation, MotionLaw::Brownian { time_step: 4e-7 }] {
            let mut simulation = simulation(&AggregateSettings { narrow, spread: 1.25, ..settings(150, 2e-3, law) });
            while simulation.population().len() > 5 {
                simulation.advance(f64::INFINITY).unwrap();
                for merger in simulation.mergers() {
                    assert!(merger.epsilon <= 1.0 && (merger.epsilon >= DEEPEST || narrow == NarrowPhase::Sampling), "{merger:?}");
                }
                let (within, between) = extremes_of_epsilon(simulation.population());
                if narrow == NarrowPhase::Advancement {
                    assert!(within >= 1.0 - 2.01 * TOLERANCE && between >= 1.0 - 2.01 * TOLERANCE, "{law:?} {within} {between}");
                }
            }
            let mass: f64 = simulation.population().clusters.iter().map(|cluster| cluster.mass).sum();
            let members = simulation.population().clusters.iter().map(|cluster| cluster.len()).sum::<usize>();
            let own: f64 = simulation.population().clusters.iter().flat_map(|cluster| &cluster.members).map(|m| m.radius.powi(3)).sum();
            assert!(members == 150 && (mass / (1800.0 * 4.0 / 3.0 * std::f64::consts::PI * own) - 1.0).abs() < 1e-12);
            println!("{narrow:?} {law:?}: {:?}", simulation.totals());
            assert!(simulation.totals().deep_contacts < 5);
        }
    }
}

#[test]
fn the_early_rate_is_that_of_free_flight() {
    // Paths of thirty diameters per step: long enough that new velocities do not matter, short enough that images do not.
    let (diameter, count) = (30e-9, 300_000);
    let mass = 1800.0 * std::f64::consts::PI / 6.0 * 30e-9_f64.powi(3);
    let mut set = settings(count, 1e-4, MotionLaw::Relaxation);
    let energy = set.medium.thermal_energy();
    let speed = (8.0 * energy / (std::f64::consts::PI * mass)).sqrt();
    let time_step = 30.0 * diameter / speed;
    set.law = MotionLaw::Fixed { time_step };
    let mut simulation = simulation(&set);
    let (volume, end) = (simulation.population().domain.size.x.powi(3), 2.0 * time_step);
    while simulation.time() < end {
        simulation.advance(end).unwrap();
    }
    let kernel = free_flight_kernel(diameter, mass, energy);
    let density = count as f64 / volume;
    // dn/dt = −½ K n².
    let expected = count as f64 * (1.0 - 1.0 / (1.0 + 0.5 * kernel * density * end));
    let ratio = simulation.totals().mergers as f64 / expected;
    println!("{} mergers, {expected:.0} expected", simulation.totals().mergers);
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}

#[test]
fn spheres_diffuse_as_their_friction_has_it() {
    let relaxation = {
        let set = settings(1, 1e-3, MotionLaw::Relaxation);
        set.medium.relaxation_time(&Cluster::sphere(0, 15e-9, 1800.0))
    };
    for (law, interval) in [
        (MotionLaw::Relaxation, 2.0 * relaxation),
        (MotionLaw::Brownian { time_step: 5.0 * relaxation }, 5.0 * relaxation),
        (MotionLaw::Fixed { time_step: relaxation }, relaxation),
    ] {
        let count = 10_000;
        // So dilute that there are hardly any collisions.
        let mut simulation = simulation(&settings(count, 1e-10, law));
        let first = simulation.population().flights.clone();
        let end = 60.0 * interval;
        while simulation.time() < end {
            simulation.advance(end).unwrap();
        }
        let population = simulation.population();
        let mut square = 0.0;
        for (flight, number) in population.flights.iter().zip(&population.numbers) {
            square += population.domain.nearest_image(flight.center - first[*number as usize].center).length_squared();
        }
        let mean = square / population.len() as f64;
        let medium = simulation.settings().medium;
        let mass = population.clusters[0].mass;
        // Maxwell velocities that last for an interval give kT/m interval / 2.
        let diffusivity = match law {
            MotionLaw::Fixed { time_step } => 0.5 * medium.thermal_energy() / mass * time_step,
            _ => medium.diffusivity(&Cluster::sphere(0, 15e-9, 1800.0)),
        };
        let ratio = mean / (6.0 * diffusivity * end);
        println!("{law:?}: {ratio:.4} of 6 D t");
        assert!((ratio - 1.0).abs() < 0.03, "{law:?} {ratio}");
    }
}

#[test]
fn clusters_turn_as_their_friction_has_it() {
    // Pairs, so dilute that there are hardly any collisions. Their axis decorrelates: <u(t)·u(0)> = exp(−2 D_r t), D_r = kT / 8π μ R³.
    let count = 8000;
    let set = settings(count, 1e-10, MotionLaw::Relaxation);
    let mut pairs = Population::new(Domain::cube(1.0, true), &[], &[], 1.0, true);
    let (one, other) = (Cluster::sphere(0, 15e-9, 1800.0), Cluster::sphere(1, 15e-9, 1800.0));
    let (pair, at) = Cluster::merged((&one, &still(DVec3::ZERO)), (&other, &still(30e-9 * DVec3::X)), true);
    let mut random = Random::new(4);
    for number in 0..count {
        pairs.flights.push(Flight { center: random.point(), since: 0.0, velocity: at.velocity, radius: pair.radius });
        pairs.turnings.push(plimsoll_aggregates::Turning { orientation: at.orientation, spin: at.spin });
        pairs.clusters.push(pair.clone());
        pairs.numbers.push(2 * number as u32);
    }
    let medium = plimsoll_aggregates::Medium { viscosity: 0.89e-3, temperature: 298.15, mean_free_path: 0.0, ..set.medium };
    // Kirkwood's radius of a pair is 4/3 of that of a sphere.
    let diffusivity = medium.thermal_energy() / (8.0 * std::f64::consts::PI * medium.viscosity * (4.0 / 3.0 * 15e-9_f64).powi(3));
    for rotation in [1.0, 0.1] {
        let time_step = 0.01 / diffusivity / rotation;
        let set = AggregateSettings { law: MotionLaw::Brownian { time_step }, medium, rotation, ..set.clone() };
        let mut simulation = AggregateSimulation::with_population(&set, pairs.clone());
        let axes = |simulation: &AggregateSimulation| -> Vec<DVec3> {
            (0..count).map(|place| simulation.population().motion_at(place, 0.0).orientation * DVec3::X).collect()
        };
        let mut before = axes(&simulation);
        let (first, mut kept) = (before.clone(), 0.0);
        for _ in 0..50 {
            simulation.advance(simulation.time() + simulation.remaining()).unwrap();
            let now = axes(&simulation);
            kept += now.iter().zip(&before).map(|(now, before)| now.dot(*before)).sum::<f64>() / (50 * count) as f64;
            before = now;
        }
        // Steps are independent, so their mean is more accurate than the correlation left at the end.
        let of_steps = -kept.ln() / (2.0 * rotation * diffusivity * time_step);
        let left = before.iter().zip(&first).map(|(now, first)| now.dot(*first)).sum::<f64>() / count as f64;
        let whole = -left.ln() / (2.0 * rotation * diffusivity * simulation.time());
        println!("rotation {rotation}: {of_steps:.4} of 2 D_r t in steps, {whole:.4} over all of them");
        assert!((of_steps - 1.0).abs() < 0.01 && (whole - 1.0).abs() < 0.05 && simulation.population().len() == count, "{rotation}");
    }
}

#[test]
fn velocities_and_spins_have_the_temperature_of_the_medium() {
    let mut simulation = simulation(&AggregateSettings { spread: 1.2, ..settings(6000, 5e-3, MotionLaw::Fixed { time_step: 1e-7 }) });
    while simulation.population().len() > 3000 {
        simulation.advance(f64::INFINITY).unwrap();
    }
    // The step begins with new velocities and is too short for many mergers.
    simulation.advance(simulation.time() + 1e-9).unwrap();
    let value = |name: &str| match plimsoll_contract::frame::value_of(&simulation.diagnostics(), name) {
        Some(plimsoll_contract::frame::Value::Real(value)) => *value,
        other => panic!("{name}: {other:?}"),
    };
    for name in ["temperature", "rotation_temperature"] {
        assert!((value(name) / 1700.0 - 1.0).abs() < 0.04, "{name}: {}", value(name));
    }
}

#[test]
fn diffusing_clusters_have_the_fractal_dimension_of_the_literature() {
    let mut points: Vec<FractalPoint> = Vec::new();
    let mut diameter = 0.0;
    for seed in 0..5 {
        let set = AggregateSettings { seed, ..settings(4000, 5e-4, MotionLaw::Relaxation) };
        let mut simulation = simulation(&set);
        while simulation.population().len() > 60 {
            simulation.advance(f64::INFINITY).unwrap();
        }
        points.extend(simulation.fractal_points(10));
        diameter = simulation.mean_diameter();
    }
    let fit = FractalFit::new(&points, diameter).expect("clusters enough");
    println!("{fit}");
    assert!(points.len() >= 200 && (1.7..=1.85).contains(&fit.dimension), "{fit}");
}

/// The complete state, bit by bit, except measured wall times.
fn state(simulation: &AggregateSimulation) -> Vec<u8> {
    let bytes = |value: Result<Vec<u8>, postcard::Error>| value.expect("plain data");
    let mut state = bytes(postcard::to_allocvec(simulation.population()));
    state.extend(bytes(postcard::to_allocvec(&simulation.totals())));
    state.extend(bytes(postcard::to_allocvec(&simulation.time())));
    state
}

#[test]
fn results_depend_neither_on_threads_nor_on_interruptions() {
    for law in [MotionLaw::Fixed { time_step: 3e-7 }, MotionLaw::Relaxation, MotionLaw::Brownian { time_step: 4e-7 }] {
        let set = AggregateSettings { spread: 1.3, ..settings(3000, 2e-3, law) };
        let (half, end) = (4e-6, 8e-6);
        let run = |threads: usize, interrupted: bool| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
            pool.install(|| {
                let mut simulation = simulation(&set);
                for until in [half, end] {
                    while simulation.time() < until {
                        simulation.advance(until).unwrap();
                    }
                    if interrupted {
                        let saved = postcard::to_allocvec(&simulation).expect("plain data");
                        simulation = postcard::from_bytes(&saved).expect("what was written");
                    }
                }
                assert!(simulation.totals().mergers > 200, "{law:?} {:?}", simulation.totals());
                state(&simulation)
            })
        };
        let one = run(1, false);
        assert!(run(2, false) == one && run(4, false) == one, "{law:?}: threads");
        assert!(run(3, true) == one, "{law:?}: interrupted");
    }
}

const SCENE: &str = r#"
title = "A few clusters"
simulator = "aggregates"
duration = 1e-4
frames_per_second = 2e5
seed = 4

[aggregates]
count = 400
volume_fraction = 1e-3
diameter = 30e-9
spread = 1.2
density = 1800

[aggregates.medium]
temperature = 1700

[aggregates.stop]
mean_size = 8
"#;

/// Runs the scene in `folder`, in two parts if there is a time to stop.
fn run(folder: &Path, stop: Option<f64>) -> Outcome {
    run_scene(SCENE, folder, stop)
}

/// Same for the scene `text`.
fn run_scene(text: &str, folder: &Path, stop: Option<f64>) -> Outcome {
    let scene = Scene::parse(text, Path::new("few_clusters.toml")).expect("the scene is sound");
    let plan = RunPlan::new(&scene, text.to_owned());
    let simulation = Simulation::new(scene.definition, &Unwatched).expect("room for all");
    let go = |run: Run, until| run.go(until, &AtomicBool::new(false), &mut Silent).expect("a run");
    let outcome = go(Run::start(plan, simulation, RunFolder::claim(folder).expect("a folder")).expect("a run"), stop);
    if stop.is_some() { go(Run::resume(folder).expect("a checkpoint"), None) } else { outcome }
}

#[test]
fn a_run_writes_all_tables_and_goes_on_to_the_same_bytes() {
    let folders = [(), ()].map(|()| tempfile::tempdir().expect("a folder"));
    let whole = run(&folders[0].path().join("run"), None);
    let halves = run(&folders[1].path().join("run"), Some(1.5e-5));
    assert!(whole.time < 1e-4 && whole.frames > 4, "stopped by its rule, {} s", whole.time);
    assert_eq!((whole.time, whole.steps, whole.frames), (halves.time, halves.steps, halves.frames));
    let mut compared = 0;
    for entry in std::fs::read_dir(folders[0].path().join("run")).expect("the folder of the run") {
        let name = entry.expect("an entry").file_name().into_string().expect("a plain name");
        let [one, two] = [0, 1].map(|index| std::fs::read(folders[index].path().join("run").join(&name)).expect("both have it"));
        if ["mergers.csv", "clusters.csv"].contains(&name.as_str()) || name.ends_with(".vtu") {
            assert!(one == two, "{name} differs");
            compared += 1;
        }
    }
    assert!(compared > 6, "{compared} files");
    let rows = |name: &str| std::fs::read_to_string(folders[0].path().join("run").join(name)).expect("a table").lines().count() - 1;
    let last = std::fs::read_to_string(folders[0].path().join("run/diagnostics.csv")).expect("a table");
    let clusters: usize = last.lines().last().and_then(|row| row.split(',').nth(3)).and_then(|cell| cell.parse().ok()).expect("a count");
    assert_eq!(rows("mergers.csv"), 400 - clusters);
    assert!(clusters <= 50 && rows("clusters.csv") > clusters, "{clusters}");
}

#[test]
fn a_run_ends_at_the_merger_that_meets_its_condition() {
    // Frames at the start and the end only.
    let text = SCENE.replace("frames_per_second = 2e5", "frames_per_second = 1e4");
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    let outcome = run_scene(&text, &out, None);
    assert_eq!((outcome.frames, outcome.elements), (2, (50, "clusters")), "{} s", outcome.time);
    assert!(outcome.time < 0.6e-4, "{} s", outcome.time);
    let table = std::fs::read_to_string(out.join("mergers.csv")).expect("a table");
    let last: f64 = table.lines().last().and_then(|row| row.split(',').nth(1)).and_then(|cell| cell.parse().ok()).expect("a time");
    assert!((last / outcome.time - 1.0).abs() < 1e-12, "{last}, {}", outcome.time);
    let collection = || std::fs::read_to_string(out.join("particles.pvd")).expect("a collection");
    let before = collection();
    assert!(before.contains(&format!("timestep=\"{:?}\"", outcome.time)), "{before}");
    // Resumed, it has nothing to do.
    let resumed = Run::resume(&out).expect("a checkpoint").go(None, &AtomicBool::new(false), &mut Silent).expect("a run");
    assert_eq!((resumed.frames, resumed.steps, resumed.time), (outcome.frames, outcome.steps, outcome.time));
    assert_eq!(collection(), before);
    // The estimate of the end is right within its order of magnitude, from an early state.
    let scene = Scene::parse(&text, Path::new("few_clusters.toml")).expect("the scene is sound");
    let mut early = Simulation::new(scene.definition, &Unwatched).expect("room for all");
    assert_eq!(early.expected_finish(), None);
    while early.elements().0 > 200 {
        early.advance(1e-4).expect("a step");
    }
    let expected = early.expected_finish().expect("an estimate");
    assert!((0.3..3.0).contains(&(expected / outcome.time)), "{expected}, {}", outcome.time);
}

#[test]
fn steps_that_change_the_result_are_warnings() {
    let warnings = |motion: &str| {
        let text = SCENE.replace("[aggregates.stop]", &format!("[aggregates.motion]\n{motion}\n[aggregates.stop]"));
        Scene::parse(&text, Path::new("steps.toml")).expect("the scene is sound").warnings
    };
    assert_eq!(warnings("law = \"relaxation\""), Vec::<String>::new());
    assert_eq!(warnings("law = \"fixed\"\ntime_step = 1e-6"), Vec::<String>::new());
    for law in ["fixed", "brownian"] {
        let found = warnings(&format!("law = \"{law}\"\ntime_step = 1e-4"));
        let [warning] = found.as_slice() else { panic!("{found:?}") };
        assert!(warning.starts_with("steps.toml:20: aggregates.motion.time_step: steps of 1e-4 s are "), "{warning}");
    }
}

#[test]
fn a_run_is_drawn_with_sizes_fractal_dimension_and_a_micrograph() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("run");
    run(&out, None);
    let pictures = plot::pictures(&out, "").expect("a run that can be drawn");
    let find = |name: &str| pictures.iter().find(|picture| picture.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert!(find("growth").panels[0].series[0].points.iter().all(|&(_, clusters)| (1.0..=400.0).contains(&clusters)));
    // At each time all clusters and spheres are included: bin widths double, so the mean size is correct within a factor of two.
    let sizes = &find("sizes").panels[0].series;
    assert!(sizes.len() > 1);
    for time in sizes {
        // The geometric mean of a bin from n to 2n − 1 is √(n (2n − 1)).
        let widths = time.points.iter().map(|&(middle, density)| {
            let bin = (middle * middle / 2.0).sqrt().log2().ceil();
            (2_f64.powf(bin), density)
        });
        let (clusters, least, most) = widths.fold((0.0, 0.0, 0.0), |sum, (width, density)| {
            (sum.0 + width * density, sum.1 + width * width * density, sum.2 + (2.0 * width - 1.0) * width * density)
        });
        assert!(time.name.contains(&format!("{} clusters", f64::round(clusters))), "{} {clusters}", time.name);
        assert!(least <= 400.0 && 400.0 <= most, "{least} {most}");
    }
    let fractal = &find("fractal").panels[0];
    let [low, high] = [0, 1].map(|end| fractal.series[1].points[end]);
    let slope = (high.1 / low.1).ln() / (high.0 / low.0).ln();
    assert!(fractal.series[0].points.len() > 50 && fractal.title.contains(&format!("D = {slope:.2} ±")), "{slope} {}", fractal.title);
    // As PNG and within an SVG: the largest cluster is in the middle, dark on a light background.
    let micrograph = find("micrograph");
    let image = micrograph.panels[0].image.as_ref().expect("an image");
    let gray = &image.pixels;
    assert!(gray.len() == plot::Image::WIDTH * plot::Image::HEIGHT && gray[0] == 235 && gray.iter().any(|&gray| gray < 150));
    let file = folder.path().join("micrograph.png");
    plot::write_picture(&file, micrograph, plot::PictureFormat::Png).expect("a picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(&file).expect("the file"))).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("pixels");
    // Its edges are 28 units from the right and 52 from the bottom edge: 56 and 104 pixels.
    let at = |row: usize, column: usize| pixels[3 * (row * info.width as usize + column)];
    let (right, bottom) = (info.width as usize - 57, info.height as usize - 105);
    assert_eq!(at(bottom, right), gray[gray.len() - 1]);
    let dark = gray.iter().position(|&gray| gray < 150).expect("a dark pixel");
    let corner = (bottom + 1 - plot::Image::HEIGHT, right + 1 - plot::Image::WIDTH);
    assert_eq!(at(corner.0 + dark / plot::Image::WIDTH, corner.1 + dark % plot::Image::WIDTH), gray[dark]);
    assert!(plot::to_svg(micrograph).expect("an SVG").contains("href=\"data:image/png;base64,iVBORw0KGgo"));
}
