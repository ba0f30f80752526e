//! Length of a step: its bounds, and how steps are fitted between output times.
//!
//! All limits of the step are defined here; the scene reader checks `minimum` against the same ones.

use plimsoll_base::math::ticks::interval;
use serde::{Deserialize, Serialize};

use crate::{
    micropolar::Micropolar,
    rheology::ViscositySolver,
    settings::{FluidSettings, PressureSolver, TaitLaw},
};

/// Reference step, in s per m of particle radius, and as a share of the time in which sound travels `h` at the nominal speed. With 0.8
/// times this value the force on the box of SPHERIC test 2 is 50 % noisier. With 1.3 times this value it is not smoother, and the fluid is
/// compressed more (docs/theory/time-step.md).
const REFERENCE_PER_RADIUS: f64 = 0.25;
const REFERENCE_SHARE: f64 = 0.5;
/// Nominal speed of sound of an incompressible fluid, in units of `sqrt(|g| h)`, which is about the speed after a fall through half the
/// support radius.
const NOMINAL_MACH: f64 = 10.0;
/// Maximum eigenvalue of the laminar operator, in units of `ν/h²`: twice what a power iteration finds in a perturbed lattice with surfaces
/// (`forces/viscosity.rs`).
pub(crate) const LAMINAR_EIGENVALUE: f64 = 60.0;
/// Decay rate of noise in units of `(α h c + 2 ν)/h²`: `Σ_j V |W'|/r` where neighbours surround a particle.
const DEVIATION_RATE: f64 = 12.0;
/// Maximum eigenvalue of the diffusion of spins, in units of `γ/(Θ h²)`: four times `Σ_j V |W'|/r`.
const DIFFUSION_EIGENVALUE: f64 = 4.0 * DEVIATION_RATE;
/// Share of the stable range, which ends at 2, for the force and the diffusion of spins together; the torque takes at most 1.
const SPIN_SHARE: f64 = 0.5;
/// Maximum eigenvalue of XSPH with a factor of one: twice the neighbours' share of the rest density.
const XSPH_EIGENVALUE: f64 = 2.0 * 0.68;
/// Longest step with the equation of state, as a share of the time in which sound travels the support radius.
const ACOUSTIC_SHARE: f64 = 0.2;
/// Longest step under gravity, in units of `sqrt(h/|g|)`: a free fall from rest then moves fluid by less than a hundredth of the support
/// radius. Under Earth's gravity the default of `maximum` is shorter.
const GRAVITY_SHARE: f64 = 0.06;
/// Factor by which a step may grow from one to the next, and factor by which it shrinks unless the fluid accelerates suddenly.
const GROWTH: f64 = 1.05;
const DECREASE: f64 = 0.9;
/// Factor by which a step may exceed the CFL step while it shrinks gradually.
const CFL_EXCESS: f64 = 1.5;
/// A remainder before an output of up to this share of a step is spread over the other steps instead of taken as an additional step.
const SPREAD: f64 = 0.25;

impl FluidSettings {
    /// Time scale of density corrections, s: tolerances refer to it, and an excess of density is removed within it. It does not depend on
    /// the step, so that results converge as the step shrinks. It is the minimum of 0.25 s/m times the particle radius and
    /// `0.05 sqrt(h/|g|)`.
    pub fn reference_step(&self) -> f64 {
        let h = self.support_radius();
        let falling = REFERENCE_SHARE / NOMINAL_MACH * (h / self.gravity.length()).sqrt();
        falling.min(REFERENCE_PER_RADIUS * self.particle_radius)
    }

    /// Speed of sound of the equation of state, m/s; for an incompressible fluid ten times the speed after a fall through half the kernel's
    /// support radius, or that of the shortest capillary waves, as a measure of the speeds caused by the particles themselves.
    pub fn sound_speed(&self) -> f64 {
        match self.pressure {
            PressureSolver::Wcsph(TaitLaw { sound_speed, .. }) => sound_speed,
            PressureSolver::Dfsph(_) => {
                let h = self.support_radius();
                NOMINAL_MACH * (self.gravity.length() * h + self.max_kinematic_tension() / h).sqrt()
            }
        }
    }

    /// Longest step that is stable with the equation of state, s; infinite without one.
    pub fn acoustic_step(&self) -> f64 {
        match self.pressure {
            PressureSolver::Wcsph(_) => ACOUSTIC_SHARE * self.support_radius() / self.sound_speed(),
            PressureSolver::Dfsph(_) => f64::INFINITY,
        }
    }

    /// `α h c`, m²/s: the artificial viscosity of `alpha` where it is applied once.
    pub fn damping_viscosity(&self, alpha: f64) -> f64 {
        if self.viscosity.hyperviscosity { 0.0 } else { alpha * self.support_radius() * self.sound_speed() }
    }

