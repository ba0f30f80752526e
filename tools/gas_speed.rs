//! Impacts of hard spheres per CPU second: from a thousand to a million spheres, for the reference version up to ten thousand; and the cost
//! of walls and a moving piston.
//!
//! `cargo run --release --example gas_speed` prints the tables for `docs/performance.md` and draws `docs/images/gas_speed.svg`. All gases
//! are timed in turn, round after round, so that other load on the machine affects all of them. Medians are reported: of the rounds and,
//! where two gases are compared, of the ratios within a round. In total, the rounds take each gas through at least one reset of its clock,
//! at which all spheres are sorted again. Spheres fill 0.2 of a cube. One thread; the time is CPU time of the process on Linux, and wall
//! time elsewhere.

use std::{fs, path::Path, time::Instant};

use glam::DVec3;
use plimsoll::{
    gas::*,
    plot::{Panel, Picture, PictureFormat, Scale, Series, write_picture},
};

const SIZES: [usize; 7] = [1000, 4000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const REFERENCE_SIZES: [usize; 3] = [1000, 4000, 10_000];
const WALLED_SIZES: [usize; 2] = [4000, 100_000];
const ROUNDS: usize = 5;
/// More rounds for small differences.
const WALLED_ROUNDS: usize = 15;
/// Impacts per sphere between two resets of the clock, plus a margin.
const PERIOD: u64 = 15;
const MIN_IMPACTS: u64 = 200_000;
/// The piston oscillates at this speed (m/s; the thermal speed is 1), for this long (s) each way.
const PISTON: (f64, f64) = (0.02, 20.0);
const PICTURE: &str = "docs/images/gas_speed.svg";

/// A gas and its measurements: impacts between spheres, and CPU seconds, one pair per round.
struct Timed {
    gas: Gas,
    rounds: Vec<(f64, f64)>,
}

impl Timed {
    /// Runs past the first reset of the clock.
    fn settled(setup: GasSetup) -> Self {
        let mut gas = Gas::new(setup).expect("a sound setup");
        let impacts = 2 * gas.len() as u64;
        go_on(&mut gas, impacts);
        Self { gas, rounds: Vec::new() }
    }

    fn go_on(&mut self, rounds: usize, start: &Instant) {
        let impacts = MIN_IMPACTS.max(self.gas.len() as u64 * PERIOD / rounds as u64);
        let (before, first) = (cpu_seconds(start), self.gas.counters().pairs);
        go_on(&mut self.gas, impacts);
        self.rounds.push(((self.gas.counters().pairs - first) as f64, cpu_seconds(start) - before));
    }

    /// Median impacts per second.
    fn rate(&self) -> f64 {
        median(self.rounds.iter().map(|(impacts, seconds)| impacts / seconds).collect())
    }

    /// Mean seconds per impact over all rounds.
    fn mean_cost(&self) -> f64 {
        let (impacts, seconds) = self.rounds.iter().fold((0.0, 0.0), |sum, round| (sum.0 + round.0, sum.1 + round.1));
        seconds / impacts
    }

    /// Cost of an impact relative to `other`: the median over the rounds.
    fn cost_over(&self, other: &Self) -> f64 {
        let cost = |(impacts, seconds): &(f64, f64)| seconds / impacts;
        median(self.rounds.iter().zip(&other.rounds).map(|(own, others)| cost(own) / cost(others)).collect())
    }
}

fn main() {
    let start = Instant::now();
    let fast = sizes(&start);
    walls(&start);
    let reference: Vec<(f64, f64)> = REFERENCE_SIZES.map(|count| (count as f64, reference_rate(count, &start))).into();
    for (count, rate) in &reference {
        let same = fast.iter().find(|(other, _)| other == count).map_or(f64::NAN, |(_, rate)| *rate);
        println!("{count:>9} spheres, reference: {rate:.0} impacts a CPU second; the fast version is {:.0} times as fast", same / rate);
    }
    draw(fast, reference);
}

/// Number of spheres and impacts per second.
fn sizes(start: &Instant) -> Vec<(f64, f64)> {
    let mut gases = SIZES.map(|count| Timed::settled(setup(count, Container::periodic)));
    for _ in 0..ROUNDS {
        gases.iter_mut().for_each(|timed| timed.go_on(ROUNDS, start));
    }
    for timed in &gases {
        println!("{:>9} spheres: {:>6.0} thousand impacts a CPU second", timed.gas.len(), 1e-3 * timed.rate());
    }
    let (first, last) = (&gases[0], &gases[SIZES.len() - 1]);
    let all = last.mean_cost() / first.mean_cost();
    println!("cost of an impact, a million spheres over a thousand: {:.2}, of all rounds together {all:.2}", last.cost_over(first));
    for timed in [first, last] {
        let rates: Vec<f64> = timed.rounds.iter().map(|(impacts, seconds)| 1e-3 * impacts / seconds).collect();
        println!("rounds at {:>9}: {rates:.0?}", timed.gas.len());
    }
    gases.iter().map(|timed| (timed.gas.len() as f64, timed.rate())).collect()
}

/// The same spheres in a periodic box, between walls, and with a piston as one of the walls.
fn walls(start: &Instant) {
    for count in WALLED_SIZES {
        let mut gases = [Container::periodic, Container::closed, piston].map(|container| Timed::settled(setup(count, container)));
        let before = gases.each_ref().map(|timed| timed.gas.counters().walls);
        for _ in 0..WALLED_ROUNDS {
            gases.iter_mut().for_each(|timed| timed.go_on(WALLED_ROUNDS, start));
        }
        for (name, at) in [("walls", 1), ("walls and a piston", 2)] {
            let timed = &gases[at];
            let impacts: f64 = timed.rounds.iter().map(|round| round.0).sum();
            let on_walls = (timed.gas.counters().walls - before[at]) as f64 / impacts;
            let cost = timed.cost_over(&gases[0]);
            println!(
                "{count:>9} spheres, {name}: an impact between spheres costs {cost:.3} times as much as in a periodic box; {on_walls:.3} \
                 impacts on walls for each; an impact of either kind {:.3} times",
                cost / (1.0 + on_walls)
            );
        }
    }
}

fn piston(dimension: Dimension, low: DVec3, high: DVec3) -> Container {
    let mut container = Container::closed(dimension, low, high);
    let (speed, lap) = PISTON;
    if let Axis::Walls { high, .. } = &mut container.axes[0] {
        let leg = |turn: u32| Leg { from: lap * f64::from(turn), velocity: if turn.is_multiple_of(2) { -speed } else { speed } };
        high.schedule = (0..1000).map(leg).collect();
    }
    container
}

fn setup(count: usize, container: impl Fn(Dimension, DVec3, DVec3) -> Container) -> GasSetup {
    let size = DVec3::splat((count as f64 * std::f64::consts::PI / 6.0 / 0.2).cbrt());
    let group = Group {
        count,
        species: Species { radius: 0.5, mass: 1.0 },
        temperature: 1.0,
        velocity: DVec3::ZERO,
        speeds: SpeedDistribution::Maxwell,
        region: None,
    };
    let container = container(Dimension::Three, DVec3::ZERO, size);
    let settings = GasSettings { container, impact: Impact::ELASTIC, groups: vec![group], placed: Vec::new(), seed: 1 };
    settings.set_up().expect("room for all")
}

fn go_on(gas: &mut Gas, impacts: u64) {
    let end = gas.counters().pairs + impacts;
    while gas.counters().pairs < end {
        gas.advance(f64::INFINITY, 1000).expect("room");
    }
}

fn reference_rate(count: usize, start: &Instant) -> f64 {
    let mut gas = ReferenceGas::new(setup(count, Container::periodic));
    let impacts = 1_000_000 / count;
    let before = cpu_seconds(start);
    for _ in 0..impacts {
        gas.next_collision(f64::INFINITY).expect("room");
    }
    impacts as f64 / (cpu_seconds(start) - before)
}

/// CPU seconds of this process, which has one thread.
fn cpu_seconds(start: &Instant) -> f64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Plots against the decimal logarithm of the number of spheres.
fn draw(fast: Vec<(f64, f64)>, reference: Vec<(f64, f64)>) {
    let logarithmic = |points: Vec<(f64, f64)>| points.into_iter().map(|(count, rate)| (count.log10(), rate)).collect::<Vec<_>>();
    let series = |name: &str, color, points| Series { name: name.to_owned(), color, points };
    let fast = series("cells and calendar", 0, logarithmic(fast));
    let both = vec![fast.clone(), series("reference", 1, logarithmic(reference))];
    let panels = vec![
        Panel::new("Impacts", "1/s", Scale::Linear, vec![fast]),
        Panel::new("Impacts, compared with the reference version", "1/s", Scale::Logarithmic, both),
    ];
    let picture = Picture {
        name: "gas_speed".to_owned(),
        title: "Impacts per CPU second of one core".to_owned(),
        subtitle: "3-D, packing 0.2, periodic".to_owned(),
        horizontal: "Decimal logarithm of the number of spheres".to_owned(),
        panels,
    };
    write_picture(Path::new(PICTURE), &picture, PictureFormat::Svg).expect("the picture can be written");
}
