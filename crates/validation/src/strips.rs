//! Linear strip theory for hulls with semicircular sections: the motion of a hull that is let go, with the memory of the waves it makes
//! (Cummins 1962).

use std::f64::consts::{FRAC_PI_2, PI};

/// `ω² r/g` of a heaving, half immersed circular cylinder of radius r in deep water, and its damping over the displaced mass and the
/// frequency: the potential of Ursell (1949), a wave source and wave-free multipoles, fitted to the motion of the section. The limit at
/// zero is 8/π. The added mass over the displaced mass that belongs to it is 1 at infinity, 0.605 at 1 and 0.596 at its minimum near 0.8.
const DAMPING: [(f64, f64); 30] = [
    (0.0, 8.0 / PI),
    (0.01, 2.3799),
    (0.02, 2.265),
    (0.04, 2.0881),
    (0.07, 1.8896),
    (0.1, 1.7351),
    (0.15, 1.5336),
    (0.2, 1.3752),
    (0.25, 1.2447),
    (0.3, 1.134),
    (0.4, 0.9536),
    (0.5, 0.8115),
    (0.6, 0.6961),
    (0.7, 0.6007),
    (0.8, 0.5209),
    (0.9, 0.4536),
    (1.0, 0.3963),
    (1.2, 0.3057),
    (1.4, 0.2386),
    (1.6, 0.1882),
    (1.8, 0.1501),
    (2.0, 0.1208),
    (2.5, 0.0729),
    (3.0, 0.0461),
    (3.5, 0.0303),
    (4.0, 0.0207),
    (5.0, 0.0104),
    (6.0, 0.0058),
    (8.0, 0.0021),
    (10.0, 0.0009),
];
/// Frequencies up to the end of the table, and steps until the end.
const FREQUENCIES: u32 = 500;
const STEPS: usize = 800;

/// A slice of the hull across.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Radius and length along the hull, m.
    pub radius: f64,
    pub length: f64,
    /// How far the section moves up per unit of the motion.
    pub lever: f64,
}

/// A hull with one motion: heave (m) or pitch (rad).
#[derive(Clone, Debug)]
pub struct Strips {
    pub sections: Vec<Section>,
    /// Force or torque of the water at rest, and mass or moment of inertia, per unit of the motion.
    pub stiffness: f64,
    pub inertia: f64,
    /// Of the water, kg/m³.
    pub density: f64,
    /// m/s²
    pub gravity: f64,
}

impl Strips {
    /// Sum over the sections of what each has per displaced mass.
    fn sum(&self, share: impl Fn(&Section) -> f64) -> f64 {
        let displaced = |section: &Section| self.density * FRAC_PI_2 * section.radius.powi(2) * section.length;
        self.sections.iter().map(|section| share(section) * displaced(section) * section.lever.powi(2)).sum()
    }

    /// Damping at the frequency `omega` (1/s).
    fn damping(&self, omega: f64) -> f64 {
        self.sum(|section| omega * damping(omega * omega * section.radius / self.gravity))
    }

    /// Force after a time (s) per unit of a displacement at time zero, `2/π ∫ B cos ωt dω`, at multiples of `dt` (s).
    fn memory(&self, dt: f64, steps: usize) -> Vec<f64> {
        let largest = self.sections.iter().map(|section| section.radius).fold(0.0, f64::max);
        let (last, _) = DAMPING[DAMPING.len() - 1];
        let spacing = (last * self.gravity / largest).sqrt() / f64::from(FREQUENCIES);
        let spectrum: Vec<(f64, f64)> =
            (1..=FREQUENCIES).map(|i| spacing * f64::from(i)).map(|omega| (omega, self.damping(omega))).collect();
        let at = |time: f64| spectrum.iter().map(|(omega, damping)| damping * (omega * time).cos()).sum::<f64>();
        (0..steps).map(|step| spacing / FRAC_PI_2 * at(dt * step as f64)).collect()
    }

    /// Times (s) until `end` and displacements over that at the start of a hull let go from rest.
    pub fn let_go(&self, end: f64) -> Vec<(f64, f64)> {
        let dt = end / STEPS as f64;
        let memory = self.memory(dt, STEPS);
        // At infinite frequency, a half immersed circle has the displaced mass as added mass.
        let inertia = self.inertia + self.sum(|_| 1.0);
        let (mut place, mut speeds, mut motion) = (1.0, vec![0.0], vec![(0.0, 1.0)]);
        for step in 1..=STEPS {
            let speed = speeds[step - 1];
            let past =
                speeds.iter().zip(memory[..step].iter().rev()).map(|(speed, memory)| speed * memory).sum::<f64>() - 0.5 * memory[0] * speed;
            let speed = speed - dt * (self.stiffness * place + dt * past) / inertia;
            place += dt * speed;
            speeds.push(speed);
            motion.push((dt * step as f64, place));
        }
        motion
    }
}

/// The table, linear in between and zero beyond.
fn damping(frequency: f64) -> f64 {
    let after = DAMPING.partition_point(|(at, _)| *at <= frequency);
    if after == 0 || after == DAMPING.len() {
        return 0.0;
    }
    let ((a, low), (b, high)) = (DAMPING[after - 1], DAMPING[after]);
    low + (high - low) * (frequency - a) / (b - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_belongs_to_the_added_mass_of_ursell() {
        let section = Section { radius: 1.0, length: 1.0, lever: 1.0 };
        let strips = Strips { sections: vec![section], stiffness: 1.0, inertia: 1.0, density: 1.0, gravity: 1.0 };
        let (dt, steps) = (0.02, 5000);
        let memory = strips.memory(dt, steps);
        // Kramers and Kronig: A(ω) = A(∞) − 1/ω ∫ K sin ωt dt.
        for (frequency, expected) in [(1.0_f64, 0.605), (2.0, 0.7266), (0.5, 0.6446)] {
            let omega = frequency.sqrt();
            let integral: f64 = memory.iter().enumerate().map(|(step, value)| dt * value * (omega * dt * step as f64).sin()).sum();
            let found = 1.0 - integral / omega / FRAC_PI_2;
            assert!((found - expected).abs() < 0.02, "{frequency}: {found}, expected {expected}");
        }
    }

    #[test]
    fn without_waves_a_hull_swings_for_ever() {
        let section = Section { radius: 1.0, length: 1.0, lever: 1.0 };
        let strips = Strips { sections: vec![section], stiffness: 4.0, inertia: 1.0, density: 0.0, gravity: 1.0 };
        let motion = strips.let_go(6.0);
        for (time, place) in motion {
            assert!((place - (2.0 * time).cos()).abs() < 0.02, "{time}: {place}");
        }
    }
}
