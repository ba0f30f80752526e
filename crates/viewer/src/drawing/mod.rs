//! A frame as a kiss3d scene.

mod bodies;
mod container;
mod overlay;
mod particles;
mod polygons;
mod shading;
mod surroundings;
mod water;

use std::sync::Arc;

use glam::Vec3;
use kiss3d::{prelude::SceneNode3d, window::Window};
use plimsoll_base::math::Aabb;
use plimsoll_contract::{
    frame::{Frame, SearchFrame, SegmentMesh},
    simulator::Instrument,
};
use plimsoll_scene::ParticleStyle;

use self::{bodies::BodyDrawings, overlay::OverlayDrawing, particles::ParticleDrawing, polygons::PolygonDrawing, water::WaterDrawing};
pub use self::{overlay::OverlayChoice, polygons::points, water::WaterMesh};
use super::{
    appearance::Appearance,
    color::{Category, ColorField, ValueRange, draw_legend},
    error::ViewerError,
};

/// The color range of speeds spans at least this share of the speed of a wave in water as deep as the scene is high.
const SLOW: f32 = 0.1;
const GRAVITY: f64 = 9.81;

/// Everything that is drawn.
pub struct Drawing {
    scene: SceneNode3d,
    particles: ParticleDrawing,
    polygons: PolygonDrawing,
    bodies: BodyDrawings,
    water: WaterDrawing,
    overlay: OverlayDrawing,
    bounds: Aabb,
    /// Union of the ranges of all frames so far, and the name of the field.
    seen: Option<(String, ValueRange)>,
    legend: Option<Legend>,
}

/// Overlay of the method, drawn over a frame.
#[derive(Clone, Copy, Default)]
pub struct Marks<'m> {
    pub choice: OverlayChoice,
    pub method: Option<&'m SearchFrame>,
    pub segments: &'m [Arc<SegmentMesh>],
    pub instruments: &'m [Instrument],
}

struct Legend {
    title: String,
    range: ValueRange,
    categories: Option<Vec<Category>>,
}

impl Drawing {
    /// Sets up the empty surroundings of what is within `bounds`.
    pub fn new(window: &mut Window, bounds: &Aabb, appearance: &Appearance) -> Self {
        let mut scene = SceneNode3d::empty();
        surroundings::build(window, &mut scene, bounds, appearance);
        let particles = ParticleDrawing::new(&mut scene, appearance);
        let polygons = PolygonDrawing::new(&mut scene);
        Self {
            scene,
            particles,
            polygons,
            bodies: BodyDrawings::new(),
            water: WaterDrawing::default(),
            overlay: OverlayDrawing::default(),
            bounds: *bounds,
            seen: None,
            legend: None,
        }
    }

    /// Shows `frame` as seen from `eye`, with the fluid surfaces `water`.
    ///
    /// # Errors
    /// If the frame lacks the field that colors it.
    pub fn update(&mut self, frame: &Frame, appearance: &Appearance, eye: Vec3, water: &[WaterMesh]) -> Result<(), ViewerError> {
        let field =
            is_colored(frame, appearance).then(|| ColorField::of(frame, &appearance.color_by, &appearance.materials)).transpose()?;
        let range = field.as_ref().map(|field| self.range(frame, appearance, field));
        self.legend = field.as_ref().zip(range).map(|(field, range)| Legend {
            title: field.title.clone(),
            range,
            categories: field.categories.clone(),
        });
        self.particles.update(&mut self.scene, frame, appearance, eye, field.as_ref().zip(range));
        self.polygons.update(frame, field.as_ref().zip(range));
        self.bodies.update(&mut self.scene, frame, appearance, eye);
        self.water.update(
            &mut self.scene,
            water,
            |material| appearance.material_color(material as usize),
            self.bounds.extent().length() as f32,
        );
        Ok(())
    }

    /// Widens the color range to include `frame`.
    pub fn include_range(&mut self, frame: &Frame, appearance: &Appearance) -> Result<(), ViewerError> {
        if is_colored(frame, appearance) {
            self.range(frame, appearance, &ColorField::of(frame, &appearance.color_by, &appearance.materials)?);
        }
        Ok(())
    }

    /// Draws what kiss3d forgets after each picture: lines and, if `legend` is set, the legend.
    pub fn draw_transient(&self, window: &mut Window, legend: bool) {
        self.bodies.draw_lines(window);
        self.polygons.draw_lines(window);
        if let Some(Legend { title, range, categories }) = self.legend.as_ref().filter(|_| legend) {
            let size = [window.width() as f32, window.height() as f32];
            window.draw_ui(|context| draw_legend(context, size, title, *range, categories.as_deref()));
        }
    }

    /// Moves the bodies and their overlay to their poses in `frame`; particles stay.
    pub fn move_bodies(&mut self, frame: &Frame, marks: &Marks) {
        let segments = if marks.choice.segments { marks.segments } else { &[] };
        let wanted: Vec<bool> = (0..frame.bodies.len()).map(|index| self.is_marked(index, marks.choice)).collect();
        self.overlay.update(&mut self.scene, frame, segments, |index| wanted[index]);
        self.bodies.place(&mut self.scene, frame);
        self.bodies.hide(|index| marks.choice.segments && wanted[index]);
    }

    /// Draws the overlay lines, which kiss3d forgets after each picture.
    pub fn draw_marks(&self, window: &mut Window, marks: &Marks) {
        if let Some(method) = marks.method {
            self.overlay.draw_lines(window, method, marks.choice, |index| self.is_marked(index, marks.choice));
        }
        if marks.choice.instruments {
            overlay::draw_instruments(window, marks.instruments);
        }
    }

    /// Whether the overlay of this body is shown.
    fn is_marked(&self, body: usize, choice: OverlayChoice) -> bool {
        choice.containers || !self.bodies.is_see_through(body)
    }

    pub fn scene_mut(&mut self) -> &mut SceneNode3d {
        &mut self.scene
    }

    fn range(&mut self, frame: &Frame, appearance: &Appearance, field: &ColorField) -> ValueRange {
        if let Some(range) = appearance.range {
            return range;
        }
        let own = field.range();
        // Makes water at rest appear at rest.
        let fall = SLOW * (GRAVITY * self.bounds.extent().y).sqrt() as f32;
        let least = if frame.particles.is_liquid() && field.title.starts_with("speed") { fall } else { own.upper };
        let own = ValueRange { upper: own.upper.max(least), ..own };
        let range = match &self.seen {
            Some((name, seen)) if *name == appearance.color_by => seen.union(own),
            _ => own,
        };
        self.seen = Some((appearance.color_by.clone(), range));
        range
    }
}

/// Whether there is anything that a field colors.
fn is_colored(frame: &Frame, appearance: &Appearance) -> bool {
    let shows_particles = appearance.style != ParticleStyle::Surface && !frame.particles.positions.is_empty();
    shows_particles || !frame.polygons.is_empty()
}
