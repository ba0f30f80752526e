//! Equilibria compared with a search over all attitudes.

use std::f64::consts::{FRAC_PI_4, PI, TAU};

use glam::{DQuat, DVec3};
use plimsoll_shape::{
    TriangleMesh,
    hydrostatics::{Attitude, Bow, Equilibrium, Hold, Hull, Loading, Stability},
};

use super::{
    bodies::{circle, cuboid, hull, oriented, prism, sample, upright_cylinder},
    close,
};

/// Rows of the grid of attitudes, from upright to upside down.
const ROWS: usize = 25;
/// Angle between the columns of the grid, rad, at most.
const COLUMN: f64 = PI / 12.0;
/// Differences of energies relative to the size of the displaced volume: of one minimum, from a descent and from a search; and what a search
/// may find below a minimum.
const SAME: f64 = 1e-5;
const BELOW: f64 = 1e-9;

/// A homogeneous body in water.
struct Floating<'a> {
    body: &'a Hull,
    loading: Loading,
}

impl<'a> Floating<'a> {
    fn new(body: &'a Hull, ratio: f64) -> Self {
        let solid = body.solid();
        Self { body, loading: Loading { mass: ratio * solid.volume, center_of_gravity: solid.center_of_mass, water_density: 1.0 } }
    }

    fn size(&self) -> f64 {
        self.loading.volume().cbrt()
    }

    /// Where the body goes from upright.
    fn settled(&self) -> Result<Vec<Equilibrium>, String> {
        let upright = Equilibrium::from(self.body, &self.loading, Attitude::UPRIGHT, Bow::PlusX, Hold::Dry);
        upright.and_then(|upright| upright.settle(self.body, &self.loading, Bow::PlusX)).map_err(|error| error.to_string())
    }

    fn energy(&self, up: DVec3) -> f64 {
        self.body.sunk(up, self.loading.volume(), Hold::Dry).unwrap().energy(self.loading.center_of_gravity)
    }

    /// The least energy that steps in eight directions find from `up`, halved from `step` until nothing changes.
    fn lowest_near(&self, mut up: DVec3, mut step: f64) -> f64 {
        let mut lowest = self.energy(up);
        while step > 1e-4 {
            let aside = up.any_orthonormal_vector();
            let around = (0..8).map(|k| (up + step * (DQuat::from_axis_angle(up, FRAC_PI_4 * f64::from(k)) * aside)).normalize());
            let best = around.map(|up| (self.energy(up), up)).min_by(|one, other| one.0.total_cmp(&other.0)).unwrap();
            if best.0 < lowest {
                (lowest, up) = best;
            } else {
                step *= 0.5;
            }
        }
        lowest
    }

    /// The energies of all minima. A turn by `period` (rad) about the y axis leaves the body as it is.
    fn minima(&self, period: f64) -> Vec<f64> {
        let columns = (period / COLUMN).ceil() as usize;
        let up = |row: usize, column: usize| {
            let (tilt, turn) = (PI * row as f64 / (ROWS - 1) as f64, period * column as f64 / columns as f64);
            DVec3::new(tilt.sin() * turn.cos(), tilt.cos(), tilt.sin() * turn.sin())
        };
        let grid: Vec<Vec<f64>> = (0..ROWS).map(|row| (0..columns).map(|column| self.energy(up(row, column))).collect()).collect();
        let is_lowest = |row: usize, column: usize| {
            let rows = row.saturating_sub(1)..(row + 2).min(ROWS);
            let next = |offset: usize| (column + columns + offset - 1) % columns;
            let mut around = rows.flat_map(|row| (0..3).map(move |offset| (row, offset)));
            around.all(|(other, offset)| grid[row][column] <= grid[other][next(offset)] + BELOW * self.size())
        };
        let places = (0..ROWS).flat_map(|row| (0..columns).map(move |column| (row, column)));
        places.filter(|&(row, column)| is_lowest(row, column)).map(|(row, column)| self.lowest_near(up(row, column), 0.05)).collect()
    }

