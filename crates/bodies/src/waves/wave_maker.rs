//! The motion of a paddle that generates given waves.
//!
//! ```text
//! X(t) = r(t/ramp) Σ_i (S_i/2 sin θ_i + B_i sin 2θ_i),   θ_i = ω_i t + φ_i        displacement at the still water level
//! η(x, t) = Σ_i H_i/2 cos(θ_i − k_i x)                                            surface at a distance x from the paddle
//! B = H²/(32 h) · (3 cosh kh/sinh³ kh − 2 S/H)                                    second order, piston (Madsen 1971)
//! r(s) = s³ (10 − 15 s + 6 s²) for 0 < s < 1
//! ```
//!
//! A sine alone generates, besides the waves, free waves of twice the frequency, which travel at their own speed, so that the shape of the
//! waves changes along the tank. The second-order term generates the same free waves in opposite phase.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::{IrregularWaves, LinearWave, Paddle};

/// Bound of H L²/h³ below which Madsen's second-order waves have no secondary crests: 8π²/3.
const MAX_SECOND_ORDER_URSELL: f64 = 8.0 * std::f64::consts::PI * std::f64::consts::PI / 3.0;
/// Maximum displacement of a flap at the still water level, relative to its height above the hinge (45°).
const MAX_SLOPE: f64 = 1.0;
/// Maximum component of the direction along gravity that counts as rounding.
const HORIZONTAL: f64 = 1e-6;

/// Waves to be generated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Waves {
    /// Of one period.
    Regular(RegularWaves),
    /// With a spectrum.
    Irregular(IrregularWaves),
}

/// Waves of one period and height.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RegularWaves {
    /// From trough to crest, m.
    pub height: f64,
    /// s
    pub period: f64,
    /// Phase of the paddle's sine at time zero, rad.
    pub phase: f64,
    /// Whether a second harmonic of the paddle suppresses free waves of twice the frequency; only for pistons.
    pub second_order: bool,
}

impl Waves {
    /// Height, or significant height, m.
    pub fn height(&self) -> f64 {
        match self {
            Self::Regular(regular) => regular.height,
            Self::Irregular(irregular) => irregular.significant_height,
        }
    }

    /// Period, or peak period, s.
    pub fn period(&self) -> f64 {
        match self {
            Self::Regular(regular) => regular.period,
            Self::Irregular(irregular) => irregular.peak_period,
        }
    }
}

/// What determines the motion of a paddle.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveMakerSettings {
    /// Kind of paddle.
    pub paddle: Paddle,
    /// Waves to be generated.
    pub waves: Waves,
    /// Depth of the still water, m.
    pub depth: f64,
    /// Horizontal direction in which the waves travel, any nonzero length.
    pub direction: DVec3,
    /// m/s²
    pub gravity: DVec3,
    /// Time in which the motion grows to its full amplitude, s.
    pub ramp: f64,
}

/// Why a paddle cannot generate the waves.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum WaveMakerError {
    /// A length or a time is zero or negative, or so large or small that the motion cannot be computed.
    #[error("height, period, depth and ramp of waves must be positive and of computable size")]
    OutOfRange,
    /// There is no gravity.
    #[error("waves need gravity")]
    NoGravity,
    /// The waves do not travel horizontally.
    #[error("the direction of waves must be horizontal")]
    NotHorizontal,
    /// The hinge of a flap is not under water.
    #[error("the hinge of a flap must be below the water surface, {depth} m above the bottom")]
    HingeAboveWater {
        /// m
        depth: f64,
    },
    /// The waves would break.
    #[error("waves of this period and depth break above a height of {maximum:.4} m")]
    Breaking {
        /// m
        maximum: f64,
    },
    /// A flap would have to rotate too far.
    #[error("the flap would rotate by {angle:.0}° to either side, more than 45°")]
    Angle {
        /// °
        angle: f64,
    },
    /// Second-order theory does not cover flaps.
    #[error("second-order waves require a piston")]
    SecondOrderFlap,
    /// Second-order theory does not cover waves as long.
    #[error("second-order waves require height · wavelength² / depth³ below 26.3, found {ursell:.1}")]
    SecondOrderTooLong {
        /// H L²/h³
        ursell: f64,
    },
}

