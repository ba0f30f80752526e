//! Warnings of what the setup of a simulation has found.

use plimsoll_base::math::format::significant;
use plimsoll_contract::simulator::SetupWarning;

use crate::{FluidSimulation, gaps::NarrowGap};

/// Share of the longest step below which moorings make steps very short.
const SHORT_STEP: f64 = 0.1;

impl FluidSimulation {
    /// Fills whose volume or level is not what the scene gives, particles without room, moorings that will shorten the steps, and gaps
    /// that are too narrow.
    pub(super) fn setup_warnings(&self) -> Vec<SetupWarning> {
        if self.steps > 0 {
            return Vec::new();
        }
        let of_fill =
            |(index, text): (usize, Option<String>)| Some(SetupWarning { key: format!("fluid.fill[{}]", index + 1), text: text? });
        let fills = self.fills.iter().map(|fill| fill.warning(self.settings.origin)).enumerate().filter_map(of_fill);
        let dropped = self.relaxation.warning().map(|text| SetupWarning { key: "fluid.fill".to_owned(), text });
        let moorings = self.bodies.mooring_speeds().enumerate().filter_map(|(index, (speed, text))| {
            let text = self.short_step_warning(speed, &text)?;
            Some(SetupWarning { key: format!("mooring[{}]", index + 1), text })
        });
        let of_gap = |gap: &NarrowGap| SetupWarning { key: format!("body[{}]", gap.body + 1), text: self.describe_gap(gap) };
        let gaps: Vec<SetupWarning> = self.narrow_gaps().iter().map(of_gap).collect();
        fills.chain(dropped).chain(moorings).chain(gaps).collect()
    }

    /// A warning if a body with this `speed` (m/s) makes steps very short.
    fn short_step_warning(&self, speed: f64, cause: &str) -> Option<String> {
        let time_step = &self.settings.time_step;
        let step = 2.0 * time_step.cfl * self.settings.particle_radius / speed;
        (step < SHORT_STEP * time_step.maximum).then(|| {
            format!(
                "{cause}, up to a speed of {} m/s: steps of about {} s instead of up to {} s; a longer line or a lower `axial_stiffness` pulls less",
                significant(speed),
                significant(step),
                significant(time_step.maximum)
            )
        })
    }
}
