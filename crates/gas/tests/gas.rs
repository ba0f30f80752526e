//! Hard spheres: the fast version against the reference version and brute force, conservation, and kinetic theory of gases.

use std::{fs, path::Path, sync::atomic::AtomicBool};

use glam::DVec3;
use plimsoll_contract::{
    frame::{Value, value_of},
    simulator::{Simulator as _, Unwatched},
};
use plimsoll_gas::*;
use plimsoll_run::{Run, RunFolder, RunPlan, Silent, Simulation};
use plimsoll_scene::Scene;

const BRIEF: u64 = u64::MAX;

fn group(count: usize, radius: f64, mass: f64) -> Group {
    Group::new(count, Species { radius, mass }, 1.0)
}

fn settings(container: Container, groups: Vec<Group>) -> GasSettings {
    GasSettings { seed: 11, ..GasSettings::new(container, groups) }
}

/// `count` spheres of diameter 1, mass 1 and kT = 1 at a packing, periodic.
fn uniform(dimension: Dimension, count: usize, packing: f64) -> GasSettings {
    settings(Container::periodic(dimension, DVec3::ZERO, dimension.edges(count, packing)), vec![group(count, 0.5, 1.0)])
}

fn gas(settings: &GasSettings) -> Gas {
    Gas::new(settings.set_up().expect("room for all")).expect("a sound setup")
}

fn energy(species: &[Species], states: &[SphereState]) -> f64 {
    states.iter().map(|sphere| 0.5 * species[sphere.species as usize].mass * sphere.velocity.length_squared()).sum()
}

fn momentum(species: &[Species], states: &[SphereState]) -> DVec3 {
    states.iter().map(|sphere| species[sphere.species as usize].mass * sphere.velocity).sum()
}

/// The smallest gap between any two spheres, in sums of their radii, over all pairs.
fn smallest_gap(gas: &Gas) -> f64 {
    let (states, species) = (gas.states(), &gas.setup().species);
    let mut smallest = f64::INFINITY;
    for (index, a) in states.iter().enumerate() {
        for b in &states[..index] {
            let sigma = species[a.species as usize].radius + species[b.species as usize].radius;
            smallest = smallest.min(gas.container().0.domain_at(0.0).nearest_image(b.position - a.position).length() / sigma - 1.0);
        }
    }
    smallest
}

/// Spheres of three sizes.
fn mixture(container: Container) -> GasSettings {
    settings(container, vec![group(20, 0.5, 1.0), group(30, 0.35, 0.4), group(10, 0.7, 5.0)])
}

fn moving(mut container: Container, axis: usize, velocity: f64, stop: f64) -> Container {
    let Axis::Walls { high, .. } = &mut container.axes[axis] else { panic!("an axis with walls") };
    high.schedule = vec![Leg { from: 0.0, velocity }, Leg { from: stop, velocity: 0.0 }];
    container
}

/// Checks that both versions have the same impacts. Both restart from the same state now and then, because impacts magnify rounding errors.
fn assert_same_impacts(settings: &GasSettings, rounds: usize, impacts: usize) {
    let mut setup = settings.set_up().expect("room for all");
    let mut walls = 0;
    for round in 0..rounds {
        let mut fast = Gas::new(setup.clone()).expect("a sound setup");
        let mut reference = ReferenceGas::new(setup.clone());
        for impact in 0..impacts {
            let found = fast.next_collision(f64::INFINITY).expect("room").expect("an impact");
            let expected = reference.next_collision(f64::INFINITY).expect("room").expect("an impact");
            assert_eq!((found.sphere, found.partner), (expected.sphere, expected.partner), "round {round}, impact {impact}");
            assert!((found.time - expected.time).abs() < 1e-9, "round {round}, impact {impact}: {found:?}, {expected:?}");
            walls += u32::from(matches!(found.partner, Partner::Wall(_)));
        }
        for (found, expected) in fast.states().iter().zip(reference.states()) {
            let apart = fast.container().0.domain_at(0.0).nearest_image(found.position - expected.position).length();
            assert!(apart < 1e-6 && found.velocity.distance(expected.velocity) < 1e-6, "{found:?}, {expected:?}");
        }
        setup.spheres = fast.states();
        for (axis, place) in setup.container.axes.iter_mut().enumerate() {
            if let Axis::Walls { low, high } = place {
                let (start, length) = fast.container().0.axes[axis].extent_at(fast.container().1);
                (*low, *high) = (Wall { position: start, ..low.clone() }, Wall { position: start + length, ..high.clone() });
            }
        }
    }
    let closed = settings.container.axes.iter().any(|axis| matches!(axis, Axis::Walls { .. }));
    assert_eq!(walls > 0, closed, "{walls} impacts on walls");
}

