//! A fin that bends: the sequence of shapes of a body that deforms.

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

use super::grid::{add, add_rows, fan, stitch};

/// Shapes of one beat.
const SHAPES: usize = 12;
const AROUND: usize = 28;
const LEVELS: usize = 11;
/// Length, height and greatest thickness, m.
const SIZE: [f64; 3] = [0.6, 0.36, 0.06];
/// Length of the wave that runs along the fin, and its height at the tail, m.
const WAVE: f64 = 0.7;
const BEAT: f64 = 0.11;

/// A fin whose head is at -x and does not move, and along which a wave runs towards +x.
pub fn beat() -> Vec<TriangleMesh> {
    let bent = |number: usize| {
        let mut mesh = straight();
        for vertex in &mut mesh.vertices {
            let along = vertex.x / SIZE[0] + 0.5;
            vertex.z += BEAT * along * along * (TAU * (along * SIZE[0] / WAVE - number as f64 / SHAPES as f64)).sin();
        }
        mesh
    };
    (0..SHAPES).map(bent).collect()
}

/// Rings of wing sections between two tips.
fn straight() -> TriangleMesh {
    let ring = |level: usize| -> Vec<DVec3> {
        let angle = PI * (level as f64 / (LEVELS + 1) as f64 - 0.5);
        let (up, width) = (angle.sin(), angle.cos().sqrt());
        let point = |step: usize| {
            let turn = TAU * step as f64 / AROUND as f64;
            // Thin at the tail.
            let taper = 0.5 * (1.0 - turn.cos()) * 0.75 + 0.25 * (turn / 2.0).sin();
            let thickness = taper * turn.sin().abs().sqrt() * (PI - turn).signum();
            0.5 * DVec3::new(SIZE[0] * width * turn.cos(), SIZE[1] * up, SIZE[2] * width * thickness)
        };
        (0..AROUND).map(point).collect()
    };
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &(1..=LEVELS).map(ring).collect::<Vec<_>>());
    let [bottom, top] = [-0.5, 0.5].map(|end| add(&mut mesh, DVec3::new(0.0, end * SIZE[1], 0.0)));
    for pair in rows.windows(2) {
        stitch(&mut mesh, &pair[1], &pair[0], true);
    }
    fan(&mut mesh, &rows[0], bottom);
    let last: Vec<u32> = rows[LEVELS - 1].iter().rev().copied().collect();
    fan(&mut mesh, &last, top);
    mesh
}
