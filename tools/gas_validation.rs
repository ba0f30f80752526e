//! Long validation of hard spheres against theory: conservation over ten million impacts, equation of state, impact rates, speeds, pistons.
//!
//! `cargo run --release --example gas_validation` prints a table for `docs/validation.md` and draws
//! `docs/images/gas_equation_of_state.svg`. It takes some minutes; `tests/gas.rs` contains shorter versions of the same tests.

use std::{
    f64::consts::{FRAC_PI_4, PI},
    path::Path,
};

use glam::DVec3;
use plimsoll::{
    gas::*,
    plot::{Panel, Picture, PictureFormat, Scale, Series, write_picture},
};

const BRIEF: u64 = u64::MAX;
const PICTURE: &str = "docs/images/gas_equation_of_state.svg";

fn main() {
    conservation(Dimension::Two);
    conservation(Dimension::Three);
    let points = |dimension, packings: &[f64]| packings.iter().map(|&packing| state(dimension, packing)).collect::<Vec<_>>();
    let space = points(Dimension::Three, &[0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4]);
    let plane = points(Dimension::Two, &[0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    draw(&space, &plane);
    [Dimension::Two, Dimension::Three].into_iter().for_each(speeds);
    dilute_piston(Dimension::Two);
    dilute_piston(Dimension::Three);
    dense_piston();
}

/// Spheres of diameter 1, mass 1 and kT = 1.
fn uniform(container: Container, count: usize) -> GasSettings {
    let group = Group::new(count, Species { radius: 0.5, mass: 1.0 }, 1.0);
    GasSettings { seed: 5, ..GasSettings::new(container, vec![group]) }
}

fn gas(settings: &GasSettings) -> Gas {
    Gas::new(settings.set_up().expect("room for all")).expect("a sound setup")
}

fn periodic(dimension: Dimension, count: usize, packing: f64) -> GasSettings {
    uniform(Container::periodic(dimension, DVec3::ZERO, dimension.edges(count, packing)), count)
}

fn energy(gas: &Gas) -> f64 {
    let mass = |sphere: &SphereState| gas.setup().species[sphere.species as usize].mass;
    gas.states().iter().map(|sphere| 0.5 * mass(sphere) * sphere.velocity.length_squared()).sum()
}

fn go_on(gas: &mut Gas, pairs: u64) {
    let end = gas.counters().pairs + pairs;
    while gas.counters().pairs < end {
        gas.advance(f64::INFINITY, 10_000).expect("room");
    }
}

/// Three sizes and masses, ten million impacts.
fn conservation(dimension: Dimension) {
    let mut settings = periodic(dimension, 1500, 0.25);
    settings.groups = vec![settings.groups[0]; 3];
    for (group, (count, radius, mass)) in settings.groups.iter_mut().zip([(500, 0.5, 1.0), (500, 0.3, 0.3), (20, 1.0, 8.0)]) {
        (group.count, group.species) = (count, Species { radius, mass });
        group.velocity = DVec3::new(0.3, -0.2, 0.0);
    }
    let mut gas = gas(&settings);
    let momentum = |gas: &Gas| {
        let mass = |sphere: &SphereState| gas.setup().species[sphere.species as usize].mass;
        gas.states().iter().map(|sphere| mass(sphere) * sphere.velocity).sum::<DVec3>()
    };
    let (energy_before, momentum_before) = (energy(&gas), momentum(&gas));
    let (mut drift, mut push) = (0.0_f64, 0.0_f64);
    for _ in 0..20 {
        go_on(&mut gas, 500_000);
        drift = drift.max((energy(&gas) / energy_before - 1.0).abs());
        push = push.max((momentum(&gas) - momentum_before).length() / momentum_before.length());
    }
    println!("{dimension:?}, {:.1e} impacts: energy within {drift:.1e}, momentum within {push:.1e}", gas.counters().pairs as f64);
}

/// Packing; compressibility; impacts per sphere and second. The last two as measured and from theory.
type State = (f64, [f64; 2], [f64; 2]);

fn state(dimension: Dimension, packing: f64) -> State {
    let count = 4000;
    let settings = periodic(dimension, count, packing);
    let mut gas = gas(&settings);
    go_on(&mut gas, 200_000);
    let (before, start) = (*gas.counters(), gas.time());
    go_on(&mut gas, 2_000_000);
    let (counters, seconds) = (*gas.counters(), gas.time() - start);
    let found = 1.0 + (counters.virial - before.virial) / (seconds * 2.0 * energy(&gas));
    let rate = 2.0 * (counters.pairs - before.pairs) as f64 / (seconds * count as f64);
    let free = 1.0 - packing;
    let (theory, contact) = match dimension {
        Dimension::Two => ((1.0 + packing * packing / 8.0) / free.powi(2), (1.0 - 7.0 * packing / 16.0) / free.powi(2)),
        Dimension::Three => ((1.0 + packing + packing.powi(2) - packing.powi(3)) / free.powi(3), (1.0 - packing / 2.0) / free.powi(3)),
    };
    let volume = gas.container().0.volume_at(0.0);
    let factor = if dimension == Dimension::Two { 2.0 } else { 4.0 };
    let enskog = factor * PI.sqrt() * count as f64 / volume * contact;
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    println!(
        "{dimension:?} at {packing}: Z {found:.4} (theory {theory:.4}, {:+.2} %), rate {rate:.4} (theory {enskog:.4}, {:+.2} %)",
        percent(found / theory),
        percent(rate / enskog)
    );
    (packing, [found, theory], [rate, enskog])
}

fn draw(space: &[State], plane: &[State]) {
    let series = |states: &[State], name: &str, color: usize, value: fn(&State) -> f64| {
        let points = states.iter().map(|state| (state.0, value(state))).collect();
        Series { name: name.to_owned(), color, points }
    };
    let panel = |title: &str, states: &[State]| {
        let found = series(states, "Z, measured", 0, |state| state.1[0]);
        let lines = vec![found, series(states, "Z, theory", 8, |state| state.1[1])];
        Panel::new(title, "", Scale::Linear, lines)
    };
    let error = |states: &[State], name: &str, color| series(states, name, color, |state| 100.0 * (state.1[0] / state.1[1] - 1.0));
    let rate = |states: &[State], name: &str, color| series(states, name, color, |state| 100.0 * (state.2[0] / state.2[1] - 1.0));
    let errors =
        vec![error(space, "Z, spheres", 2), error(plane, "Z, discs", 3), rate(space, "rate, spheres", 4), rate(plane, "rate, discs", 5)];
    let panels = vec![
        panel("Compressibility of spheres (Carnahan and Starling)", space),
        panel("Compressibility of discs (Henderson)", plane),
        Panel::new("Deviation from theory", "%", Scale::Linear, errors),
    ];
    let picture = Picture {
        name: "gas_equation_of_state".to_owned(),
        title: "Hard spheres and discs against theory".to_owned(),
        subtitle: "4,000 spheres, 2,000,000 impacts per point".to_owned(),
        horizontal: "Packing".to_owned(),
        panels,
    };
    write_picture(Path::new(PICTURE), &picture, PictureFormat::Svg).expect("the picture can be written");
}

/// Initially equal speeds become Maxwell-distributed, in the plane Rayleigh-distributed.
fn speeds(dimension: Dimension) {
    let mut settings = periodic(dimension, 20_000, 0.2);
    settings.groups[0].speeds = SpeedDistribution::Equal;
    let mut gas = gas(&settings);
    gas.advance(20.0, BRIEF).expect("room");
    let mut speeds: Vec<f64> = gas.states().iter().map(|sphere| sphere.velocity.length()).collect();
    let mean = |power: i32| speeds.iter().map(|speed| speed.powi(power)).sum::<f64>() / speeds.len() as f64;
    let moment = mean(4) / mean(2).powi(2);
    speeds.sort_by(f64::total_cmp);
    // The cumulative distribution, by the trapezoidal rule along the sorted speeds.
    let density = |v: f64| match dimension {
        Dimension::Two => v * (-0.5 * v * v).exp(),
        Dimension::Three => (2.0 / PI).sqrt() * v * v * (-0.5 * v * v).exp(),
    };
    let (mut at, mut below, mut apart, count) = (0.0, 0.0, 0.0_f64, speeds.len() as f64);
    for (index, &speed) in speeds.iter().enumerate() {
        let parts = ((speed - at) / 1e-3).ceil().max(1.0);
        let width = (speed - at) / parts;
        below += (0..parts as u32).map(|part| width * density(at + (f64::from(part) + 0.5) * width)).sum::<f64>();
        at = speed;
        apart = apart.max((below - index as f64 / count).abs()).max(((index + 1) as f64 / count - below).abs());
    }
    let lambda = (count.sqrt() + 0.12 + 0.11 / count.sqrt()) * apart;
    let chance: f64 = (1..100).map(|k| 2.0 * (-1.0_f64).powi(k - 1) * (-2.0 * f64::from(k * k) * lambda * lambda).exp()).sum();
    println!("{dimension:?}, speeds: <v^4>/<v^2>^2 {moment:.4}, Kolmogorov-Smirnov p {chance:.3}");
}

/// A gas between walls, of which the upper one along x moves in at `speed` until `stop`.
fn pushed(mut container: Container, count: usize, speed: f64, stop: f64) -> Gas {
    let Axis::Walls { high, .. } = &mut container.axes[0] else { panic!("an axis with walls") };
    high.schedule = vec![Leg { from: 0.0, velocity: -speed }, Leg { from: stop, velocity: 0.0 }];
    gas(&uniform(container, count))
}

fn dilute_piston(dimension: Dimension) {
    let count = 4000;
    let size = dimension.edges(count, 0.002);
    let (speed, stop) = (0.01, 0.3 * size.x / 0.01);
    let mut gas = pushed(Container::closed(dimension, DVec3::ZERO, size), count, speed, stop);
    let before = energy(&gas);
    gas.advance(stop, BRIEF).expect("room");
    let ratio = energy(&gas) / before;
    let expected = ((0.7 * size.x - 1.0) / (size.x - 1.0)).powf(-2.0 / dimension.count() as f64);
    let work_error = (gas.counters().work - (ratio - 1.0) * before).abs() / (before * ratio);
    println!("{dimension:?}, slow piston: temperature times {ratio:.4} (T V^(2/d): {expected:.4}), work error {work_error:.1e}");
}

/// Discs so dense that their own area matters, between two walls and periodic in the other direction.
fn dense_piston() {
    let potential = |eta: f64| eta.ln() - 7.0 / 8.0 * (1.0 - eta).ln() + 9.0 / 8.0 / (1.0 - eta);
    let (count, size, speed) = (1500, DVec3::new(160.0, 30.0, 0.0), 0.01);
    let mut container = Container::closed(Dimension::Two, DVec3::ZERO, size);
    container.axes[1] = Axis::Periodic { low: 0.0, length: size.y };
    let stop = 0.4 * size.x / speed;
    let mut gas = pushed(container, count, speed, stop);
    let before = energy(&gas);
    gas.advance(stop, BRIEF).expect("room");
    let ratio = energy(&gas) / before;
    let filled = count as f64 * FRAC_PI_4 / size.y;
    // By scaled particle theory, a wall repels discs by (1 - eta) / (1 + eta) of a radius.
    let packing = |length: f64| (0..100).fold(filled / length, |eta, _| filled / (length - (1.0 - eta) / (1.0 + eta)));
    let (first, last) = (packing(size.x), packing(0.6 * size.x));
    let expected = (potential(last) - potential(first)).exp();
    println!("Two, dense, from packing {first:.4} to {last:.4}: temperature times {ratio:.4} (theory {expected:.4})");
}
