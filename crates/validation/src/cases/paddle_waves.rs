//! Waves of a paddle in a flume with a damping zone at its end.

use std::f64::consts::TAU;

use plimsoll_contract::simulator::Simulator;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    flume::{Flume, Gauges, gauge_response, level},
};

/// Depth of the water and height of the waves, m; kh.
const DEPTH: f64 = 0.4;
const HEIGHT: f64 = 0.06;
const RELATIVE_DEPTH: f64 = 1.2;
/// Distance from the paddle to the damping zone, and length of the zone, in wavelengths.
const REACH: f64 = 1.5;
const ZONE: f64 = 1.0;
/// Periods simulated, and periods at the end in which the gauges record.
const PERIODS: u32 = 8;
const RECORDED: u32 = 2;
/// Samples per period, and number of gauges.
const SAMPLES: u32 = 40;
const GAUGES: u32 = 16;

pub const CASE: Case = Case {
    name: "paddle_waves",
    title: "Waves of a piston, absorbed by a damping zone",
    source: "first-order theory, H/S = 2 (cosh 2kh − 1)/(sinh 2kh + 2kh)",
    across: "depth",
    resolutions: &[12, 18],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DEPTH / f64::from(run.resolution);
    let zone_start = REACH * TAU * DEPTH / RELATIVE_DEPTH;
    let flume = Flume { depth: DEPTH, height: HEIGHT, relative_depth: RELATIVE_DEPTH, zone_start, zone: ZONE };
    let wave = flume.wave();
    let mut simulation = flume.prepare(run, d)?;
    let mut gauges = Gauges::new(DEPTH.min(0.2 * wave.length()), zone_start - 2.0 * d, GAUGES, RECORDED * SAMPLES);
    let mut record = vec![(0.0, 0.0)];
    for sample in 1..=PERIODS * SAMPLES {
        run.advance(&mut simulation, wave.period() * f64::from(sample) / f64::from(SAMPLES), |_| {})?;
        record.push((simulation.time(), level(&simulation, gauges.positions[0]) - DEPTH));
        if sample > (PERIODS - RECORDED) * SAMPLES {
            gauges.record(TAU * f64::from(sample) / f64::from(SAMPLES), |x| level(&simulation, x));
        }
    }
    let [incident, reflected] = gauges.separate(wave.wave_number).map(|amplitude| amplitude / gauge_response(d, wave.wave_number));
    let first = gauges.positions[0];
    // The paddle's ramp lasts two periods, and the wave needs its time to the gauge.
    let since = |time: f64| time - first / wave.group_velocity() > 2.0 * wave.period();
    let maker = flume.maker();
    let steady = |points: &mut dyn Iterator<Item = (f64, f64)>| points.filter(|(time, _)| since(*time)).collect::<Vec<_>>();
    let panel = ChartPanel {
        title: format!("Surface at a distance of {first:.2} m from the paddle"),
        unit: "m",
        reference: "linear theory",
        measured: false,
        expected: steady(&mut record.iter().map(|&(time, _)| (time, maker.elevation(first, time)))),
        found: steady(&mut record.iter().copied()),
    };
    let figures = vec![
        Figure::value("height of the waves", "m", 2.0 * incident, HEIGHT, 0.05),
        Figure::between("reflected over incident amplitude", "", reflected / incident, [0.0, 0.1]).relative_to(1.0),
    ];
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}
