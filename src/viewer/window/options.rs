//! What a window is opened with.

use std::path::PathBuf;

use crate::{
    scene::{ParticleStyle, PictureSettings},
    viewer::appearance::Appearance,
};

/// What a window is opened with.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// A scene, or the folder of a run.
    pub source: PathBuf,
    /// Pixels.
    pub size: [u32; 2],
    /// Whether the simulation starts paused.
    pub paused: bool,
    /// Folder in which scenes are looked for, to choose from.
    pub scenes: PathBuf,
    /// Folder with OBJ meshes that can be dropped into the scene.
    pub meshes: PathBuf,
    /// Folder for pictures and films.
    pub recordings: PathBuf,
    /// In place of what the scene says.
    pub appearance: LookOptions,
}

/// Choices of appearance that replace those of the scene.
#[derive(Clone, Debug, Default)]
pub struct LookOptions {
    /// Style of the particles; that of the scene if absent.
    pub style: Option<ParticleStyle>,
    /// Field that colors the particles; that of the scene if absent.
    pub color_by: Option<String>,
}

impl LookOptions {
    /// The appearance of a scene with these changes.
    pub(super) fn appearance(&self, settings: &PictureSettings) -> Appearance {
        let mut appearance = Appearance::new(settings);
        appearance.style = self.style.unwrap_or(appearance.style);
        if let Some(color_by) = &self.color_by {
            appearance.color_by.clone_from(color_by);
        }
        appearance
    }
}
