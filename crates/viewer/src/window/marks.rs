//! Names of the instruments, and their marks where something hides them.

use glam::{Mat4, Vec2, Vec3, Vec4};
use kiss3d::egui::{Color32, Context, FontId, LayerId, Pos2, Rect, Stroke};
use plimsoll_contract::simulator::Instrument;

/// Text size of names and their distance from the mark, points.
const LABEL_SIZE: f32 = 12.0;
const LABEL_GAP: f32 = 8.0;
const LABEL_BACKGROUND: Color32 = Color32::from_black_alpha(150);
/// Hidden lines are fainter than those in the scene.
const HIDDEN: Stroke = Stroke { width: 1.2, color: Color32::from_rgba_unmultiplied_const(204, 13, 140, 120) };
/// Nearest distance before the eye, relative to that of the nearest end of a line.
const NEAREST: f32 = 1e-3;

/// From the scene to the window.
#[derive(Clone, Copy)]
pub struct Projection {
    /// From world coordinates to those of the screen before division.
    pub matrix: Mat4,
    /// Width and height of the window, points.
    pub size: Vec2,
}

impl Projection {
    /// The place of `point` in the window, in points from the upper left; none behind the eye.
    pub fn point(&self, point: Vec3) -> Option<Pos2> {
        let projected = self.matrix * point.extend(1.0);
        (projected.w > 0.0).then(|| self.place(projected))
    }

    /// The part of the line between `ends` before the eye.
    pub fn line(&self, ends: [Vec3; 2]) -> Option<[Pos2; 2]> {
        let [from, to] = ends.map(|end| self.matrix * end.extend(1.0));
        let nearest = NEAREST * from.w.max(to.w);
        let cut = |end: Vec4, other: Vec4| if end.w >= nearest { end } else { end.lerp(other, (nearest - end.w) / (other.w - end.w)) };
        (nearest > 0.0).then(|| [self.place(cut(from, to)), self.place(cut(to, from))])
    }

    fn place(&self, projected: Vec4) -> Pos2 {
        let share = Vec2::new(0.5 + 0.5 * projected.x / projected.w, 0.5 - 0.5 * projected.y / projected.w);
        let Vec2 { x, y } = share * self.size;
        Pos2::new(x, y)
    }
}

/// Draws the marks of `instruments` faintly over everything, so that those in water or behind walls are seen too, with their names.
pub fn draw_marks(context: &Context, instruments: &[Instrument], projection: &Projection) {
    let painter = context.layer_painter(LayerId::background());
    for ends in instruments.iter().flat_map(|instrument| &instrument.lines) {
        if let Some(ends) = projection.line(ends.map(|end| end.as_vec3())) {
            painter.line_segment(ends, HIDDEN);
        }
    }
    for instrument in instruments {
        let Some(place) = instrument.lines.last().and_then(|line| projection.point(line[1].as_vec3())) else { continue };
        let corner = Pos2::new(place.x + LABEL_GAP, place.y);
        let text = painter.layout_no_wrap(instrument.name.clone(), FontId::proportional(LABEL_SIZE), Color32::WHITE);
        let area = Rect::from_min_size(corner, text.size()).expand(2.0);
        painter.rect_filled(area, 3.0, LABEL_BACKGROUND);
        painter.galley(corner, text, Color32::WHITE);
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_2;

    use glam::camera::rh::proj::directx::perspective;

    use super::*;

    /// From the origin along -z, 90° high and wide, in a window of 200 by 200 points.
    fn projection() -> Projection {
        Projection { matrix: perspective(FRAC_PI_2, 1.0, 0.1, 100.0), size: Vec2::splat(200.0) }
    }

    #[test]
    fn up_is_up_and_right_is_right() {
        let projection = projection();
        assert_eq!(projection.point(Vec3::new(0.0, 0.0, -2.0)), Some(Pos2::new(100.0, 100.0)));
        let place = projection.point(Vec3::new(1.0, 0.5, -2.0)).unwrap();
        assert!((place - Pos2::new(150.0, 75.0)).length() < 1e-3, "{place:?}");
        assert_eq!(projection.point(Vec3::new(0.0, 0.0, 2.0)), None);
    }

    #[test]
    fn lines_are_cut_before_the_eye() {
        let projection = projection();
        let (near, far) = (Vec3::new(1.0, 0.0, 3.0), Vec3::new(1.0, 0.0, -1.0));
        let [start, end] = projection.line([near, far]).unwrap();
        assert!((end - Pos2::new(200.0, 100.0)).length() < 1e-3, "{end:?}");
        assert!(start.x > 1000.0 && (start.y - 100.0).abs() < 1e-3, "{start:?}");
        assert_eq!(projection.line([near, near]), None);
    }
}
