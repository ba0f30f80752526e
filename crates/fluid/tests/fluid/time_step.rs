//! Results do not depend on the step length, and energy never rises.

use crate::common::{EnergyRise, box_fill, energy, fixed, sample};
use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation};

/// Particle radius, m, and the default maximum step for it, s.
const RADIUS: f64 = 0.04;
const LONGEST: f64 = 5e-3;
/// With 100 too, the table of docs/theory/time-step.md: it takes three times as long.
const DIVISORS: [f64; 4] = [1.0, 3.0, 10.0, 30.0];

/// What shortens the steps.
#[derive(Clone, Copy, Debug, PartialEq)]
enum By {
    Maximum,
    Cfl,
    OutputRate,
}

/// A simulation that is stopped `frames_per_second` times a second.
struct Case {
    simulation: FluidSimulation,
    frames_per_second: f64,
}

/// Figures of a run.
#[derive(Debug)]
struct Seen {
    energy: f64,
    /// Maximum rise of the energy above its previous minimum, J.
    rise: f64,
    /// Mean over time, percent.
    compression: f64,
    fastest: f64,
    front: f64,
    height: f64,
    steps: u64,
}

fn case(fill: DVec3, settle: bool, divisor: f64, by: By) -> Case {
    let fills = vec![box_fill(DVec3::ZERO, fill, DVec3::ZERO)];
    let mut settings = FluidSettings { settle, ..crate::common::settings(RADIUS, fills) };
    (settings.time_step.maximum, settings.time_step.minimum) = (LONGEST, 1e-9);
    let mut frames_per_second = 50.0;
    match by {
        By::Maximum => settings.time_step.maximum /= divisor,
        By::Cfl => settings.time_step.cfl /= divisor,
        By::OutputRate => frames_per_second = divisor / LONGEST,
    }
    let tank = fixed("tank", sample("tank", DVec3::ONE), Pose::IDENTITY);
    Case { simulation: FluidSimulation::new(settings, vec![tank]).unwrap(), frames_per_second }
}

/// A column of water, 0.625 m wide and nine layers high, that collapses.
fn dam_break(divisor: f64, by: By) -> Case {
    case(DVec3::new(0.625, 0.7668, 1.0), false, divisor, by)
}

/// A settled pool, 0.3 m deep.
fn pool(divisor: f64, by: By) -> Case {
    case(DVec3::new(2.0, 0.3, 1.0), true, divisor, by)
}

impl Case {
    fn run(&mut self, end: f64) -> Seen {
        let (simulation, rate) = (&mut self.simulation, self.frames_per_second);
        let mut frame = (simulation.time() * rate + 1e-6).floor() + 1.0;
        let (mut of_energy, mut compression, mut fastest) = (EnergyRise::from(simulation), 0.0, 0.0_f64);
        let (start, steps) = (simulation.time(), simulation.steps());
        while simulation.time() < end {
            let landing = (frame / rate).min(end);
            while simulation.time() < landing {
                simulation.advance(landing).unwrap();
                let last = simulation.last_step();
                of_energy.update(simulation);
                compression += last.dt * last.compression_percent;
                fastest = fastest.max(last.max_speed);
            }
            frame += 1.0;
        }
        let steps = simulation.steps() - steps;
        let low = |x: &DVec3| x.y < 4.0 * RADIUS;
        Seen {
            energy: energy(simulation),
            rise: of_energy.rise,
            compression: compression / (end - start),
            fastest,
            front: crate::common::positions(simulation).filter(low).map(|x| x.x).fold(0.0, f64::max),
            height: crate::common::positions(simulation).map(|x| x.y).sum::<f64>() / simulation.particle_count() as f64,
            steps,
        }
    }
}

/// The table of docs/theory/time-step.md.
fn sweep(what: &str, end: f64, case: impl Fn(f64, By) -> Case, check: impl Fn(&Seen, f64, &Seen)) {
    println!("| {what} | steps | energy, J | rise, J | mean compression, % | fastest, m/s | front, m | mean height, m |");
    let mut longest: Option<Seen> = None;
    for by in [By::Maximum, By::Cfl, By::OutputRate] {
        for divisor in DIVISORS {
            // The same case for all three.
            if by != By::Maximum && divisor == 1.0 {
                continue;
            }
            let mut case = case(divisor, by);
            let start = energy(&case.simulation);
            let seen = case.run(end);
            let Seen { energy, rise, compression, fastest, front, height, steps } = seen;
            println!(
                "| {by:?} / {divisor} | {steps} | {energy:.2} | {rise:.3} | {compression:.4} | {fastest:.3} | {front:.4} | {height:.5} |"
            );
            assert!(seen.compression < 0.7, "{by:?} / {divisor}: {seen:?}");
            check(&seen, start, longest.as_ref().unwrap_or(&seen));
            longest.get_or_insert(seen);
        }
    }
}

/// The energy may rise by 1.7 %: the initial lattice becomes disordered, a disordered arrangement takes more space, and the
/// pressure lifts the water above it (docs/theory/pressure.md). Issue 54, point 2: 1 % again.
#[test]
fn a_dam_break_is_the_same_at_every_step_length() {
    sweep("dam break, 0.3 s", 0.3, dam_break, |seen, start, longest| {
        assert!(seen.rise < 0.017 * start, "{seen:?}, {start} J at first");
        assert!((seen.front - longest.front).abs() < RADIUS, "{seen:?}, {longest:?}");
        assert!((seen.height - longest.height).abs() < 0.1 * RADIUS, "{seen:?}, {longest:?}");
    });
}

