//! Impacts of hard spheres per CPU second, from a thousand spheres to a million, and of the literal version up to ten thousand.
//!
//! `cargo run --release --example gas_speed` prints a table for `docs/performance.md` and draws `docs/images/gas_speed.svg`. All gases are
//! timed in turn, round after round, so that whatever else the machine does falls on all; the median of the rounds counts. Spheres fill
//! 0.2 of a periodic cube. One thread; CPU time is that of the process, on Linux, elsewhere that of the clock on the wall.

use std::{fs, path::Path, time::Instant};

use glam::DVec3;
use plimsoll::{
    gas::*,
    plot::{Panel, Picture, PictureFormat, Scale, Series, write_picture},
};

const SIZES: [usize; 7] = [1000, 4000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const LITERAL_SIZES: [usize; 3] = [1000, 4000, 10_000];
const ROUNDS: usize = 5;
const PICTURE: &str = "docs/images/gas_speed.svg";

fn main() {
    let start = Instant::now();
    let mut gases: Vec<(Gas, Vec<f64>)> = SIZES.map(|count| (settled(count), Vec::new())).into();
    for _ in 0..ROUNDS {
        for (gas, rates) in &mut gases {
            // Few enough of a small gas, and of a large one so many that the setting back of the clock is not left out for ever.
            let impacts = (gas.len() as u64 / 2).clamp(200_000, 400_000);
            let (before, first) = (cpu_seconds(&start), gas.tally().pairs);
            go_on(gas, impacts);
            rates.push((gas.tally().pairs - first) as f64 / (cpu_seconds(&start) - before));
        }
    }
    let fast: Vec<(f64, f64)> = gases.iter_mut().map(|(gas, rates)| (gas.len() as f64, median(rates))).collect();
    fast.iter().for_each(|(count, rate)| println!("{count:>9} spheres: {:>6.0} thousand impacts a CPU second", 1e-3 * rate));
    println!("cost of an impact, a million spheres over a thousand: {:.2}", fast[0].1 / fast[SIZES.len() - 1].1);
    let ratios = |(_, rates): &(Gas, Vec<f64>)| rates.clone();
    let (first, last) = (ratios(&gases[0]), ratios(&gases[SIZES.len() - 1]));
    println!("rounds: {:.0?} and {:.0?}", first, last);
    let literal: Vec<(f64, f64)> = LITERAL_SIZES.map(|count| (count as f64, literal_rate(count, &start))).into();
    for (count, rate) in &literal {
        let same = fast.iter().find(|(other, _)| other == count).map_or(f64::NAN, |(_, rate)| *rate);
        println!("{count:>9} spheres, literal: {rate:.0} impacts a CPU second; the fast version is {:.0} times as fast", same / rate);
    }
    draw(fast, literal);
}

fn setup(count: usize) -> GasSetup {
    let size = DVec3::splat((count as f64 * std::f64::consts::PI / 6.0 / 0.2).cbrt());
    let group = Group {
        count,
        species: Species { radius: 0.5, mass: 1.0 },
        temperature: 1.0,
        velocity: DVec3::ZERO,
        speeds: SpeedDistribution::Maxwell,
        region: None,
    };
    let container = Container::periodic(Dimension::Three, DVec3::ZERO, size);
    let settings = GasSettings { container, impact: Impact::ELASTIC, groups: vec![group], placed: Vec::new(), seed: 1 };
    settings.set_up().expect("room for all")
}

fn go_on(gas: &mut Gas, impacts: u64) {
    let end = gas.tally().pairs + impacts;
    while gas.tally().pairs < end {
        gas.advance(f64::INFINITY, 1000).expect("room");
    }
}

/// Past the first setting back of the clock.
fn settled(count: usize) -> Gas {
    let mut gas = Gas::new(setup(count)).expect("a sound setup");
    go_on(&mut gas, 2 * count as u64);
    gas
}

fn literal_rate(count: usize, start: &Instant) -> f64 {
    let mut gas = LiteralGas::new(setup(count));
    let impacts = 1_000_000 / count;
    let before = cpu_seconds(start);
    for _ in 0..impacts {
        gas.next_collision(f64::INFINITY).expect("room");
    }
    impacts as f64 / (cpu_seconds(start) - before)
}

/// Of this process, which has one thread.
fn cpu_seconds(start: &Instant) -> f64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = statistics.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Over the decimal logarithm of the number of spheres.
fn draw(fast: Vec<(f64, f64)>, literal: Vec<(f64, f64)>) {
    let logarithmic = |points: Vec<(f64, f64)>| points.into_iter().map(|(count, rate)| (count.log10(), rate)).collect::<Vec<_>>();
    let series = |name: &str, color, points| Series { name: name.to_owned(), color, points };
    let fast = series("cells and calendar", 0, logarithmic(fast));
    let both = vec![fast.clone(), series("literal", 1, logarithmic(literal))];
    let panels = vec![
        Panel::new("Impacts", "1/s", Scale::Linear, vec![fast]),
        Panel::new("Impacts beside those of the literal version", "1/s", Scale::Logarithmic, both),
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