    /// Longest step that is stable with the coupling and the diffusion of spins, s; infinite if the fluid has none.
    pub fn micropolar_step(&self) -> f64 {
        let Some(Micropolar { rotational_viscosity, inertia, spin_viscosity }) = self.micropolar else { return f64::INFINITY };
        let h = self.support_radius();
        let rate = LAMINAR_EIGENVALUE * rotational_viscosity + DIFFUSION_EIGENVALUE * spin_viscosity / inertia;
        SPIN_SHARE * h * h / (self.max_density() / self.min_density() * rate)
    }

    /// Rate at which the artificial viscosity damps noise where it is applied twice, 1/s.
    pub fn noise_rate(&self) -> f64 {
        DEVIATION_RATE * self.viscosity.artificial * self.sound_speed() / self.support_radius()
    }

    /// Rate at which an artificial viscosity of `alpha`, where it is applied once, and a kinematic viscosity of `viscosity` (m²/s) damp noise of single
    /// particles, 1/s.
    pub fn deviation_rate(&self, alpha: f64, viscosity: f64) -> f64 {
        let h = self.support_radius();
        DEVIATION_RATE * (self.damping_viscosity(alpha) + 2.0 * viscosity) / (h * h)
    }

    /// Maximum kinematic viscosity that is stable with a step of `dt`, m²/s: the explicit step multiplies the least stable mode of the
    /// velocities by `1 − dt λ`, which must not fall below −1. The artificial viscosity and XSPH add to `dt λ` of the same mode.
    pub fn stable_viscosity(&self, dt: f64) -> f64 {
        let h = self.support_radius();
        let deviations = -2.0 * (-self.deviation_rate(self.viscosity.of_noise(), 0.0) * dt).exp_m1();
        let left = 2.0 - deviations - XSPH_EIGENVALUE * self.viscosity.xsph;
        left.max(0.0) * h * h / (LAMINAR_EIGENVALUE * dt)
    }

    /// Whether viscous forces are integrated implicitly, so that they do not limit the step.
    pub fn is_viscosity_implicit(&self) -> bool {
        match self.viscosity.solver {
            ViscositySolver::Auto => {
                !self.is_newtonian() || self.max_viscosity() > self.stable_viscosity(self.longest_inviscid_step(self.gravity.length()))
            }
            ViscositySolver::Explicit => false,
            ViscositySolver::Implicit => true,
        }
    }

    /// Longest step up to `longest` that is stable with the viscosity, s.
    fn viscous_step(&self, longest: f64) -> f64 {
        let viscosity = self.max_viscosity();
        if viscosity == 0.0 || self.is_viscosity_implicit() || viscosity <= self.stable_viscosity(longest) {
            return longest;
        }
        let (mut stable, mut unstable) = (0.0, longest);
        for _ in 0..60 {
            let middle = 0.5 * (stable + unstable);
            if viscosity <= self.stable_viscosity(middle) { stable = middle } else { unstable = middle }
        }
        stable
    }

    /// Longest step allowed by the scene and the explicit parts, s, if gravity and fields accelerate the fluid by up to `acceleration` (m/s²).
    pub fn longest_step(&self, acceleration: f64) -> f64 {
        self.viscous_step(self.longest_inviscid_step(acceleration))
    }

    /// The same without viscosity.
    fn longest_inviscid_step(&self, acceleration: f64) -> f64 {
        let falling = GRAVITY_SHARE * (self.support_radius() / acceleration).sqrt();
        self.time_step.maximum.min(falling).min(self.acoustic_step()).min(self.capillary_step()).min(self.micropolar_step())
    }

    /// Step in which the fastest particle travels `cfl` particle diameters, s, if it starts with `speed` and is accelerated: the smaller root
    /// of `(speed + acceleration dt) dt = cfl · 2r`.
    pub(crate) fn cfl_step(&self, Fastest { speed, acceleration }: Fastest) -> f64 {
        let way = self.time_step.cfl * 2.0 * self.particle_radius;
        2.0 * way / (speed + (speed * speed + 4.0 * acceleration * way).sqrt()).max(f64::MIN_POSITIVE)
    }
}

/// How fast fluid and bodies may move in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fastest {
    /// Maximum speed, m/s.
    pub speed: f64,
    /// Maximum acceleration by gravity and fields, m/s².
    pub acceleration: f64,
}

/// The length of the steps, which changes gradually. Part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepLength {
    /// Length that the last step would have had without an output time to hit, s; zero before the first step.
    smooth: f64,
    /// Step required by the CFL condition in the last step, s.
    pub wanted: f64,
}

