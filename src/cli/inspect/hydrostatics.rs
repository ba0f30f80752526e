//! Hydrostatics of a mesh: options, computation, and the printed sections.

use std::path::PathBuf;

use clap::Args;
use glam::DVec3;

use crate::shape::{
    TriangleMesh,
    hydrostatics::{
        Attitude, Bow, Equilibrium, Hold, Hull, HydrostaticsError, Immersion, Loading, Particulars, RightingCurve, Stability, TrimMode,
    },
};

/// kg/m³
const FRESH_WATER: f64 = 1000.0;
/// Heel and trim below this are not mentioned in a title, rad.
const SMALL: f64 = 1e-4;
/// Angles to which areas under the curve are printed, degrees.
const AREA_ANGLES: [f64; 2] = [30.0, 40.0];

#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Hydrostatics, with one of --draft, --mass and --body-density")]
pub struct HydrostaticsArguments {
    /// Draft of the upright body in m, over its lowest point; the mass follows from it
    #[arg(long, value_parser = parse_positive, allow_negative_numbers = true, group = "loading")]
    pub draft: Option<f64>,
    /// Mass of the body in kg
    #[arg(long, value_parser = parse_positive, allow_negative_numbers = true, group = "loading")]
    pub mass: Option<f64>,
    /// Density of the body in kg/m³: its mass divided by the volume of the mesh
    #[arg(long, value_parser = parse_positive, allow_negative_numbers = true, group = "loading")]
    pub body_density: Option<f64>,
    /// Density of the water in kg/m³ [default: 1000]
    #[arg(long, value_parser = parse_positive, allow_negative_numbers = true, requires = "loading")]
    pub water_density: Option<f64>,
    /// Center of gravity x,y,z in m, after scale and up axis [default: that of the homogeneous body]
    #[arg(long, value_name = "X,Y,Z", value_parser = parse_point, allow_hyphen_values = true, requires = "loading")]
    pub center_of_gravity: Option<DVec3>,
    /// Direction of the bow: x, -x, z or -z [default: the longer extent of the waterline, x or z]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true, requires = "loading")]
    pub bow: Option<Bow>,
    /// Keep the trim at zero for the righting arms
    #[arg(long, requires = "loading")]
    pub fixed_trim: bool,
    /// File for the righting arms [default: out/<mesh>_righting_arms.csv]
    #[arg(long, value_name = "FILE", requires = "loading")]
    pub csv: Option<PathBuf>,
    /// File for their plot, .svg or .png [default: out/<mesh>_righting_arms.svg]
    #[arg(long, value_name = "FILE", value_parser = parse_picture, requires = "loading")]
    pub plot: Option<PathBuf>,
}

/// Everything computed for a body and its loading.
pub struct Outcome {
    pub particulars: Particulars,
    /// The upright position if it is an equilibrium, but not a stable one.
    unstable: Option<Equilibrium>,
    /// The stable positions to which the body goes from upright, or why there are none.
    settled: Result<Vec<Equilibrium>, HydrostaticsError>,
    hold: Hold,
    pub curve: RightingCurve,
    trim_mode: TrimMode,
}

/// Hydrostatics of `mesh`; `None` without a loading.
///
/// # Errors
/// The mesh is not a closed body, the draft is outside of it, or the body sinks.
pub fn compute(arguments: &HydrostaticsArguments, mesh: &TriangleMesh) -> Result<Option<Outcome>, HydrostaticsError> {
    if arguments.draft.is_none() && arguments.mass.is_none() && arguments.body_density.is_none() {
        return Ok(None);
    }
    let hull = Hull::new(mesh)?;
    let (loading, upright) = upright(arguments, &hull)?;
    let extent = upright.waterplane.aabb.extent();
    let bow = arguments.bow.unwrap_or(if extent.z > extent.x { Bow::PlusZ } else { Bow::PlusX });
    let hold = hull.hold(&upright);
    let trim_mode = if arguments.fixed_trim { TrimMode::Fixed(0.0) } else { TrimMode::Free };
    let first = Equilibrium::from(&hull, &loading, Attitude::UPRIGHT, bow, hold);
    let settled = first.clone().and_then(|first| first.settle(&hull, &loading, bow));
    let curve = RightingCurve::of(&hull, &loading, bow, trim_mode, hold);
    let unstable = first.ok().filter(|first| first.stability() == Stability::Unstable);
    Ok(Some(Outcome { particulars: Particulars::of(&upright, &loading, bow), unstable, settled, hold, curve, trim_mode }))
}

