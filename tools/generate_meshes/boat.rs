//! A rowing boat: two skins with the same lines, joined along the gunwale.

use std::f64::consts::PI;

use glam::DVec3;
use plimsoll_shape::TriangleMesh;

use super::grid::{add_rows, quad, stitch};

const STATIONS: usize = 44;
const RIBS: usize = 24;
/// Thickness of the shell, meters.
const SHELL: f64 = 0.02;
/// Half the width of the stem at the bow, meters.
const STEM: f64 = 0.012;
/// Station of the maximum width, from stern 0 to bow 1.
const WIDEST: f64 = 0.42;

/// Half the width at station `u`, 0 at the stern to 1 at the bow, meters.
fn half_beam(u: f64) -> f64 {
    let shape = if u < WIDEST { 1.0 - 0.3 * ((WIDEST - u) / WIDEST).powi(2) } else { 1.0 - ((u - WIDEST) / (1.0 - WIDEST)).powf(2.3) };
    STEM + (0.2 - STEM) * shape
}

/// Height of the keel, rising towards both ends.
fn keel(u: f64) -> f64 {
    0.035 * (1.0 - u / 0.35).max(0.0).powi(2) + 0.11 * ((u - 0.5) / 0.5).max(0.0).powi(3)
}

/// Height of the gunwale.
fn sheer(u: f64) -> f64 {
    0.2 + 0.025 * (1.0 - u / 0.4).max(0.0).powi(2) + 0.06 * ((u - 0.4) / 0.6).max(0.0).powi(2)
}

/// The rib at station `u`, offset inward from the lines by `inset`, from the port (-z) gunwale over the keel to starboard.
fn rib(u: f64, inset: f64) -> Vec<DVec3> {
    let (beam, bottom, top) = (half_beam(u) - inset, keel(u) + inset, sheer(u));
    let point = |step: usize| {
        // Exactly symmetric about the keel, however sine and cosine are rounded.
        let side = step.min(RIBS - step);
        let (sine, cosine) = (PI * side as f64 / RIBS as f64).sin_cos();
        let out = if 2 * side == RIBS { 0.0 } else { beam * cosine.powf(0.75) };
        let z = if step < RIBS - step { -out } else { out };
        DVec3::new(u - 0.5, top - (top - bottom) * sine.powf(0.75), z)
    };
    (0..=RIBS).map(point).collect()
}

/// The station forward of the widest at which half the width decreases to `width`.
fn station_of_width(width: f64) -> f64 {
    let (mut wide, mut narrow) = (WIDEST, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (wide + narrow);
        if half_beam(middle) > width { wide = middle } else { narrow = middle }
    }
    wide
}

/// The ribs of one skin and its flat end faces, with outward winding, or inward for the inner skin.
fn skin(mesh: &mut TriangleMesh, [stern, bow]: [f64; 2], inset: f64) -> Vec<Vec<u32>> {
    let station = |step: usize| stern + (bow - stern) * step as f64 / STATIONS as f64;
    let ribs = add_rows(mesh, &(0..=STATIONS).map(|step| rib(station(step), inset)).collect::<Vec<_>>());
    let outwards = inset == 0.0;
    for pair in ribs.windows(2) {
        let (first, second) = if outwards { (&pair[1], &pair[0]) } else { (&pair[0], &pair[1]) };
        stitch(mesh, first, second, false);
    }
    for (rib, port_first) in [(&ribs[0], outwards), (&ribs[STATIONS], !outwards)] {
        let port: Vec<u32> = rib[..RIBS / 2].to_vec();
        let starboard: Vec<u32> = rib[RIBS / 2 + 1..].iter().rev().copied().collect();
        let keel = rib[RIBS / 2];
        let (first, second) = if port_first { (&port, &starboard) } else { (&starboard, &port) };
        stitch(mesh, first, second, false);
        mesh.triangles.push([first[first.len() - 1], keel, second[second.len() - 1]]);
    }
    ribs
}

pub fn boat() -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    let outer = skin(&mut mesh, [0.0, 1.0], 0.0);
    let inner = skin(&mut mesh, [SHELL, station_of_width(2.0 * SHELL)], SHELL);
    for station in 0..STATIONS {
        let (here, ahead) = (station, station + 1);
        quad(&mut mesh, [outer[here][0], inner[here][0], inner[ahead][0], outer[ahead][0]]);
        quad(&mut mesh, [outer[ahead][RIBS], inner[ahead][RIBS], inner[here][RIBS], outer[here][RIBS]]);
    }
    quad(&mut mesh, [outer[0][RIBS], inner[0][RIBS], inner[0][0], outer[0][0]]);
    quad(&mut mesh, [outer[STATIONS][0], inner[STATIONS][0], inner[STATIONS][RIBS], outer[STATIONS][RIBS]]);
    mesh
}
