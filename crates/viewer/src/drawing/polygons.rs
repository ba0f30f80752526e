//! Flat polygons, all in one draw call: each triangle is an instance of one triangle, stretched and rotated.

use std::{cell::RefCell, rc::Rc};

use glam::{DVec3, Mat3, Vec3};
use kiss3d::{
    prelude::{Color, InstanceData3d, SceneNode3d},
    resource::GpuMesh3d,
    window::Window,
};
use plimsoll_contract::frame::{Frame, PolygonFrame};
use plimsoll_shape::polygon::triangulate;

use super::particles::color_of;
use crate::color::{ColorField, ValueRange, linear};

/// Color of the polygon sides, sRGB, and their width in pixels.
const SIDE: [f32; 3] = [0.15, 0.18, 0.22];
const SIDE_WIDTH: f32 = 1.0;

/// The polygons in a kiss3d scene.
pub struct PolygonDrawing {
    node: SceneNode3d,
    /// Ends of the sides, meters.
    sides: Vec<[Vec3; 2]>,
}

impl PolygonDrawing {
    pub fn new(scene: &mut SceneNode3d) -> Self {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
        let mesh = GpuMesh3d::new(corners, vec![[0, 1, 2]], Some(vec![Vec3::Z; 3]), None, false);
        let mut node = SceneNode3d::mesh(Rc::new(RefCell::new(mesh)), Vec3::ONE);
        node.enable_backface_culling(false);
        node.set_color(Color::new(1.0, 1.0, 1.0, 1.0)).set_roughness(0.9).set_reflectance(0.1).set_casts_shadows(false);
        scene.add_child(node.clone());
        Self { node, sides: Vec::new() }
    }

    /// Places the polygons of `frame`, colored by `field` over `range`.
    pub fn update(&mut self, frame: &Frame, colors: Option<(&ColorField, ValueRange)>) {
        let polygons = &frame.polygons;
        self.node.set_visible(!polygons.is_empty());
        let mut instances = Vec::new();
        self.sides.clear();
        for index in 0..polygons.len() {
            let corners: Vec<Vec3> = polygons.polygon(index).iter().map(|&corner| Vec3::from(corner)).collect();
            let [red, green, blue] = linear(color_of(colors, index));
            let flat: Vec<DVec3> = corners.iter().map(|corner| corner.as_dvec3()).collect();
            instances.extend(triangulate(&flat).into_iter().map(|triangle| {
                let [a, b, c] = triangle.map(|corner| corners[corner]);
                InstanceData3d {
                    position: a,
                    deformation: Mat3::from_cols(b - a, c - a, Vec3::Z),
                    color: Color::new(red, green, blue, 1.0),
                    ..Default::default()
                }
            }));
            self.sides.extend((0..corners.len()).map(|side| [corners[side], corners[(side + 1) % corners.len()]]));
        }
        self.node.set_instances(&instances);
    }

    /// Draws the sides, which kiss3d forgets after each picture.
    pub fn draw_lines(&self, window: &mut Window) {
        let [red, green, blue] = linear(SIDE);
        for &[from, to] in &self.sides {
            window.draw_line(from, to, Color::new(red, green, blue, 1.0), SIDE_WIDTH, false);
        }
    }
}

/// All points of the polygons, meters.
pub fn points(polygons: &PolygonFrame) -> impl Iterator<Item = Vec3> {
    polygons.positions.iter().map(|&position| Vec3::from(position))
}
