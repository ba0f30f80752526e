//! The surface of the fluid as clear water: it mirrors the sky at flat angles and shows, bent and tinted, what is below.

use std::{cell::RefCell, rc::Rc};

use glam::Vec3;
use kiss3d::{
    prelude::{Color, SceneNode3d},
    resource::GpuMesh3d,
};

/// Index of refraction of water.
const REFRACTION: f32 = 1.33;
/// Reflectance at right angles is 0.16 times this squared: 0.02.
const REFLECTANCE: f32 = 0.36;
/// Light left of white after [`DEPTH`], linear.
const TINT: [f32; 3] = [0.22, 0.62, 0.78];
/// Way of the light through the water, in sizes of the scene.
const DEPTH: f32 = 0.08;

/// The water in a scene of kiss3d.
#[derive(Default)]
pub struct WaterDrawing {
    node: Option<SceneNode3d>,
}

/// A closed surface with a normal at each vertex.
#[derive(Clone, Debug, Default)]
pub struct WaterMesh {
    /// Metres.
    pub positions: Vec<Vec3>,
    /// Of length one.
    pub normals: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl WaterDrawing {
    /// Shows `mesh`, or nothing, in a scene of `size` metres.
    pub fn update(&mut self, scene: &mut SceneNode3d, mesh: Option<&WaterMesh>, size: f32) {
        if let Some(mut node) = self.node.take() {
            node.detach();
        }
        let Some(mesh) = mesh.filter(|mesh| !mesh.triangles.is_empty()) else { return };
        let mesh = GpuMesh3d::new(mesh.positions.clone(), mesh.triangles.clone(), Some(mesh.normals.clone()), None, false);
        let mut node = scene.add_mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE);
        node.set_color(Color::new(0.10, 0.35, 0.45, 1.0)).set_roughness(0.06).set_reflectance(REFLECTANCE);
        node.set_transmission(0.92).set_ior(REFRACTION).set_thickness(DEPTH * size);
        node.set_attenuation(Color::new(TINT[0], TINT[1], TINT[2], 1.0), DEPTH * size);
        node.set_casts_shadows(false);
        self.node = Some(node);
    }
}
