//! Lock exchange: two liquids side by side, of which the heavy one flows below the light one.

use glam::DVec3;
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{FluidSettings, FluidSimulation, Material};

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, filled_with, plane_tank, slice},
    signal::slope,
};

/// Depth, m; half the length of the tank, in depths.
const DEPTH: f64 = 0.5;
const HALF: f64 = 2.0;
const GRAVITY: f64 = 9.81;
/// Density of the light liquid over that of the heavy one.
const RATIO: f64 = 0.9;
/// Positions of the front, in depths from the gate, between which its speed is constant.
const STEADY: [f64; 2] = [0.6, 1.6];

pub const CASE: Case = Case {
    name: "lock_exchange",
    title: "Lock exchange",
    source: "speed of the light front ½ √((1 − γ) g H) (Benjamin 1968; Lowe, Rottman & Linden 2005), γ = 0.9; measured there 0.44 to 0.5",
    across: "depth",
    resolutions: &[16, 32],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DEPTH / f64::from(run.resolution);
    let half = HALF * DEPTH;
    let part = |from: f64, material| filled_with(material, DVec3::new(from, 0.0, 0.0), DVec3::new(from + half, DEPTH, SLICE * d));
    let materials = vec![Material::new("heavy", 1000.0), Material::new("light", RATIO * 1000.0)];
    let settings = FluidSettings { materials, ..slice(d, None, vec![part(0.0, 0), part(half, 1)]) };
    let mut simulation = run.prepare(settings, vec![plane_tank(2.0 * half, 1.5 * DEPTH)])?;
    let speed = ((1.0 - RATIO) * GRAVITY * DEPTH).sqrt();
    let (mut heavy, mut light) = (vec![(0.0, 0.0)], vec![(0.0, 0.0)]);
    run.advance(&mut simulation, 1.9 * half / speed, |simulation| {
        let time = simulation.time() * speed / DEPTH;
        heavy.push((time, front(simulation, 0, half)));
        light.push((time, front(simulation, 1, half)));
    })?;
    let steady = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        points.iter().copied().filter(|point| (STEADY[0]..STEADY[1]).contains(&point.1)).collect()
    };
    let figures = vec![
        Figure::between("speed of the light front, over √((1 − γ) g H)", "", slope(&steady(&light)), [0.44, 0.5]),
        Figure::between("speed of the heavy front, over √((1 − γ) g H)", "", slope(&steady(&heavy)), [0.44, 0.54]),
    ];
    let expected: Vec<(f64, f64)> = vec![(0.0, 0.0), (2.0 * STEADY[1], STEADY[1])];
    let panel = |title: &str, found: Vec<(f64, f64)>| ChartPanel {
        title: title.into(),
        unit: "",
        reference: "½ √((1 − γ) g H)",
        measured: false,
        expected: expected.clone(),
        found,
    };
    let panels = vec![panel("Light front, depths from the gate", light), panel("Heavy front, depths from the gate", heavy)];
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Time t √((1 − γ) g/H)", panels }]))
}

/// How far (in depths) fluid `material` has come beyond the gate at `gate` (m): the place beyond which one thousandth of it is, so that single
/// particles do not count.
fn front(simulation: &FluidSimulation, material: u8, gate: f64) -> f64 {
    let particles = simulation.particles();
    let sign = if material == 0 { 1.0 } else { -1.0 };
    let of = particles.positions.iter().zip(&particles.materials).filter(|(_, of)| **of == material);
    let mut places: Vec<f64> = of.map(|(position, _)| sign * (f64::from(position.x) - gate)).collect();
    places.sort_unstable_by(f64::total_cmp);
    let last = places.len().saturating_sub(1 + places.len() / 1000);
    places.get(last).map_or(0.0, |place| place.max(0.0) / DEPTH)
}
