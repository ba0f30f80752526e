//! The legend: what the colors of the particles mean.

use kiss3d::egui::{self, Align2, Color32, CornerRadius, FontId, Pos2, Rect, Stroke, StrokeKind, vec2};

use super::{Category, ValueRange, viridis};

const WIDTH: f32 = 14.0;
/// Number of colors in the bar.
const STEPS: usize = 64;
const INK: Color32 = Color32::from_rgb(30, 38, 46);
const PAPER: Color32 = Color32::from_rgba_unmultiplied_const(255, 255, 255, 190);

/// Draws a bar of all colors with `title` and round numbers beside it in the lower right corner of `size` pixels.
pub fn draw_legend(context: &egui::Context, size: [f32; 2], title: &str, range: ValueRange, categories: Option<&[Category]>) {
    // Not the size from the context, which is unknown before its first pass.
    let screen = Rect::from_min_size(Pos2::ZERO, vec2(size[0], size[1]) / context.pixels_per_point());
    let layer = egui::LayerId::new(egui::Order::Background, egui::Id::new("legend"));
    let painter = egui::Painter::new(context.clone(), layer, screen);
    // In a small picture everything is smaller, but stays legible.
    let scale = (screen.height() / 720.0).clamp(0.62, 1.6);
    let font = FontId::proportional(15.0 * scale);
    let ticks = match categories {
        Some(categories) => (0..categories.len()).map(|index| index as f32).collect(),
        None => round_numbers(range),
    };
    let labels: Vec<String> = match categories {
        Some(categories) => categories.iter().map(|category| category.label.clone()).collect(),
        None => ticks.iter().map(|&tick| label(tick, &ticks)).collect(),
    };
    let widest = |texts: &[String]| {
        let sizes = texts.iter().map(|text| painter.layout_no_wrap(text.clone(), font.clone(), INK).size().x);
        sizes.fold(0.0, f32::max)
    };
    let (bar_width, gap) = (WIDTH * scale, 8.0 * scale);
    let inner = vec2((bar_width + gap + widest(&labels)).max(widest(&[title.to_owned()])), 0.3 * screen.height());
    let margin = vec2(12.0, 10.0) * scale;
    let title_height = 24.0 * scale;
    let outer = inner + 2.0 * margin + vec2(0.0, title_height);
    let paper = Rect::from_min_size(screen.max - outer - vec2(14.0, 14.0) * scale, outer);
    painter.rect_filled(paper, CornerRadius::same((6.0 * scale) as u8), PAPER);
    painter.text(paper.min + margin, Align2::LEFT_TOP, title, font.clone(), INK);
    let bar_top = paper.min + margin + vec2(0.0, title_height);
    let bar = Rect::from_min_max(bar_top, Pos2::new(bar_top.x + bar_width, paper.max.y - margin.y));
    draw_bar(&painter, bar, categories);
    for (&tick, text) in ticks.iter().zip(labels) {
        let share = categories.map_or_else(|| range.share(tick), |categories| (tick + 0.5) / categories.len() as f32);
        let y = bar.max.y - share * bar.height();
        painter.line_segment([Pos2::new(bar.max.x, y), Pos2::new(bar.max.x + 0.5 * gap, y)], Stroke::new(scale, INK));
        painter.text(Pos2::new(bar.max.x + gap, y), Align2::LEFT_CENTER, text, font.clone(), INK);
    }
}

fn draw_bar(painter: &egui::Painter, bar: Rect, categories: Option<&[Category]>) {
    let count = categories.map_or(STEPS, <[Category]>::len);
    let mut mesh = egui::Mesh::default();
    let screen = |color: [f32; 3]| {
        let [red, green, blue] = color.map(|channel| (255.0 * channel).round() as u8);
        Color32::from_rgb(red, green, blue)
    };
    for step in 0..count {
        let share = |step: usize| step as f32 / count as f32;
        let ends = match categories {
            Some(categories) => [categories[step].color; 2],
            None => [viridis(share(step)), viridis(share(step + 1))],
        };
        let first = mesh.vertices.len() as u32;
        for (step, color) in [step, step + 1].into_iter().zip(ends) {
            let y = bar.max.y - bar.height() * share(step);
            mesh.colored_vertex(Pos2::new(bar.min.x, y), screen(color));
            mesh.colored_vertex(Pos2::new(bar.max.x, y), screen(color));
        }
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 1, first + 2, first + 3);
    }
    painter.add(egui::Shape::mesh(mesh));
    painter.rect_stroke(bar, CornerRadius::ZERO, Stroke::new(1.0, INK), StrokeKind::Outside);
}

/// Three to six round numbers within the range, 1, 2 or 5 times a power of ten apart.
pub(super) fn round_numbers(range: ValueRange) -> Vec<f32> {
    let (lower, upper) = (f64::from(range.lower), f64::from(range.upper));
    let extent = upper - lower;
    if extent <= 0.0 || !extent.is_finite() {
        return vec![range.lower];
    }
    let rough = extent / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
    let first = (lower / step - 1e-6).ceil() as i64;
    let last = (upper / step + 1e-6).floor() as i64;
    (first..=last).map(|tick| (tick as f64 * step) as f32).collect()
}

/// `tick` with enough digits to distinguish it from its neighbours in `ticks`.
fn label(tick: f32, ticks: &[f32]) -> String {
    let step = match ticks {
        [first, second, ..] => f64::from(second - first),
        _ => return format!("{tick:.3}"),
    };
    let greatest = ticks.iter().fold(0.0_f32, |greatest, tick| greatest.max(tick.abs()));
    if !(1e-3..1e5).contains(&greatest) {
        return format!("{tick:.1e}");
    }
    let digits = (-step.log10() - 1e-3).ceil().max(0.0) as usize;
    format!("{tick:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_range() {
        for (lower, upper, wanted) in
            [(0.0, 1.0, vec![0.0, 0.5, 1.0]), (990.0, 1013.0, vec![990.0, 1000.0, 1010.0]), (0.0, 0.37, vec![0.0, 0.1, 0.2, 0.3])]
        {
            let ticks = round_numbers(ValueRange { lower, upper });
            assert_eq!(ticks.len(), wanted.len(), "{ticks:?}");
            for (tick, wanted) in ticks.iter().zip(&wanted) {
                assert!((tick - wanted).abs() < 1e-4 * upper, "{ticks:?}");
            }
        }
        assert_eq!(round_numbers(ValueRange { lower: 2.0, upper: 2.0 }), [2.0]);
    }

    #[test]
    fn labels_have_the_digits_they_need() {
        assert_eq!(label(0.5, &[0.0, 0.5, 1.0]), "0.5");
        assert_eq!(label(1000.0, &[990.0, 1000.0]), "1000");
        assert_eq!(label(2e6, &[0.0, 2e6]), "2.0e6");
    }
}
