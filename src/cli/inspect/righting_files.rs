//! The curve of righting arms as a table and as a plot.

use std::path::Path;

use anyhow::Context;

use super::hydrostatics::Outcome;
use crate::{
    chart::{Panel, Picture, Scale, Series},
    frame::{Row, Value},
    math::format::significant,
    output::Table,
    plot::{PictureFormat, write_picture},
    shape::hydrostatics::{Hold, Particulars, RightingCurve, RightingPoint},
};

/// Palette places. Eight and above are dashed.
const ARM: usize = 0;
const MAXIMUM: usize = 1;
const VANISHING: usize = 3;
const DOWNFLOODING: usize = 4;
const SLOPE: usize = 9;
const AREA: usize = 2;
const TRIM: usize = 5;

/// Trims below this are due to rounding in the mesh, degrees.
const MIN_TRIM: f64 = 0.01;

/// Writes one row for each point of the curve.
pub fn write_table(path: &Path, curve: &RightingCurve) -> anyhow::Result<()> {
    let mut table = Table::new(path.to_owned());
    for point in &curve.points {
        table.write(&row(curve, point))?;
    }
    Ok(table.flush()?)
}

fn row(curve: &RightingCurve, point: &RightingPoint) -> Row {
    let (immersion, heel) = (&point.immersion, point.attitude.heel);
    let [x, y, z] = immersion.center_of_buoyancy.to_array();
    let reals = [
        ("heel_degrees", heel.to_degrees()),
        ("trim_degrees", point.attitude.trim.to_degrees()),
        ("righting_arm [m]", point.arm),
        ("area [m rad]", curve.area(heel).unwrap_or(f64::NAN)),
        ("draft [m]", immersion.draft),
        ("center_of_buoyancy_x [m]", x),
        ("center_of_buoyancy_y [m]", y),
        ("center_of_buoyancy_z [m]", z),
        ("waterplane_area [m²]", immersion.waterplane.area),
        ("wetted_area [m²]", immersion.wetted_area),
        ("dry_volume [m³]", immersion.dry_volume),
    ];
    let flooded = point.hold == Hold::Flooded;
    let reals = reals.into_iter().map(|(name, value)| (name, Value::Real(value)));
    reals.chain([("flooded", Value::Integer(u64::from(flooded)))]).collect()
}

/// Draws righting arm, area and trim over heel.
pub fn write_plot(path: &Path, outcome: &Outcome, mesh: &Path) -> anyhow::Result<()> {
    let picture = picture(outcome, mesh).context("the righting arms are zero, nothing to plot")?;
    let format = if path.extension().is_some_and(|extension| extension == "png") { PictureFormat::Png } else { PictureFormat::Svg };
    Ok(write_picture(path, &picture, format)?)
}

fn picture(outcome: &Outcome, mesh: &Path) -> Option<Picture> {
    let (curve, particulars) = (&outcome.curve, &outcome.particulars);
    let heels: Vec<f64> = curve.points.iter().map(|point| point.attitude.heel.to_degrees()).collect();
    let over_heel = |name: &str, color: usize, value: &dyn Fn(&RightingPoint) -> f64| {
        let mut series = Series::new(name, color, &heels, curve.points.iter().map(value));
        // A gap where water enters.
        if let Some(rim) = curve.downflooding.and_then(|rim| curve.points.iter().position(|point| point.attitude.heel == rim)) {
            series.points.insert(rim + 1, (heels[rim], f64::NAN));
        }
        series
    };
    let mut arms = vec![over_heel("righting arm GZ", ARM, &|point| point.arm)];
    arms.extend(initial_slope(outcome));
    let top = curve.points.iter().fold(0.0_f64, |top, point| top.max(point.arm));
    let bottom = curve.points.iter().fold(0.0_f64, |bottom, point| bottom.min(point.arm));
    let mark = |name: &str, color: usize, heel: f64, ends: [f64; 2]| Series::new(name, color, &[heel.to_degrees(); 2], ends);
    let peak = curve.maximum.as_ref().filter(|peak| curve.downflooding != Some(peak.attitude.heel));
    arms.extend(peak.map(|peak| mark("maximum", MAXIMUM, peak.attitude.heel, [0.0, peak.arm])));
    arms.extend(curve.vanishing.map(|heel| mark("vanishing angle", VANISHING, heel, [-0.1 * (top - bottom), 0.1 * (top - bottom)])));
    arms.extend(curve.downflooding.map(|heel| mark("downflooding angle", DOWNFLOODING, heel, [bottom, top])));
    let area = over_heel("", AREA, &|point| curve.area(point.attitude.heel).unwrap_or(f64::NAN));
    let trim = over_heel("", TRIM, &|point| point.attitude.trim.to_degrees());
    let trims = trim.points.iter().any(|(_, trim)| trim.abs() > MIN_TRIM);
    let mut panels =
        vec![Panel::new("Righting arm", "m", Scale::Linear, arms), Panel::new("Area under the curve", "m rad", Scale::Linear, vec![area])];
    if trims {
        panels.push(Panel::new("Trim, positive by the stern", "°", Scale::Linear, vec![trim]));
    }
    let mut picture = Picture::of("righting_arms", "Righting arms", "Heel (°)", panels)?;
    let name = mesh.file_name().unwrap_or_default().to_string_lossy();
    let immersion = &particulars.immersion;
    let [mass, draft, kg, gm] =
        [particulars.loading.mass, immersion.draft, particulars.kg, particulars.gm_t].map(|value| significant(value).replace('-', "−"));
    picture.subtitle = format!("{name}: mass {mass} kg; upright draft {draft} m, KG {kg} m, GM {gm} m");
    Some(picture)
}

/// The tangent at the origin, as far as it stays in the range of the curve: metacentric height × heel in rad. None if the body is not balanced
/// upright.
fn initial_slope(outcome: &Outcome) -> Option<Series> {
    let points = &outcome.curve.points;
    let first = points.first()?;
    let largest = points.iter().fold(0.0_f64, |largest, point| largest.max(point.arm.abs()));
    let Particulars { loading, bow, .. } = outcome.particulars;
    let height = first.immersion.metacentric_height(loading.center_of_gravity, first.attitude.across(bow)) * first.attitude.trim.cos();
    if first.arm.abs() > 1e-3 * largest || height == 0.0 {
        return None;
    }
    let end = (largest / height.abs()).min(1.0);
    Some(Series::new("initial slope", SLOPE, &[0.0, end.to_degrees()], [0.0, height * end]))
}
