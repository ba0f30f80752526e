//! Open surfaces without thickness.

use std::f64::consts::TAU;

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

use super::grid::{add_rows, quad, stitch};

/// 1 x 1 m at y = 0, facing up.
pub fn sheet() -> TriangleMesh {
    let row = |z: f64| [-0.5, 0.0, 0.5].map(|x| DVec3::new(x, 0.0, z)).to_vec();
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &[row(0.5), row(0.0), row(-0.5)]);
    for pair in rows.windows(2) {
        stitch(&mut mesh, &pair[0], &pair[1], false);
    }
    mesh
}

/// A floor and four sloping walls, facing in.
pub fn basin() -> TriangleMesh {
    let square =
        |half: f64, y: f64| [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| DVec3::new(half * x, y, half * z)).to_vec();
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &[square(0.4, 0.0), square(0.5, 0.25)]);
    quad(&mut mesh, [rows[0][3], rows[0][2], rows[0][1], rows[0][0]]);
    stitch(&mut mesh, &rows[0], &rows[1], true);
    mesh
}

/// A cone above a spout, facing in.
pub fn funnel() -> TriangleMesh {
    const AROUND: usize = 48;
    /// Radius and height of each ring, from the foot of the spout to the mouth.
    const PROFILE: [[f64; 2]; 8] =
        [[0.04, 0.0], [0.04, 0.07], [0.045, 0.14], [0.055, 0.17], [0.11, 0.235], [0.17, 0.305], [0.24, 0.386], [0.3, 0.5]];
    let ring = |[radius, y]: [f64; 2]| -> Vec<DVec3> {
        let point = |step: usize| {
            let (sine, cosine) = (TAU * step as f64 / AROUND as f64).sin_cos();
            DVec3::new(radius * cosine, y, radius * sine)
        };
        (0..AROUND).map(point).collect()
    };
    let mut mesh = TriangleMesh::default();
    let rows = add_rows(&mut mesh, &PROFILE.map(ring));
    for pair in rows.windows(2) {
        stitch(&mut mesh, &pair[0], &pair[1], true);
    }
    mesh
}