#[test]
fn both_versions_find_the_same_impacts() {
    let (square, cube) = (DVec3::new(12.0, 11.0, 0.0), DVec3::new(5.0, 6.0, 5.5));
    for (dimension, size) in [(Dimension::Two, square), (Dimension::Three, cube)] {
        assert_same_impacts(&mixture(Container::periodic(dimension, DVec3::ZERO, size)), 20, 150);
        assert_same_impacts(&mixture(Container::closed(dimension, DVec3::ZERO, size)), 20, 150);
        let slower = GasSettings {
            impact: Impact { restitution: 0.8, elastic_below: 1e-3 },
            ..mixture(Container::periodic(dimension, DVec3::ZERO, size))
        };
        assert_same_impacts(&slower, 4, 150);
    }
    // A piston that moves in and stops, one periodic axis, and one large sphere among small ones.
    let mut mixed = Container::closed(Dimension::Three, DVec3::ZERO, cube);
    mixed.axes[1] = Axis::Periodic { low: 0.0, length: 6.0 };
    assert_same_impacts(&mixture(moving(mixed, 0, -0.1, 0.2)), 4, 150);
    for container in [Container::periodic, Container::closed] {
        let size = DVec3::splat(20.0);
        let mut brownian = settings(container(Dimension::Three, DVec3::ZERO, size), vec![group(200, 0.3, 0.1)]);
        brownian.placed =
            vec![PlacedSphere { species: Species { radius: 2.0, mass: 5.0 }, position: 0.4 * size, velocity: DVec3::ZERO, traced: false }];
        assert_same_impacts(&brownian, 24, 50);
    }
}

#[test]
fn energy_and_momentum_are_kept_and_nothing_overlaps() {
    for dimension in [Dimension::Two, Dimension::Three] {
        let mut groups = vec![group(300, 0.5, 1.0), group(300, 0.3, 0.3), group(30, 1.0, 8.0)];
        groups[0].velocity = DVec3::new(0.3, -0.2, 0.0);
        let size = if dimension == Dimension::Two { DVec3::new(28.0, 28.0, 0.0) } else { DVec3::splat(12.0) };
        let mut gas = gas(&settings(Container::periodic(dimension, DVec3::ZERO, size), groups));
        let species = gas.setup().species.clone();
        let (start, drift) = (energy(&species, &gas.states()), momentum(&species, &gas.states()));
        let mut gap = smallest_gap(&gas);
        while gas.counters().pairs < 1_000_000 {
            gas.advance(f64::INFINITY, 100_000).expect("room");
            gap = gap.min(smallest_gap(&gas));
        }
        let states = gas.states();
        let scale: f64 = states.iter().map(|sphere| species[sphere.species as usize].mass * sphere.velocity.length()).sum();
        let energy_drift = (energy(&species, &states) / start - 1.0).abs();
        let momentum_drift = (momentum(&species, &states) - drift).length() / scale;
        println!("{dimension:?}: energy {energy_drift:.1e}, momentum {momentum_drift:.1e}, smallest gap {gap:.1e}");
        assert!(energy_drift < 1e-11 && momentum_drift < 1e-12 && gap > -1e-12, "{energy_drift}, {momentum_drift}, {gap}");
        if dimension == Dimension::Two {
            assert!(states.iter().all(|sphere| sphere.position.z == 0.0 && sphere.velocity.z == 0.0));
        }
    }
}

#[test]
fn walls_keep_the_spheres_inside() {
    let size = DVec3::new(9.0, 7.0, 8.0);
    let mut gas = gas(&mixture(moving(Container::closed(Dimension::Three, DVec3::ZERO, size), 0, -0.3, 10.0)));
    for step in 1..=40 {
        gas.advance(0.5 * f64::from(step), BRIEF).expect("room");
        let high = size.x - 0.3 * gas.time().min(10.0);
        assert!((gas.container().0.extent_at(gas.container().1).1.x - high).abs() < 1e-12);
        for sphere in gas.states() {
            let radius = gas.setup().species[sphere.species as usize].radius - 1e-11;
            let inside = |axis: usize, end: f64| sphere.position[axis] >= radius && sphere.position[axis] <= end - radius;
            assert!(inside(0, high) && inside(1, size.y) && inside(2, size.z), "{sphere:?} at {}", gas.time());
        }
        assert!(smallest_gap(&gas) > -1e-12);
    }
    assert!(gas.counters().walls > 500);
}

/// Compressibility `p V / (N k T)` and impacts per sphere and second, over `pairs` impacts after the same number for equilibration.
fn measure(settings: &GasSettings, pairs: u64) -> (f64, f64) {
    let mut gas = gas(settings);
    let settle = |gas: &mut Gas, pairs: u64| {
        while gas.counters().pairs < pairs {
            gas.advance(f64::INFINITY, 10_000).expect("room");
        }
    };
    settle(&mut gas, pairs / 5);
    let (before, start) = (*gas.counters(), gas.time());
    settle(&mut gas, pairs);
    let (counters, seconds) = (*gas.counters(), gas.time() - start);
    let twice_energy = 2.0 * energy(&gas.setup().species, &gas.states());
    let compressibility = 1.0 + (counters.virial - before.virial) / (seconds * twice_energy);
    (compressibility, 2.0 * (counters.pairs - before.pairs) as f64 / (seconds * gas.len() as f64))
}

