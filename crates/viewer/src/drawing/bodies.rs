//! Bodies as shaded meshes; those that contain the fluid are see-through.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use glam::{DVec3, Quat, Vec3};
use kiss3d::{
    prelude::{Color, SceneNode3d},
    resource::GpuMesh3d,
    window::Window,
};
use plimsoll_base::math::{Aabb, Domain, Pose};
use plimsoll_contract::frame::{BodyFrame, Frame};
use plimsoll_scene::Visibility;
use plimsoll_shape::TriangleMesh;

use super::{
    container::{self, Container},
    shading::{ShadedMesh, feature_edges},
};
use crate::{
    appearance::Appearance,
    color::{linear, palette},
};

/// Color of a body that contains the fluid, sRGB.
const CONTAINER: [f32; 3] = [0.80, 0.83, 0.86];
const GLASS: [f32; 4] = [0.55, 0.70, 0.78, 0.10];
const EDGE: [f32; 3] = [0.30, 0.36, 0.42];
const EDGE_WIDTH: f32 = 1.2;

type SharedMesh = Rc<RefCell<GpuMesh3d>>;

/// One body in a scene of kiss3d.
pub struct BodyDrawing {
    group: SceneNode3d,
    /// Mesh and color of a solid body, for its images.
    solid: Option<(SharedMesh, [f32; 3])>,
    /// Images of a body across periodic ends.
    images: Vec<SceneNode3d>,
    /// Used to detect when a body has been replaced by another.
    mesh: Arc<TriangleMesh>,
    /// Body coordinates.
    edges: Vec<[Vec3; 2]>,
    see_through: bool,
    pose: Pose,
}

/// All bodies of a frame.
pub struct BodyDrawings {
    list: Vec<BodyDrawing>,
}

impl BodyDrawings {
    pub fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Moves the bodies to their poses in `frame`. Redraws those that are new or look different from `eye`.
    pub fn update(&mut self, scene: &mut SceneNode3d, frame: &Frame, appearance: &Appearance, eye: Vec3) {
        for gone in self.list.drain(frame.bodies.len().min(self.list.len())..) {
            gone.remove();
        }
        for (index, body) in frame.bodies.iter().enumerate() {
            let stays = |drawn: &BodyDrawing| Arc::ptr_eq(&drawn.mesh, &body.mesh) && !(appearance.traced && drawn.see_through);
            if !self.list.get(index).is_some_and(stays) {
                let solid_before = self.list[..index].iter().filter(|drawn| !drawn.see_through).count();
                let drawn = BodyDrawing::new(scene, (body, frame), appearance, palette(solid_before), eye);
                if index < self.list.len() {
                    std::mem::replace(&mut self.list[index], drawn).remove();
                } else {
                    self.list.push(drawn);
                }
            }
        }
        self.place(scene, frame);
    }

    /// Moves the bodies to their poses in `frame`.
    pub fn place(&mut self, scene: &mut SceneNode3d, frame: &Frame) {
        for (drawn, body) in self.list.iter_mut().zip(&frame.bodies) {
            drawn.place(scene, body, &frame.particles.domain);
        }
    }

    /// Shows all bodies except those that `hidden` selects.
    pub fn hide(&mut self, hidden: impl Fn(usize) -> bool) {
        for (index, body) in self.list.iter_mut().enumerate() {
            std::iter::once(&mut body.group).chain(&mut body.images).for_each(|node| {
                node.set_visible(!hidden(index));
            });
        }
    }

    pub fn is_see_through(&self, index: usize) -> bool {
        self.list.get(index).is_some_and(|body| body.see_through)
    }

    /// Draws the lines, which kiss3d forgets after each picture.
    pub fn draw_lines(&self, window: &mut Window) {
        let [red, green, blue] = linear(EDGE);
        for body in &self.list {
            let place = |point: Vec3| body.pose.transform_point(point.as_dvec3()).as_vec3();
            for &[from, to] in &body.edges {
                window.draw_line(place(from), place(to), Color::new(red, green, blue, 1.0), EDGE_WIDTH, false);
            }
        }
    }
}

