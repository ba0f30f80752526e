//! A propeller as a single surface: the blades start at patches left open in the grid of the hub.

use std::f64::consts::TAU;

use glam::{DVec2, DVec3};
use plimsoll_shape::TriangleMesh;

use super::grid::{add, add_rows, drop_unused, fan, quad, stitch};

const BLADES: usize = 3;
/// Columns of the hub's grid, and of a blade root.
const AROUND: usize = 60;
const ROOT_COLUMNS: usize = 10;
/// Rows of the hub's grid that a blade root spans.
const ROOT_ROWS: std::ops::Range<usize> = 7..17;
/// Rings of a blade.
const RINGS: usize = 28;
const HUB_RADIUS: f64 = 0.09;
const TIP_RADIUS: f64 = 0.4;
/// Numbers of rings of the hub: a rounded tail, the barrel, a nose.
const TAIL_RINGS: usize = 5;
const BARREL_RINGS: usize = 14;
const NOSE_RINGS: usize = 7;
const HALF_BARREL: f64 = 0.08;

/// Wraps the point `flat`, `[distance along the circumference, height]`, around the axis at `radius`, starting at the direction `angle`.
fn wrap(angle: f64, radius: f64, flat: DVec2) -> DVec3 {
    let (sine, cosine) = (angle + flat.x / radius).sin_cos();
    DVec3::new(radius * cosine, flat.y, radius * sine)
}

/// Radius and height of each ring of the hub, from tail to nose, without the poles.
fn hub_profile() -> Vec<[f64; 2]> {
    let quarter = |step: usize, rings: usize| (0.25 * TAU * step as f64 / rings as f64).sin_cos();
    let tail = (1..TAIL_RINGS).map(|step| {
        let (sine, cosine) = quarter(step, TAIL_RINGS);
        [HUB_RADIUS * sine, -HALF_BARREL - 0.03 * cosine]
    });
    let barrel = (0..=BARREL_RINGS).map(|step| [HUB_RADIUS, HALF_BARREL * (2.0 * step as f64 / BARREL_RINGS as f64 - 1.0)]);
    let nose = (1..NOSE_RINGS).map(|step| {
        let (sine, cosine) = quarter(step, NOSE_RINGS);
        [HUB_RADIUS * cosine, HALF_BARREL + 0.12 * sine]
    });
    tail.chain(barrel).chain(nose).collect()
}

/// A point of the blade section at share `s` of its length: an ellipse with the blade's chord and thickness at angle `phase`, pitched.
fn section(s: f64, phase: f64) -> DVec2 {
    let chord = 0.15 * (1.0 + 1.1 * s) * (1.0 - s.powi(6)).sqrt();
    let thickness = 0.032 * (1.0 - 0.72 * s) * (1.0 - s.powi(6)).sqrt();
    let pitch: f64 = 0.95 - 0.62 * s;
    let (sine, cosine) = phase.sin_cos();
    DVec2::from_angle(pitch).rotate(0.5 * DVec2::new(chord * cosine, thickness * sine))
}

/// The border of a blade root on the hub's grid, clockwise seen from outside in `(column, row)`.
fn root_border() -> Vec<(usize, usize)> {
    let (bottom, top) = (ROOT_ROWS.start, ROOT_ROWS.end);
    let right = ROOT_COLUMNS;
    let up = (bottom..top).map(|row| (0, row));
    let across = (0..right).map(|column| (column, top));
    let down = (bottom + 1..=top).rev().map(|row| (right, row));
    let back = (1..=right).rev().map(|column| (column, bottom));
    up.chain(across).chain(down).chain(back).collect()
}

fn blade(mesh: &mut TriangleMesh, hub: &[Vec<u32>], heights: &[f64], blade: usize) {
    let spacing = TAU / AROUND as f64;
    let first_column = blade * AROUND / BLADES;
    let angle = spacing * (first_column as f64 + 0.5 * ROOT_COLUMNS as f64);
    let border = root_border();
    let mut ring: Vec<u32> = border.iter().map(|&(column, row)| hub[row][(first_column + column) % AROUND]).collect();
    let root: Vec<DVec2> = border
        .iter()
        .map(|&(column, row)| DVec2::new(HUB_RADIUS * spacing * (column as f64 - 0.5 * ROOT_COLUMNS as f64), heights[row]))
        .collect();
    let phases: Vec<f64> = root.iter().map(|point| DVec2::from_angle(-0.95).rotate(*point).to_angle()).collect();
    for step in 1..=RINGS {
        let share = step as f64 / (RINGS as f64 + 0.35);
        // Rings are denser at the root, where the fillet is, and at the tip, where the blade is rounded.
        let s = share - 0.1 * (TAU * share).sin() / TAU * 4.0;
        let radius = HUB_RADIUS + (TIP_RADIUS - HUB_RADIUS) * s;
        let fillet = (1.0 - s / 0.16).max(0.0).powi(3);
        let point = |(root, &phase): (&DVec2, &f64)| wrap(angle, radius, section(s, phase).lerp(*root, fillet));
        let points: Vec<DVec3> = root.iter().zip(&phases).map(point).collect();
        let next = add_rows(mesh, &[points]).remove(0);
        stitch(mesh, &ring, &next, true);
        ring = next;
    }
    let tip = add(mesh, wrap(angle, TIP_RADIUS, DVec2::ZERO));
    fan(mesh, &ring, tip);
}

pub fn propeller() -> TriangleMesh {
    let profile = hub_profile();
    let heights: Vec<f64> = profile.iter().map(|ring| ring[1]).collect();
    let ring = |&[radius, y]: &[f64; 2]| -> Vec<DVec3> {
        (0..AROUND).map(|column| wrap(TAU * column as f64 / AROUND as f64, radius, DVec2::new(0.0, y))).collect()
    };
    let mut mesh = TriangleMesh::default();
    let hub = add_rows(&mut mesh, &profile.iter().map(ring).collect::<Vec<_>>());
    for row in 0..hub.len() - 1 {
        for column in 0..AROUND {
            let within_blade = column % (AROUND / BLADES) < ROOT_COLUMNS;
            if !(within_blade && ROOT_ROWS.contains(&row)) {
                let next = (column + 1) % AROUND;
                quad(&mut mesh, [hub[row][next], hub[row][column], hub[row + 1][column], hub[row + 1][next]]);
            }
        }
    }
    let tail = add(&mut mesh, DVec3::new(0.0, -HALF_BARREL - 0.03, 0.0));
    fan(&mut mesh, &hub[0], tail);
    let nose = add(&mut mesh, DVec3::new(0.0, HALF_BARREL + 0.12, 0.0));
    let last: Vec<u32> = hub[hub.len() - 1].iter().rev().copied().collect();
    fan(&mut mesh, &last, nose);
    (0..BLADES).for_each(|number| blade(&mut mesh, &hub, &heights, number));
    drop_unused(&mut mesh);
    mesh
}
