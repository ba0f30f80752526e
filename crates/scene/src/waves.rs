//! The keys of a motion of type "waves": a paddle that generates waves.

use glam::DVec3;
use plimsoll_base::math::{Pose, format::list};
use plimsoll_bodies::waves::{IrregularWaves, Paddle, RegularWaves, WaveMaker, WaveMakerError, WaveMakerSettings, Waves};

use super::read::{Quantity, Range, Table};

/// Maximum number of components.
const MAX_COMPONENTS: u64 = 10_000;
/// Default number of components. With equidistant frequencies, the signal would repeat after 80 peak periods.
const COMPONENTS: u64 = 200;
/// Default of the ramp, in periods.
const RAMP_PERIODS: f64 = 2.0;

const DEPTH: Quantity = Quantity::new(Range::Positive, "a positive depth in m");
const HEIGHT: Quantity = Quantity::new(Range::Positive, "a positive height in m");
const PERIOD: Quantity = Quantity::new(Range::Positive, "a positive period in seconds");
const RAMP: Quantity = Quantity::new(Range::Positive, "a positive time in seconds");
const HINGE: Quantity = Quantity::new(Range::Any, "a height above the bottom in m");
const PHASE: Quantity = Quantity::new(Range::Any, "an angle in degrees");
const ENHANCEMENT: Quantity = Quantity::new(Range::AtLeast(1.0), "a number of 1 or more");

/// What waves depend on, besides their own keys.
pub(super) struct WaveContext {
    /// m/s²
    pub gravity: DVec3,
    /// Seed of the scene.
    pub seed: u64,
}

/// The paddle of a body placed at `pose`.
pub(super) fn read(table: &Table, pose: Pose, context: &WaveContext) -> Option<WaveMaker> {
    let paddle = read_paddle(table, pose);
    let waves = read_waves(table, context.seed);
    let direction = table.direction("direction", "a horizontal direction [x, y, z]");
    let depth = table.number("depth", DEPTH);
    let ramp = table.optional_number("ramp", RAMP);
    let (waves, direction, depth) = (waves?, direction?, depth?);
    let ramp = ramp.unwrap_or(RAMP_PERIODS * waves.period());
    let settings = WaveMakerSettings { paddle, waves, depth, direction, gravity: context.gravity, ramp };
    match WaveMaker::new(&settings) {
        Ok(maker) => {
            if maker.is_long() {
                let text = format!(
                    "{} m: with height · wavelength² / depth³ = {:.1}, above 26.3, the waves change their shape as they travel",
                    waves.height(),
                    maker.ursell()
                );
                table.document.warn(table.line_of("height"), &table.key("height"), &text);
            }
            Some(maker)
        }
        Err(error) => {
            report(table, &settings, &error);
            None
        }
    }
}

fn read_paddle(table: &Table, pose: Pose) -> Paddle {
    if table.choice_or("paddle", &["piston", "flap"], "piston") == "flap" {
        let hinge = table.number_or("hinge", HINGE, 0.0);
        return Paddle::Flap { hinge, pivot: table.optional_position("pivot", "a position [x, y, z] in m").unwrap_or(pose.translation) };
    }
    for key in ["hinge", "pivot"] {
        table.misplaced(key, "with paddle = \"piston\"", "it only with paddle = \"flap\"");
    }
    Paddle::Piston
}

fn read_waves(table: &Table, seed: u64) -> Option<Waves> {
    let (height, period) = (table.number("height", HEIGHT), table.number("period", PERIOD));
    table.pass(&["spectrum"]);
    if !table.has("spectrum") {
        for key in ["peak_enhancement", "components", "seed"] {
            table.misplaced(key, "in regular waves", "it only with `spectrum`");
        }
        let phase = table.number_or("phase", PHASE, 0.0).to_radians();
        let second_order = table.flag_or("second_order", false);
        return Some(Waves::Regular(RegularWaves { height: height?, period: period?, phase, second_order }));
    }
    for key in ["phase", "second_order"] {
        table.misplaced(key, "with `spectrum`", "it only without: in regular waves");
    }
    let spectrum = table.choice("spectrum", &["jonswap", "pierson_moskowitz"]);
    if spectrum == Some("pierson_moskowitz") {
        table.misplaced("peak_enhancement", "with spectrum = \"pierson_moskowitz\"", "it only with spectrum = \"jonswap\"");
    }
    let enhancement = table.number_or("peak_enhancement", ENHANCEMENT, 3.3);
    let components = table.integer_or("components", 1, COMPONENTS);
    if components > MAX_COMPONENTS {
        let expected = format!("at most {MAX_COMPONENTS} components");
        table.document.report(table.line_of("components"), &table.key("components"), format!("{components}"), expected);
    }
    let seed = table.integer_or("seed", 0, seed);
    Some(Waves::Irregular(IrregularWaves {
        significant_height: height?,
        peak_period: period?,
        peak_enhancement: if spectrum? == "jonswap" { enhancement } else { 1.0 },
        components: components.min(MAX_COMPONENTS) as usize,
        seed,
    }))
}

/// Reports why a paddle cannot generate the waves.
fn report(table: &Table, settings: &WaveMakerSettings, error: &WaveMakerError) {
    let height = settings.waves.height();
    let (key, found, expected) = match error {
        WaveMakerError::OutOfRange => ("type", "waves that cannot be computed".to_owned(), error.to_string()),
        WaveMakerError::NoGravity => ("type", "\"waves\" without gravity".to_owned(), "a nonzero `gravity`".to_owned()),
        WaveMakerError::NotHorizontal => {
            ("direction", list(settings.direction), "a horizontal direction, perpendicular to gravity".to_owned())
        }
        WaveMakerError::HingeAboveWater { depth } => {
            ("hinge", "a hinge above the water".to_owned(), format!("a height below the water surface, {depth} m above the bottom"))
        }
        WaveMakerError::Breaking { maximum } => {
            ("height", format!("{height}"), format!("at most {maximum:.4} m: higher waves of this period break in this depth"))
        }
        WaveMakerError::Angle { angle } => (
            "height",
            format!("{height}, for which the flap rotates by {angle:.0}° to either side"),
            "at most 45°: a lower height, a lower hinge or a longer period".to_owned(),
        ),
        WaveMakerError::SecondOrderFlap => {
            ("second_order", "second-order waves of a flap".to_owned(), "it only with paddle = \"piston\"".to_owned())
        }
        WaveMakerError::SecondOrderTooLong { ursell } => {
            ("second_order", format!("waves with height · wavelength² / depth³ = {ursell:.1}"), "at most 26.3".to_owned())
        }
    };
    table.document.report(table.line_of(key), &table.key(key), found, expected);
}
