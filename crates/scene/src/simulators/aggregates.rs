//! The section `[aggregates]`.

use plimsoll_aggregates::{ATMOSPHERE, AggregateSettings, Algorithm, Boundary, Drag, Medium, Method, MotionLaw, NarrowPhase, Stop};

use crate::read::{Quantity, Range, Table};

const DIAMETER: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const DENSITY: Quantity = Quantity::new(Range::Positive, "a positive density in kg/m³");
const VOLUME_FRACTION: Quantity = Quantity::new(Range::PositiveUpTo(0.25), "a volume fraction above 0, at most 0.25");
const SPREAD: Quantity = Quantity::new(Range::AtLeast(1.0), "a geometric standard deviation, 1 or more");
const TEMPERATURE: Quantity = Quantity::new(Range::PositiveUpTo(1e5), "a positive temperature in K, at most 1e5");
const PRESSURE: Quantity = Quantity::new(Range::Positive, "a positive pressure in Pa");
const VISCOSITY: Quantity = Quantity::new(Range::Positive, "a positive viscosity in Pa s");
const FREE_PATH: Quantity = Quantity::new(Range::NotNegative, "a length in m, 0 or more");
const TIME_STEP: Quantity = Quantity::new(Range::Positive, "a positive time in seconds");
const ROTATION: Quantity = Quantity::new(Range::NotNegative, "a factor, 0 or more");
const STICKING: Quantity = Quantity::new(Range::PositiveUpTo(1.0), "a probability above 0, at most 1");
const MEAN_SIZE: Quantity = Quantity::new(Range::AtLeast(1.0), "a number of primaries, 1 or more");

/// Maximum geometric standard deviation; with larger values a few spheres would fill the box.
const MAX_SPREAD: f64 = 3.0;
const MAX_SPHERES: usize = 20_000_000;

/// The aggregates of a scene.
pub(crate) fn read(root: &Table, seed: u64) -> Option<AggregateSettings> {
    let context = "with simulator = \"aggregates\"";
    root.misplaced("gravity", context, "it only with simulator = \"fluid\": settling is negligible for these clusters");
    root.misplaced("body", context, "it only with simulator = \"fluid\"");
    root.misplaced("fluid", context, "a table [aggregates]");
    root.misplaced("gas", context, "a table [aggregates]");
    let table = root.required_table("aggregates", "a table [aggregates]")?;
    let count = read_count(&table);
    let volume_fraction = table.number("volume_fraction", VOLUME_FRACTION);
    let diameter = table.number("diameter", DIAMETER);
    let spread = table.number_or("spread", SPREAD, 1.0);
    if spread > MAX_SPREAD {
        let found = format!("{spread}");
        table.document.report(table.line_of("spread"), &table.key("spread"), found, format!("at most {MAX_SPREAD}"));
    }
    let density = table.number("density", DENSITY);
    let medium = read_medium(&table);
    let (law, rotation) = read_motion(&table);
    let (method, narrow) = read_detection(&table, law);
    let sticking = table.number_or("sticking", STICKING, 1.0);
    let boundary = match table.choice_or("boundary", &["periodic", "walls"], "periodic") {
        "walls" => Boundary::Walls,
        _ => Boundary::Periodic,
    };
    for (key, bounces) in [("sticking", sticking < 1.0), ("boundary", boundary == Boundary::Walls)] {
        if bounces && (method != Method::Cells || narrow != NarrowPhase::Advancement) {
            let expected = "method = \"cells\" and narrow = \"advancement\" in [aggregates.detection], which support bounces";
            table.document.report(table.line_of(key), &table.key(key), "bounces with another detection method", expected);
        }
    }
    let stop = read_stop(&table);
    let step_line = table.line_of("motion.time_step");
    table.finish();
    let settings = AggregateSettings {
        count: count?,
        volume_fraction: volume_fraction?,
        diameter: diameter?,
        spread,
        density: density?,
        medium: medium?,
        law: law?,
        rotation,
        sticking,
        boundary,
        method,
        narrow,
        stop,
        seed,
    };
    if let Some(warning) = settings.step_warning() {
        root.document.warn(step_line, "aggregates.motion.time_step", &warning);
    }
    Some(settings)
}

