//! A paddle and its waves in words, for `plimsoll check`.

use std::f64::consts::PI;

use plimsoll_base::math::format::{grouped, significant};

use super::{LinearWave, Paddle, WaveMaker, Waves};

impl WaveMaker {
    /// What the paddle will do, one line each; lengths are also given in units of `particle_diameter` (m).
    pub fn describe(&self, particle_diameter: f64) -> Vec<String> {
        let (wave, height) = (self.dominant(), self.waves().height());
        let in_diameters = |length: f64| significant(length / particle_diameter);
        vec![
            self.describe_waves(),
            format!(
                "wavelength {} m, kh {} ({}), celerity {} m/s, group velocity {} m/s",
                significant(wave.length()),
                significant(wave.relative_depth()),
                regime(wave),
                significant(wave.celerity()),
                significant(wave.group_velocity())
            ),
            format!("{}, {}", self.describe_stroke(), self.describe_steepness()),
            format!("height {} particle diameters, wavelength {}", in_diameters(height), in_diameters(wave.length())),
        ]
    }

    fn describe_waves(&self) -> String {
        match self.waves() {
            Waves::Regular(regular) => {
                let order = if regular.second_order { "second" } else { "first" };
                format!("regular, height {} m, period {} s, {order} order", significant(regular.height), significant(regular.period))
            }
            Waves::Irregular(irregular) => format!(
                "irregular, significant height {} m, peak period {} s, γ {}, {} components, seed {}",
                significant(irregular.significant_height),
                significant(irregular.peak_period),
                significant(irregular.peak_enhancement),
                grouped(irregular.components as u64),
                irregular.seed
            ),
        }
    }

    fn describe_stroke(&self) -> String {
        let name = if matches!(self.waves(), Waves::Regular(_)) { "stroke" } else { "significant stroke" };
        let stroke = format!("{name} {} m", significant(self.stroke()));
        match (self.paddle(), self.angle()) {
            (Paddle::Flap { hinge, .. }, Some(angle)) => {
                format!("flap hinged {} m above the bottom, {stroke} (±{}°)", significant(*hinge), significant(angle.to_degrees()))
            }
            _ => format!("piston, {stroke}"),
        }
    }

    fn describe_steepness(&self) -> String {
        let (wave, height) = (self.dominant(), self.waves().height());
        format!(
            "steepness {} (breaking {}), Ursell number {} ({})",
            significant(height / wave.length()),
            significant(wave.breaking_height() / wave.length()),
            significant(self.ursell()),
            if self.is_long() { "cnoidal: not permanent" } else { "Stokes" }
        )
    }
}

/// Whether the water is deep for the wave.
fn regime(wave: &LinearWave) -> &'static str {
    match wave.relative_depth() {
        kh if kh < 0.1 * PI => "shallow water",
        kh if kh > PI => "deep water",
        _ => "intermediate depth",
    }
}