#[test]
fn pressure_and_rate_of_impacts_are_those_of_theory() {
    let root_pi = std::f64::consts::PI.sqrt();
    for (dimension, packing) in [
        (Dimension::Three, 0.05),
        (Dimension::Three, 0.2),
        (Dimension::Three, 0.3),
        (Dimension::Three, 0.4),
        (Dimension::Two, 0.1),
        (Dimension::Two, 0.3),
        (Dimension::Two, 0.5),
    ] {
        let count = 2000;
        let (found, rate) = measure(&uniform(dimension, count, packing), 500_000);
        let size = dimension.edges(count, packing);
        // kT and the mean square velocity scale with the degrees of freedom; fixing the center of mass removes one in `count`.
        let (expected, rate_expected) = if dimension == Dimension::Three {
            let chi = (1.0 - packing / 2.0) / (1.0 - packing).powi(3);
            let density = count as f64 / size.x.powi(3);
            ((1.0 + packing + packing.powi(2) - packing.powi(3)) / (1.0 - packing).powi(3), 4.0 * root_pi * density * chi)
        } else {
            let chi = (1.0 - 7.0 * packing / 16.0) / (1.0 - packing).powi(2);
            ((1.0 + packing * packing / 8.0) / (1.0 - packing).powi(2), 2.0 * root_pi * count as f64 / size.x.powi(2) * chi)
        };
        println!("{dimension:?} at {packing}: Z {found:.4} (theory {expected:.4}), rate {rate:.3} (theory {rate_expected:.3})");
        assert!((found / expected - 1.0).abs() < 0.01, "{dimension:?} at {packing}: Z = {found}, expected {expected}");
        assert!((rate / rate_expected - 1.0).abs() < 0.01, "{dimension:?} at {packing}: {rate} impacts, expected {rate_expected}");
    }
}

#[test]
fn walls_feel_the_pressure_of_the_gas() {
    let (count, packing) = (4000, 0.05_f64);
    let size = Dimension::Three.edges(count, packing);
    let mut gas = gas(&settings(Container::closed(Dimension::Three, DVec3::ZERO, size), vec![group(count, 0.5, 1.0)]));
    gas.advance(20.0, BRIEF).expect("room");
    let before = *gas.counters();
    gas.advance(320.0, BRIEF).expect("room");
    let counters = *gas.counters();
    let on_walls: f64 = (0..6).map(|wall| (counters.wall_impulses[wall] - before.wall_impulses[wall]).abs()).sum();
    let pressure = on_walls / (300.0 * 6.0 * size.x * size.x);
    // The bulk pressure from the virial, over the volume that centers can reach.
    let virial = (counters.virial - before.virial) / 300.0;
    let bulk = (count as f64 + virial / 3.0) / (size.x - 1.0).powi(3);
    println!("pressure on the walls {pressure:.4}, virial over the volume open to centers {bulk:.4}");
    let wall_virial = pressure * size.x.powi(3) - pressure * 3.0 * size.x * size.x;
    // Exact: 3 N kT + virial of pairs = p Σ over walls of area times distance, reduced by one radius at each wall.
    let exact = 3.0 * count as f64 + virial;
    assert!((3.0 * pressure * size.x * size.x * (size.x - 1.0) / exact - 1.0).abs() < 0.005, "{pressure}, {exact}, {wall_virial}");
}

fn fourth_moment(states: &[SphereState]) -> f64 {
    let mean = |power: i32| states.iter().map(|sphere| sphere.velocity.length().powi(power)).sum::<f64>() / states.len() as f64;
    mean(4) / mean(2).powi(2)
}

/// The probability that a sample of the distribution `cumulative` deviates from it more than `values` do (Kolmogorov & Smirnov).
fn kolmogorov(mut values: Vec<f64>, cumulative: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let apart = |(index, &value): (usize, &f64)| {
        let (expected, below) = (cumulative(value), index as f64 / count);
        (expected - below).abs().max((below + 1.0 / count - expected).abs())
    };
    let greatest = values.iter().enumerate().map(apart).fold(0.0, f64::max);
    let lambda = (count.sqrt() + 0.12 + 0.11 / count.sqrt()) * greatest;
    (1..100).map(|k| 2.0 * (-1.0_f64).powi(k - 1) * (-2.0 * f64::from(k * k) * lambda * lambda).exp()).sum()
}

/// The error function, from its series.
fn error_function(x: f64) -> f64 {
    let mut term = x;
    let mut sum = x;
    for k in 1..200 {
        term *= -x * x / f64::from(k);
        sum += term / f64::from(2 * k + 1);
    }
    2.0 / std::f64::consts::PI.sqrt() * sum
}

#[test]
fn speeds_become_those_of_maxwell() {
    for (dimension, moment) in [(Dimension::Three, 5.0 / 3.0), (Dimension::Two, 2.0)] {
        let mut start = uniform(dimension, 4000, 0.2);
        start.groups[0].speeds = SpeedDistribution::Equal;
        let mut gas = gas(&start);
        assert!((fourth_moment(&gas.states()) - 1.0).abs() < 0.1);
        let (mut mean, samples) = (0.0, 20);
        for sample in 1..=samples {
            gas.advance(5.0 + f64::from(sample), BRIEF).expect("room");
            mean += fourth_moment(&gas.states()) / f64::from(samples);
        }
        let speeds = gas.states().iter().map(|sphere| sphere.velocity.length()).collect();
        let chance = kolmogorov(speeds, |v| match dimension {
            Dimension::Two => 1.0 - (-0.5 * v * v).exp(),
            Dimension::Three => error_function(v / 2.0_f64.sqrt()) - (2.0 / std::f64::consts::PI).sqrt() * v * (-0.5 * v * v).exp(),
        });
        println!("{dimension:?}: <v^4>/<v^2>^2 {mean:.4} (theory {moment:.4}), chance {chance:.3}");
        assert!((mean / moment - 1.0).abs() < 0.02 && chance > 0.01, "{dimension:?}: {mean}, {chance}");
    }
}

