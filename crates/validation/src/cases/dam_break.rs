//! A dam break against a box: SPHERIC test 2.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use plimsoll_bodies::{BodyDefinition, Presence};
use plimsoll_contract::simulator::Simulator;
use plimsoll_fluid::{
    FluidSettings,
    probes::{Patch, Probe, ProbeKind, WaterHeight},
};
use plimsoll_shape::TriangleMesh;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{block, filled},
    signal::{integral, mean_between, number},
};

/// Depth of the water behind the dam, m.
const DEPTH: f64 = 0.55;
const END: f64 = 1.0;
/// Place of the gate along the tank, m, and the time at which it vanishes, s: it holds the water while it settles.
const GATE: f64 = 1.992;
const OPENING: f64 = 1e-6;
/// Arrival of the front at the box in the experiment, s.
const ARRIVAL: f64 = 0.398;
/// Pressure at P1 that tells the arrival of the front, Pa.
const ARRIVED: f64 = 1000.0;
/// Times of the measurements, s.
const TIMES: [f64; 10] = [0.402, 0.408, 0.415, 0.420, 0.430, 0.440, 0.450, 0.460, 0.470, 0.480];
/// Pressures on the front of the box at heights of 0.021, 0.061, 0.101 and 0.141 m, kPa.
const PRESSURES: [[f64; 10]; 4] = [
    [7.9, 10.8, 11.2, 9.8, 9.4, 8.6, 8.1, 7.8, 7.4, 7.0],
    [0.0, 0.0, 3.9, 5.6, 7.4, 7.8, 7.4, 7.3, 6.9, 6.7],
    [0.0, 0.0, 0.0, 0.0, 5.2, 5.5, 6.2, 6.5, 6.2, 5.6],
    [0.0, 0.0, 0.0, 0.0, 0.5, 2.3, 6.8, 6.9, 6.3, 5.8],
];
/// Positions along the tank of two gauges, m, and the heights measured there, m.
const GAUGES: [(&str, f64, [f64; 10]); 2] = [
    ("H2", 0.992, [0.0481, 0.0515, 0.0557, 0.0577, 0.0621, 0.0746, 0.0771, 0.0803, 0.0837, 0.0875]),
    ("H4", 2.638, [0.4591, 0.4563, 0.4543, 0.4541, 0.4490, 0.4469, 0.4430, 0.4403, 0.4364, 0.4339]),
];
/// Height of a sensor's patch, m: the patches of the four sensors meet.
const PATCH: f64 = 0.04;
/// Width of a patch, m, around the sensors' position across.
const ACROSS: [f64; 2] = [0.371, 0.571];
/// Samples per second.
const RATE: f64 = 1000.0;

