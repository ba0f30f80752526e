//! The sections `[fluid]`, `[fluid.pressure]`, `[fluid.viscosity]` and `[fluid.time_step]`.

mod acceleration;
mod air;
mod basin;
mod damping_zone;
mod domain;
mod emitter;
mod grid;
mod micropolar;
mod out_of_place;
mod periodic;
mod probe;
mod sizes;
mod viscosity;

pub(crate) use domain::check_contents as check_domain;
pub(crate) use out_of_place::warn_of_places;
pub(crate) use periodic::check_contents;
pub(crate) use probe::read_all as read_probes;
pub(crate) use sizes::warn_of_thin_bodies;

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_bodies::MechanismDefinition;
use plimsoll_fluid::{DensitySolve, Emitter, Fill, FluidSettings, Material, PressureSolver, TaitLaw, TimeStep, ViscositySolver};

use crate::{
    body::PlacedBody,
    fill::{self, Place},
    materials::{DENSITY, Materials, TENSION, read_contact_angle},
    read::{Quantity, Range, Table},
};

/// Sound must be this many times faster than the fluid for its density to vary by about one percent (Becker & Teschner 2007).
const SOUND_TO_FLUID_SPEED: f64 = 10.0;

const DFSPH_KEYS: [&str; 4] = ["density_tolerance", "density_iterations", "divergence_tolerance", "divergence_iterations"];
const WCSPH_KEYS: [&str; 2] = ["sound_speed", "exponent"];

const RADIUS: Quantity = Quantity::new(Range::Positive, "a positive length in m");
const PERCENT: Quantity = Quantity::new(Range::PositiveUpTo(100.0), "a percentage above 0, at most 100");
const SPEED: Quantity = Quantity::new(Range::Positive, "a positive speed in m/s");
const EXPONENT: Quantity = Quantity::new(Range::AtLeast(1.0), "a number of 1 or more");
const STEP: Quantity = Quantity::new(Range::Positive, "a positive time in seconds");
const CFL: Quantity = Quantity::new(Range::PositiveUpTo(1.0), "a number above 0, at most 1");

/// Other scene settings on which the fluid depends.
pub(crate) struct Surroundings<'s> {
    /// m/s².
    pub gravity: DVec3,
    /// Begin and end, s.
    pub times: [f64; 2],
    /// Seconds from frame to frame.
    pub frame_interval: f64,
    pub bodies: &'s [PlacedBody],
    pub mechanism: &'s MechanismDefinition,
    /// Whether the fluid is that of another run.
    pub continues: bool,
}

/// Locations of fills and emitters in the file.
pub(crate) struct Places {
    pub fills: Vec<Place>,
    pub emitters: Vec<Place>,
}

/// The fluid, and the locations of its fills and emitters in the file.
pub(crate) fn read(root: &Table, surroundings: &Surroundings) -> Option<(FluidSettings, Places)> {
    let table = root.required_table("fluid", "a table [fluid]")?;
    let particle_radius = table.number("particle_radius", RADIUS);
    let settle = table.flag_or("settle", false);
    let gap_pressure = table.flag_or("gap_pressure", false);
    if settle && surroundings.continues {
        table.misplaced("settle", "with `start_from`", "it only without: the fluid is that of the other run");
    }
    let domain = periodic::read(&table);
    let domain_box = domain::read(&table, &domain);
    let viscosity = viscosity::read(&table);
    let surface_tension = table.number_or("surface_tension", TENSION, 0.0);
    // Materials may have tensions of their own.
    let tension = if table.has("material") { f64::INFINITY } else { surface_tension };
    let contact_angle = read_contact_angle(&table, tension, FRAC_PI_2);
    let materials = Materials::read(&table, &viscosity, surface_tension, contact_angle);
    let density = table.number_or("density", DENSITY, 1000.0);
    let time_step = read_time_step(&table, particle_radius.unwrap_or(f64::INFINITY), surroundings.frame_interval);
    let (fills, fill_places) = if surroundings.continues { fill::refuse(&table) } else { fill::read_all(&table, &materials) };
    let context = emitter::EmitterContext {
        particle_radius: particle_radius.unwrap_or(0.0),
        materials: &materials,
        bodies: surroundings.bodies,
        times: surroundings.times,
    };
    let (emitters, emitter_places) = emitter::read_all(&table, &context);
    let drains = emitter::read_drains(&table);
    let damping_zones = damping_zone::read_all(&table, surroundings.gravity);
    let acceleration_fields = acceleration::read_all(&table, &fills, surroundings.times[0]);
    let air = air::read(&table);
    let micropolar = micropolar::read(&table);
    let fastest = fastest_expected(surroundings, &fills, &emitters);
    let (pressure, momentary_pressure) = read_pressure(&table, fastest);
    let materials = materials.into_list();
    check_solver(&table, pressure.as_ref(), &materials);
    let probes = read_probes(root, surroundings.bodies, 1.0 / surroundings.frame_interval);
    let grids = grid::read_all(root, &domain);
    let settings = particle_radius.zip(pressure).map(|(particle_radius, pressure)| FluidSettings {
        origin: root.document.origin.get(),
        particle_radius,
        density,
        materials,
        gravity: surroundings.gravity,
        domain,
        domain_box,
        pressure,
        gap_pressure,
        momentary_pressure,
        viscosity,
        surface_tension,
        contact_angle,
        time_step,
        settle,
        fills,
        emitters,
        drains,
        damping_zones,
        acceleration_fields,
        air,
        micropolar,
        probes,
        grids,
        mechanism: surroundings.mechanism.clone(),
    });
    if let Some(settings) = &settings {
        check_minimum_step(&table, settings);
        check_laws(&table, settings);
        periodic::check_lengths(&table, settings);
    }
    table.finish();
    Some((settings?, Places { fills: fill_places, emitters: emitter_places }))
}