fn read_count(table: &Table) -> Option<usize> {
    let count = table.count("count");
    if let Some(count) = count.filter(|&count| count > MAX_SPHERES) {
        table.document.report(table.line_of("count"), &table.key("count"), format!("{count}"), format!("at most {MAX_SPHERES}"));
    }
    count
}

/// Air at a temperature and pressure, or a medium with given viscosity and mean free path.
fn read_medium(root: &Table) -> Option<Medium> {
    let table = root.required_table("medium", "a table [aggregates.medium]")?;
    let temperature = table.number("temperature", TEMPERATURE);
    let viscosity = table.optional_number("viscosity", VISCOSITY);
    let free_path = table.optional_number("mean_free_path", FREE_PATH);
    if viscosity.is_some() && free_path.is_none() && !table.has("mean_free_path") {
        table.missing("mean_free_path", "a length in m together with `viscosity`; 0 for a liquid");
    }
    if viscosity.is_some() && free_path.is_some() {
        table.misplaced("pressure", "with `viscosity` and `mean_free_path`", "it only for air, without these two keys");
    }
    let pressure = table.number_or("pressure", PRESSURE, ATMOSPHERE);
    let drag = match table.choice_or("drag", &["adjusted_sphere", "free_draining"], "adjusted_sphere") {
        "free_draining" => Drag::FreeDraining,
        _ => Drag::AdjustedSphere,
    };
    table.finish();
    let air = Medium::air(temperature?, pressure);
    let (viscosity, mean_free_path) = (viscosity.unwrap_or(air.viscosity), free_path.unwrap_or(air.mean_free_path));
    Some(Medium { viscosity, mean_free_path, drag, ..air })
}

/// The law of motion, and the factor `rotation` for the rotation of clusters.
fn read_motion(root: &Table) -> (Option<MotionLaw>, f64) {
    let Some(table) = root.table("motion", "a table [aggregates.motion]") else { return (Some(MotionLaw::Relaxation), 1.0) };
    let law = table.choice_or("law", &["relaxation", "fixed", "brownian"], "relaxation");
    let law = if law == "relaxation" {
        table.misplaced("time_step", "with law = \"relaxation\"", "it only with \"fixed\" and \"brownian\"");
        Some(MotionLaw::Relaxation)
    } else {
        let time_step = table.number("time_step", TIME_STEP);
        time_step.map(|time_step| if law == "fixed" { MotionLaw::Fixed { time_step } } else { MotionLaw::Brownian { time_step } })
    };
    let rotation = table.number_or("rotation", ROTATION, 1.0);
    table.finish();
    (law, rotation)
}

fn read_detection(root: &Table, law: Option<MotionLaw>) -> (Method, NarrowPhase) {
    let Some(table) = root.table("detection", "a table [aggregates.detection]") else { return Default::default() };
    let method = match table.choice_or("method", &["cells", "plain", "boxes", "spheres"], "cells") {
        "plain" => Method::Rounds(Algorithm::Plain),
        "boxes" => Method::Rounds(Algorithm::Boxes),
        "spheres" => Method::Rounds(Algorithm::Spheres),
        _ => Method::Cells,
    };
    if law == Some(MotionLaw::Relaxation) && method != Method::Cells {
        let expected = "method = \"cells\" with law = \"relaxation\", in which each cluster has its own time step";
        table.document.report(table.line_of("method"), &table.key("method"), "a method that requires a common time step", expected);
    }
    let narrow = match table.choice_or("narrow", &["advancement", "sampling"], "advancement") {
        "sampling" => NarrowPhase::Sampling,
        _ => NarrowPhase::Advancement,
    };
    table.finish();
    (method, narrow)
}

fn read_stop(root: &Table) -> Stop {
    let Some(table) = root.table("stop", "a table [aggregates.stop]") else { return Stop::default() };
    let clusters = table.has("clusters").then(|| table.integer_or("clusters", 1, 1));
    let mean_size = table.optional_number("mean_size", MEAN_SIZE);
    table.finish();
    Stop { clusters, mean_size }
}
