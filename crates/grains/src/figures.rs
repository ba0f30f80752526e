//! Figures of grains: the amount of each size class at each height, and its speed there.
//!
//! Layers are at least as thick as the largest grain. A grain belongs to the layer that contains its center. The volume of the grains of a
//! layer divided by its thickness is the mean cross-sectional area of the grains at that height, m² (in a plane a length, m).

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_contract::{
    chart::{Diagram, FigureSource, Figures, Panel, Picture, Quantity, RecordedRun, Scale, Series, Setting},
    frame::{FieldValues, Frame},
};

/// A column found only in the diagnostics of grains.
const COORDINATION: &str = "coordination";
/// Maximum number of layers, and of size classes.
const LAYERS: f64 = 60.0;
const CLASSES: usize = 4;

/// The figures of grains.
pub const FIGURES: FigureSource = FigureSource { tables: &[], last_frame: true, figures };

fn figures(run: &RecordedRun) -> Figures {
    let mut figures = Figures::default();
    if run.diagnostics.column(COORDINATION).is_some() {
        let diagrams = [
            Diagram::linear("Contacts between grains", "").line("contacts", "", 5),
            Diagram::linear("Particles", "").of(Quantity::VaryingValue).line("particles", "", 5),
        ];
        figures.add_diagrams(&run.diagnostics, "contacts", "Contacts", &diagrams);
        figures.pictures.extend(run.last_frame.as_ref().and_then(|frame| profiles(frame, &run.settings)));
    }
    figures
}

/// Data of a grain for the profiles.
struct Grain {
    radius: f64,
    height: f64,
    /// m³, or m² in a plane.
    volume: f64,
    speed: f64,
}

/// Sums over the grains of a layer.
#[derive(Clone, Copy, Default)]
struct Layer {
    count: f64,
    volume: f64,
    speed: f64,
}

/// Volume and speed of each size class as a function of height; up is against gravity.
fn profiles(frame: &Frame, settings: &Setting) -> Option<Picture> {
    let gravity: Vec<f64> = settings.get("gravity").as_list().unwrap_or_default().iter().filter_map(Setting::as_number).collect();
    let up = <[f64; 3]>::try_from(gravity).ok().and_then(|gravity| (-DVec3::from_array(gravity)).try_normalize()).unwrap_or(DVec3::Y);
    let plane = settings.get("space").get("dimension").as_number() == Some(2.0);
    draw(&grains(frame, up, plane), frame.time, plane)
}

fn grains(frame: &Frame, up: DVec3, plane: bool) -> Vec<Grain> {
    let Some(FieldValues::Vector(velocities)) = frame.particles.field("velocity") else { return Vec::new() };
    let vector = |values: &[f32; 3]| DVec3::from_array(values.map(f64::from));
    let radii = frame.particles.radii();
    let each = frame.particles.positions.iter().zip(velocities).enumerate();
    each.map(|(index, (position, velocity))| {
        let radius = f64::from(radii.of(index));
        let volume = if plane { PI * radius * radius } else { 4.0 / 3.0 * PI * radius.powi(3) };
        Grain { radius, height: vector(position).dot(up), volume, speed: vector(velocity).length() }
    })
    .collect()
}

fn draw(grains: &[Grain], time: f64, plane: bool) -> Option<Picture> {
    let classes = classes(grains);
    let largest = classes.last()?.1;
    let bound = |start: f64, choose: fn(f64, f64) -> f64| grains.iter().map(|grain| grain.height).fold(start, choose);
    let (low, high) = (bound(f64::INFINITY, f64::min) - largest, bound(f64::NEG_INFINITY, f64::max) + largest);
    // Heights are rounded to single precision; the margin prevents three layers where four fit exactly.
    let count = ((high - low) / (2.0 * largest) + 1e-4).floor().clamp(1.0, LAYERS);
    let thickness = (high - low) / count;
    let mut layers = vec![vec![Layer::default(); count as usize]; classes.len()];
    for grain in grains {
        let class = classes.partition_point(|&(_, to)| to < grain.radius);
        let layer = &mut layers[class][(((grain.height - low) / thickness) as usize).min(count as usize - 1)];
        layer.count += 1.0;
        layer.volume += grain.volume;
        layer.speed += grain.speed;
    }
    let total: Vec<f64> = (0..count as usize).map(|layer| layers.iter().map(|class| class[layer].volume).sum()).collect();
    let heights: Vec<f64> = (0..count as usize).map(|layer| low + (layer as f64 + 0.5) * thickness).collect();
    let lines = |value: &dyn Fn(&Layer, f64) -> f64| -> Vec<Series> {
        let line = |(color, (layers, class)): (usize, (&Vec<Layer>, &(f64, f64)))| {
            Series::new(name(class), color, &heights, layers.iter().zip(&total).map(|(layer, &total)| value(layer, total)))
        };
        layers.iter().zip(&classes).enumerate().map(line).collect()
    };
    let (area, unit) = if plane { ("Cross section of the grains", "m") } else { ("Cross section of the grains", "m²") };
    let mut panels = vec![Panel::new(area, unit, Scale::Stacked, lines(&|layer, _| layer.volume / thickness))];
    if classes.len() > 1 {
        panels.push(Panel::new("Share of the grain volume", "", Scale::Linear, lines(&|layer, total| layer.volume / total)));
    }
    panels.push(Panel::new("Mean speed", "m/s", Scale::Linear, lines(&|layer, _| layer.speed / layer.count)));
    Picture::of("profiles", &format!("Grains by height at {} s", (1e4 * time).round() / 1e4), "Height (m)", panels)
}

/// Smallest and largest radius of each class, ascending: one class per size if there are few sizes, otherwise classes with equal numbers of
/// grains.
fn classes(grains: &[Grain]) -> Vec<(f64, f64)> {
    let mut radii: Vec<f64> = grains.iter().map(|grain| grain.radius).collect();
    radii.sort_by(f64::total_cmp);
    let sizes: Vec<&[f64]> = radii.chunk_by(|one, other| one == other).collect();
    if sizes.len() <= CLASSES {
        return sizes.iter().map(|size| (size[0], size[0])).collect();
    }
    let ends = (1..=CLASSES).map(|class| radii[class * radii.len() / CLASSES - 1]);
    let mut classes: Vec<(f64, f64)> = Vec::new();
    for to in ends {
        let from = classes.last().map_or(0, |&(_, last)| radii.partition_point(|&radius| radius <= last));
        if from < radii.len() && radii[from] <= to {
            classes.push((radii[from], to));
        }
    }
    classes
}

/// Range of diameters of a class, mm.
fn name(&(from, to): &(f64, f64)) -> String {
    let diameter = |radius: f64| format!("{}", (2e6 * radius).round() / 1e3);
    if from == to { format!("{} mm", diameter(from)) } else { format!("{} to {} mm", diameter(from), diameter(to)) }
}
