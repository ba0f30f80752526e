//! The section `[render]`: light, background, floor, colors.

use glam::DVec3;

use crate::read::{Quantity, Range, Table};

const LIGHT: &str = "a nonzero direction [x, y, z] towards the light";
const HEIGHT: Quantity = Quantity::new(Range::Any, "a height in m");
const LOOKS: [&str; 3] = ["solid", "see_through", "hidden"];
const STYLES: [&str; 3] = ["particles", "points", "surface"];

/// Picture settings of a scene; the viewer chooses absent values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureSettings {
    /// How particles are drawn.
    pub style: Option<ParticleStyle>,
    /// Name of the field that colors the particles.
    pub color_by: Option<String>,
    /// Red, green, blue from 0 to 1, as on a screen (sRGB).
    pub background: Option<[f32; 3]>,
    /// Unit vector towards the light.
    pub light: Option<DVec3>,
    /// Whether a floor is drawn.
    pub floor: Option<bool>,
    /// m
    pub floor_height: Option<f64>,
    /// How individual bodies are drawn; the viewer chooses for all others.
    pub bodies: Vec<BodyLook>,
    /// The fluids, if there are several: values of the field `material`.
    pub materials: Vec<MaterialLook>,
}

/// How one of several fluids is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialLook {
    /// Name of the fluid.
    pub name: String,
    /// Color, in the format of [`PictureSettings::background`].
    pub color: Option<[f32; 3]>,
}

/// How particles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParticleStyle {
    /// Shaded spheres.
    Particles,
    /// Flat dots.
    Points,
    /// The surface of the fluid.
    Surface,
}

/// How one body is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLook {
    /// Name of the body.
    pub name: String,
    /// Color, in the format of [`PictureSettings::background`].
    pub color: Option<[f32; 3]>,
    /// Appearance of the body: opaque, transparent or hidden.
    pub visibility: Option<Visibility>,
}

/// Appearance of a body: opaque, transparent or hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Opaque.
    Solid,
    /// Transparent.
    SeeThrough,
    /// Not drawn.
    Hidden,
}

/// The section `[render]`, which may refer only to the bodies named in `bodies`.
pub fn read(root: &Table, bodies: &[&str]) -> PictureSettings {
    let mut settings = PictureSettings::default();
    let Some(table) = root.table("render", "a table [render]") else { return settings };
    if table.has("style") {
        settings.style = table.choice("style", &STYLES).map(|style| match style {
            "particles" => ParticleStyle::Particles,
            "points" => ParticleStyle::Points,
            _ => ParticleStyle::Surface,
        });
    }
    table.pass(&["style", "color_by", "floor"]);
    settings.color_by = table.has("color_by").then(|| table.text("color_by", "the name of a field in quotes")).flatten().map(str::to_owned);
    settings.background = table.optional_color("background");
    settings.light = table.optional_vector("light", LIGHT).and_then(|light| {
        if light.try_normalize().is_none() {
            table.document.report(table.line_of("light"), &table.key("light"), "[0, 0, 0]", LIGHT);
        }
        light.try_normalize()
    });
    settings.floor = table.has("floor").then(|| table.flag_or("floor", true));
    settings.floor_height = table.optional_number("floor_height", HEIGHT).map(|height| height - table.document.origin.get().y);
    settings.bodies = table.tables("body").into_iter().filter_map(|entry| read_body(entry, bodies)).collect();
    table.finish();
    settings
}

fn read_body(table: Table, bodies: &[&str]) -> Option<BodyLook> {
    let name = table.text("name", "the name of a body in quotes");
    if let Some(name) = name
        && !bodies.contains(&name)
    {
        table.document.unknown_name(table.line_of("name"), &table.key("name"), name, "body", bodies.iter().copied());
    }
    let color = table.optional_color("color");
    let visibility = if table.has("look") { table.choice("look", &LOOKS) } else { None };
    table.pass(&["look"]);
    let visibility = visibility.map(|look| match look {
        "solid" => Visibility::Solid,
        "see_through" => Visibility::SeeThrough,
        _ => Visibility::Hidden,
    });
    table.finish();
    Some(BodyLook { name: name?.to_owned(), color, visibility })
}
