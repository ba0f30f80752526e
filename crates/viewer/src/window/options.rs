//! Options of the window.

use std::path::PathBuf;

use plimsoll_scene::{ParticleStyle, PictureSettings};

use crate::appearance::Appearance;

/// Options of the window.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// A scene, or the folder of a run.
    pub source: PathBuf,
    /// Pixels.
    pub size: [u32; 2],
    /// Whether the simulation or the playback starts paused.
    pub paused: bool,
    /// Folder in which the user can choose scenes.
    pub scenes: PathBuf,
    /// Folder with OBJ meshes that can be dropped into the scene.
    pub meshes: PathBuf,
    /// Folder for saved pictures and films.
    pub recordings: PathBuf,
    /// Overrides the appearance of the scene.
    pub appearance: LookOptions,
}

/// Appearance settings that override those of the scene.
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