impl StepLength {
    /// Length of the next step, s, if nothing moves faster than `fastest` and the next output is `left` seconds away. Steps up to the output
    /// are planned with equal length: a step is either `left` or leaves room for whole steps of its length.
    pub fn next(&mut self, settings: &FluidSettings, fastest: Fastest, left: f64) -> f64 {
        let (minimum, longest) = (settings.time_step.minimum, settings.longest_step(fastest.acceleration));
        let wanted = settings.cfl_step(fastest);
        self.wanted = wanted;
        if self.smooth > 0.0 {
            let gradual = (DECREASE * self.smooth).min(CFL_EXCESS * wanted);
            self.smooth = wanted.max(gradual).min(GROWTH * self.smooth);
        } else {
            self.smooth = wanted;
        }
        self.smooth = self.smooth.min(longest).max(minimum);
        if left.is_infinite() {
            return self.smooth;
        }
        let count = (left / self.smooth - SPREAD).ceil().max(1.0);
        let fewest = (left / longest.max(minimum) * (1.0 - 1e-9)).ceil();
        left / count.max(fewest)
    }
}

/// The time since the last output. Steps are planned with it and not with the time since zero, whose rounding grows: a simulation that starts
/// from the state of another takes the same steps, bit by bit, as that one would have taken. Part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputClock {
    /// Time of the last output, or of the start, s.
    output: f64,
    /// Sum of the steps since then, s.
    elapsed: f64,
}

impl OutputClock {
    /// A clock at an output at `time` (s).
    pub fn at(time: f64) -> Self {
        Self { output: time, elapsed: 0.0 }
    }

    /// Seconds from `now` to the next output at `until`.
    pub fn left(&self, now: f64, until: f64) -> f64 {
        let left = interval(self.output, until) - self.elapsed;
        // An output that is due at once: the rounding of the times is as long.
        if left > 0.0 { left } else { until - now }
    }

    /// Counts a step of `dt` (s) that ends at `end`, on the way to the next output at `until`.
    pub fn advance(&mut self, dt: f64, end: f64, until: f64) {
        if end < until {
            self.elapsed += dt;
        } else {
            *self = Self::at(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A speed (m/s) under Earth's gravity.
    fn moving(speed: f64) -> Fastest {
        Fastest { speed, acceleration: 9.81 }
    }

    /// Fluid that hits a wall is suddenly five times as fast, and later slow again.
    #[test]
    fn the_step_follows_a_jump_of_the_speed_gradually() {
        let settings = FluidSettings::new(0.02);
        let (mut length, mut steps) = (StepLength::default(), Vec::new());
        let speeds = [(4.5, 20), (5.5, 40), (20.0, 40), (4.5, 60)];
        for (speed, count) in speeds {
            for _ in 0..count {
                steps.push(length.next(&settings, moving(speed), f64::INFINITY));
                assert!(steps[steps.len() - 1] <= 1.5 * length.wanted * (1.0 + 1e-9), "{steps:?}");
            }
        }
        let ratios: Vec<f64> = steps.windows(2).map(|pair| pair[1] / pair[0]).collect();
        // Only the jump to a multiple of the speed may shorten the step at once, to 1.5 times the CFL step.
        let jumps = ratios.iter().filter(|&&ratio| ratio < 0.9 * (1.0 - 1e-9)).count();
        assert_eq!(jumps, 1, "{ratios:?}");
        assert!(ratios.iter().all(|&ratio| ratio <= 1.05 * (1.0 + 1e-9)), "{ratios:?}");
        assert!(steps[59] < 0.9 * steps[19] && steps[99] < 0.35 * steps[59] && steps[159] > 0.99 * steps[19], "{steps:?}");
    }

    /// Steps of irregular length to outputs at a fixed rate, counted from several times.
    #[test]
    fn steps_are_the_same_at_any_time() {
        let settings = FluidSettings::new(0.02);
        let steps = |first: u32| -> Vec<u64> {
            let (mut length, mut steps) = (StepLength::default(), Vec::new());
            let frame = |number: u32| f64::from(first + number) / 30.0;
            let mut now = frame(0);
            let mut clock = OutputClock::at(now);
            for number in 1..20 {
                while now < frame(number) {
                    let left = clock.left(now, frame(number));
                    let dt = length.next(&settings, moving(2.0 + f64::from(number % 7)), left);
                    assert!((left - (frame(number) - now)).abs() < 1e-11);
                    now = if dt < left { now + dt } else { frame(number) };
                    clock.advance(dt, now, frame(number));
                    steps.push(dt.to_bits());
                }
            }
            steps
        };
        let expected = steps(0);
        assert!(expected.len() > 100, "{}", expected.len());
        for first in [1, 17, 3000, 123_457] {
            assert!(steps(first) == expected, "{first}");
        }
    }

    /// The time left to the next output is divided into equal steps, without a tiny last step.
    #[test]
    fn steps_land_on_outputs_in_equal_parts() {
        let settings = FluidSettings::new(0.02);
        for left in [1e-6, 0.003, 0.0101, 0.02, 0.05] {
            let (mut length, mut left, mut steps) = (StepLength::default(), left, Vec::new());
            while left > 1e-12 {
                let dt = length.next(&settings, moving(2.0), left);
                (left, steps) = (left - dt, [steps, vec![dt]].concat());
            }
            assert!(steps.iter().all(|dt| (dt / steps[0] - 1.0).abs() < 1e-6), "{steps:?}");
        }
    }
}