/// The loading and the immersion of the upright body.
fn upright(arguments: &HydrostaticsArguments, hull: &Hull) -> Result<(Loading, Immersion), HydrostaticsError> {
    let solid = hull.solid();
    let water_density = arguments.water_density.unwrap_or(FRESH_WATER);
    let center_of_gravity = arguments.center_of_gravity.unwrap_or(solid.center_of_mass);
    if let Some(draft) = arguments.draft {
        let immersion = hull.at_draft(draft)?;
        return Ok((Loading { mass: water_density * immersion.volume, center_of_gravity, water_density }, immersion));
    }
    let mass = arguments.mass.or(arguments.body_density.map(|density| density * solid.volume)).unwrap_or_default();
    let loading = Loading { mass, center_of_gravity, water_density };
    let immersion = hull.sunk(DVec3::Y, loading.volume(), Hold::Dry);
    let sinks = || HydrostaticsError::Sinks { mass, displaced: water_density * hull.largest_volume(DVec3::Y, Hold::Dry) };
    Ok((loading, immersion.ok_or_else(sinks)?))
}

impl Outcome {
    /// Titles and texts of the printed sections.
    pub fn sections(&self) -> Vec<(String, String)> {
        let (bow, water) = (self.particulars.bow, self.particulars.loading.water_density);
        let flooded = if self.hold == Hold::Flooded { ", flooded" } else { "" };
        let title = format!("Hydrostatics, upright{flooded} (bow {bow}, water {water} kg/m³)");
        let mut sections = vec![(title, self.particulars.to_string())];
        let mut add = |rest: &Equilibrium| sections.push((equilibrium_title(rest, bow), equilibrium_text(rest, bow)));
        self.unstable.iter().for_each(&mut add);
        match &self.settled {
            Ok(settled) => settled.iter().for_each(add),
            Err(error) => sections.push(("Stable equilibrium".to_owned(), format!("none: {error}"))),
        }
        let trim = if self.trim_mode == TrimMode::Free { "free to trim and sink" } else { "free to sink, no trim" };
        sections.push((format!("Righting arms GZ ({trim})"), self.curve_text()));
        sections
    }

    fn curve_text(&self) -> String {
        let curve = &self.curve;
        let (Some(first), Some(last)) = (curve.points.first(), curve.points.last()) else {
            return "none: near upright the body finds no trim (see --fixed-trim)".to_owned();
        };
        let mut lines = Vec::new();
        let largest = curve.points.iter().fold(0.0_f64, |largest, point| largest.max(point.arm.abs()));
        if first.arm.abs() > 1e-3 * largest {
            lines.push(format!("GZ upright             {:>10.5} m", first.arm));
        }
        if let Some(loll) = curve.loll {
            lines.push(format!("angle of loll          {:>10.2}°", loll.to_degrees()));
        }
        lines.push(match &curve.maximum {
            Some(maximum) => format!("maximum GZ             {:>10.5} m at {:.2}°", maximum.arm, maximum.attitude.heel.to_degrees()),
            None => "maximum GZ             none: it does not right itself".to_owned(),
        });
        match curve.vanishing {
            Some(heel) => lines.push(format!("vanishing angle        {:>10.2}°", heel.to_degrees())),
            None if curve.maximum.is_some() => {
                lines.push(format!("vanishing angle        none up to {:.2}°", last.attitude.heel.to_degrees()))
            }
            None => {}
        }
        if let Some(heel) = curve.downflooding {
            lines.push(format!("downflooding angle     {:>10.2}°", heel.to_degrees()));
        }
        let end = curve.downflooding.unwrap_or(f64::INFINITY);
        for angle in AREA_ANGLES {
            let to = end.min(angle.to_radians());
            if let Some(area) = curve.area(to) {
                let where_to = if to == end { format!(", to {:.2}° (downflooding)", to.to_degrees()) } else { String::new() };
                lines.push(format!("area to {angle}°            {area:>10.5} m rad{where_to}"));
            }
        }
        if last.attitude.heel < std::f64::consts::PI - 1e-6 {
            let why = if curve.downflooding == Some(last.attitude.heel) { "floods and sinks" } else { "sinks or stands on end" };
            lines.push(format!("end of the curve       {:>10.2}°: the body {why}", last.attitude.heel.to_degrees()));
        }
        lines.join("\n")
    }
}