impl BodyDrawing {
    /// `color` is for a solid body without a color in the scene.
    fn new(scene: &mut SceneNode3d, (body, frame): (&BodyFrame, &Frame), appearance: &Appearance, color: [f32; 3], eye: Vec3) -> Self {
        let chosen = appearance.of_body(&body.name);
        let usual = || if container::hides_particles(body, frame) { Visibility::SeeThrough } else { Visibility::Solid };
        let chosen_color = chosen.and_then(|chosen| chosen.color);
        let mut group = scene.add_group();
        let (mut edges, mut solid) = (Vec::new(), None);
        let is_absent = body.mesh.triangles.is_empty();
        let visibility = if is_absent { Visibility::Hidden } else { chosen.and_then(|chosen| chosen.visibility).unwrap_or_else(usual) };
        match visibility {
            Visibility::Solid => {
                let mesh = Rc::new(RefCell::new(ShadedMesh::of(&body.mesh, |_| true).upload()));
                let color = chosen_color.unwrap_or(color);
                add_solid(&mut group, &mesh, color);
                solid = Some((mesh, color));
            }
            Visibility::SeeThrough => {
                edges = feature_edges(&body.mesh);
                let mut parts = Container::of(&body.mesh);
                if appearance.traced {
                    let eye = body.pose.inverse_transform_point(eye.as_dvec3()).as_vec3();
                    parts = Container { inner: parts.inner.facing(eye), outer: ShadedMesh::default() };
                }
                add_container(&mut group, parts, chosen_color.unwrap_or(CONTAINER));
            }
            Visibility::Hidden => {}
        }
        let see_through = visibility == Visibility::SeeThrough;
        Self { group, solid, images: Vec::new(), mesh: body.mesh.clone(), edges, see_through, pose: body.pose }
    }

    fn place(&mut self, scene: &mut SceneNode3d, body: &BodyFrame, domain: &Domain) {
        self.pose = body.pose;
        set_pose(&mut self.group, &body.pose);
        let Some((mesh, color)) = &self.solid else { return };
        let shifts = shifts_across_ends(body, domain);
        for mut gone in self.images.drain(shifts.len().min(self.images.len())..) {
            gone.detach();
        }
        while self.images.len() < shifts.len() {
            let mut image = scene.add_group();
            add_solid(&mut image, mesh, *color);
            self.images.push(image);
        }
        for (image, shift) in self.images.iter_mut().zip(shifts) {
            set_pose(image, &Pose::new(body.pose.rotation, body.pose.translation + shift));
        }
    }

    fn remove(mut self) {
        self.group.detach();
        self.images.iter_mut().for_each(SceneNode3d::detach);
    }
}

fn set_pose(node: &mut SceneNode3d, pose: &Pose) {
    node.set_position(pose.translation.as_vec3());
    node.set_rotation(Quat::from_array(pose.rotation.as_quat().to_array()));
}

/// Shifts (m) of the images of `body` that reach into `domain`; none for a body at least as long as a period, which covers it.
fn shifts_across_ends(body: &BodyFrame, domain: &Domain) -> Vec<DVec3> {
    if !domain.is_periodic() {
        return Vec::new();
    }
    let aabb = Aabb::around(body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex)));
    let along = |axis: &usize| domain.periodic[*axis];
    if (0..3).filter(along).any(|axis| aabb.extent()[axis] >= domain.size[axis]) {
        return Vec::new();
    }
    let reaches = |shift: &DVec3| {
        let (min, max) = (aabb.min + *shift, aabb.max + *shift);
        (0..3).filter(along).all(|axis| max[axis] > domain.low[axis] && min[axis] < domain.high()[axis])
    };
    domain.images().skip(1).map(|image| domain.shift(image)).filter(reaches).collect()
}

fn add_solid(group: &mut SceneNode3d, mesh: &SharedMesh, color: [f32; 3]) {
    let mut node = group.add_mesh(mesh.clone(), Vec3::ONE);
    // A sheet has two sides.
    node.enable_backface_culling(false);
    node.set_color(opaque(color)).set_roughness(0.45).set_reflectance(0.45);
}

fn add_container(group: &mut SceneNode3d, parts: Container, color: [f32; 3]) {
    if !parts.inner.is_empty() {
        add(group, parts.inner).set_color(opaque(color)).set_roughness(0.9).set_reflectance(0.2).set_casts_shadows(false);
    }
    if !parts.outer.is_empty() {
        let [red, green, blue, alpha] = GLASS;
        let glass = Color::new(red, green, blue, alpha);
        add(group, parts.outer).set_color(glass).set_roughness(0.2).set_casts_shadows(false);
    }
}

fn add(group: &mut SceneNode3d, mesh: ShadedMesh) -> SceneNode3d {
    group.add_mesh(Rc::new(RefCell::new(mesh.upload())), Vec3::ONE)
}

fn opaque(color: [f32; 3]) -> Color {
    let [red, green, blue] = linear(color);
    Color::new(red, green, blue, 1.0)
}
