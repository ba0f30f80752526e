//! Draws a picture on a backend: layout and appearance.
//!
//! Lengths are in units of a picture 960 wide; a backend's raster is finer by [`RASTER`]. Titles and the legend are above the panels and
//! never cover data.

use std::collections::BTreeSet;

use plimsoll_contract::chart::{Image, Panel, Picture, Scale, Series};
use plotters::style::{
    FontDesc, FontFamily, FontStyle, RGBColor, ShapeStyle, TextStyle,
    text_anchor::{HPos, Pos, VPos},
};
use plotters_backend::{DrawingBackend, DrawingErrorKind};

use super::{
    decimate::decimate,
    layout::{LEFT, PLOT_WIDTH, RIGHT, WIDTH},
    scales::{Axis, IMAGE_HEIGHT, Scales},
};

/// Raster points per unit.
pub const RASTER: u32 = 4;
/// Font family; an SVG viewer chooses the font.
pub const FONT: &str = "sans-serif";

const TITLE: f64 = 48.0;
const LEGEND_ROW: f64 = 21.0;
const PANEL_TITLE: f64 = 34.0;
/// Space below the last panel for labels and title of the horizontal axis.
const BOTTOM: f64 = 52.0;
/// Line height over the em.
const LINE_HEIGHT: f64 = 1.2;

/// Downward shift that centers text vertically in a bitmap, in ems.
const BITMAP_SINK: f64 = 0.2;

const TEXT: RGBColor = RGBColor(34, 34, 34);
const FAINT_TEXT: RGBColor = RGBColor(102, 102, 102);
const AXIS: RGBColor = RGBColor(136, 136, 136);
const GRID: RGBColor = RGBColor(228, 228, 228);
const BACKGROUND: RGBColor = RGBColor(255, 255, 255);

/// M. Okabe, K. Ito, "Color Universal Design", 2008: distinguishable with any color vision. Yellow is omitted because it is too light for
/// lines on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];
/// Alternating lengths of dashes and gaps. Each round through the palette uses the next pattern.
const DASHES: [&[f64]; 4] = [&[], &[7.0, 3.5], &[2.0, 3.0], &[9.0, 3.0, 2.0, 3.0]];
const LINE: f64 = 1.5;
/// Diameter of a dot.
const DOT: f64 = 4.0;

type Drawn<B> = Result<(), DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;
type Point = (f64, f64);

/// Total height of `picture`.
pub fn height(picture: &Picture) -> u32 {
    let legend = legend_rows(picture).len() as f64 * LEGEND_ROW;
    let panels = picture.panels.len() as f64 * (PANEL_TITLE + Scales::of(picture).height);
    (TITLE + legend + panels + BOTTOM).ceil() as u32
}

/// The image of `picture` and its left, top, right and bottom edges.
pub fn image(picture: &Picture) -> Option<(&Image, [f64; 4])> {
    let image = picture.panels.first()?.image.as_ref()?;
    let top = TITLE + legend_rows(picture).len() as f64 * LEGEND_ROW + PANEL_TITLE;
    Some((image, [LEFT, top, LEFT + PLOT_WIDTH, top + IMAGE_HEIGHT]))
}

/// Draws `picture` without its image. For a `bitmap` backend lines are joined and text is centered here.
pub fn paint<B: DrawingBackend>(backend: B, picture: &Picture, bitmap: bool) -> Drawn<B> {
    let mut painter = Painter { backend, bitmap };
    painter.backend.ensure_prepared()?;
    let size = (f64::from(WIDTH), f64::from(height(picture)));
    painter.fill(&[(0.0, 0.0), (size.0, 0.0), size, (0.0, size.1)], BACKGROUND)?;
    painter.text(&picture.title, (LEFT, 30.0), 17.0, TEXT, (HPos::Left, VPos::Center))?;
    let title_width = text_width(&picture.title, 17.0);
    let subtitle = shortened(&picture.subtitle, PLOT_WIDTH - title_width - 16.0, 12.0);
    painter.text(&subtitle, (f64::from(WIDTH) - RIGHT, 31.0), 12.0, FAINT_TEXT, (HPos::Right, VPos::Center))?;
    let mut top = TITLE;
    for row in legend_rows(picture) {
        painter.legend(&row, top + LEGEND_ROW / 2.0)?;
        top += LEGEND_ROW;
    }
    let scales = Scales::of(picture);
    for (index, panel) in picture.panels.iter().enumerate() {
        top += PANEL_TITLE;
        painter.panel(panel, &scales, &Area { top, height: scales.height })?;
        top += scales.height;
        if index + 1 == picture.panels.len() {
            painter.horizontal(&scales.horizontal, &picture.horizontal, top)?;
        }
    }
    painter.backend.present()
}