#[test]
fn unlike_masses_come_to_share_the_energy() {
    let mut groups = vec![group(1500, 0.5, 1.0), group(1500, 0.3, 0.1), group(300, 0.8, 6.0)];
    (groups[0].temperature, groups[1].temperature, groups[2].temperature) = (2.0, 0.5, 0.0);
    let mut gas = gas(&settings(Container::periodic(Dimension::Three, DVec3::ZERO, DVec3::splat(18.0)), groups));
    let total = 2.0 / 3.0 * energy(&gas.setup().species, &gas.states()) / gas.len() as f64;
    let mut means = [0.0; 3];
    for sample in 0..60 {
        gas.advance(40.0 + f64::from(sample), BRIEF).expect("room");
        for (species, mean) in means.iter_mut().enumerate() {
            let states = gas.states();
            let own: Vec<_> = states.iter().filter(|sphere| sphere.species as usize == species).copied().collect();
            *mean += 2.0 / 3.0 * energy(&gas.setup().species, &own) / own.len() as f64 / 60.0 / total;
        }
    }
    println!("temperatures over the mean: {means:.3?}");
    assert!(means.iter().all(|ratio| (ratio - 1.0).abs() < 0.03), "{means:?}");
}

#[test]
fn a_slow_piston_does_work_as_the_adiabatic_law_has_it() {
    // Dilute gas: T V^(2/d) is constant; the packing is so low that the volume of the spheres is negligible.
    for (dimension, power) in [(Dimension::Two, 1.0), (Dimension::Three, 2.0 / 3.0)] {
        let (count, packing) = (1000, 0.002);
        let size = dimension.edges(count, packing);
        let (speed, stop) = (0.01, 0.3 * size.x / 0.01);
        let closed = Container::closed(dimension, DVec3::ZERO, size);
        let mut gas = gas(&settings(moving(closed, 0, -speed, stop), vec![group(count, 0.5, 1.0)]));
        let species = gas.setup().species.clone();
        let before = energy(&species, &gas.states());
        gas.advance(stop + 1.0, BRIEF).expect("room");
        let after = energy(&species, &gas.states());
        let balance = (gas.counters().work - (after - before)).abs() / after;
        // The range of the centers is one diameter shorter.
        let law = (after / before) / ((0.7 * size.x - 1.0) / (size.x - 1.0)).powf(-power);
        println!("{dimension:?}: energy times {:.4}, by the law {:.4}; work error {balance:.1e}", after / before, after / before / law);
        assert!(balance < 1e-10 && (law - 1.0).abs() < 0.01, "{dimension:?}: {law}, {balance}");
    }
}

/// Packing in the middle between two walls `length` apart, of discs of diameter 1 that would fill `filled` meters if there were no gaps: by
/// scaled particle theory a wall repels the discs by `(1 − η) / (1 + η)` of a radius.
fn packing_between_walls(filled: f64, length: f64) -> f64 {
    (0..100).fold(filled / length, |packing, _| filled / (length - (1.0 - packing) / (1.0 + packing)))
}

#[test]
fn a_dense_gas_of_discs_follows_its_adiabat() {
    // dT / T = −Z dA / A with Henderson's Z.
    let potential = |eta: f64| eta.ln() - 7.0 / 8.0 * (1.0 - eta).ln() + 9.0 / 8.0 / (1.0 - eta);
    let (count, size, speed) = (480, DVec3::new(80.0, 20.0, 0.0), 0.05);
    let mut container = Container::closed(Dimension::Two, DVec3::ZERO, size);
    container.axes[1] = Axis::Periodic { low: 0.0, length: size.y };
    let stop = 0.35 * size.x / speed;
    let mut gas = gas(&settings(moving(container, 0, -speed, stop), vec![group(count, 0.5, 1.0)]));
    let species = gas.setup().species.clone();
    let before = energy(&species, &gas.states());
    gas.advance(stop, BRIEF).expect("room");
    let ratio = energy(&species, &gas.states()) / before;
    let filled = count as f64 * std::f64::consts::FRAC_PI_4 / size.y;
    let [first, last] = [size.x, 0.65 * size.x].map(|length| packing_between_walls(filled, length));
    let expected = (potential(last) - potential(first)).exp();
    println!("from packing {first:.4} to {last:.4}: temperature times {ratio:.4} (theory {expected:.4})");
    assert!((ratio / expected - 1.0).abs() < 0.02, "{ratio}, {expected}");
}

