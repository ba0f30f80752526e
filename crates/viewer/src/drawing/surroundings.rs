//! Surroundings of the scene: floor, sky, light and haze.

use glam::Vec3;
use image::{DynamicImage, Rgb32FImage};
use kiss3d::{
    light::{Fog, Light},
    post_processing::Tonemap,
    prelude::{Color, SceneNode3d},
    window::Window,
};
use plimsoll_base::math::Aabb;

use crate::{appearance::Appearance, camera::is_flat, color::linear};

/// All lengths are in sizes of the scene.
const FLOOR_HALF_WIDTH: f32 = 40.0;
const FLOOR_GAP: f32 = 0.003;
const HAZE: [f32; 2] = [3.5, 14.0];

const SUN: f32 = 1.85;
/// Light that the floor reflects, relative to the sky at the horizon.
const BOUNCED: f32 = 0.55;
/// The sky overhead relative to the horizon, per channel.
const ZENITH: [f32; 3] = [0.28, 0.44, 0.72];
const SKY_SIZE: [u32; 2] = [8, 64];

/// Builds the surroundings of what is within `bounds`.
pub fn build(window: &mut Window, scene: &mut SceneNode3d, bounds: &Aabb, appearance: &Appearance) {
    let size = bounds.extent().length() as f32;
    let horizon = linear(appearance.background);
    let haze = Color::new(horizon[0], horizon[1], horizon[2], 1.0);
    window.set_background_color(haze);
    window.set_skybox_image(&sky(horizon, is_flat(bounds)));
    window.set_ambient(0.0);
    window.set_fog(Fog::linear(haze, HAZE[0] * size, HAZE[1] * size));
    window.set_tonemap(Tonemap::Neutral);
    window.set_shadow_resolution(1024);
    window.set_shadow_distance(4.0 * size);
    let sun = Light::directional(-appearance.light.as_vec3()).with_intensity(SUN).with_color(Color::new(1.0, 0.97, 0.92, 1.0));
    scene.add_light(sun);
    // A flat scene is not seen from above.
    if appearance.floor && !is_flat(bounds) {
        let height = appearance.floor_height.unwrap_or(bounds.min.y) as f32 - FLOOR_GAP * size;
        let side = 2.0 * FLOOR_HALF_WIDTH * size;
        let mut floor = scene.add_cube(side, FLOOR_GAP * size, side);
        let center = bounds.center().as_vec3();
        floor.set_position(Vec3::new(center.x, height - 0.5 * FLOOR_GAP * size, center.z));
        let albedo = horizon.map(|channel| 0.92 * channel);
        floor.set_color(Color::new(albedo[0], albedo[1], albedo[2], 1.0)).set_roughness(0.95).set_reflectance(0.1);
        floor.set_casts_shadows(false);
    }
}

/// Light from all directions; the row of the picture is the angle from the zenith. Blue overhead, `horizon` at the horizon, and light
/// reflected by the floor below; if `plain`, the same as at the horizon everywhere.
fn sky(horizon: [f32; 3], plain: bool) -> DynamicImage {
    let [width, height] = SKY_SIZE;
    let mut rows = Rgb32FImage::new(width, height);
    for (_, row, pixel) in rows.enumerate_pixels_mut() {
        let elevation = 1.0 - 2.0 * (row as f32 + 0.5) / height as f32;
        pixel.0 = std::array::from_fn(|channel| {
            let overhead = horizon[channel] * ZENITH[channel];
            if plain {
                horizon[channel]
            } else if elevation >= 0.0 {
                horizon[channel] + (overhead - horizon[channel]) * (2.2 * elevation).min(1.0)
            } else {
                horizon[channel] * BOUNCED
            }
        });
    }
    DynamicImage::ImageRgb32F(rows)
}
