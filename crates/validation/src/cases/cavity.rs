//! Flow in a square cavity, driven by its lid.

use glam::DVec3;
use plimsoll_bodies::{BodyDefinition, PrescribedMotion};
use plimsoll_fluid::FluidSimulation;

use crate::{
    Case, CaseError, Chart, ChartPanel, Figure, Outcome, Run,
    setup::{SLICE, block, filled, slice, viscous},
};

/// Side of the cavity, m; speed of the lid, m/s; kinematic viscosity, m²/s, for a Reynolds number of 100.
const SIDE: f64 = 1.0;
const SPEED: f64 = 1.0;
const NU: f64 = 0.01;
/// Time until the flow is steady, and the time over which it is then averaged, s.
const STEADY: f64 = 12.0;
const MEAN: f64 = 1.0;
/// `u` on the vertical centre line: `y`, `u`.
const GHIA_U: [(f64, f64); 9] = [
    (0.1016, -0.06434),
    (0.1719, -0.10150),
    (0.2813, -0.15662),
    (0.4531, -0.21090),
    (0.5, -0.20581),
    (0.6172, -0.13641),
    (0.7344, 0.00332),
    (0.8516, 0.23151),
    (0.9531, 0.68717),
];
/// `v` on the horizontal centre line: `x`, `v`.
const GHIA_V: [(f64, f64); 8] = [
    (0.0938, 0.12317),
    (0.1563, 0.16077),
    (0.2344, 0.17527),
    (0.5, 0.05454),
    (0.8047, -0.24533),
    (0.8594, -0.22445),
    (0.9063, -0.16914),
    (0.9453, -0.10313),
];

pub const CASE: Case = Case {
    name: "cavity",
    title: "Lid-driven cavity at a Reynolds number of 100",
    source: "computed by Ghia, Ghia & Shin (1982)",
    across: "side",
    resolutions: &[20, 40],
    compute,
};

fn compute(run: &Run) -> Result<Outcome, CaseError> {
    let d = SIDE / f64::from(run.resolution);
    // The lid is an endless belt: the flow is periodic along, with a block between the cavity and its image.
    let gap = (SLICE * d).max(0.2 * SIDE);
    let mut settings = slice(d, Some(SIDE + gap), filled(DVec3::ZERO, DVec3::new(SIDE, SIDE, SLICE * d)));
    settings.gravity = DVec3::ZERO;
    settings.viscosity = viscous(NU);
    let far = 4.0 * SIDE;
    let motion = PrescribedMotion::Constant { linear: SPEED * DVec3::X, angular: DVec3::ZERO, pivot: DVec3::ZERO };
    let thick = 0.3 * SIDE;
    let bodies = vec![
        BodyDefinition::fixed("floor", block(DVec3::new(-far, -thick, -far), DVec3::new(far, 0.0, far))),
        BodyDefinition::fixed("sides", block(DVec3::new(SIDE, -0.5 * thick, -far), DVec3::new(SIDE + gap, SIDE, far))),
        BodyDefinition::moving("lid", block(DVec3::new(-far, SIDE, -far), DVec3::new(far, SIDE + thick, far)), motion),
    ];
    let mut simulation = run.prepare(settings, bodies)?;
    run.advance(&mut simulation, STEADY, |_| {})?;
    let mut along = Line::new(GHIA_U.map(|(y, _)| DVec3::new(0.5 * SIDE, y, 0.0)).to_vec());
    let mut down = Line::new(GHIA_V.map(|(x, _)| DVec3::new(x, 0.5 * SIDE, 0.0)).to_vec());
    run.advance(&mut simulation, STEADY + MEAN, |simulation| {
        along.add(simulation);
        down.add(simulation);
    })?;
    let u: Vec<(f64, f64)> = along.means().map(|(point, velocity)| (point.y, velocity.x)).collect();
    let v: Vec<(f64, f64)> = down.means().map(|(point, velocity)| (point.x, velocity.y)).collect();
    let figures = vec![
        Figure::error_of("largest error of u on the vertical centre line", largest_error(&u, &GHIA_U), 0.05),
        Figure::error_of("largest error of v on the horizontal centre line", largest_error(&v, &GHIA_V), 0.05),
    ];
    let panel = |title: &str, expected: &[(f64, f64)], found| ChartPanel {
        title: title.into(),
        unit: "m/s",
        reference: "Ghia et al.",
        measured: true,
        expected: expected.to_vec(),
        found,
    };
    let panels =
        vec![panel("u over y on the vertical centre line", &GHIA_U, u), panel("v over x on the horizontal centre line", &GHIA_V, v)];
    Ok(Outcome::of(&simulation, figures, vec![Chart { name: "", horizontal: "Distance from the corner (m)", panels }]))
}

/// Relative to the speed of the lid.
fn largest_error(found: &[(f64, f64)], expected: &[(f64, f64)]) -> f64 {
    found.iter().zip(expected).map(|(found, expected)| (found.1 - expected.1).abs() / SPEED).fold(0.0, f64::max)
}

/// Mean velocities at points, over all particles that differ from them only across the slice.
struct Line {
    points: Vec<DVec3>,
    /// Weights, and weights times velocities.
    sums: Vec<(f64, DVec3)>,
}

impl Line {
    fn new(points: Vec<DVec3>) -> Self {
        let sums = vec![(0.0, DVec3::ZERO); points.len()];
        Self { points, sums }
    }

    /// Adds a linear fit of the velocities within a support radius of each point.
    fn add(&mut self, simulation: &FluidSimulation) {
        let h = simulation.settings().support_radius();
        let particles = simulation.particles();
        for (point, (weights, velocities)) in self.points.iter().zip(&mut self.sums) {
            let near = particles.positions.iter().zip(&particles.velocities).filter_map(|(position, velocity)| {
                let offset = (position.as_dvec3() - *point).with_z(0.0);
                let weight = (1.0 - offset.length_squared() / (h * h)).max(0.0);
                (weight > 0.0).then(|| (weight, DVec3::new(1.0, offset.x / h, offset.y / h), velocity.as_dvec3()))
            });
            let (mut moment, mut flux) = (glam::DMat3::ZERO, glam::DMat3::ZERO);
            for (weight, basis, velocity) in near {
                moment += outer(basis, weight * basis);
                flux += outer(velocity, weight * basis);
            }
            if moment.determinant() > 1e-12 {
                *weights += 1.0;
                *velocities += (flux * moment.inverse()).x_axis;
            }
        }
    }

    fn means(&self) -> impl Iterator<Item = (DVec3, DVec3)> {
        self.points.iter().zip(&self.sums).map(|(&point, &(weight, velocity))| (point, velocity / weight))
    }
}

fn outer(a: DVec3, b: DVec3) -> glam::DMat3 {
    glam::DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