pub const CASE: Case = Case {
    name: "dam_break",
    title: "Dam break against a box (SPHERIC test 2)",
    source: "measured by Kleefsman et al. (2005); pressures as means over patches of 4 cm by 20 cm",
    across: "depth of the water",
    resolutions: &[14, 22],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = DEPTH / f64::from(run.resolution);
    let fills = filled(DVec3::new(GATE, 0.0, 0.0), DVec3::new(3.22, DEPTH, 1.0));
    let settings = FluidSettings { fills, probes: probes(), settle: true, ..FluidSettings::new(0.5 * d) };
    let mut room = TriangleMesh::room(&Aabb { min: DVec3::ZERO, max: DVec3::new(3.22, 1.0, 1.0) });
    room.triangles.retain(|triangle| triangle.iter().any(|&vertex| room.vertices[vertex as usize].y < 0.5));
    let obstacle = block(DVec3::new(0.6635, 0.0, 0.2955), DVec3::new(0.8245, 0.161, 0.6985));
    let mut simulation =
        run.prepare(settings, vec![BodyDefinition::fixed("box", obstacle), BodyDefinition::fixed("tank", room), gate(d)])?;
    // A step of its own, so that the gate does not stay for the length of a step.
    run.advance(&mut simulation, OPENING, |_| {})?;
    let mut signals: Vec<Vec<(f64, f64)>> = vec![Vec::new(); PRESSURES.len() + GAUGES.len()];
    run.advance(&mut simulation, END, |simulation| {
        for (signal, table) in signals.iter_mut().zip(simulation.tables().iter().filter(|table| table.name.starts_with("probes/"))) {
            // Step, time, and of the first quantity the value and its mean since the last sample.
            signal.extend(table.rows.iter().map(|row| (number(&row[1]), number(&row[3]))));
        }
    })?;
    let (pressures, heights) = signals.split_at(PRESSURES.len());
    let arrival = pressures[0].iter().find(|(_, pressure)| *pressure > ARRIVED).map_or(f64::NAN, |(time, _)| *time);
    let (from, to) = (TIMES[0], TIMES[TIMES.len() - 1]);
    let impulse = |curves: &[Vec<(f64, f64)>]| curves.iter().map(|curve| integral(curve, from, to)).sum::<f64>();
    let measured: Vec<Vec<(f64, f64)>> = PRESSURES.iter().map(|values| curve(values, 1000.0)).collect();
    let after_peak = TIMES[4..]
        .iter()
        .zip(&PRESSURES[0][4..])
        .map(|(&time, &expected)| (mean_between(&pressures[0], time - 0.0025, time + 0.0025) / (1000.0 * expected) - 1.0).abs());
    let mut figures = vec![
        Figure::value("arrival of the front at the box", "s", arrival, ARRIVAL, 0.03),
        Figure::value("impulse of P1 to P4, 0.402 to 0.48 s", "Pa s", impulse(pressures), impulse(&measured), 0.15),
        Figure::error_of("largest error of 5 ms means at P1, 0.43 to 0.48 s", after_peak.fold(0.0, f64::max), 0.2),
    ];
    for ((name, _, values), found) in GAUGES.iter().zip(heights) {
        figures.push(Figure::value(format!("height at {name} at 0.48 s"), "m", mean_between(found, 0.4775, 0.4825), values[9], 0.05));
    }
    figures.push(Figure::between("particles that leaked", "", simulation.totals().leaked as f64, [0.0, 0.0]).relative_to(1.0));
    let panel = |title: String, unit, expected: Vec<(f64, f64)>, found: &[(f64, f64)]| ChartPanel {
        title,
        unit,
        reference: "experiment",
        measured: true,
        expected,
        found: found.iter().copied().filter(|(time, _)| (0.36..0.6).contains(time)).collect(),
    };
    let impacts = (0..4).map(|index| panel(format!("Pressure at P{}", index + 1), "Pa", measured[index].clone(), &pressures[index]));
    let gauges =
        GAUGES.iter().zip(heights).map(|((name, _, values), found)| panel(format!("Height at {name}"), "m", curve(values, 1.0), found));
    let charts = vec![
        Chart { name: "pressures", horizontal: "Time (s)", panels: impacts.collect() },
        Chart { name: "heights", horizontal: "Time (s)", panels: gauges.collect() },
    ];
    Ok(Outcome::of(&simulation, figures, charts))
}

/// The gate, thicker than the reach of walls, wider and higher than the water.
fn gate(d: f64) -> BodyDefinition {
    let mesh = block(DVec3::new(GATE - 4.0 * d, 0.0, -0.1), DVec3::new(GATE, 1.5 * DEPTH, 1.1));
    BodyDefinition { presence: Presence { until: Some(OPENING), ..Presence::default() }, ..BodyDefinition::fixed("gate", mesh) }
}

fn curve(values: &[f64], unit: f64) -> Vec<(f64, f64)> {
    TIMES.iter().zip(values).map(|(&time, value)| (time, unit * value)).collect()
}

fn probes() -> Vec<Probe> {
    let patch = |index: usize| {
        let (low, x) = (0.001 + PATCH * index as f64, 0.8245);
        let corner = |y: f64, z: f64| DVec3::new(x, y, z);
        let vertices = vec![corner(low, ACROSS[0]), corner(low + PATCH, ACROSS[0]), corner(low + PATCH, ACROSS[1]), corner(low, ACROSS[1])];
        // Wound like the box: its normal points along x.
        let surface = TriangleMesh { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] };
        Probe { name: format!("P{}", index + 1), rate: RATE, kind: ProbeKind::Patch(Patch { body: 0, surface }) }
    };
    let gauge = |&(name, x, _): &(&str, f64, [f64; 10])| Probe {
        name: name.to_owned(),
        rate: RATE,
        kind: ProbeKind::Height(WaterHeight { position: DVec3::new(x, 0.0, 0.5) }),
    };
    (0..PRESSURES.len()).map(patch).chain(GAUGES.iter().map(gauge)).collect()
}
