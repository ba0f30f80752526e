//! Waves of a paddle in a flume with a damping zone at its end.

use std::f64::consts::TAU;

use glam::{DMat4, DVec2, DVec3, DVec4};

use crate::{
    bodies::{
        BodyDefinition, PrescribedMotion,
        waves::{LinearWave, Paddle, RegularWaves, WaveMaker, WaveMakerSettings, Waves},
    },
    fluid::{DampingZone, FluidSimulation},
    math::Aabb,
    shape::TriangleMesh,
    simulator::Simulator,
    validation::{
        Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
        setup::{SLICE, block, filled, slice},
    },
};

/// Depth of the water and height of the waves, m; kh.
const DEPTH: f64 = 0.4;
const HEIGHT: f64 = 0.06;
const RELATIVE_DEPTH: f64 = 1.2;
const GRAVITY: f64 = 9.81;
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
    let wave = wave();
    let zone_start = REACH * wave.length();
    // Whole particles: layers slightly narrower than a particle would be higher, and the topmost one would not fit.
    let end = ((zone_start + ZONE * wave.length()) / d).round() * d;
    let mut simulation = flume(run, d, zone_start, end)?;
    let mut gauges = Gauges::new(DEPTH.min(0.2 * wave.length()), zone_start - 2.0 * d);
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
    let maker = maker();
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
        Figure::value("height of the waves", "m", 2.0 * incident, HEIGHT, 0.08),
        Figure::between("reflected over incident amplitude", "", reflected / incident, [0.0, 0.1]).relative_to(1.0),
    ];
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time (s)", panels: vec![panel] }]))
}

fn wave() -> LinearWave {
    let k = RELATIVE_DEPTH / DEPTH;
    LinearWave::new(TAU / (GRAVITY * k * RELATIVE_DEPTH.tanh()).sqrt(), DEPTH, GRAVITY)
}

fn maker() -> WaveMaker {
    let period = wave().period();
    let waves = Waves::Regular(RegularWaves { height: HEIGHT, period, phase: 0.0, second_order: true });
    let settings = WaveMakerSettings {
        paddle: Paddle::Piston,
        waves,
        depth: DEPTH,
        direction: DVec3::X,
        gravity: -GRAVITY * DVec3::Y,
        ramp: 2.0 * period,
    };
    WaveMaker::new(&settings).expect("the waves do not break")
}

/// A slice of a flume whose paddle is at x = 0 when at rest.
fn flume(run: &Run, d: f64, zone_start: f64, end: f64) -> Result<FluidSimulation, CaseError> {
    let (top, back, maker) = (DEPTH + 3.0 * HEIGHT, -8.0 * d, maker());
    let low = DVec3::new(back - maker.stroke(), 0.0, -end);
    let mut tank = TriangleMesh::room(&Aabb { min: low, max: DVec3::new(end, top, end) });
    tank.triangles.retain(|triangle| triangle.iter().any(|&vertex| tank.vertices[vertex as usize].y < 0.5 * top));
    let paddle = block(DVec3::new(-4.0 * d, 0.0, -end), DVec3::new(0.0, top, end));
    let mut settings = slice(d, None, filled(DVec3::ZERO, DVec3::new(end, DEPTH, SLICE * d)));
    settings.gravity = -GRAVITY * DVec3::Y;
    let region = Aabb { min: DVec3::new(zone_start, 0.0, 0.0), max: DVec3::new(end, top, SLICE * d) };
    settings.damping_zones = vec![DampingZone::new(region, DVec3::X, settings.gravity)];
    let motion = PrescribedMotion::Waves(Box::new(maker));
    run.prepare(settings, vec![BodyDefinition::fixed("tank", tank), BodyDefinition::moving("paddle", paddle, motion)])
}

/// Height of the water at x (m): volume of the particles over area, weighted with a hat.
fn level(simulation: &FluidSimulation, x: f64) -> f64 {
    let settings = simulation.settings();
    let half = hat(2.0 * settings.particle_radius);
    let sum: f64 = simulation.particles().positions.iter().map(|position| (1.0 - (f64::from(position.x) - x).abs() / half).max(0.0)).sum();
    sum * settings.particle_volume() / (half * settings.domain.size.z)
}

/// Half width of the hat, m.
fn hat(d: f64) -> f64 {
    2.0 * d
}

/// Amplitude that a gauge shows for a wave of amplitude one.
fn gauge_response(d: f64, k: f64) -> f64 {
    let x = 0.5 * k * hat(d);
    (x.sin() / x).powi(2)
}

/// Gauges along the flume, with the amplitude of the waves' frequency at each.
struct Gauges {
    positions: Vec<f64>,
    /// Real and imaginary parts A of `η = Re A exp(iωt)`.
    amplitudes: Vec<DVec2>,
}

impl Gauges {
    fn new(first: f64, last: f64) -> Self {
        let position = |i: u32| first + (last - first) * f64::from(i) / f64::from(GAUGES - 1);
        Self { positions: (0..GAUGES).map(position).collect(), amplitudes: vec![DVec2::ZERO; GAUGES as usize] }
    }

    /// Adds the heights at the phase `angle` (rad) of the waves.
    fn record(&mut self, angle: f64, height: impl Fn(f64) -> f64) {
        let share = 2.0 / f64::from(RECORDED * SAMPLES);
        for (amplitude, &x) in self.amplitudes.iter_mut().zip(&self.positions) {
            *amplitude += share * height(x) * DVec2::new(angle.cos(), -angle.sin());
        }
    }

    /// Amplitudes of the waves that travel along and against x, by least squares over all gauges (Mansard & Funke 1980, for three).
    fn separate(&self, k: f64) -> [f64; 2] {
        let (mut matrix, mut right) = (DMat4::ZERO, DVec4::ZERO);
        for (&x, amplitude) in self.positions.iter().zip(&self.amplitudes) {
            let (cos, sin) = ((k * x).cos(), (k * x).sin());
            // A = (a + ib) exp(−ikx) + (c + id) exp(ikx)
            for (row, value) in [(DVec4::new(cos, sin, cos, -sin), amplitude.x), (DVec4::new(-sin, cos, sin, cos), amplitude.y)] {
                matrix += DMat4::from_cols(row * row.x, row * row.y, row * row.z, row * row.w);
                right += value * row;
            }
        }
        let solution = matrix.inverse() * right;
        [solution.x.hypot(solution.y), solution.z.hypot(solution.w)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waves_in_both_directions_are_separated() {
        let (k, mut gauges) = (3.0, Gauges::new(0.4, 2.0));
        for sample in 0..RECORDED * SAMPLES {
            let angle = TAU * f64::from(sample) / f64::from(SAMPLES);
            gauges.record(angle, |x| 0.4 + 0.03 * (angle - k * x + 0.3).cos() + 0.004 * (angle + k * x - 1.0).cos());
        }
        let [incident, reflected] = gauges.separate(k);
        assert!((incident - 0.03).abs() < 1e-12 && (reflected - 0.004).abs() < 1e-12, "{incident} {reflected}");
    }
}
