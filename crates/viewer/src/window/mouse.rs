//! Mouse interaction with bodies and fluid.

use std::time::Instant;

use glam::{DVec3, Vec2, Vec3};
use kiss3d::{
    camera::{Camera3d, OrbitCamera3d},
    egui::{Order, pos2},
    event::{Action, Modifiers, MouseButton, WindowEvent},
    window::Window,
};
use plimsoll_base::math::Aabb;
use plimsoll_contract::{
    frame::Frame,
    simulator::{Drag, Stirring},
};

use super::{
    pick::pick,
    worker::{Command, Touch},
};

/// Radius of the stirred region, in sizes of the scene.
const STIRRED: f64 = 0.08;
/// Rate at which stirring draws fluid along, 1/s.
const STIRRING_RATE: f64 = 12.0;
/// Maximum speed of the stirred fluid, in sizes of the scene per second.
const FASTEST: f64 = 2.0;

/// Current mouse interaction.
#[derive(Default)]
pub struct Mouse {
    held: Option<Held>,
    stirring: Option<Stroke>,
}

/// A body that is dragged at a point.
struct Held {
    drag: Drag,
    distance: f32,
}

/// A stroke through the fluid.
struct Stroke {
    center: DVec3,
    distance: f32,
    last: Instant,
}

/// What the mouse can interact with.
pub struct Target<'r> {
    pub frame: &'r Frame,
    pub touch: &'r Touch,
    pub camera: &'r OrbitCamera3d,
    pub bounds: &'r Aabb,
}

impl Mouse {
    /// The ends of the spring that drags a body: the point where it is attached and the point that it pulls towards.
    pub fn spring(&self, frame: &Frame) -> Option<[Vec3; 2]> {
        let held = self.held.as_ref()?;
        let body = frame.bodies.get(held.drag.body)?;
        Some([body.pose.transform_point(held.drag.point).as_vec3(), held.drag.target.as_vec3()])
    }

    /// The commands that `event` causes, if it concerns bodies or fluid; then the camera must not receive it.
    pub fn take(&mut self, event: &WindowEvent, window: &Window, target: &Target) -> Option<Vec<Command>> {
        match *event {
            WindowEvent::MouseButton(MouseButton::Button1, Action::Press, modifiers) => {
                self.press(window, target, modifiers.contains(Modifiers::Control))
            }
            WindowEvent::MouseButton(MouseButton::Button1, Action::Release, _) => self.release(),
            WindowEvent::CursorPos(x, y, _) => self.drag(Vec2::new(x as f32, y as f32), window, target),
            _ => None,
        }
    }

    fn press(&mut self, window: &Window, target: &Target, stir: bool) -> Option<Vec<Command>> {
        let (x, y) = window.cursor_pos()?;
        let cursor = Vec2::new(x as f32, y as f32);
        if is_over_panel(cursor, window) {
            return None;
        }
        let (origin, direction) = ray(cursor, window, target.camera);
        if stir && target.touch.can_stir {
            let distance = distance_of_particles(target, origin, direction);
            let center = (origin + distance * direction).as_dvec3();
            self.stirring = Some(Stroke { center, distance, last: Instant::now() });
            return Some(Vec::new());
        }
        let floats = |index: usize| target.touch.draggable.get(index).copied().unwrap_or(false);
        let bodies = &target.frame.bodies;
        let found =
            pick(target.frame, origin, direction, |body| bodies.iter().position(|other| std::ptr::eq(other, body)).is_some_and(floats))?;
        let point = bodies[found.body].pose.inverse_transform_point(found.point);
        let drag = Drag { body: found.body, point, target: found.point };
        self.held = Some(Held { drag, distance: found.distance as f32 });
        Some(vec![Command::Drag(Some(drag))])
    }

    fn release(&mut self) -> Option<Vec<Command>> {
        if self.held.take().is_some() {
            return Some(vec![Command::Drag(None)]);
        }
        self.stirring.take().map(|_| vec![Command::Stir(None)])
    }

    fn drag(&mut self, cursor: Vec2, window: &Window, target: &Target) -> Option<Vec<Command>> {
        let (origin, direction) = ray(cursor, window, target.camera);
        if let Some(held) = &mut self.held {
            held.drag.target = (origin + held.distance * direction).as_dvec3();
            return Some(vec![Command::Drag(Some(held.drag))]);
        }
        let stroke = self.stirring.as_mut()?;
        let center = (origin + stroke.distance * direction).as_dvec3();
        let size = target.bounds.extent().length();
        let elapsed = stroke.last.elapsed().as_secs_f64().max(1e-3);
        let velocity = ((center - stroke.center) / elapsed).clamp_length_max(FASTEST * size);
        (stroke.center, stroke.last) = (center, Instant::now());
        Some(vec![Command::Stir(Some(Stirring { center, radius: STIRRED * size, velocity, rate: STIRRING_RATE }))])
    }
}

/// Whether the panel or the help covers the place of `cursor`. What egui knows about the pointer is from the last picture: a press that follows a
/// movement within one picture would be judged by the place before it.
fn is_over_panel(cursor: Vec2, window: &Window) -> bool {
    let place = cursor / window.scale_factor() as f32;
    let layer = window.egui_context().layer_id_at(pos2(place.x, place.y));
    layer.is_some_and(|layer| layer.order != Order::Background)
}

/// Origin and direction of the ray through `cursor`.
fn ray(cursor: Vec2, window: &Window, camera: &OrbitCamera3d) -> (Vec3, Vec3) {
    camera.unproject(cursor, Vec2::new(window.width() as f32, window.height() as f32))
}

/// Distance along the ray to the first particle; if there is none, to the point that the camera looks at.
fn distance_of_particles(target: &Target, origin: Vec3, direction: Vec3) -> f32 {
    let width = 1.5 * target.frame.particles.radius;
    let met = target.frame.particles.positions.iter().filter_map(|&position| {
        let offset = Vec3::from(position) - origin;
        let along = offset.dot(direction);
        (along > 0.0 && (offset - along * direction).length_squared() < width * width).then_some(along)
    });
    met.min_by(f32::total_cmp).unwrap_or_else(|| target.camera.at().distance(origin))
}
