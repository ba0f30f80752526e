//! Small plots for the panel.

use kiss3d::egui::{self, Align, Align2, Color32, FontId, Layout, Pos2, Sense, Shape, Stroke, Ui, vec2};

const HEIGHT: f32 = 58.0;
/// Height of a plot over time.
const TALL: f32 = 110.0;
const FRAME: Color32 = Color32::from_gray(90);
/// Color of a curve over time: that of the marks, brighter.
const OVER_TIME: Color32 = Color32::from_rgb(240, 120, 200);

/// One line of a plot.
pub struct Curve<'v> {
    pub name: &'v str,
    pub color: Color32,
    /// Abscissas, which do not decrease, and values.
    pub points: &'v [(f64, f64)],
}

/// Draws `curves` over a common range, with `title`, `unit` and the last values as numbers.
pub fn plot(ui: &mut Ui, title: &str, unit: &str, curves: &[Curve]) {
    ui.horizontal(|ui| {
        ui.label(title);
        for curve in curves {
            if let Some((_, last)) = curve.points.last() {
                ui.colored_label(curve.color, format!("{}{} {unit}", if curve.name.is_empty() { "" } else { curve.name }, figure(*last)));
            }
        }
    });
    draw(ui, HEIGHT, curves, None);
}

/// Draws one curve over time (s) with the `value` at the time `now` in numbers and as a line.
pub fn plot_over_time(ui: &mut Ui, unit: &str, points: &[(f64, f64)], value: Option<f64>, now: f64) {
    let text = value.map_or_else(|| "no value yet".to_owned(), |value| format!("{} {unit}", figure(value)));
    ui.colored_label(OVER_TIME, text);
    draw(ui, TALL, &[Curve { name: "", color: OVER_TIME, points }], Some(now));
    if let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) {
        ui.horizontal(|ui| {
            ui.weak(format!("{first:.2} s"));
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| ui.weak(format!("{last:.2} s")));
        });
    }
}

/// Draws `curves` over their common ranges, with a vertical line at the abscissa `cursor`.
fn draw(ui: &mut Ui, height: f32, curves: &[Curve], cursor: Option<f64>) {
    let (area, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let painter = ui.painter_at(area);
    painter.rect_stroke(area, 2.0, Stroke::new(1.0, FRAME), egui::StrokeKind::Inside);
    let points = || curves.iter().flat_map(|curve| curve.points.iter().copied()).filter(|(_, value)| value.is_finite());
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lower, upper), value| (lower.min(value), upper.max(value)))
    };
    let (lower, upper) = range(&mut points().map(|(_, value)| value));
    let (begin, end) = range(&mut points().map(|(abscissa, _)| abscissa));
    if lower > upper {
        return;
    }
    // A constant is drawn as a line through the middle.
    let margin = if upper > lower { 0.0 } else { lower.abs().max(1e-9) };
    let (lower, upper) = (lower - margin, upper + margin);
    let inner = area.shrink(3.0);
    let across = |abscissa: f64| inner.left() + inner.width() * ((abscissa - begin) / (end - begin).max(f64::MIN_POSITIVE)) as f32;
    let up = |value: f64| inner.bottom() - inner.height() * ((value - lower) / (upper - lower)) as f32;
    if let Some(cursor) = cursor {
        painter.vline(across(cursor.clamp(begin, end)), inner.y_range(), Stroke::new(1.0, FRAME));
    }
    for curve in curves {
        let finite = curve.points.iter().filter(|(_, value)| value.is_finite());
        let line = finite.map(|&(abscissa, value)| Pos2::new(across(abscissa), up(value))).collect();
        painter.add(Shape::line(line, Stroke::new(1.4, curve.color)));
    }
    let ink = ui.visuals().weak_text_color();
    let font = FontId::proportional(10.0);
    painter.text(area.right_top() + vec2(-4.0, 2.0), Align2::RIGHT_TOP, figure(upper), font.clone(), ink);
    painter.text(area.right_bottom() + vec2(-4.0, -2.0), Align2::RIGHT_BOTTOM, figure(lower), font, ink);
}

/// `values` over their numbers.
pub fn numbered(values: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    values.into_iter().enumerate().map(|(number, value)| (number as f64, value)).collect()
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
