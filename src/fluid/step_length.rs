//! How long a step lasts: what bounds it, and how steps are laid between output times.
//!
//! All limits of the step stand here; the scene reader checks `minimum` against the same ones.

use serde::{Deserialize, Serialize};

use crate::fluid::settings::{FluidSettings, PressureSolver, TaitLaw};

/// Reference step, s per m of particle radius, and as a share of the time in which sound of the nominal speed passes `h`. With four fifths of it the
/// force on the box of SPHERIC test 2 is noisier by half, with 1.3 times of it no calmer, and the fluid is compressed more
/// (docs/theory/time-step.md).
const REFERENCE_PER_RADIUS: f64 = 0.25;
const REFERENCE_SHARE: f64 = 0.5;
/// Nominal speed of sound of an incompressible fluid, in units of `sqrt(|g| h)`, about the speed of a fall through half the support.
const NOMINAL_MACH: f64 = 10.0;
/// Greatest eigenvalue of the laminar operator, in units of `ν/h²`: twice `10 Σ_j V |W'|/r`, a sum that is `120/h²` in a uniform fluid
/// (Gershgorin's bound). `forces/viscosity.rs` compares it with a power iteration.
pub(in crate::fluid) const LAMINAR_EIGENVALUE: f64 = 240.0;
/// Decay rate of noise by the artificial viscosity, in units of `α c/h`.
pub(in crate::fluid) const ARTIFICIAL_RATE: f64 = 12.0;
/// Greatest eigenvalue of XSPH with a factor of one: twice the neighbours' share of the rest density.
const XSPH_EIGENVALUE: f64 = 2.0 * 0.68;
/// Share of the time in which sound passes the support radius that a step of the equation of state may last.
const ACOUSTIC_SHARE: f64 = 0.2;
/// Longest step under gravity, in units of `sqrt(h/|g|)`: in free fall it moves fluid by less than a hundredth of the support radius. On earth
/// the default of `maximum` is shorter.
const GRAVITY_SHARE: f64 = 0.06;
/// By what factor a step may grow from one to the next, and by what it shrinks unless the fluid gets fast at once.
const GROWTH: f64 = 1.05;
const DECREASE: f64 = 0.9;
/// How far a step may exceed what the CFL condition asks for while it shrinks gradually.
const CFL_EXCESS: f64 = 1.5;
/// Share of a step that is spread over the others rather than taken as one more before an output.
const SPREAD: f64 = 0.25;

impl FluidSettings {
    /// Time scale of the corrections of density, s: tolerances hold over it, and an excess of density is removed in it. Independent of the step, so
    /// that results converge as the step shrinks: 0.25 s/m times the particle radius or `0.05 sqrt(h/|g|)`, whichever is less.
    pub fn reference_step(&self) -> f64 {
        let h = self.support_radius();
        let falling = REFERENCE_SHARE / NOMINAL_MACH * (h / self.gravity.length()).sqrt();
        falling.min(REFERENCE_PER_RADIUS * self.particle_radius)
    }

    /// Speed of sound of the equation of state, m/s; for an incompressible fluid ten times the speed of a fall through half the kernel's
    /// support, as a measure of the speeds that the particles themselves cause.
    pub fn sound_speed(&self) -> f64 {
        match self.pressure {
            PressureSolver::Wcsph(TaitLaw { sound_speed, .. }) => sound_speed,
            PressureSolver::Dfsph(_) => NOMINAL_MACH * (self.gravity.length() * self.support_radius()).sqrt(),
        }
    }

    /// Longest step that is stable with the equation of state, s; infinite without one.
    pub fn acoustic_step(&self) -> f64 {
        match self.pressure {
            PressureSolver::Wcsph(_) => ACOUSTIC_SHARE * self.support_radius() / self.sound_speed(),
            PressureSolver::Dfsph(_) => f64::INFINITY,
        }
    }

    /// Greatest kinematic viscosity that is stable with a step of `dt`, m²/s: the explicit step multiplies the worst mode of the velocities by
    /// `1 − dt λ`, which must not fall below −1. The artificial viscosity and XSPH add to `dt λ` of the same mode.
    pub fn stable_viscosity(&self, dt: f64) -> f64 {
        let h = self.support_radius();
        let artificial = -2.0 * (-ARTIFICIAL_RATE * self.viscosity.artificial * self.sound_speed() * dt / h).exp_m1();
        let left = 2.0 - artificial - XSPH_EIGENVALUE * self.viscosity.xsph;
        left.max(0.0) * h * h / (LAMINAR_EIGENVALUE * dt)
    }

