//! What a fill was to contain, and what its particles make of it.

use glam::DVec3;
use plimsoll_base::math::format::significant;

/// Difference of volume from which on a warning is shown, as a share of the volume.
const VOLUME_TOLERANCE: f64 = 0.02;
/// The same for the level, in particle diameters.
const LEVEL_TOLERANCE: f64 = 0.25;

/// A fill before relaxation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FillOutcome {
    /// Volume of the shape outside the bodies, m³.
    pub shape_volume: f64,
    /// Volume of the particles, m³.
    pub particle_volume: f64,
    /// m
    pub particle_diameter: f64,
    /// Of a box that is filled from the bottom.
    pub span: Option<Span>,
}

/// Where a box begins and ends along the vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The coordinate that is vertical.
    pub axis: usize,
    /// m
    pub bottom: f64,
    /// m
    pub top: f64,
}

impl FillOutcome {
    /// Volume of the particles relative to that of the shape, minus one.
    fn error(&self) -> f64 {
        self.particle_volume / self.shape_volume - 1.0
    }

    /// Height that particles are missing in a box, or that they are too high, m.
    fn level_error(&self) -> f64 {
        self.span.map_or(0.0, |span| (span.top - span.bottom) * self.error())
    }

    /// Whether volume and level are those of the shape, within tolerances.
    pub fn is_as_wanted(&self) -> bool {
        self.error().abs() <= VOLUME_TOLERANCE && self.level_error().abs() <= LEVEL_TOLERANCE * self.particle_diameter
    }

    /// Volume and level beside those of the shape; `origin` (m) is that of the scene.
    pub fn describe(&self, origin: DVec3) -> String {
        let of = |[found, wanted]: [String; 2]| if found == wanted { found } else { format!("{found} of {wanted}") };
        let volume = of(self.volumes());
        volume + &self.levels(origin).map_or_else(String::new, |(axis, levels)| format!(", up to {axis} = {}", of(levels)))
    }

    /// What a user should know who expects the shape to be full.
    pub fn warning(&self, origin: DVec3) -> Option<String> {
        if self.is_as_wanted() {
            return None;
        }
        let [found, wanted] = self.volumes();
        let mut text = format!("the particles have {found} instead of {wanted} ({:+.1} %)", 100.0 * self.error());
        if let Some((axis, [found, wanted])) = self.levels(origin).filter(|(_, [found, wanted])| found != wanted) {
            text += &format!(" and reach up to {axis} = {found} instead of {wanted}");
        }
        text += &format!(": particles {} m in diameter follow the shape only roughly", significant(self.particle_diameter));
        Some(text)
    }

    /// Volumes of the particles and of the shape.
    fn volumes(&self) -> [String; 2] {
        [self.particle_volume, self.shape_volume].map(|volume| format!("{} m³", significant(volume)))
    }

    /// The name of the vertical axis, and where the particles and the box end along it; None if they differ by more than a particle.
    fn levels(&self, origin: DVec3) -> Option<(&'static str, [String; 2])> {
        let Span { axis, top, .. } = self.span.filter(|_| self.level_error().abs() <= self.particle_diameter)?;
        let levels = [top + self.level_error(), top].map(|level| format!("{} m", significant(level + origin[axis])));
        Some((axis_name(axis), levels))
    }
}

fn axis_name(axis: usize) -> &'static str {
    ["x", "y", "z"][axis]
}