fn equilibrium_title(rest: &Equilibrium, bow: Bow) -> String {
    let attitude = rest.attitude(bow);
    let place = match (attitude.heel.abs() > SMALL, attitude.trim.abs() > SMALL) {
        (true, _) => "heeled",
        (false, true) => "trimmed",
        (false, false) => "upright",
    };
    let hold = if rest.hold == Hold::Flooded { ", flooded" } else { "" };
    let stability = rest.stability().to_string();
    format!("{}{} equilibrium, {place}{hold}", stability[..1].to_uppercase(), &stability[1..])
}

fn equilibrium_text(rest: &Equilibrium, bow: Bow) -> String {
    let attitude = rest.attitude(bow);
    let side = |angle: f64, [positive, negative]: [&'static str; 2]| match angle {
        angle if angle.abs() < 0.5e-4_f64.to_radians() => "",
        angle if angle > 0.0 => positive,
        _ => negative,
    };
    let Immersion { draft, level, dry_volume, volume, .. } = rest.immersion;
    let [least, most] = rest.metacentric_heights;
    let (axis, angle) = attitude.rotation(bow).to_axis_angle();
    let rotation = if angle < 1e-9 {
        String::new()
    } else {
        let [x, y, z] = axis.to_array().map(|number| rounded(number, 6));
        format!(", rotation = {{ axis = [{x}, {y}, {z}], angle = {} }}", rounded(angle.to_degrees(), 4))
    };
    let angle = |label: &str, angle: f64, sides| format!("{label:<22} {:>10}°{}", rounded(angle.to_degrees(), 4), side(angle, sides));
    let mut lines = vec![
        angle("heel", attitude.heel, [", starboard down", ", port down"]),
        angle("trim", attitude.trim, [", by the stern", ", by the bow"]),
        format!("draft                  {draft:>10.5} m, of the lowest point"),
    ];
    if dry_volume > 0.01 * volume {
        lines.push(format!("dry hold under water   {dry_volume:>10.5} m³"));
    }
    lines.push(format!("metacentric heights    {least:>10.5} m and {most:.5} m"));
    lines.push(format!("pose, water at y = 0   position = [0, {}, 0]{rotation}", rounded(-level, 6)));
    lines.join("\n")
}

/// With this number of decimals, and no minus before a zero.
fn rounded(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    if text.starts_with('-') && text.chars().all(|character| "-0.".contains(character)) { text[1..].to_owned() } else { text }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("found \"{text}\", expected a number above zero"))
}

fn parse_point(text: &str) -> Result<DVec3, String> {
    let numbers: Option<Vec<f64>> =
        text.split(',').map(|word| word.trim().parse().ok().filter(|number: &f64| number.is_finite())).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err(format!("found \"{text}\", expected three numbers separated by commas")),
    }
}

fn parse_picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let known = path.extension().is_some_and(|extension| extension == "svg" || extension == "png");
    if known { Ok(path) } else { Err(format!("found \"{text}\", expected a file name that ends in .svg or .png")) }
}