    /// Longest step up to `longest` that is stable with the viscosity, s.
    fn viscous_step(&self, longest: f64) -> f64 {
        let viscosity = self.viscosity.kinematic;
        if viscosity == 0.0 || viscosity <= self.stable_viscosity(longest) {
            return longest;
        }
        let (mut stable, mut unstable) = (0.0, longest);
        for _ in 0..60 {
            let middle = 0.5 * (stable + unstable);
            if viscosity <= self.stable_viscosity(middle) { stable = middle } else { unstable = middle }
        }
        stable
    }

    /// Longest step that the scene and the explicit parts allow, s.
    pub fn longest_step(&self) -> f64 {
        let falling = GRAVITY_SHARE * (self.support_radius() / self.gravity.length()).sqrt();
        self.viscous_step(self.time_step.maximum.min(falling).min(self.acoustic_step()))
    }

    /// Step in which the fastest particle travels `cfl` of a particle diameter, s, if it moves with `speed` at the beginning and gravity
    /// accelerates it: the smaller root of `(speed + |g| dt) dt = cfl · 2r`.
    fn cfl_step(&self, speed: f64) -> f64 {
        let way = self.time_step.cfl * 2.0 * self.particle_radius;
        let acceleration = self.gravity.length();
        2.0 * way / (speed + (speed * speed + 4.0 * acceleration * way).sqrt()).max(f64::MIN_POSITIVE)
    }
}

/// The length of the steps, which changes gradually. Part of a checkpoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepLength {
    /// What the last step would have been without an output time to land on, s; zero before the first.
    smooth: f64,
    /// What the CFL condition asked for in the last step, s.
    pub wanted: f64,
}

impl StepLength {
    /// Length of the next step, s, where the fluid moves with up to `speed` (m/s) and the next output is `left` seconds away. Steps up to there
    /// are planned equal: a step is either `left` or leaves room for whole steps of its length.
    pub fn next(&mut self, settings: &FluidSettings, speed: f64, left: f64) -> f64 {
        let (minimum, longest) = (settings.time_step.minimum, settings.longest_step());
        let wanted = settings.cfl_step(speed);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Fluid that strikes a wall is suddenly five times as fast, and later slow again.
    #[test]
    fn the_step_follows_a_jump_of_the_speed_gradually() {
        let settings = FluidSettings::new(0.02);
        let (mut length, mut steps) = (StepLength::default(), Vec::new());
        let speeds = [(4.5, 20), (5.5, 40), (20.0, 40), (4.5, 60)];
        for (speed, count) in speeds {
            for _ in 0..count {
                steps.push(length.next(&settings, speed, f64::INFINITY));
                assert!(steps[steps.len() - 1] <= 1.5 * length.wanted * (1.0 + 1e-9), "{steps:?}");
            }
        }
        let ratios: Vec<f64> = steps.windows(2).map(|pair| pair[1] / pair[0]).collect();
        // Only the jump to many times the speed may shorten the step at once: to half as much again as the CFL condition.
        let jumps = ratios.iter().filter(|&&ratio| ratio < 0.9 * (1.0 - 1e-9)).count();
        assert_eq!(jumps, 1, "{ratios:?}");
        assert!(ratios.iter().all(|&ratio| ratio <= 1.05 * (1.0 + 1e-9)), "{ratios:?}");
        assert!(steps[59] < 0.9 * steps[19] && steps[99] < 0.35 * steps[59] && steps[159] > 0.99 * steps[19], "{steps:?}");
    }

    /// Whatever is left to the next output is divided into equal steps, and no sliver remains.
    #[test]
    fn steps_land_on_outputs_in_equal_parts() {
        let settings = FluidSettings::new(0.02);
        for left in [1e-6, 0.003, 0.0101, 0.02, 0.05] {
            let (mut length, mut left, mut steps) = (StepLength::default(), left, Vec::new());
            while left > 1e-12 {
                let dt = length.next(&settings, 2.0, left);
                (left, steps) = (left - dt, [steps, vec![dt]].concat());
            }
            assert!(steps.iter().all(|dt| (dt / steps[0] - 1.0).abs() < 1e-6), "{steps:?}");
        }
    }
}