#[test]
fn a_gas_runs_backwards_to_where_it_was() {
    let start = uniform(Dimension::Three, 60, 0.2).set_up().expect("room");
    let mut forwards = Gas::new(start.clone()).expect("a sound setup");
    forwards.advance(0.6, BRIEF).expect("room");
    let impacts = forwards.counters().pairs;
    assert!(impacts > 60, "{impacts}");
    let mut back = start.clone();
    back.spheres = forwards.states();
    back.spheres.iter_mut().for_each(|sphere| sphere.velocity = -sphere.velocity);
    let mut backwards = Gas::new(back).expect("a sound setup");
    backwards.advance(0.6, BRIEF).expect("room");
    assert_eq!(backwards.counters().pairs, impacts);
    for (found, expected) in backwards.states().iter().zip(&start.spheres) {
        let apart = start.container.domain_at(0.0).nearest_image(found.position - expected.position).length();
        assert!(apart < 1e-7 && (found.velocity + expected.velocity).length() < 1e-7, "{found:?}, {expected:?}");
    }
}

/// A wall narrows a box of 3,000 spheres to a slit of 1.1 diameters, in which at most 2,900 have room.
#[test]
fn a_wall_that_jams_the_spheres_is_named() {
    let mut slit = settings(Container::closed(Dimension::Three, DVec3::ZERO, DVec3::new(0.04, 1.0, 1.0)), vec![group(3000, 0.01, 1.0)]);
    let Axis::Walls { high, .. } = &mut slit.container.axes[0] else { unreachable!() };
    high.schedule = vec![Leg { from: 0.0, velocity: -2.0 }, Leg { from: 0.009, velocity: 0.0 }];
    let spheres = [(0.01, 3000)];
    assert!(jamming_share(&slit.container, 0.0, &spheres) < 0.6);
    let error = gas(&slit).advance(0.1, BRIEF).expect_err("the slit is too narrow");
    let GasError::Jammed { wall: "x_max", time, travel, room, .. } = error else { panic!("{error}") };
    println!("{error}");
    assert!((0.005..0.008).contains(&time) && room < 3e-3 && travel > 3.0 * room, "{error}");
    let failure = GasSimulation::new(&slit).expect("room for all").advance(0.1).expect_err("the slit is too narrow");
    assert!(failure.cause.contains("wall x_max") && failure.remedy.contains("`until`"), "{failure}");
    // A wall that stops in time compresses them.
    let Axis::Walls { high, .. } = &mut slit.container.axes[0] else { unreachable!() };
    high.schedule[1].from = 0.005;
    let mut gas = gas(&slit);
    gas.advance(0.006, BRIEF).expect("room for all");
    assert_eq!(gas.time(), 0.006);
    assert!(jamming_share(&gas.setup().container, gas.time(), &spheres) < 1.0);
}

#[test]
fn spheres_jam_at_random_close_packing_and_in_slits() {
    let share =
        |size: DVec3, radius, count| jamming_share(&Container::closed(Dimension::Three, DVec3::ZERO, size), 0.0, &[(radius, count)]);
    let fill = 0.64 / (4.0 / 3.0 * std::f64::consts::PI * 0.01_f64.powi(3));
    assert!((share(DVec3::ONE, 0.01, fill as usize) - 1.0).abs() < 1e-5);
    // A square layer of ten by ten in a box that holds nothing else: fewer than the densest packing.
    assert!((0.8..1.0).contains(&share(DVec3::new(10.0, 1.0, 10.0), 0.5, 100)));
    assert!(share(DVec3::new(10.0, 1.0, 10.0), 0.5, 120) > 1.0);
    // Two rows of discs of which none can pass another.
    let strip = |count| jamming_share(&Container::closed(Dimension::Two, DVec3::ZERO, DVec3::new(10.0, 1.0, 0.0)), 0.0, &[(0.5, count)]);
    assert!((strip(10) - 1.0).abs() < 1e-9);
}

fn line(places: &[(f64, f64)], radius: f64) -> GasSetup {
    let size = DVec3::new(100.0, 10.0, 10.0);
    let sphere = |&(x, v): &(f64, f64)| SphereState { position: DVec3::new(x, 5.0, 5.0), velocity: DVec3::X * v, species: 0 };
    GasSetup {
        container: Container::closed(Dimension::Three, DVec3::ZERO, size),
        impact: Impact::ELASTIC,
        species: vec![Species { radius, mass: 2.0 }],
        spheres: places.iter().map(sphere).collect(),
    }
}

#[test]
fn in_a_cradle_only_the_last_ball_leaves() {
    let mut gas = Gas::new(line(&[(10.0, 1.0), (20.0, 0.0), (21.0, 0.0), (22.0, 0.0), (23.0, 0.0)], 0.5)).expect("a sound setup");
    gas.advance(20.0, BRIEF).expect("room");
    let states = gas.states();
    assert_eq!(gas.counters().pairs, 4);
    assert!(states[..4].iter().all(|sphere| sphere.velocity == DVec3::ZERO), "{states:?}");
    assert_eq!(states[4].velocity, DVec3::X);
    assert!((states[4].position.x - 34.0).abs() < 1e-12 && (states[0].position.x - 19.0).abs() < 1e-12, "{states:?}");
}

