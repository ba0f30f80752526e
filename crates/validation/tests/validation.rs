//! Flows with known solutions at coarse resolutions. `plimsoll validate` computes finer ones (docs/validation.md).

use plimsoll_contract::simulator::Unwatched;
use plimsoll_validation::{self as validation, Outcome, Run};

/// Computes the case `name` and asserts that each of the named figures has at most the given relative error. The figures of the case are
/// printed.
fn check(name: &str, resolution: u32, limits: &[(&str, f64)]) -> Outcome {
    let case = validation::all().iter().find(|case| case.name == name).unwrap();
    let outcome = (case.compute)(&Run { resolution, watch: &Unwatched }).unwrap_or_else(|error| panic!("{name}: {error}"));
    for figure in &outcome.figures {
        println!("{name} {resolution}: {}: {} (error {:?})", figure.quantity, figure.found, figure.error());
    }
    for (quantity, limit) in limits {
        let figure = outcome.figure(quantity).unwrap_or_else(|| panic!("{name} has no figure '{quantity}'"));
        let error = figure.error().unwrap();
        assert!(error.abs() <= *limit, "{name}: {quantity}: {}, expected {:?}: error {error}", figure.found, figure.expected);
    }
    outcome
}

#[test]
fn fluid_between_plates_flows_as_the_series_solutions() {
    for name in ["poiseuille", "couette"] {
        let limits = [("profile at 0.6 s", 0.02), ("profile at 1.8 s", 0.025), ("profile at 6 s", 0.03)];
        check(name, 10, &limits);
    }
}

#[test]
fn a_vortex_decays_by_viscosity() {
    check("taylor_green", 25, &[("decay rate of the speed over 2 s", 0.06)]);
}

#[test]
fn a_lid_drives_the_flow_in_a_cavity() {
    let limits = [("largest error of u on the vertical centre line", 0.15), ("largest error of v on the horizontal centre line", 0.05)];
    check("cavity", 20, &limits);
}

#[test]
fn a_wave_swings_in_a_tank() {
    let outcome = check("standing_wave", 12, &[("period", 0.01)]);
    let decay = outcome.figure("decay of the amplitude per period").unwrap().found;
    assert!((0.0..12.0).contains(&decay), "{decay} %");
}

#[test]
fn a_column_of_water_collapses() {
    check("surge_front", 12, &[("speed of the front beyond 2a, over √(2ga)", 0.08)]);
}

#[test]
fn interfaces_of_two_fluids_swing_and_grow() {
    check("internal_wave", 12, &[("period", 0.2)]);
    check("air_over_water", 12, &[("period", 0.05)]);
    check("rayleigh_taylor", 25, &[("growth rate", 0.2)]);
}

#[test]
fn a_heavy_liquid_flows_below_a_light_one() {
    check("lock_exchange", 16, &[("speed of the light front, over √((1 − γ) g H)", 0.1)]);
}

#[test]
fn a_wedge_is_slammed() {
    let limits = [("force over ρV³t per length, between von Kármán and Wagner", 0.0), ("the same against the similarity solution", 0.15)];
    check("wedge_entry", 12, &limits);
}

#[test]
fn water_turns_with_its_tank() {
    check("rotating_tank", 10, &[("height of the surface, largest error", 2.0)]);
}

#[test]
fn a_ball_sinks_in_honey() {
    // The gap between ball and tube is as wide as six particles.
    check("sinking_ball", 6, &[("speed", 0.25)]);
}

#[test]
fn fluids_with_a_law_flow_through_a_channel() {
    check("channel_carreau", 10, &[("profile", 0.08), ("speed in the middle", 0.1)]);
    // Most of the shear is in the layer of particles at the wall.
    check("channel_yield_stress", 10, &[("profile", 0.25), ("speed in the middle", 0.3)]);
}