#[test]
fn a_pool_at_rest_is_the_same_at_every_step_length() {
    sweep("pool, 0.3 s", 0.3, pool, |seen, start, longest| {
        assert!(seen.rise < 2e-4 * start, "{seen:?}, {start} J at first");
        assert!(seen.fastest < 0.013, "{seen:?}");
        assert!((seen.height - longest.height).abs() < 0.01 * RADIUS, "{seen:?}, {longest:?}");
    });
}

/// An end between frames can require a step of any length. It must not change the flow, nor a run that is resumed from there.
#[test]
fn a_sliver_of_a_step_changes_nothing() {
    let at_half = || {
        let mut case = dam_break(1.0, By::Maximum);
        case.run(0.5);
        case
    };
    let mut undisturbed = at_half();
    let (start, fastest) = (energy(&undisturbed.simulation), undisturbed.simulation.last_step().max_speed);
    let later = undisturbed.run(0.6);
    for exponent in 3..=9 {
        let sliver = 10.0_f64.powi(-exponent);
        let mut case = at_half();
        let seen = case.run(0.5 + sliver);
        println!("{sliver:e} s: {seen:?}");
        assert_eq!(seen.steps, 1);
        // The divergence solve at the beginning of any step, however short, corrects what the last one left: the fastest of the splash by 2 %.
        assert!((seen.energy - start).abs() < 2e-3 * start && (seen.fastest - fastest).abs() < 0.03 * fastest, "{seen:?}, {start} J");
        // As from a checkpoint.
        let saved = plimsoll_saved::fluid::save(&case.simulation);
        case.simulation = plimsoll_saved::fluid::load(&saved);
        let seen = case.run(0.6);
        println!("  at 0.6 s {seen:?}");
        assert!((seen.energy - later.energy).abs() < 5e-3 * later.energy, "{seen:?}, {later:?}");
        assert!((seen.fastest - later.fastest).abs() < 0.05 * later.fastest, "{seen:?}, {later:?}");
        assert!((seen.height - later.height).abs() < 0.02 * RADIUS, "{seen:?}, {later:?}");
    }
}

/// The length changes by a few percent from step to step, except where the number of steps per frame changes.
#[test]
fn steps_change_gradually() {
    for frames_per_second in [50.0, 130.0, 400.0] {
        // Limited by the speed of the water.
        let mut case = dam_break(4.0, By::Cfl);
        let (mut last, mut changes, mut landing) = (None, Vec::new(), 1.0);
        while case.simulation.time() < 0.8 {
            case.simulation.advance(landing / frames_per_second).unwrap();
            if case.simulation.time() == landing / frames_per_second {
                landing += 1.0;
            }
            let dt = case.simulation.last_step().dt;
            changes.extend(last.map(|last: f64| (dt / last).max(last / dt) - 1.0));
            last = Some(dt);
        }
        changes.sort_by(f64::total_cmp);
        let share = |share: f64| changes[((changes.len() - 1) as f64 * share) as usize];
        println!("{frames_per_second}: {} steps, changes {:.3} {:.3} {:.3}", changes.len(), share(0.9), share(0.97), share(1.0));
        assert!(share(0.9) < 0.01 && share(0.95) < 0.15 && share(1.0) <= 1.01, "{frames_per_second}: {changes:?}");
    }
}

/// Shear and noise, from water to 10 m²/s, with the longest steps allowed: viscosity dissipates energy and never adds any.
#[test]
fn viscosity_never_gives_energy() {
    for exponent in -6..=1 {
        let kinematic = 10.0_f64.powi(exponent);
        // Cubes of 3 by 3 by 3 particles, each with the velocity of a shear flow plus noise.
        let cubes = (0..216).map(|index| {
            let min = DVec3::new(f64::from(index % 6), f64::from(index / 6 % 6), f64::from(index / 36)) * 0.12;
            let noise = DVec3::new(f64::from(index) * 1.7, f64::from(index) * 2.9, f64::from(index) * 4.1).map(f64::sin) * 0.2;
            box_fill(min, min + 0.12, DVec3::new(0.5 * (10.0 * min.y).sin(), 0.0, 0.0) + noise)
        });
        let mut settings = FluidSettings { gravity: DVec3::ZERO, settle: false, ..crate::common::settings(0.02, cubes.collect()) };
        settings.viscosity.kinematic = kinematic;
        settings.time_step.minimum = 1e-9;
        let mut simulation = FluidSimulation::new(settings, Vec::new()).unwrap();
        let start = simulation.kinetic_energy();
        let mut before = start;
        for _ in 0..60 {
            simulation.advance(f64::INFINITY).unwrap();
            let now = simulation.kinetic_energy();
            // Pressure adds a little energy where the noise has pushed particles together; an unstable step would multiply the energy.
            assert!(now <= before * (1.0 + 1e-3), "{kinematic} m²/s: {before} to {now} J");
            before = now;
        }
        let last = simulation.last_step();
        println!("{kinematic:e} m²/s: {start:.4} to {before:.4} J in {:.3e} s, steps of {:.2e} s", simulation.time(), last.dt);
        assert!(start > 0.1 && before < 0.99 * start, "{start} to {before} J");
    }
}
