//! Small plots for the panel.

use kiss3d::egui::{self, Align2, Color32, FontId, Pos2, Rect, Sense, Shape, Stroke, Ui, vec2};

const HEIGHT: f32 = 58.0;
const FRAME: Color32 = Color32::from_gray(90);

/// One line of a plot.
pub struct Curve<'v> {
    pub name: &'v str,
    pub color: Color32,
    pub values: &'v [f64],
}

/// Draws `curves` over a common range, with `title`, `unit` and the last values as numbers.
pub fn plot(ui: &mut Ui, title: &str, unit: &str, curves: &[Curve]) {
    ui.horizontal(|ui| {
        ui.label(title);
        for curve in curves {
            if let Some(last) = curve.values.last() {
                ui.colored_label(curve.color, format!("{}{} {unit}", if curve.name.is_empty() { "" } else { curve.name }, figure(*last)));
            }
        }
    });
    let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::hover());
    let painter = ui.painter_at(area);
    painter.rect_stroke(area, 2.0, Stroke::new(1.0, FRAME), egui::StrokeKind::Inside);
    let values = || curves.iter().flat_map(|curve| curve.values.iter().copied()).filter(|value| value.is_finite());
    let (lower, upper) = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), value| (lower.min(value), upper.max(value)));
    if lower > upper {
        return;
    }
    // A constant is drawn as a line through the middle.
    let margin = if upper > lower { 0.0 } else { lower.abs().max(1e-9) };
    let (lower, upper) = (lower - margin, upper + margin);
    for curve in curves {
        painter.add(line(curve, area.shrink(3.0), lower, upper));
    }
    let ink = ui.visuals().weak_text_color();
    let font = FontId::proportional(10.0);
    painter.text(area.right_top() + vec2(-4.0, 2.0), Align2::RIGHT_TOP, figure(upper), font.clone(), ink);
    painter.text(area.right_bottom() + vec2(-4.0, -2.0), Align2::RIGHT_BOTTOM, figure(lower), font, ink);
}

fn line(curve: &Curve, area: Rect, lower: f64, upper: f64) -> Shape {
    let last = curve.values.len().saturating_sub(1).max(1) as f32;
    let place = |(index, value): (usize, &f64)| {
        let height = ((value - lower) / (upper - lower)) as f32;
        Pos2::new(area.left() + area.width() * index as f32 / last, area.bottom() - area.height() * height)
    };
    let points = curve.values.iter().enumerate().filter(|(_, value)| value.is_finite()).map(place).collect();
    Shape::line(points, Stroke::new(1.4, curve.color))
}

/// Three significant digits for any magnitude.
pub fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if !(1e-2..1e5).contains(&size) => format!("{value:.1e}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