/// A component of the waves, and the motion of the paddle that generates it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaveComponent {
    /// Frequency and wave number.
    pub wave: LinearWave,
    /// rad, at time zero.
    pub phase: f64,
    /// Amplitude of the surface, m.
    pub elevation: f64,
    /// Amplitude of the paddle at the still water level, m.
    pub displacement: f64,
    /// Amplitude of the paddle's second harmonic, m.
    pub second_harmonic: f64,
}

/// A paddle with its waves. At time zero it is at rest at its initial pose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WaveMaker {
    paddle: Paddle,
    waves: Waves,
    dominant: LinearWave,
    ramp: f64,
    up: DVec3,
    direction: DVec3,
    components: Vec<WaveComponent>,
}

impl WaveMaker {
    /// Computes the motion of the paddle.
    ///
    /// # Errors
    /// If the paddle cannot generate the waves.
    pub fn new(settings: &WaveMakerSettings) -> Result<Self, WaveMakerError> {
        let &WaveMakerSettings { paddle, waves, depth, gravity, ramp, .. } = settings;
        let positive = [waves.height(), waves.period(), depth, ramp].iter().all(|&value| value.is_finite() && value > 0.0);
        if !positive {
            return Err(WaveMakerError::OutOfRange);
        }
        let up = (-gravity).try_normalize().ok_or(WaveMakerError::NoGravity)?;
        let direction = settings.direction.try_normalize().ok_or(WaveMakerError::NotHorizontal)?;
        if direction.dot(up).abs() > HORIZONTAL {
            return Err(WaveMakerError::NotHorizontal);
        }
        let wave = |period: f64| LinearWave::new(period, depth, gravity.length());
        let maker = Self {
            paddle,
            waves,
            dominant: wave(waves.period()),
            ramp,
            up,
            direction: direction.reject_from_normalized(up).normalize(),
            components: components(&paddle, &waves, wave),
        };
        maker.check()?;
        Ok(maker)
    }

    fn check(&self) -> Result<(), WaveMakerError> {
        let wave = &self.dominant;
        if !self.components.iter().all(|component| component.displacement.is_finite() && component.wave.wave_number.is_finite()) {
            return Err(WaveMakerError::OutOfRange);
        }
        if let Paddle::Flap { hinge, .. } = self.paddle
            && hinge >= wave.depth
        {
            return Err(WaveMakerError::HingeAboveWater { depth: wave.depth });
        }
        if self.waves.height() > wave.breaking_height() {
            return Err(WaveMakerError::Breaking { maximum: wave.breaking_height() });
        }
        if let Some(angle) = self.angle().filter(|angle| angle.tan() > MAX_SLOPE) {
            return Err(WaveMakerError::Angle { angle: angle.to_degrees() });
        }
        match self.waves {
            Waves::Regular(RegularWaves { second_order: true, .. }) if self.paddle != Paddle::Piston => {
                Err(WaveMakerError::SecondOrderFlap)
            }
            Waves::Regular(RegularWaves { second_order: true, .. }) if self.is_long() => {
                Err(WaveMakerError::SecondOrderTooLong { ursell: self.ursell() })
            }
            _ => Ok(()),
        }
    }

    /// The kind of paddle.
    pub fn paddle(&self) -> &Paddle {
        &self.paddle
    }

    /// The waves to be generated.
    pub fn waves(&self) -> &Waves {
        &self.waves
    }

    /// The wave with the period, or the peak period.
    pub fn dominant(&self) -> &LinearWave {
        &self.dominant
    }

    /// Unit vector along which the waves travel.
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The components of waves and motion.
    pub fn components(&self) -> &[WaveComponent] {
        &self.components
    }

    /// Ursell number H L²/h³.
    pub fn ursell(&self) -> f64 {
        self.waves.height() * self.dominant.length().powi(2) / self.dominant.depth.powi(3)
    }

