//! A slice of a flume: a piston at one end, a damping zone at the other, gauges in between.

use std::f64::consts::TAU;

use glam::{DMat4, DVec2, DVec3, DVec4};
use plimsoll_base::math::Aabb;
use plimsoll_bodies::{
    BodyDefinition, PrescribedMotion,
    waves::{LinearWave, Paddle, RegularWaves, WaveMaker, WaveMakerSettings, Waves},
};
use plimsoll_fluid::{DampingZone, FluidSimulation};
use plimsoll_shape::TriangleMesh;

use super::{
    CaseError, Run,
    setup::{SLICE, block, filled, slice},
    signal::slope,
};

const GRAVITY: f64 = 9.81;
/// Rounds in which the wave number and the decay of the waves are found; each leaves about a hundredth of the error.
const ROUNDS: u32 = 10;

/// A flume along x with its paddle at x = 0 when at rest.
#[derive(Clone, Copy, Debug)]
pub struct Flume {
    /// Depth of the water and height of the waves, m.
    pub depth: f64,
    pub height: f64,
    /// Depth of the water times the wave number.
    pub relative_depth: f64,
    /// Where the damping zone begins, m, and its length in wavelengths.
    pub zone_start: f64,
    pub zone: f64,
}

impl Flume {
    /// The wave of linear theory.
    pub fn wave(&self) -> LinearWave {
        let k = self.relative_depth / self.depth;
        LinearWave::new(TAU / (GRAVITY * k * self.relative_depth.tanh()).sqrt(), self.depth, GRAVITY)
    }

    /// The piston; its motion grows over two periods.
    pub fn maker(&self) -> WaveMaker {
        let period = self.wave().period();
        let waves = Waves::Regular(RegularWaves { height: self.height, period, phase: 0.0, second_order: true });
        let settings = WaveMakerSettings {
            paddle: Paddle::Piston,
            waves,
            depth: self.depth,
            direction: DVec3::X,
            gravity: -GRAVITY * DVec3::Y,
            ramp: 2.0 * period,
        };
        WaveMaker::new(&settings).expect("the waves do not break")
    }

    /// The flume with settled water of particles of diameter `d` (m).
    ///
    /// # Errors
    /// The user interrupts.
    pub fn prepare(&self, run: &Run, d: f64) -> Result<FluidSimulation, CaseError> {
        // Whole particles: layers slightly narrower than a particle would be higher, and the topmost one would not fit.
        let end = ((self.zone_start + self.zone * self.wave().length()) / d).round() * d;
        let (top, back, maker) = (self.depth + 3.0 * self.height, -8.0 * d, self.maker());
        let low = DVec3::new(back - maker.stroke(), 0.0, -end);
        let mut tank = TriangleMesh::room(&Aabb { min: low, max: DVec3::new(end, top, end) });
        tank.triangles.retain(|triangle| triangle.iter().any(|&vertex| tank.vertices[vertex as usize].y < 0.5 * top));
        let paddle = block(DVec3::new(-4.0 * d, 0.0, -end), DVec3::new(0.0, top, end));
        let mut settings = slice(d, None, filled(DVec3::ZERO, DVec3::new(end, self.depth, SLICE * d)));
        settings.gravity = -GRAVITY * DVec3::Y;
        settings.settle = true;
        let region = Aabb { min: DVec3::new(self.zone_start, 0.0, 0.0), max: DVec3::new(end, top, SLICE * d) };
        settings.damping_zones = vec![DampingZone::new(region, DVec3::X, settings.gravity)];
        let motion = PrescribedMotion::Waves(Box::new(maker));
        run.prepare(settings, vec![BodyDefinition::fixed("tank", tank), BodyDefinition::moving("paddle", paddle, motion)])
    }
}