#[test]
fn a_tiny_fast_sphere_never_slips_through_large_ones() {
    let mut setup = settings(Container::closed(Dimension::Three, DVec3::ZERO, DVec3::splat(8.0)), vec![group(25, 0.9, 1.0)]);
    setup.placed = vec![PlacedSphere {
        species: Species { radius: 1e-3, mass: 1e-6 },
        position: DVec3::splat(0.1),
        velocity: DVec3::new(900.0, 500.0, 300.0),
        traced: false,
    }];
    let mut gas = gas(&setup);
    for sample in 1..=300 {
        gas.advance(2e-3 * f64::from(sample), BRIEF).expect("room");
        assert!(smallest_gap(&gas) > -1e-12);
    }
    assert!(gas.impact_counts()[0] > 200, "{}", gas.impact_counts()[0]);
}

#[test]
fn spheres_without_room_are_told_of() {
    let mut setup = line(&[(50.0, 0.1)], 0.5);
    let Axis::Walls { high, .. } = &mut setup.container.axes[0] else { unreachable!() };
    high.schedule = vec![Leg { from: 0.0, velocity: -1.0 }];
    let error = Gas::new(setup.clone()).expect("a sound setup").advance(200.0, BRIEF).expect_err("no room is left at 99 s");
    let GasError::Squeezed { time, sphere: 0, position } = error else { panic!("{error}") };
    assert!((time - 99.0).abs() < 1e-3 && (position.x - 0.5).abs() < 1e-3, "{error}");
    setup.spheres.push(SphereState { position: DVec3::new(50.9, 5.0, 5.0), ..setup.spheres[0] });
    let error = Gas::new(setup.clone()).expect_err("an overlap");
    assert!(matches!(error, GasError::Overlap { first: 0, second: 1, overlap } if (overlap - 0.1).abs() < 1e-12), "{error}");
    setup.spheres[1].position.x = 0.4;
    assert!(matches!(Gas::new(setup).expect_err("in a wall"), GasError::Outside { sphere: 1, .. }));
    let narrow = settings(Container::periodic(Dimension::Two, DVec3::ZERO, DVec3::new(2.5, 9.0, 0.0)), vec![group(4, 0.5, 1.0)]);
    let error = Gas::new(narrow.set_up().expect("room")).expect_err("images too near");
    assert!(matches!(error, GasError::PeriodTooShort { axis: "x", .. }), "{error}");
    let full = uniform(Dimension::Three, 500, 0.75).set_up().expect_err("no room");
    assert!(matches!(full, GasError::NoRoom { count: 500, .. }), "{full}");
}

#[test]
fn inelastic_spheres_cool_as_haff_says() {
    // dT/dt = −(1 − e²) ω T / 3 while the gas is uniform; the impact rate ω is proportional to √T.
    let restitution: f64 = 0.9;
    let mut start = uniform(Dimension::Three, 2000, 0.1);
    start.impact = Impact { restitution, elastic_below: 1e-4 };
    let mut gas = gas(&start);
    let species = gas.setup().species.clone();
    let initial = energy(&species, &gas.states());
    let chi = (1.0 - 0.05) / 0.9_f64.powi(3);
    let rate = 4.0 * std::f64::consts::PI.sqrt() * 0.1 * 6.0 / std::f64::consts::PI * chi;
    let decay = (1.0 - restitution * restitution) * rate / 3.0 / 2.0;
    gas.advance(10.0, BRIEF).expect("room");
    let (found, expected) = (energy(&species, &gas.states()) / initial, (1.0 + decay * 10.0).powi(-2));
    println!("cooled to {found:.4} (Haff {expected:.4})");
    assert!((found / expected - 1.0).abs() < 0.05, "{found}, {expected}");
}

#[test]
fn what_is_looked_at_does_not_matter_and_a_saved_gas_goes_on_to_the_same_bits() {
    let closed = Container::closed(Dimension::Three, DVec3::ZERO, DVec3::splat(9.0));
    let mut start = mixture(moving(closed, 2, -0.05, 30.0));
    start.placed = vec![PlacedSphere {
        species: Species { radius: 2.0, mass: 9.0 },
        position: DVec3::splat(4.0),
        velocity: DVec3::ZERO,
        traced: false,
    }];
    let mut straight = gas(&start);
    straight.advance(300.0, BRIEF).expect("room");
    let mut halting = gas(&start);
    for step in 1..=600 {
        halting.advance(0.5 * f64::from(step), BRIEF).expect("room");
        if step % 97 == 0 {
            let bytes = postcard::to_stdvec(&halting).expect("a gas can be written");
            halting = postcard::from_bytes(&bytes).expect("and read");
        }
    }
    assert!(straight.counters().pairs > 10_000, "{:?}", straight.counters());
    assert_eq!(straight.counters(), halting.counters());
    assert_eq!(straight.states(), halting.states());
}

