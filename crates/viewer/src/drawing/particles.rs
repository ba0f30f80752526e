//! Particles as balls or dots, all in one draw call.
//!
//! A ball is drawn only as the half that faces the camera: a dome of few triangles with the normals of a sphere.

use std::f32::consts::{FRAC_PI_2, TAU};

use glam::{Mat3, Vec3};
use kiss3d::{
    prelude::{Color, InstanceData3d, SceneNode3d},
    resource::GpuMesh3d,
};
use plimsoll_contract::frame::Frame;
use plimsoll_scene::ParticleStyle;

use crate::{
    appearance::Appearance,
    color::{ColorField, ValueRange, linear, viridis},
};

/// Radius of a dot, in radii of the particle.
const DOT: f32 = 0.6;
/// Radius of a ball, in radii of the particle. Slightly less than 1, so that individual particles can be distinguished.
const BALL: f32 = 0.98;
/// With this many particles each is only a few pixels wide, and a dome of six triangles is enough.
const CROWD: usize = 50_000;
/// Color of particles without a color field, sRGB.
const PLAIN: [f32; 3] = [0.16, 0.50, 0.72];

/// The particles in a kiss3d scene.
pub struct ParticleDrawing {
    node: SceneNode3d,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Sphere,
    Dome,
    CoarseDome,
    Dot,
}

impl Shape {
    fn of(appearance: &Appearance, count: usize) -> Self {
        match appearance.style {
            ParticleStyle::Points => Self::Dot,
            _ if appearance.traced => Self::Sphere,
            _ if count >= CROWD => Self::CoarseDome,
            _ => Self::Dome,
        }
    }

    fn node(self) -> SceneNode3d {
        let mesh = match self {
            Self::Sphere => return finished(SceneNode3d::sphere_with_subdiv(1.0, 16, 10)),
            Self::Dome => dome(&[(6, 0.5 * FRAC_PI_2), (12, FRAC_PI_2)], false),
            Self::CoarseDome => dome(&[(6, FRAC_PI_2)], false),
            Self::Dot => dome(&[(8, FRAC_PI_2)], true),
        };
        finished(SceneNode3d::mesh(std::rc::Rc::new(std::cell::RefCell::new(mesh)), Vec3::ONE))
    }
}

fn finished(mut node: SceneNode3d) -> SceneNode3d {
    node.set_color(Color::new(1.0, 1.0, 1.0, 1.0)).set_roughness(0.55).set_reflectance(0.35)
}

impl ParticleDrawing {
    pub fn new(scene: &mut SceneNode3d, appearance: &Appearance) -> Self {
        Self::of_shape(scene, Shape::of(appearance, 0))
    }

    fn of_shape(scene: &mut SceneNode3d, shape: Shape) -> Self {
        let node = shape.node();
        scene.add_child(node.clone());
        Self { node, shape }
    }

    /// Places the particles of `frame`, as seen from `eye`, colored by `field` over `range`.
    pub fn update(
        &mut self,
        scene: &mut SceneNode3d,
        frame: &Frame,
        appearance: &Appearance,
        eye: Vec3,
        colors: Option<(&ColorField, ValueRange)>,
    ) {
        let positions = &frame.particles.positions;
        let shape = Shape::of(appearance, positions.len());
        if shape != self.shape {
            self.node.detach();
            *self = Self::of_shape(scene, shape);
        }
        self.node.set_visible(appearance.style != ParticleStyle::Surface && !positions.is_empty());
        let scale = appearance.particle_scale * if self.shape == Shape::Dot { DOT } else { BALL };
        let radii = frame.particles.radii();
        let instances: Vec<InstanceData3d> = positions
            .iter()
            .enumerate()
            .map(|(index, &position)| {
                let position = Vec3::from(position);
                let [red, green, blue] = linear(color_of(colors, index));
                InstanceData3d {
                    position,
                    color: Color::new(red, green, blue, 1.0),
                    deformation: scale * radii.of(index) * self.orientation(eye - position),
                    ..Default::default()
                }
            })
            .collect();
        self.node.set_instances(&instances);
    }

    /// Rotates the z axis into the direction `towards`.
    fn orientation(&self, towards: Vec3) -> Mat3 {
        let Some(towards) = towards.try_normalize().filter(|_| self.shape != Shape::Sphere) else { return Mat3::IDENTITY };
        let right = Vec3::Y.cross(towards).try_normalize().unwrap_or(Vec3::X);
        Mat3::from_cols(right, towards.cross(right), towards)
    }
}

/// Color (sRGB) of number `index` by a field over a range.
pub fn color_of(colors: Option<(&ColorField, ValueRange)>, index: usize) -> [f32; 3] {
    let Some((field, range)) = colors else { return PLAIN };
    match (field.values.get(index), &field.categories) {
        (Some(&value), Some(categories)) => categories.get(value as usize).map_or(PLAIN, |category| category.color),
        (Some(&value), None) => viridis(range.share(value)),
        (None, _) => PLAIN,
    }
}

/// The half of the unit sphere with z > 0 (or, if `flat`, its projection onto z = 0, with all normals along z): a pole and `rings`, each
/// with its number of vertices and its angle from the pole.
fn dome(rings: &[(u32, f32)], flat: bool) -> GpuMesh3d {
    let mut positions = vec![Vec3::Z];
    let mut faces = Vec::new();
    let mut inner: Option<(u32, u32)> = None;
    for &(count, angle) in rings {
        let begin = positions.len() as u32;
        let (sin, cos) = angle.sin_cos();
        positions.extend((0..count).map(|number| {
            let (y, x) = (TAU * number as f32 / count as f32).sin_cos();
            Vec3::new(sin * x, sin * y, cos)
        }));
        let outer = |number: u32| begin + number % count;
        match inner {
            None => faces.extend((0..count).map(|number| [0, outer(number), outer(number + 1)])),
            Some((first, inner_count)) => {
                // An outer ring has twice as many vertices: each inner vertex has an outer one at the same angle.
                for number in 0..inner_count {
                    let (here, next) = (first + number, first + (number + 1) % inner_count);
                    faces.push([here, outer(2 * number), outer(2 * number + 1)]);
                    faces.push([here, outer(2 * number + 1), next]);
                    faces.push([next, outer(2 * number + 1), outer(2 * number + 2)]);
                }
            }
        }
        inner = Some((begin, count));
    }
    let normals = positions.iter().map(|&position| if flat { Vec3::Z } else { position }).collect();
    if flat {
        positions.iter_mut().for_each(|position| position.z = 0.0);
    }
    GpuMesh3d::new(positions, faces, Some(normals), None, false)
}