/// Height of the water at x (m): volume of the particles over area, weighted with a hat.
pub fn level(simulation: &FluidSimulation, x: f64) -> f64 {
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
pub fn gauge_response(d: f64, k: f64) -> f64 {
    let x = 0.5 * k * hat(d);
    (x.sin() / x).powi(2)
}

/// Gauges along the flume, with the amplitude of the waves' frequency at each.
pub struct Gauges {
    /// m
    pub positions: Vec<f64>,
    /// Real and imaginary parts A of `η = Re A exp(iωt)`.
    amplitudes: Vec<DVec2>,
    /// Number of samples, over whole periods.
    samples: u32,
}

/// Waves that decay on their way, in both directions along the flume.
#[derive(Clone, Copy, Debug)]
pub struct DecayingWaves {
    /// 1/m
    pub wave_number: f64,
    /// Rate at which the amplitude decays, 1/m.
    pub rate: f64,
    /// Complex amplitudes at x = 0, m.
    pub incident: DVec2,
    pub reflected: DVec2,
}

impl Gauges {
    /// `count` gauges between two positions (m), for so many samples over whole periods.
    pub fn new(first: f64, last: f64, count: u32, samples: u32) -> Self {
        let position = |i: u32| first + (last - first) * f64::from(i) / f64::from(count - 1);
        Self { positions: (0..count).map(position).collect(), amplitudes: vec![DVec2::ZERO; count as usize], samples }
    }

    /// Adds the heights at the phase `angle` (rad) of the waves.
    pub fn record(&mut self, angle: f64, height: impl Fn(f64) -> f64) {
        let share = 2.0 / f64::from(self.samples);
        for (amplitude, &x) in self.amplitudes.iter_mut().zip(&self.positions) {
            *amplitude += share * height(x) * DVec2::new(angle.cos(), -angle.sin());
        }
    }

    /// Amplitudes of the waves that travel along and against x, by least squares over all gauges (Mansard & Funke 1980, for three).
    pub fn separate(&self, k: f64) -> [f64; 2] {
        self.separate_decaying(k, 0.0).map(DVec2::length)
    }

    /// Complex amplitudes at x = 0 of waves that decay at `rate` (1/m) on their way.
    fn separate_decaying(&self, k: f64, rate: f64) -> [DVec2; 2] {
        let (mut matrix, mut right) = (DMat4::ZERO, DVec4::ZERO);
        for (&x, amplitude) in self.positions.iter().zip(&self.amplitudes) {
            let (sin, cos) = (k * x).sin_cos();
            let decay = (-rate * x).exp();
            let scale = DVec4::new(decay, decay, 1.0 / decay, 1.0 / decay);
            for (row, value) in [(DVec4::new(cos, sin, cos, -sin), amplitude.x), (DVec4::new(-sin, cos, sin, cos), amplitude.y)] {
                let row = scale * row;
                matrix += DMat4::from_cols(row * row.x, row * row.y, row * row.z, row * row.w);
                right += value * row;
            }
        }
        let solution = matrix.inverse() * right;
        [DVec2::new(solution.x, solution.y), DVec2::new(solution.z, solution.w)]
    }

    /// The waves, with their wave number near `k` (1/m) and their decay: lines through the phase and the logarithm of what is left at the
    /// gauges without the reflected wave.
    pub fn decaying(&self, k: f64) -> DecayingWaves {
        let mut waves = DecayingWaves { wave_number: k, rate: 0.0, incident: DVec2::ZERO, reflected: DVec2::ZERO };
        for _ in 0..ROUNDS {
            [waves.incident, waves.reflected] = self.separate_decaying(waves.wave_number, waves.rate);
            let left = self.incident(&waves);
            let logs: Vec<(f64, f64)> = left.iter().map(|(x, amplitude)| (*x, amplitude.length().ln())).collect();
            let turned =
                |&(x, amplitude): &(f64, DVec2)| (x, waves.incident.angle_to(amplitude.rotate(DVec2::from_angle(waves.wave_number * x))));
            let phases: Vec<(f64, f64)> = left.iter().map(turned).collect();
            waves.rate = -slope(&logs);
            waves.wave_number -= slope(&phases);
        }
        waves
    }

    /// Positions (m) and amplitudes (m) at the gauges without the reflected wave.
    pub fn incident(&self, waves: &DecayingWaves) -> Vec<(f64, DVec2)> {
        let reflected = |x: f64| (waves.rate * x).exp() * waves.reflected.rotate(DVec2::from_angle(waves.wave_number * x));
        self.positions.iter().zip(&self.amplitudes).map(|(&x, &amplitude)| (x, amplitude - reflected(x))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gauges that have recorded two periods of waves with the wave number 3/m.
    fn recorded(rate: f64) -> Gauges {
        let (k, samples) = (3.0, 80);
        let mut gauges = Gauges::new(0.4, 2.0, 16, samples);
        for sample in 0..samples {
            let angle = TAU * f64::from(sample) / 40.0;
            let along = |x: f64| 0.03 * (-rate * x).exp() * (angle - k * x + 0.3).cos();
            gauges.record(angle, |x| 0.4 + along(x) + 0.004 * (rate * x).exp() * (angle + k * x - 1.0).cos());
        }
        gauges
    }

    #[test]
    fn waves_in_both_directions_are_separated() {
        let [incident, reflected] = recorded(0.0).separate(3.0);
        assert!((incident - 0.03).abs() < 1e-12 && (reflected - 0.004).abs() < 1e-12, "{incident} {reflected}");
    }

    #[test]
    fn decay_and_wave_number_are_found() {
        for rate in [0.0, 0.02, 0.3] {
            let waves = recorded(rate).decaying(2.95);
            assert!((waves.rate - rate).abs() < 1e-6 && (waves.wave_number - 3.0).abs() < 1e-6, "{waves:?}");
            assert!((waves.incident.length() - 0.03).abs() < 1e-6, "{waves:?}");
        }
    }
}
