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
    /// The layers of a box, from the bottom to the top.
    pub layers: Option<Layers>,
}

/// Layers of particles in a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layers {
    pub count: usize,
    /// Height of a layer, m.
    pub height: f64,
    /// The coordinate that is vertical.
    pub axis: usize,
    /// Where the box begins and ends along that axis, m.
    pub span: [f64; 2],
}

impl Layers {
    /// Coordinate at which the topmost layer ends, m.
    fn level(&self) -> f64 {
        self.span[0] + self.height * self.count as f64
    }

    /// Difference between the level and the end of the box, m.
    fn error(&self) -> f64 {
        self.level() - self.span[1]
    }
}

impl FillOutcome {
    /// Volume of the particles relative to that of the shape, minus one.
    fn error(&self) -> f64 {
        self.particle_volume / self.shape_volume - 1.0
    }

    fn is_as_wanted(&self) -> bool {
        let level_error = self.layers.map_or(0.0, |layers| layers.error());
        self.error().abs() <= VOLUME_TOLERANCE && level_error.abs() <= LEVEL_TOLERANCE * self.particle_diameter
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
        match (self.layers, self.levels(origin)) {
            (Some(Layers { count, height, .. }), Some((axis, [found, wanted]))) if found != wanted => {
                let [low, high] = [count, count + 1].map(|count| significant(count as f64 * height));
                let height = significant(height);
                text += &format!(" and reach up to {axis} = {found} instead of {wanted}: layers are {height} m high; ");
                text += &format!("a box {low} m or {high} m high has a whole number of layers");
            }
            _ => text += &format!(": particles {} m in diameter follow the shape only roughly", significant(self.particle_diameter)),
        }
        Some(text)
    }

    /// Volumes of the particles and of the shape.
    fn volumes(&self) -> [String; 2] {
        [self.particle_volume, self.shape_volume].map(|volume| format!("{} m³", significant(volume)))
    }

    /// The name of the vertical axis, and where the particles and the box end along it.
    fn levels(&self, origin: DVec3) -> Option<(&'static str, [String; 2])> {
        let layers = self.layers?;
        let levels = [layers.level(), layers.span[1]].map(|level| format!("{} m", significant(level + origin[layers.axis])));
        Some((axis_name(layers.axis), levels))
    }
}

fn axis_name(axis: usize) -> &'static str {
    ["x", "y", "z"][axis]
}