    /// Whether the waves are too long for Stokes' theory: above an Ursell number of 8π²/3 (Madsen 1971).
    pub fn is_long(&self) -> bool {
        self.ursell() > MAX_SECOND_ORDER_URSELL
    }

    /// Stroke of the paddle at the still water level, m: twice the amplitude, or four times the standard deviation of irregular motion.
    pub fn stroke(&self) -> f64 {
        let squares: f64 = self.components.iter().map(|component| component.displacement.powi(2)).sum();
        match self.waves {
            Waves::Regular(_) => 2.0 * squares.sqrt(),
            Waves::Irregular(_) => 4.0 * (0.5 * squares).sqrt(),
        }
    }

    /// Rotation of a flap to either side at half the stroke, rad.
    pub fn angle(&self) -> Option<f64> {
        self.lever().map(|lever| (0.5 * self.stroke() / lever).atan())
    }

    /// Height of the still water above the hinge of a flap, m.
    fn lever(&self) -> Option<f64> {
        match self.paddle {
            Paddle::Piston => None,
            Paddle::Flap { hinge, .. } => Some(self.dominant.depth - hinge),
        }
    }

    /// Displacement of the paddle along `direction` at the still water level at `time` (s), m.
    pub fn displacement(&self, time: f64) -> f64 {
        let of = |component: &WaveComponent| {
            let angle = component.wave.angular_frequency * time + component.phase;
            component.displacement * angle.sin() + component.second_harmonic * (2.0 * angle).sin()
        };
        smooth_step(time / self.ramp) * self.components.iter().map(of).sum::<f64>()
    }

    /// Rotation vector of a flap at `time` (s), rad; zero for a piston.
    pub fn rotation(&self, time: f64) -> DVec3 {
        let angle = |lever: f64| (self.displacement(time) / lever).atan();
        self.lever().map_or(DVec3::ZERO, |lever| self.up.cross(self.direction) * angle(lever))
    }

    /// Height of the surface above the still water level in first-order theory, at `distance` (m) from the paddle and `time` (s) after the
    /// ramp, m: without reflections, and without the part near the paddle that does not travel.
    pub fn elevation(&self, distance: f64, time: f64) -> f64 {
        let of = |component: &WaveComponent| {
            let WaveComponent { wave, phase, elevation, .. } = component;
            elevation * (wave.angular_frequency * time + phase - wave.wave_number * distance).cos()
        };
        self.components.iter().map(of).sum()
    }
}

fn components(paddle: &Paddle, waves: &Waves, wave: impl Fn(f64) -> LinearWave) -> Vec<WaveComponent> {
    let component = |wave: LinearWave, elevation: f64, phase: f64| {
        let displacement = elevation / paddle.height_per_stroke(&wave);
        WaveComponent { wave, phase, elevation, displacement, second_harmonic: 0.0 }
    };
    match waves {
        Waves::Regular(regular) => {
            let mut only = component(wave(regular.period), 0.5 * regular.height, regular.phase);
            if regular.second_order {
                only.second_harmonic = second_harmonic(&only.wave, regular.height, 2.0 * only.displacement);
            }
            vec![only]
        }
        Waves::Irregular(irregular) => {
            irregular.components().iter().map(|found| component(wave(1.0 / found.frequency), found.amplitude, found.phase)).collect()
        }
    }
}

/// Madsen's amplitude of the second harmonic of a piston with the given stroke, m.
fn second_harmonic(wave: &LinearWave, height: f64, stroke: f64) -> f64 {
    let kh = wave.relative_depth();
    let decay = (-2.0 * kh).exp();
    // cosh kh/sinh³ kh, which overflows in deep water.
    let ratio = 4.0 * decay * (1.0 + decay) / (1.0 - decay).powi(3);
    height * height / (32.0 * wave.depth) * (3.0 * ratio - 2.0 * stroke / height)
}

/// Grows from 0 to 1 between 0 and 1, with two continuous derivatives.
fn smooth_step(s: f64) -> f64 {
    let s = s.clamp(0.0, 1.0);
    s * s * s * (10.0 + s * (6.0 * s - 15.0))
}
