//! Waves on their way along a flume, far from the paddle.

use std::f64::consts::TAU;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    flume::{Flume, Gauges, gauge_response, level},
};

/// Waves of 5 cm and a length of 2.1 m in water 0.4 m deep. The damping zone is as long as a wave.
const FLUME: Flume = Flume { depth: 0.4, height: 0.05, relative_depth: 1.2, zone_start: 3.7, zone: 1.0 };
/// First and last gauge, m: the first one is 2.5 depths from the paddle, where what the paddle stirs without sending it along is e⁻⁷ of
/// what it was.
const GAUGES: [f64; 2] = [1.0, 3.5];
const GAUGE_COUNT: u32 = 26;
/// Periods simulated, and periods at the end in which the gauges record. By then, the waves of the paddle at full stroke have passed the
/// last gauge by more than a period.
const PERIODS: u32 = 8;
const RECORDED: u32 = 2;
/// Samples per period.
const SAMPLES: u32 = 40;

pub const CASE: Case = Case {
    name: "flume",
    title: "Waves along a flume",
    source: "linear theory: the amplitude stays (the viscosity of water takes 0.07 % per meter)",
    across: "depth",
    resolutions: &[16, 24],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = FLUME.depth / f64::from(run.resolution);
    let wave = FLUME.wave();
    let mut simulation = FLUME.prepare(run, d)?;
    let mut gauges = Gauges::new(GAUGES[0], GAUGES[1], GAUGE_COUNT, RECORDED * SAMPLES);
    for sample in 1..=PERIODS * SAMPLES {
        run.advance(&mut simulation, wave.period() * f64::from(sample) / f64::from(SAMPLES), |_| {})?;
        if sample > (PERIODS - RECORDED) * SAMPLES {
            gauges.record(TAU * f64::from(sample) / f64::from(SAMPLES), |x| level(&simulation, x));
        }
    }
    let waves = gauges.decaying(wave.wave_number);
    let height = 2.0 / gauge_response(d, waves.wave_number);
    let figures = vec![
        Figure::error_of("loss of height per meter", 1.0 - (-waves.rate).exp(), 0.04),
        Figure::value("height extrapolated to the paddle", "m", height * waves.incident.length(), FLUME.height, 0.05),
        Figure::value("wave number", "1/m", waves.wave_number, wave.wave_number, 0.02),
        Figure::between("reflected over incident amplitude", "", waves.reflected.length() / waves.incident.length(), [0.0, 0.1])
            .relative_to(1.0),
    ];
    let panel = ChartPanel {
        title: "Height of the waves".into(),
        unit: "m",
        reference: "linear theory",
        measured: false,
        expected: GAUGES.map(|x| (x, FLUME.height)).to_vec(),
        found: gauges.incident(&waves).into_iter().map(|(x, amplitude)| (x, height * amplitude.length())).collect(),
    };
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Distance from the paddle (m)", panels: vec![panel] }]))
}
