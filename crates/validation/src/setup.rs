//! Settings that cases share. Coordinates: x along, y up, z across.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Domain};
use plimsoll_bodies::BodyDefinition;
use plimsoll_fluid::{DampingZone, Fill, FillShape, FluidSettings, FluidSimulation, Viscosity};
use plimsoll_shape::TriangleMesh;

use crate::ChartPanel;

/// Width of a slice of a plane flow, in particle diameters: the shortest period possible.
pub const SLICE: f64 = 8.0;

/// Fluid between two corners.
pub fn filled(min: DVec3, max: DVec3) -> Vec<Fill> {
    vec![Fill::at_rest(FillShape::Box { min, max })]
}

/// One of several fluids between two corners.
pub fn filled_with(material: u8, min: DVec3, max: DVec3) -> Fill {
    Fill { material, ..Fill::at_rest(FillShape::Box { min, max }) }
}

/// The amplitude (m) of a wave over time (s) beside that of linear theory, `amplitude · sin(omega t)` until `end`.
pub fn swing(title: &str, [amplitude, omega, end]: [f64; 3], found: Vec<(f64, f64)>) -> ChartPanel {
    ChartPanel {
        title: title.into(),
        unit: "m",
        reference: "linear theory",
        measured: false,
        expected: (0..=400).map(|i| f64::from(i) / 400.0 * end).map(|t| (t, amplitude * (omega * t).sin())).collect(),
        found,
    }
}

/// Settings of a plane flow of particles of diameter `d` (m): a periodic slice across, a `period` (m) along if there is one.
pub fn slice(d: f64, period: Option<f64>, fills: Vec<Fill>) -> FluidSettings {
    let size = DVec3::new(period.unwrap_or(0.0), 0.0, SLICE * d);
    let domain = Domain { low: DVec3::ZERO, size, periodic: [period.is_some(), false, true], dimension: 3 };
    FluidSettings { domain, fills, ..FluidSettings::new(0.5 * d) }
}

/// Root mean square over all particles of the error of the velocity along x, which should be `solution` (m/s) at a height (m), over `scale` (m/s).
pub fn profile_error(simulation: &FluidSimulation, solution: impl Fn(f64) -> f64, scale: f64) -> f64 {
    let particles = simulation.particles();
    let error = |i: usize| f64::from(particles.velocities[i].x) - solution(f64::from(particles.positions[i].y));
    let square = (0..particles.len()).map(|i| error(i).powi(2)).sum::<f64>() / particles.len() as f64;
    square.sqrt() / scale
}

/// Mean heights (m) and velocities along x (m/s) of layers between the floor and `height` (m).
pub fn speed_by_height(simulation: &FluidSimulation, height: f64) -> Vec<(f64, f64)> {
    const LAYERS: usize = 25;
    let particles = simulation.particles();
    let mut layers = vec![(0.0, 0.0, 0.0); LAYERS];
    for (position, velocity) in particles.positions.iter().zip(&particles.velocities) {
        let y = f64::from(position.y);
        let layer = &mut layers[((y / height * LAYERS as f64) as usize).min(LAYERS - 1)];
        *layer = (layer.0 + 1.0, layer.1 + y, layer.2 + f64::from(velocity.x));
    }
    layers.iter().filter(|layer| layer.0 > 0.0).map(|(count, y, velocity)| (y / count, velocity / count)).collect()
}

/// A fluid of kinematic viscosity `nu` (m²/s) without artificial viscosity.
pub fn viscous(nu: f64) -> Viscosity {
    Viscosity { kinematic: nu, artificial: 0.0, ..Viscosity::default() }
}

/// A box between two corners as a mesh in world coordinates.
pub fn block(min: DVec3, max: DVec3) -> TriangleMesh {
    let mut mesh = TriangleMesh::cuboid(max - min);
    mesh.vertices.iter_mut().for_each(|vertex| *vertex += 0.5 * (min + max));
    mesh
}

/// The floor and the walls at both ends of a plane tank of `length` and `height` (m), longer across than any slice.
pub fn plane_tank(length: f64, height: f64) -> BodyDefinition {
    let across = 0.5 * length;
    let mut mesh = TriangleMesh::room(&Aabb { min: DVec3::new(0.0, 0.0, -across), max: DVec3::new(length, height, across) });
    // Without the lid.
    mesh.triangles.retain(|triangle| triangle.iter().any(|&vertex| mesh.vertices[vertex as usize].y < 0.5 * height));
    BodyDefinition::fixed("tank", mesh)
}

