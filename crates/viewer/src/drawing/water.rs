//! The fluid surface as clear water. It reflects the sky at grazing angles and shows what is below, refracted and tinted.
//!
//! A layer of thickness s transmits `exp(-σ s)` of the light (Beer and Lambert), so deep water is dark and drops are clear. kiss3d supports
//! one thickness per object, so the surface is divided into objects of about equal thickness. Fluids with a color are tinted with it, and cloudier.

use std::{cell::RefCell, rc::Rc};

use glam::Vec3;
use kiss3d::{
    prelude::{Color, SceneNode3d},
    resource::GpuMesh3d,
};

use crate::color::linear;

/// Index of refraction of water.
const REFRACTION: f32 = 1.33;
/// Reflectance at normal incidence is 0.16 times this squared: 0.02.
const REFLECTANCE: f32 = 0.36;
/// Share of the light that is transmitted rather than scattered back.
const CLEARNESS: f32 = 0.86;
/// Color of the back-scattered light, linear.
const SCATTERED: [f32; 3] = [0.05, 0.30, 0.42];
/// Color of white light after [`DEPTH`], linear.
const TINT: [f32; 3] = [0.07, 0.42, 0.58];
/// The same as [`CLEARNESS`] for fluids with a color.
const COLORED_CLEARNESS: f32 = 0.6;
/// Least share of each channel in their tint: black would absorb everything.
const LEAST_TINT: f32 = 0.02;
/// Attenuation depth, in sizes of the scene.
const DEPTH: f32 = 0.22;
/// How far behind the surface the refracted ray samples the background, in sizes of the scene.
const BENDING: f32 = 0.03;
/// Number of objects into which the surface is divided.
const LAYERS: usize = 40;
/// Thickness of the thickest layer, in sizes of the scene.
const THICKEST: f32 = 0.35;

/// The water in a kiss3d scene.
#[derive(Default)]
pub struct WaterDrawing {
    nodes: Vec<SceneNode3d>,
}

/// A closed surface with a normal at each vertex.
#[derive(Clone, Debug, Default)]
pub struct WaterMesh {
    /// Number of the fluid.
    pub material: u32,
    /// Meters.
    pub positions: Vec<Vec3>,
    /// Unit length.
    pub normals: Vec<Vec3>,
    /// Meters of water behind each vertex.
    pub thicknesses: Vec<f32>,
    pub triangles: Vec<[u32; 3]>,
}

impl WaterDrawing {
    /// Shows `meshes` in a scene of `size` meters; `color` gives that of a fluid (sRGB), if it does not look like water.
    pub fn update(&mut self, scene: &mut SceneNode3d, meshes: &[WaterMesh], color: impl Fn(u32) -> Option<[f32; 3]>, size: f32) {
        for mut node in self.nodes.drain(..) {
            node.detach();
        }
        for mesh in meshes {
            let look = color(mesh.material).map_or(LiquidLook::WATER, LiquidLook::colored);
            for (layer, triangles) in layers(mesh, THICKEST * size).into_iter().enumerate().filter(|(_, triangles)| !triangles.is_empty()) {
                let mut node = scene.add_mesh(Rc::new(RefCell::new(part(mesh, &triangles))), Vec3::ONE);
                look.paint(&mut node, size, thickness(layer, THICKEST * size));
                self.nodes.push(node);
            }
        }
    }
}

/// Mean thickness of layer number `layer`, meters. Thin layers differ less from each other than thick ones.
fn thickness(layer: usize, thickest: f32) -> f32 {
    thickest * ((layer as f32 + 0.5) / LAYERS as f32).powi(2)
}

/// The triangles of each layer.
fn layers(mesh: &WaterMesh, thickest: f32) -> Vec<Vec<[u32; 3]>> {
    let mut layers = vec![Vec::new(); LAYERS];
    for &triangle in &mesh.triangles {
        let mean = triangle.iter().map(|&vertex| mesh.thicknesses[vertex as usize]).sum::<f32>() / 3.0;
        let layer = (mean / thickest).max(0.0).sqrt() * LAYERS as f32;
        layers[(layer as usize).min(LAYERS - 1)].push(triangle);
    }
    layers
}

/// `triangles` with only the vertices they use.
fn part(mesh: &WaterMesh, triangles: &[[u32; 3]]) -> GpuMesh3d {
    let mut places = vec![u32::MAX; mesh.positions.len()];
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut place = |vertex: u32| {
        let place = &mut places[vertex as usize];
        if *place == u32::MAX {
            *place = positions.len() as u32;
            positions.push(mesh.positions[vertex as usize]);
            normals.push(mesh.normals[vertex as usize]);
        }
        *place
    };
    let faces = triangles.iter().map(|triangle| triangle.map(&mut place)).collect();
    GpuMesh3d::new(positions, faces, Some(normals), None, false)
}

/// How a fluid looks.
struct LiquidLook {
    /// Color of the back-scattered light, linear.
    scattered: [f32; 3],
    /// Color of white light after [`DEPTH`], linear.
    tint: [f32; 3],
    /// Share of the light that is transmitted rather than scattered back.
    clearness: f32,
}

impl LiquidLook {
    const WATER: Self = Self { scattered: SCATTERED, tint: TINT, clearness: CLEARNESS };

    /// A fluid of this `color` (sRGB).
    fn colored(color: [f32; 3]) -> Self {
        let scattered = linear(color);
        Self { scattered, tint: scattered.map(|channel| channel.max(LEAST_TINT)), clearness: COLORED_CLEARNESS }
    }

    fn paint(&self, node: &mut SceneNode3d, size: f32, thickness: f32) {
        let color = |[red, green, blue]: [f32; 3]| Color::new(red, green, blue, 1.0);
        node.set_color(color(self.scattered)).set_roughness(0.05).set_reflectance(REFLECTANCE);
        node.set_transmission(self.clearness).set_ior(REFRACTION).set_thickness(BENDING * size);
        // The path of the refracted ray is the same for all layers, so that what is seen through them matches; only the tint differs.
        node.set_attenuation(color(self.tint), DEPTH * size * BENDING * size / thickness);
        node.set_casts_shadows(false);
    }
}