/// The plot area of a panel, below its title.
struct Area {
    top: f64,
    height: f64,
}

impl Area {
    fn point(&self, time: &Axis, values: &Axis, (t, value): Point) -> Option<Point> {
        Some((LEFT + PLOT_WIDTH * time.place(t)?, self.top + self.height * (1.0 - values.place(value)?)))
    }
}

struct Painter<B> {
    backend: B,
    bitmap: bool,
}

impl<B: DrawingBackend> Painter<B> {
    fn panel(&mut self, panel: &Panel, scales: &Scales, area: &Area) -> Drawn<B> {
        let time = &scales.horizontal;
        let bands = match panel.scale {
            Scale::Stacked => stack(panel, time),
            Scale::Histogram => panel.series.iter().take(1).map(|series| series.points.clone()).collect(),
            _ => Vec::new(),
        };
        let axis = scales.vertical(panel, &bands);
        let title = shortened(&axis.title(&panel.title, &panel.unit), PLOT_WIDTH, 13.0);
        self.text(&title, (LEFT, area.top - 13.0), 13.0, TEXT, (HPos::Left, VPos::Center))?;
        let bottom = area.top + area.height;
        for x in time.ticks.iter().filter_map(|(t, _)| Some(LEFT + PLOT_WIDTH * time.place(*t)?)) {
            self.line(&[(x, area.top), (x, bottom)], GRID, 0.75)?;
        }
        for (value, label) in &axis.ticks {
            let Some(place) = axis.place(*value) else { continue };
            let y = bottom - area.height * place;
            self.line(&[(LEFT, y), (LEFT + PLOT_WIDTH, y)], GRID, 0.75)?;
            self.text(label, (LEFT - 8.0, y), 11.5, TEXT, (HPos::Right, VPos::Center))?;
        }
        self.line(&[(LEFT, area.top), (LEFT, bottom), (LEFT + PLOT_WIDTH, bottom)], AXIS, 1.0)?;
        for (series, band) in panel.series.iter().zip(&bands) {
            let outline: Vec<Point> = band.iter().filter_map(|&point| area.point(time, &axis, point)).collect();
            self.fill(&outline, color(series.color))?;
        }
        // The remaining series are lines.
        let dotted = usize::from(matches!(panel.scale, Scale::Scatter | Scale::Measured)).min(panel.series.len());
        for series in &panel.series[..dotted] {
            self.dots(series, |point| area.point(time, &axis, point))?;
        }
        for series in &panel.series[bands.len().max(dotted)..] {
            self.series(series, |point| area.point(time, &axis, point))?;
        }
        Ok(())
    }

    /// Draws a dot for each point; points that coincide get only one.
    fn dots(&mut self, series: &Series, place: impl Fn(Point) -> Option<Point>) -> Drawn<B> {
        let mut drawn = BTreeSet::new();
        for (x, y) in series.points.iter().filter_map(|&point| place(point)) {
            if drawn.insert((x.round() as i64, y.round() as i64)) {
                self.dot((x, y), DOT, color(series.color))?;
            }
        }
        Ok(())
    }