/// Free-fall speed from the top to the bottom of the scene plus the speed of the fastest fill or emitter, m/s; `None` if the fluid is that of
/// another run.
fn fastest_expected(surroundings: &Surroundings, fills: &[Fill], emitters: &[Emitter]) -> Option<f64> {
    if surroundings.continues {
        return None;
    }
    let bodies = surroundings.bodies.iter().map(PlacedBody::aabb);
    let mouths = Aabb::around(emitters.iter().map(|emitter| emitter.position));
    let whole = fills.iter().map(|fill| fill.shape.aabb()).chain(bodies).fold(mouths, Aabb::union);
    if whole.is_empty() {
        return Some(0.0);
    }
    let potential = whole.extent().dot(surroundings.gravity.abs());
    let speeds = fills.iter().map(|fill| fill.velocity.length()).chain(emitters.iter().map(|emitter| emitter.speed));
    let poured = speeds.fold(0.0, f64::max);
    Some(poured + (2.0 * potential).sqrt())
}

/// Reports several fluids with the equation of state, with which light ones next to heavy ones would need far shorter steps.
fn check_solver(table: &Table, pressure: Option<&PressureSolver>, materials: &[Material]) {
    if let (Some(PressureSolver::Wcsph(_)), [_, _, ..]) = (pressure, materials) {
        let found = format!("\"wcsph\" with {} materials", materials.len());
        table.document.report(table.line_of("pressure"), "fluid.pressure.solver", found, "\"dfsph\", or one material");
    }
}

/// The solver, and whether frames contain the momentary pressure.
fn read_pressure(fluid: &Table, fastest: Option<f64>) -> (Option<PressureSolver>, bool) {
    let Some(table) = fluid.table("pressure", "a table [fluid.pressure]") else {
        return (Some(PressureSolver::Dfsph(DensitySolve::default())), false);
    };
    let momentary = table.flag_or("momentary", false);
    let solver = read_solver(&table, fastest);
    table.finish();
    (solver, momentary)
}

fn read_solver(table: &Table, fastest: Option<f64>) -> Option<PressureSolver> {
    let defaults = DensitySolve::default();
    let solver = if table.has("solver") { table.choice("solver", &["dfsph", "wcsph"]) } else { Some("dfsph") };
    table.pass(&["solver"]);
    let (own, other, foreign_keys) = match solver {
        Some("wcsph") => ("wcsph", "dfsph", DFSPH_KEYS.as_slice()),
        Some(_) => ("dfsph", "wcsph", WCSPH_KEYS.as_slice()),
        None => {
            // Without a solver no key can be reported as misplaced.
            table.pass(&DFSPH_KEYS);
            table.pass(&WCSPH_KEYS);
            return None;
        }
    };
    for key in foreign_keys {
        table.misplaced(key, &format!("with solver = \"{own}\""), &format!("it only with solver = \"{other}\""));
    }
    if own == "wcsph" {
        read_tait_law(table, fastest).map(PressureSolver::Wcsph)
    } else {
        let iterations = |key, default: u32| u32::try_from(table.integer_or(key, 1, default.into())).unwrap_or(u32::MAX);
        Some(PressureSolver::Dfsph(DensitySolve {
            density_tolerance: table.number_or("density_tolerance", PERCENT, defaults.density_tolerance),
            density_iterations: iterations("density_iterations", defaults.density_iterations),
            divergence_tolerance: table.number_or("divergence_tolerance", PERCENT, defaults.divergence_tolerance),
            divergence_iterations: iterations("divergence_iterations", defaults.divergence_iterations),
        }))
    }
}

