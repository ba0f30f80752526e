//! How a picture is drawn: settings of the scene and of the command line combined.

use glam::DVec3;
use plimsoll_scene::{BodyLook, MaterialLook, ParticleStyle, PictureSettings};

use super::color::{Category, MATERIAL, ValueRange};

/// A pale sky.
const BACKGROUND: [f32; 3] = [0.93, 0.945, 0.955];
/// From above, front left.
const LIGHT: DVec3 = DVec3::new(-0.35, 1.0, 0.55);

/// All settings of one picture.
#[derive(Clone, Debug)]
pub struct Appearance {
    /// Particles, points or a surface.
    pub style: ParticleStyle,
    /// Name of the field that colors particles.
    pub color_by: String,
    /// Range of the color scale; if absent, the range of the frames seen so far.
    pub range: Option<ValueRange>,
    /// Whether the color legend is drawn.
    pub legend: bool,
    /// sRGB, 0 to 1.
    pub background: [f32; 3],
    /// Direction towards the light, unit length.
    pub light: DVec3,
    /// Whether a floor is drawn.
    pub floor: bool,
    /// Meters; below everything if absent.
    pub floor_height: Option<f64>,
    /// Appearance of individual bodies.
    pub bodies: Vec<BodyLook>,
    /// The fluids, if there are several.
    pub materials: Vec<MaterialLook>,
    /// Whether light is traced, which reaches things from all sides. Then particles are full spheres, and see-through bodies keep only the
    /// faces that point to the camera.
    pub traced: bool,
    /// Size at which particles are drawn, relative to their actual size.
    pub particle_scale: f32,
}

impl Appearance {
    /// Takes `settings`, with defaults for what they do not set.
    pub fn new(settings: &PictureSettings) -> Self {
        let several = settings.materials.len() > 1;
        Self {
            style: settings.style.unwrap_or(ParticleStyle::Particles),
            color_by: settings.color_by.clone().unwrap_or_else(|| if several { MATERIAL } else { "velocity" }.to_owned()),
            range: None,
            legend: true,
            background: settings.background.unwrap_or(BACKGROUND),
            light: settings.light.unwrap_or(LIGHT.normalize()),
            floor: settings.floor.unwrap_or(true),
            floor_height: settings.floor_height,
            bodies: settings.bodies.clone(),
            materials: settings.materials.clone(),
            traced: false,
            particle_scale: 1.0,
        }
    }

    /// Color of the surface of fluid `index`, sRGB; `None` for one that looks like water.
    pub(super) fn material_color(&self, index: usize) -> Option<[f32; 3]> {
        match self.materials.as_slice() {
            [] => None,
            [material] => material.color,
            materials => Some(Category::of(index, materials.get(index)).color),
        }
    }

    pub(super) fn of_body(&self, name: &str) -> Option<&BodyLook> {
        self.bodies.iter().find(|body| body.name == name)
    }
}