/// The columns `names` of the diagnostics after a step of `seconds`.
fn columns(settings: &GasSettings, seconds: f64, names: [&str; 5]) -> [Option<f64>; 5] {
    let mut simulation = GasSimulation::new(settings).expect("room for all");
    simulation.advance(seconds).expect("room");
    let row = simulation.diagnostics();
    names.map(|name| match value_of(&row, name).expect("a column").clone() {
        Value::Real(value) => Some(value),
        Value::Text(text) if text.is_empty() => None,
        other => panic!("{name}: {other:?}"),
    })
}

#[test]
fn cells_without_a_value_are_empty() {
    let names = ["compressibility_theory", "impact_rate_theory", "compressibility", "mean_free_path", "energy_error"];
    for (dimension, fluid, solid) in [(Dimension::Three, 0.48, 0.6), (Dimension::Two, 0.65, 0.75)] {
        assert!(columns(&uniform(dimension, 500, fluid), 0.1, names).iter().all(Option::is_some));
        let found = columns(&uniform(dimension, 500, solid), 0.1, names);
        assert_eq!(found.map(|value| value.is_some()), [false, false, true, true, true], "{dimension:?}");
    }
    let mut cold = uniform(Dimension::Three, 100, 0.1);
    cold.groups[0].temperature = 0.0;
    let found = columns(&cold, 0.1, names);
    assert!(found[0].is_some() && found[1] == Some(0.0), "{found:?}");
    assert_eq!(found[2..], [None, None, None]);
}

#[test]
fn spheres_without_restitution_stay_together() {
    // Chains of spheres in the corners collapse; the advised value prevents that.
    let side = Dimension::Three.edges(500, 0.057);
    let closed = settings(Container::closed(Dimension::Three, DVec3::ZERO, side), vec![group(500, 0.5, 1.0)]);
    let elastic_below = collapse(&closed, 0.0, 50.0);
    for elastic_below in [elastic_below, 1e-3] {
        let mut gas = gas(&GasSettings { impact: Impact { restitution: 0.0, elastic_below }, ..closed.clone() });
        let initial = energy(&gas.setup().species, &gas.states());
        gas.advance(50.0, BRIEF).expect("time goes on");
        let share = energy(&gas.setup().species, &gas.states()) / initial;
        println!("elastic_below {elastic_below}: {share:.2e} of the energy, {:?}", gas.counters());
        assert!(share < 0.05 && smallest_gap(&gas) > -1e-9 && gas.time() >= 50.0, "{share}");
    }
    // Two equal spheres, head-on: both have the mean velocity afterwards.
    let mut start = settings(Container::periodic(Dimension::Three, DVec3::ZERO, DVec3::splat(9.0)), Vec::new());
    let sphere = |x, speed| PlacedSphere {
        species: Species { radius: 0.5, mass: 1.0 },
        position: DVec3::new(x, 4.0, 4.0),
        velocity: DVec3::new(speed, 0.0, 0.0),
        traced: false,
    };
    start.placed = vec![sphere(2.0, 1.0), sphere(4.0, 0.0)];
    start.impact = Impact { restitution: 0.0, elastic_below: 0.0 };
    let mut gas = gas(&start);
    gas.advance(5.0, BRIEF).expect("time goes on");
    let states = gas.states();
    assert!(states.iter().all(|state| (state.velocity.x - 0.5).abs() < 1e-9), "{states:?}");
    assert!((states[1].position.x - states[0].position.x - 1.0).abs() < 1e-8, "{states:?}");
}

/// Checks that a gas without `elastic_below` ends with an inelastic collapse before `until`; returns the advised `elastic_below`.
fn collapse(settings: &GasSettings, restitution: f64, until: f64) -> f64 {
    let mut start = settings.clone();
    start.impact = Impact { restitution, elastic_below: 0.0 };
    let error = gas(&start).advance(until, BRIEF).expect_err("a collapse");
    let GasError::Collapse { time, advised, .. } = error else { panic!("{error}") };
    assert!(time < until && advised > 0.0 && advised < 2e-3, "{error}");
    let mut simulation = GasSimulation::new(&start).expect("room for all");
    let failure = (0..100).find_map(|_| simulation.advance(until).err()).expect("a collapse");
    assert!(failure.what.contains("inelastic collapse") && failure.remedy.contains("elastic_below = "), "{failure}");
    assert!(!failure.to_string().contains("wall"), "{failure}");
    advised
}

#[test]
fn an_inelastic_collapse_advises_a_value_that_prevents_it() {
    let periodic = Container::periodic(Dimension::Two, DVec3::ZERO, DVec3::new(40.0, 40.0, 0.0));
    let start = settings(periodic, vec![group(900, 0.5, 1.0)]);
    let elastic_below = collapse(&start, 0.4, 2000.0);
    let mut gas = gas(&GasSettings { impact: Impact { restitution: 0.4, elastic_below }, ..start });
    gas.advance(2000.0, BRIEF).expect("time goes on");
}