/// An open square tank with its floor from the origin to `(side, 0, side)` (m).
pub fn tank(side: f64, height: f64) -> BodyDefinition {
    BodyDefinition::fixed("tank", TriangleMesh::basin(DVec3::new(side, height, side))).at(DVec3::new(0.5 * side, 0.0, 0.5 * side))
}

/// Zones of a `width` (m) along all four walls of a tank from the origin to `size` (m), which absorb waves under `gravity` (m/s²).
pub fn absorbing_walls(size: DVec3, width: f64, gravity: DVec3) -> Vec<DampingZone> {
    let along = |direction: DVec3| {
        let mut region = Aabb { min: DVec3::ZERO, max: size };
        let axis = if direction.x != 0.0 { 0 } else { 2 };
        if direction[axis] > 0.0 {
            region.min[axis] = size[axis] - width
        } else {
            region.max[axis] = width
        }
        DampingZone::new(region, direction, gravity)
    };
    [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z].map(along).to_vec()
}

/// Corners of round meshes along a circle.
const AROUND: u32 = 64;

/// A closed upright cylinder with the middle of its floor at the origin, wound outward.
pub fn cylinder(radius: f64, height: f64) -> TriangleMesh {
    let rim = |y: f64| (0..AROUND).map(move |i| DVec3::new(0.0, y, 0.0) + radius * around(i));
    let vertices = rim(0.0).chain(rim(height)).chain([DVec3::ZERO, height * DVec3::Y]).collect();
    let triangles = (0..AROUND).flat_map(|i| {
        let (j, up) = ((i + 1) % AROUND, AROUND);
        [[i, j + up, i + up], [i, j, j + up], [2 * AROUND, j, i], [2 * AROUND + 1, i + up, j + up]]
    });
    TriangleMesh { vertices, triangles: triangles.collect() }
}

/// The floor and the wall of a cylindrical tank.
pub fn cylindrical_tank(radius: f64, height: f64) -> TriangleMesh {
    let mut mesh = cylinder(radius, height);
    let lid = 2 * AROUND + 1;
    mesh.triangles.retain(|triangle| !triangle.contains(&lid));
    mesh.vertices.pop();
    mesh
}

/// A sphere about the origin, wound outward.
pub fn sphere(radius: f64) -> TriangleMesh {
    let rings = AROUND / 2;
    let ring = |k: u32| {
        let angle = std::f64::consts::PI * f64::from(k) / f64::from(rings);
        (0..AROUND).map(move |i| radius * (angle.cos() * DVec3::Y + angle.sin() * around(i)))
    };
    let vertices = [radius * DVec3::Y, -radius * DVec3::Y].into_iter().chain((1..rings).flat_map(ring)).collect();
    let at = |k: u32, i: u32| 2 + (k - 1) * AROUND + i % AROUND;
    let caps = (0..AROUND).flat_map(|i| [[0, at(1, i), at(1, i + 1)], [1, at(rings - 1, i + 1), at(rings - 1, i)]]);
    let bands = (1..rings - 1).flat_map(|k| (0..AROUND).map(move |i| (k, i)));
    let quads = bands.flat_map(|(k, i)| [[at(k, i), at(k + 1, i), at(k + 1, i + 1)], [at(k, i), at(k + 1, i + 1), at(k, i + 1)]]);
    TriangleMesh { vertices, triangles: caps.chain(quads).collect() }
}

/// Direction of corner `i` on a circle, from x towards −z.
fn around(i: u32) -> DVec3 {
    let angle = std::f64::consts::TAU * f64::from(i) / f64::from(AROUND);
    DVec3::new(angle.cos(), 0.0, -angle.sin())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use plimsoll_shape::MassProperties;

    use super::*;

    #[test]
    fn round_meshes_are_closed_and_wound_outward() {
        let volume = |mesh: &TriangleMesh| MassProperties::of(mesh).volume;
        assert!((volume(&cylinder(0.5, 2.0)) / (0.5 * PI) - 1.0).abs() < 0.01, "{}", volume(&cylinder(0.5, 2.0)));
        assert!((volume(&sphere(1.0)) / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01, "{}", volume(&sphere(1.0)));
    }
}
