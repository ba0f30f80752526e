//! Overlay that shows the method: slab-cut balls, segments, stored cells and contacts.

use std::{cell::RefCell, f64::consts::TAU, rc::Rc, sync::Arc};

use glam::{DVec3, Quat, Vec3};
use kiss3d::{
    prelude::{Color, SceneNode3d},
    window::Window,
};
use plimsoll_contract::{
    frame::{BallMark, CellMark, ContactMark, Frame, SearchFrame, SegmentMesh},
    simulator::Instrument,
};

use super::shading::ShadedMesh;
use crate::color::{linear, palette};

/// Number of different segment colors.
const SEGMENT_COLORS: usize = 10;
/// Straight edges per circle.
const PIECES: usize = 28;
/// Number of arcs between the planes of a ball.
const MERIDIANS: usize = 7;
const BALL_WIDTH: f32 = 1.4;
const CELL: [f32; 3] = [0.16, 0.42, 0.85];
const CELL_WIDTH: f32 = 1.0;
const CONTACT: [f32; 3] = [0.88, 0.10, 0.25];
const CONTACT_WIDTH: f32 = 2.0;
const INSTRUMENT: [f32; 3] = [0.80, 0.05, 0.55];
const INSTRUMENT_WIDTH: f32 = 2.5;

/// Which parts of the overlay are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlayChoice {
    pub balls: bool,
    pub segments: bool,
    pub cells: bool,
    pub contacts: bool,
    /// Where instruments measure.
    pub instruments: bool,
    /// Also for bodies that contain the fluid.
    pub containers: bool,
}

impl OverlayChoice {
    /// Whether any selected part needs data from the simulation for each frame.
    pub fn needs_method(&self) -> bool {
        self.balls || self.cells || self.contacts
    }
}

/// Segments as kiss3d nodes; the other parts are lines, redrawn for each picture.
#[derive(Default)]
pub struct OverlayDrawing {
    groups: Vec<(Arc<SegmentMesh>, SceneNode3d)>,
}

impl OverlayDrawing {
    /// Shows the segments of the bodies that `wanted` selects, at the poses in `frame`.
    pub fn update(&mut self, scene: &mut SceneNode3d, frame: &Frame, segments: &[Arc<SegmentMesh>], wanted: impl Fn(usize) -> bool) {
        let same = self.groups.len() == segments.len() && self.groups.iter().zip(segments).all(|((old, _), new)| Arc::ptr_eq(old, new));
        if !same {
            for (_, mut group) in self.groups.drain(..) {
                group.detach();
            }
            self.groups = segments.iter().map(|mesh| (Arc::clone(mesh), scene.add_group())).collect();
        }
        for (index, ((mesh, group), body)) in self.groups.iter_mut().zip(&frame.bodies).enumerate() {
            let visible = wanted(index);
            if visible && group.data().children().is_empty() {
                add_segments(group, mesh);
            }
            group.set_visible(visible);
            group.set_position(body.pose.translation.as_vec3());
            group.set_rotation(Quat::from_array(body.pose.rotation.as_quat().to_array()));
        }
    }

    /// Draws balls, cells and contacts of the bodies that `wanted` selects.
    pub fn draw_lines(&self, window: &mut Window, method: &SearchFrame, choice: OverlayChoice, wanted: impl Fn(usize) -> bool) {
        if choice.balls {
            for (number, ball) in method.balls.iter().enumerate().filter(|(_, ball)| wanted(ball.body as usize)) {
                draw_ball(window, ball, palette(number));
            }
        }
        if choice.cells {
            for cell in method.cells.iter().filter(|cell| wanted(cell.body as usize)) {
                draw_cell(window, cell, f64::from(method.cell_size));
            }
        }
        if choice.contacts {
            for contact in method.contacts.iter().filter(|contact| wanted(contact.body as usize)) {
                draw_contact(window, contact, f64::from(method.cell_size));
            }
        }
    }
}

fn add_segments(group: &mut SceneNode3d, mesh: &SegmentMesh) {
    for color in 0..SEGMENT_COLORS {
        let shaded = ShadedMesh::of(&mesh.mesh, |triangle| mesh.segments[triangle] as usize % SEGMENT_COLORS == color);
        if shaded.is_empty() {
            continue;
        }
        let mut node = group.add_mesh(Rc::new(RefCell::new(shaded.upload())), Vec3::ONE);
        node.enable_backface_culling(false);
        node.set_color(paint(palette(color))).set_roughness(0.6);
    }
}

fn draw_ball(window: &mut Window, ball: &BallMark, color: [f32; 3]) {
    let tangent = ball.normal.any_orthonormal_vector();
    let across = ball.normal.cross(tangent);
    let (lower, upper) = (ball.lower.max(-ball.radius), ball.upper.min(ball.radius));
    let at = |height: f64, angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let width = (ball.radius * ball.radius - height * height).max(0.0).sqrt();
        ball.center + height * ball.normal + width * (cos * tangent + sin * across)
    };
    let mut line = |from: DVec3, to: DVec3| window.draw_line(from.as_vec3(), to.as_vec3(), paint(color), BALL_WIDTH, false);
    for height in [lower, upper] {
        for piece in 0..PIECES {
            let angle = |piece: usize| TAU * piece as f64 / PIECES as f64;
            line(at(height, angle(piece)), at(height, angle(piece + 1)));
        }
    }
    for meridian in 0..MERIDIANS {
        let angle = TAU * meridian as f64 / MERIDIANS as f64;
        line(at(lower, angle), at(upper, angle));
    }
}

fn draw_cell(window: &mut Window, cell: &CellMark, size: f64) {
    let corner = |number: usize| {
        let side = |axis: usize| if number >> axis & 1 == 0 { -0.5 } else { 0.5 };
        (cell.center + size * DVec3::new(side(0), side(1), side(2))).as_vec3()
    };
    for from in 0..8_usize {
        for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
            window.draw_line(corner(from), corner(from | 1 << axis), paint(CELL), CELL_WIDTH, false);
        }
    }
}

/// Draws a line from the particle towards the wall. It is half a cell long if the wall takes half of the particle's neighbourhood.
fn draw_contact(window: &mut Window, contact: &ContactMark, cell_size: f64) {
    let tip = contact.position + cell_size * f64::from(contact.share) * contact.direction;
    window.draw_line(contact.position.as_vec3(), tip.as_vec3(), paint(CONTACT), CONTACT_WIDTH, false);
}

/// Draws where `instruments` measure.
pub fn draw_instruments(window: &mut Window, instruments: &[Instrument]) {
    for [from, to] in instruments.iter().flat_map(|instrument| &instrument.lines) {
        window.draw_line(from.as_vec3(), to.as_vec3(), paint(INSTRUMENT), INSTRUMENT_WIDTH, false);
    }
}

fn paint(color: [f32; 3]) -> Color {
    let [red, green, blue] = linear(color);
    Color::new(red, green, blue, 1.0)
}