    /// Checks that the body comes to rest at one of `minima`.
    fn check(&self, name: &str, minima: &[f64]) {
        let settled = self.settled().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!settled.is_empty());
        for rest in settled {
            assert_ne!(rest.stability(), Stability::Unstable, "{name}: {rest:?}");
            let below = rest.energy - self.lowest_near(rest.immersion.up, 0.02);
            assert!(below < BELOW * self.size(), "{name}: {below:e} m below {rest:?}");
            let is_found = minima.iter().any(|energy| (energy - rest.energy).abs() < SAME * self.size());
            assert!(is_found, "{name}: {} m is not among {minima:?}", rest.energy);
        }
    }
}

/// Coordinates as in a text file with eight decimals, and in single precision.
fn rounded(mesh: &TriangleMesh) -> [TriangleMesh; 2] {
    let with = |round: &dyn Fn(DVec3) -> DVec3| {
        let vertices = mesh.vertices.iter().map(|vertex| round(*vertex)).collect();
        TriangleMesh { vertices, triangles: mesh.triangles.clone() }
    };
    [with(&|vertex| (vertex * 1e8).round() / 1e8), with(&|vertex| vertex.as_vec3().as_dvec3())]
}

/// Regular prisms float inclined at any angle about their axes, and rounding makes some of these angles a little better than others.
#[test]
fn every_regular_prism_comes_to_rest_at_any_density() {
    for sides in 3..=24 {
        for height in [0.4, 0.75, 1.5] {
            let exact = upright_cylinder(0.5, height, sides);
            let [text, single] = rounded(&exact).map(|mesh| hull(&mesh));
            let exact = hull(&exact);
            for percent in (5..100).step_by(10) {
                let ratio = 0.01 * f64::from(percent);
                let minima = Floating::new(&exact, ratio).minima(TAU / sides as f64);
                for (kind, body) in [("exact", &exact), ("text", &text), ("single precision", &single)] {
                    Floating::new(body, ratio).check(&format!("{sides} sides, {height} m, {percent} %, {kind}"), &minima);
                }
            }
        }
    }
}

/// An inclined wall-sided body rests where `GM + ½ BM tan² φ = 0`; the second moment of a hexagon is the same about all axes.
#[test]
fn a_hexagonal_prism_floats_inclined_at_any_angle_about_its_axis() {
    const HEIGHT: f64 = 0.825;
    let exact = upright_cylinder(0.5, HEIGHT, 6);
    let [text, single] = rounded(&exact);
    for mesh in [exact, text, single] {
        let body = hull(&mesh);
        let area = body.solid().volume / HEIGHT;
        let second_moment = 5.0 / (36.0 * 3.0_f64.sqrt()) * area * area;
        for ratio in [0.26, 0.275, 0.72, 0.73] {
            let draft = HEIGHT * ratio;
            let bm = second_moment / (area * draft);
            let gm = 0.5 * draft + bm - 0.5 * HEIGHT;
            let rest = Floating::new(&body, ratio).settled().unwrap()[0];
            close("tilt", rest.immersion.up.y.acos(), (-2.0 * gm / bm).sqrt().atan(), 1e-5);
            assert_eq!(rest.stability(), Stability::Neutral, "{ratio}: {rest:?}");
        }
    }
}

#[test]
fn other_bodies_come_to_rest_at_any_density() {
    let corners = [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
    let tetrahedron = TriangleMesh { vertices: corners.to_vec(), triangles: vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]] };
    let bodies = [
        ("cube", cuboid(DVec3::splat(-0.5), DVec3::splat(0.5)), 0.5 * PI),
        ("tetrahedron", oriented(tetrahedron), PI),
        ("lying prism", oriented(prism(&circle(0.5, 7), 2.0)), PI),
        ("sphere", sample("sphere"), 0.5 * PI),
        ("ring", sample("torus"), 0.5 * PI),
    ];
    for (name, mesh, period) in bodies {
        let body = hull(&mesh);
        // The search takes seconds where there are thousands of triangles.
        let step = if mesh.triangles.len() < 100 { 5 } else { 45 };
        for percent in (5..100).step_by(step) {
            let floating = Floating::new(&body, 0.01 * f64::from(percent));
            floating.check(&format!("{name}, {percent} %"), &floating.minima(period));
        }
    }
}