    fn series(&mut self, series: &Series, place: impl Fn(Point) -> Option<Point>) -> Drawn<B> {
        let places: Vec<Option<Point>> = series.points.iter().map(|&point| place(point)).collect();
        for part in places.split(Option::is_none) {
            let part: Vec<Point> = part.iter().flatten().copied().collect();
            match part[..] {
                [] => {}
                [(x, y)] => self.dot((x, y), LINE, color(series.color))?,
                _ => {
                    for dash in dashed(&decimate(&part, 1.0 / f64::from(RASTER)), DASHES[series.color / PALETTE.len() % DASHES.len()]) {
                        self.line(&dash, color(series.color), LINE)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Labels and title of the horizontal axis, below the last panel, which ends at `bottom`.
    fn horizontal(&mut self, time: &Axis, title: &str, bottom: f64) -> Drawn<B> {
        for (t, label) in &time.ticks {
            let Some(place) = time.place(*t) else { continue };
            let x = LEFT + PLOT_WIDTH * place;
            self.line(&[(x, bottom), (x, bottom + 4.0)], AXIS, 1.0)?;
            self.text(label, (x, bottom + 13.0), 11.5, TEXT, (HPos::Center, VPos::Center))?;
        }
        let (title, unit) = title.strip_suffix(')').and_then(|title| title.split_once(" (")).unwrap_or((title, ""));
        self.text(&time.title(title, unit), (LEFT + PLOT_WIDTH / 2.0, bottom + 34.0), 13.0, TEXT, (HPos::Center, VPos::Center))
    }

    fn legend(&mut self, row: &[(f64, String, usize)], y: f64) -> Drawn<B> {
        for (x, name, place) in row {
            for dash in dashed(&[(*x, y), (x + 24.0, y)], DASHES[place / PALETTE.len() % DASHES.len()]) {
                self.line(&dash, color(*place), 2.5)?;
            }
            self.text(name, (x + 31.0, y), 12.0, TEXT, (HPos::Left, VPos::Center))?;
        }
        Ok(())
    }

    fn line(&mut self, points: &[Point], color: RGBColor, width: f64) -> Drawn<B> {
        let style = ShapeStyle { color: color.into(), filled: false, stroke_width: raster(width).max(1) as u32 };
        if !self.bitmap || points.len() < 3 {
            return self.backend.draw_path(points.iter().map(|&point| on_raster(point)), &style);
        }
        for ends in points.windows(2) {
            self.backend.draw_path(ends.iter().map(|&point| on_raster(point)), &style)?;
            self.dot(ends[1], width, color)?;
        }
        Ok(())
    }

    fn dot(&mut self, center: Point, diameter: f64, color: RGBColor) -> Drawn<B> {
        let style = ShapeStyle { color: color.into(), filled: true, stroke_width: 0 };
        self.backend.draw_circle(on_raster(center), (raster(diameter) / 2).max(1) as u32, &style, true)
    }

    fn fill(&mut self, outline: &[Point], color: RGBColor) -> Drawn<B> {
        let style = ShapeStyle { color: color.into(), filled: true, stroke_width: 0 };
        self.backend.fill_polygon(outline.iter().map(|&point| on_raster(point)), &style)
    }

    /// `size` is the em size.
    fn text(&mut self, text: &str, at: Point, size: f64, color: RGBColor, (h_pos, v_pos): (HPos, VPos)) -> Drawn<B> {
        let style = TextStyle::from(font(size * f64::from(RASTER))).color(&color).pos(Pos::new(h_pos, v_pos));
        let sunk = if self.bitmap { BITMAP_SINK * size } else { 0.0 };
        self.backend.draw_text(text, &style, on_raster((at.0, at.1 + sunk)))
    }
}

fn color(place: usize) -> RGBColor {
    PALETTE[place % PALETTE.len()]
}

fn font(em: f64) -> FontDesc<'static> {
    FontDesc::new(FontFamily::SansSerif, em * LINE_HEIGHT, FontStyle::Normal)
}

fn raster(length: f64) -> i32 {
    (length * f64::from(RASTER)).round() as i32
}

fn on_raster((x, y): Point) -> (i32, i32) {
    (raster(x), raster(y))
}

fn text_width(text: &str, em: f64) -> f64 {
    // Measured at a large size because widths are rounded. The fallback is the approximate width of an n.
    font(100.0).box_size(text).map_or(0.6 * em * text.chars().count() as f64, |(width, _)| f64::from(width) * em / 100.0)
}

/// `text`, truncated to at most `width`.
fn shortened(text: &str, width: f64, em: f64) -> String {
    if text_width(text, em) <= width {
        return text.to_owned();
    }
    let characters: Vec<char> = text.chars().collect();
    let cut = |length: usize| characters[..length].iter().collect::<String>() + "…";
    (0..characters.len()).rev().map(cut).find(|cut| text_width(cut, em) <= width).unwrap_or_default()
}

/// Rows of the legend: position, name and color of each entry. A name appears once, however many panels show it; a series without values has no
/// entry, and a single entry needs no legend.
fn legend_rows(picture: &Picture) -> Vec<Vec<(f64, String, usize)>> {
    let mut entries: Vec<(&str, usize)> = Vec::new();
    let is_shown = |series: &&Series| !series.name.is_empty() && series.points.iter().any(|(_, value)| value.is_finite());
    for series in picture.panels.iter().flat_map(|panel| &panel.series).filter(is_shown) {
        if !entries.contains(&(&series.name, series.color)) {
            entries.push((&series.name, series.color));
        }
    }
    let mut rows: Vec<Vec<_>> = Vec::new();
    let mut x = f64::INFINITY;
    for (name, color) in if entries.len() > 1 { entries } else { Vec::new() } {
        let name = shortened(name, 180.0, 12.0);
        let width = 31.0 + text_width(&name, 12.0) + 22.0;
        if x + width > LEFT + PLOT_WIDTH + 22.0 {
            rows.push(Vec::new());
            x = LEFT;
        }
        if let Some(row) = rows.last_mut() {
            row.push((x, name, color));
        }
        x += width;
    }
    rows
}

/// The outline of each series on top of the previous ones. Means over columns two units wide preserve areas.
fn stack(panel: &Panel, time: &Axis) -> Vec<Vec<Point>> {
    let column = |t: f64| time.place(t).map_or(0, |place| (place * PLOT_WIDTH / 2.0) as usize);
    let mut below: Vec<Point> = Vec::new();
    let mut bands = Vec::new();
    for series in &panel.series {
        let groups = series.points.chunk_by(|one, other| column(one.0) == column(other.0));
        let means = groups.map(|group| {
            let count = group.len() as f64;
            let sum = |part: fn(&Point) -> f64| group.iter().map(part).filter(|value| value.is_finite()).sum::<f64>() / count;
            (sum(|point| point.0), sum(|point| point.1))
        });
        let means: Vec<Point> = means.collect();
        below.resize(means.len(), (0.0, 0.0));
        let above: Vec<Point> = means.iter().zip(&below).map(|(mean, below)| (mean.0, below.1 + mean.1)).collect();
        let floor = means.iter().zip(&below).map(|(mean, below)| (mean.0, below.1)).rev();
        bands.push(above.iter().copied().chain(floor).collect());
        below = above;
    }
    bands
}

/// Splits a line into its dashes.
fn dashed(points: &[Point], pattern: &[f64]) -> Vec<Vec<Point>> {
    if pattern.is_empty() || points.is_empty() {
        return vec![points.to_vec()];
    }
    let (mut dashes, mut part, mut left) = (vec![vec![points[0]]], 0, pattern[0]);
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length < left {
                left -= length;
                if part % 2 == 0 {
                    dashes.last_mut().expect("a dash is begun").push(to);
                }
                break;
            }
            from = (from.0 + (to.0 - from.0) * left / length, from.1 + (to.1 - from.1) * left / length);
            if part % 2 == 0 {
                dashes.last_mut().expect("a dash is begun").push(from);
            } else {
                dashes.push(vec![from]);
            }
            part = (part + 1) % pattern.len();
            left = pattern[part];
        }
    }
    dashes.retain(|dash| dash.len() > 1);
    dashes
}