fn read_tait_law(table: &Table, fastest: Option<f64>) -> Option<TaitLaw> {
    let exponent = table.number_or("exponent", EXPONENT, 7.0);
    let missing = |reason: &str| table.missing("sound_speed", format!("a positive speed in m/s: no default can be computed, {reason}"));
    let sound_speed = match (table.optional_number("sound_speed", SPEED), fastest) {
        (Some(sound_speed), fastest) => {
            if let Some(fastest) = fastest.filter(|fastest| sound_speed < SOUND_TO_FLUID_SPEED * fastest) {
                let text = format!(
                    "{sound_speed} m/s is less than ten times the speed that the fluid can reach by falling, {fastest:.3} m/s: \
                     the fluid will be visibly compressed"
                );
                table.document.warn(table.line_of("sound_speed"), &table.key("sound_speed"), &text);
            }
            sound_speed
        }
        _ if table.has("sound_speed") => return None,
        (None, Some(fastest)) if fastest > 0.0 => SOUND_TO_FLUID_SPEED * fastest,
        (None, Some(_)) => {
            missing("because no fluid falls or flows in");
            return None;
        }
        (None, None) => {
            missing("because the fluid is that of another run");
            return None;
        }
    };
    Some(TaitLaw { sound_speed, exponent })
}

fn read_time_step(fluid: &Table, particle_radius: f64, frame_interval: f64) -> TimeStep {
    let mut time_step = TimeStep::new(particle_radius, frame_interval);
    let Some(table) = fluid.table("time_step", "a table [fluid.time_step]") else { return time_step };
    time_step.maximum = table.number_or("maximum", STEP, time_step.maximum);
    time_step.minimum = table.number_or("minimum", STEP, TimeStep::default_minimum(time_step.maximum));
    time_step.cfl = table.number_or("cfl", CFL, time_step.cfl);
    if time_step.maximum > frame_interval {
        let expected = format!("at most the frame interval, {frame_interval} s");
        table.document.report(table.line_of("maximum"), &table.key("maximum"), format!("{}", time_step.maximum), expected);
    }
    if time_step.minimum > time_step.maximum {
        let expected = format!("at most `maximum`, {} s", time_step.maximum);
        table.document.report(table.line_of("minimum"), &table.key("minimum"), format!("{}", time_step.minimum), expected);
    }
    table.finish();
    time_step
}

/// Reports explicit viscosity with viscosities that depend on the shear rate: their step limit is not known in advance.
fn check_laws(fluid: &Table, settings: &FluidSettings) {
    if settings.viscosity.solver == ViscositySolver::Explicit && !settings.is_newtonian() {
        let found = "\"explicit\" with a `law` of viscosity".to_string();
        fluid.document.report(fluid.line_of("viscosity.solver"), "fluid.viscosity.solver", found, "\"implicit\" or \"auto\"");
    }
}

/// Checks that the minimum step is stable according to the limits of the simulation.
fn check_minimum_step(fluid: &Table, settings: &FluidSettings) {
    let minimum = settings.time_step.minimum;
    let limits = [
        (settings.acoustic_step(), "1/5 of the time in which sound travels the support radius"),
        (settings.capillary_step(), "the stability limit for the surface tension"),
        (settings.micropolar_step(), "the stability limit for [fluid.micropolar]"),
    ];
    for (limit, reason) in limits.into_iter().filter(|(limit, _)| minimum > *limit) {
        let (line, key) = (fluid.line_of("time_step.minimum"), fluid.key("time_step.minimum"));
        fluid.document.report(line, &key, format!("{minimum}"), format!("at most {limit:.3e} s, {reason}"));
    }
    if settings.is_viscosity_implicit() {
        return;
    }
    let (viscosity, greatest) = (settings.viscosity.kinematic, settings.stable_viscosity(minimum));
    // Only with an invalid gravity, which is reported elsewhere, is no viscosity stable.
    if viscosity > greatest && greatest > 0.0 {
        let expected = format!("at most {greatest:.3e} m²/s, the stability limit for steps of {minimum:e} s (fluid.time_step.minimum)");
        let (line, key) = (fluid.line_of("viscosity.kinematic"), fluid.key("viscosity.kinematic"));
        fluid.document.report(line, &key, format!("{viscosity}"), expected);
    }
}