#[test]
fn a_dense_mixture_is_placed_and_one_that_is_too_dense_says_how_far_it_came() {
    // Packing fraction 0.47; the large spheres alone would leave no lattice.
    let cube = |side: f64| Container::periodic(Dimension::Three, DVec3::ZERO, DVec3::splat(side));
    let groups = || vec![group(230, 0.5, 1.0), group(1000, 0.3, 0.2)];
    let start = settings(cube(7.918), groups());
    let setup = start.set_up().expect("room for all");
    assert_eq!(setup, start.set_up().expect("the same seed"));
    let mut dense = Gas::new(setup).expect("no overlaps");
    assert!(smallest_gap(&dense) >= 0.0);
    dense.advance(0.5, BRIEF).expect("room");
    // Between walls, too, and for equal discs at 0.78.
    let square = Dimension::Two.edges(400, 0.78);
    let discs = settings(Container::closed(Dimension::Two, DVec3::ZERO, square), vec![group(400, 0.5, 1.0)]);
    assert!(smallest_gap(&gas(&discs)) >= -1e-12);
    let error = settings(cube(7.0), groups()).set_up().expect_err("denser than close packing");
    let GasError::NoRoom { group: 0, packing, reached, .. } = error else { panic!("{error}") };
    assert!((packing - 0.68).abs() < 0.01 && reached > 0.45 && reached < packing, "{error}");
}

#[test]
fn an_error_of_the_setup_has_file_line_and_key_once() {
    let text = SCENE.replace("count = 600", "count = 2840").replace("velocity = -0.2", "velocity = 0.2");
    let scene = Scene::parse(&text, Path::new("full.toml")).expect("a sound scene");
    let error = Simulation::new(scene.definition, &Unwatched).err().expect("no room").in_scene(Path::new("full.toml"), &text);
    let line = 1 + text.lines().position(|line| line.starts_with("count")).expect("a count");
    assert!(error.starts_with(&format!("full.toml:{line}: gas.group[1].count: no room: ")), "{error}");
    assert_eq!(error.matches("no room").count(), 1, "{error}");
}

/// Discs, one of them traced, with a piston.
const SCENE: &str = r#"
title = "Piston and traced disc"
simulator = "gas"
duration = 1.0
frames_per_second = 10

[gas]
dimension = 2
box = { min = [0, 0, 0], max = [1, 1, 0] }

[[gas.group]]
count = 600
radius = 0.01
mass = 1.0
temperature = 1.0

[[gas.sphere]]
radius = 0.05
mass = 5.0
position = [0.5, 0.5, 0]
trace = true

[[gas.wall]]
side = "x_max"
velocity = -0.2
from = 0.25
until = 0.65
"#;

/// All files of a run that do not contain wall times, which are in the last column of the diagnostics.
fn results(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut results = Vec::new();
    for path in files.filter(|path| path.is_file()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match name.as_str() {
            // They hold the time on the clock.
            "run.json" | "checkpoint.plimsoll" | "checkpoint.previous.plimsoll" => {}
            "diagnostics.csv" => {
                let text = fs::read_to_string(&path).expect("text");
                assert!(text.lines().next().is_some_and(|head| head.ends_with(",wall_seconds")), "{text}");
                let rows = text.lines().filter_map(|line| line.rsplit_once(',')).map(|(row, _)| row).collect::<Vec<_>>();
                results.push((name, rows.join("\n").into_bytes()));
            }
            _ => results.push((name, fs::read(&path).expect("a file"))),
        }
    }
    results.sort();
    results
}

#[test]
fn a_run_that_was_interrupted_goes_on_to_the_same_bytes_on_any_number_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = Scene::parse(SCENE, Path::new("gas.toml")).expect("a sound scene");
    let still = AtomicBool::new(false);
    let start = |name: &str| {
        let simulation = Simulation::new(scene.definition.clone(), &Unwatched).expect("room");
        let claimed = RunFolder::claim(&folder.path().join(name)).expect("a new folder");
        Run::start(RunPlan::new(&scene, SCENE.to_owned()), simulation, claimed).expect("a run")
    };
    start("whole").go(None, &still, &mut Silent).expect("a whole run");
    let whole = results(&folder.path().join("whole"));
    assert!(whole.iter().any(|(name, bytes)| name == "bodies.csv" && bytes.len() > 1000) && whole.len() > 12, "{} files", whole.len());
    // Interrupted during the motion of the piston, and again after it.
    let parts = folder.path().join("parts");
    start("parts").go(Some(0.4), &still, &mut Silent).expect("a part");
    Run::resume(&parts).expect("a checkpoint").go(Some(0.8), &still, &mut Silent).expect("a part");
    Run::resume(&parts).expect("a checkpoint").go(None, &still, &mut Silent).expect("the rest");
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let name = format!("threads_{threads}");
        pool.install(|| start(&name).go(None, &still, &mut Silent)).expect("a whole run");
        let found = results(&folder.path().join(name));
        for ((name, bytes), (expected, expected_bytes)) in found.iter().zip(&whole) {
            assert_eq!(name, expected, "{threads} threads");
            assert!(bytes == expected_bytes, "{threads} threads: {name} differs");
        }
        assert_eq!(found.len(), whole.len(), "{threads} threads");
    }
    let resumed = results(&parts);
    for ((name, bytes), (expected, expected_bytes)) in resumed.iter().zip(&whole) {
        assert_eq!(name, expected);
        assert!(bytes == expected_bytes, "{name} differs");
    }
    assert_eq!(resumed.len(), whole.len());
}
