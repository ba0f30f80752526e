//! A figure on a plinth, modeled as a blend of round cones and ellipsoids and triangulated by naive surface nets.
//!
//! Blending uses the polynomial smooth minimum of Quilez (2013). Surface nets (Gibson 1998, Constrained elastic surface nets, MICCAI) have
//! one vertex in each cell that the surface crosses, and one quadrilateral across each crossed grid edge.

use std::collections::BTreeMap;

use glam::{DVec3, IVec3};
use plimsoll_shape::TriangleMesh;

use super::grid::{add, quad};

/// Side of a grid cell, meters.
const CELL: f64 = 0.0098;

/// A limb: the hull of two spheres, blended into the rest over `blend` meters.
struct Limb {
    from: [f64; 3],
    to: [f64; 3],
    radii: [f64; 2],
    blend: f64,
}

const fn limb(from: [f64; 3], to: [f64; 3], radii: [f64; 2], blend: f64) -> Limb {
    Limb { from, to, radii, blend }
}

/// The figure faces +z; its right arm (-x) is raised, its left hand rests on the hip.
const LIMBS: [Limb; 25] = [
    // Pelvis, waist, chest, shoulders.
    limb([-0.045, 0.515, 0.0], [0.045, 0.515, 0.0], [0.062, 0.062], 0.02),
    limb([0.0, 0.53, 0.0], [0.0, 0.63, 0.0], [0.064, 0.056], 0.04),
    limb([0.0, 0.63, 0.0], [0.0, 0.715, 0.002], [0.056, 0.07], 0.03),
    limb([-0.045, 0.715, 0.008], [0.045, 0.715, 0.008], [0.062, 0.062], 0.03),
    limb([-0.085, 0.755, -0.004], [0.085, 0.745, -0.004], [0.04, 0.04], 0.035),
    // Neck, head, hair.
    limb([0.0, 0.76, -0.006], [0.0, 0.845, 0.006], [0.034, 0.03], 0.025),
    limb([0.0, 0.9, 0.006], [0.0, 0.868, 0.022], [0.058, 0.042], 0.02),
    limb([0.0, 0.893, 0.062], [0.0, 0.876, 0.07], [0.006, 0.01], 0.014),
    limb([0.0, 0.915, -0.014], [0.0, 0.895, -0.03], [0.058, 0.05], 0.01),
    limb([0.0, 0.918, -0.082], [0.0, 0.922, -0.088], [0.028, 0.028], 0.012),
    // Right arm, raised.
    limb([-0.11, 0.752, -0.004], [-0.185, 0.83, 0.0], [0.038, 0.03], 0.025),
    limb([-0.185, 0.83, 0.0], [-0.2, 0.945, 0.03], [0.029, 0.021], 0.014),
    limb([-0.2, 0.955, 0.034], [-0.194, 0.985, 0.042], [0.023, 0.019], 0.014),
    // Left arm, hand on the hip.
    limb([0.11, 0.742, -0.004], [0.197, 0.64, -0.035], [0.038, 0.029], 0.025),
    limb([0.197, 0.64, -0.035], [0.125, 0.553, 0.02], [0.028, 0.021], 0.014),
    limb([0.125, 0.553, 0.02], [0.098, 0.54, 0.034], [0.023, 0.02], 0.014),
    // Right leg, straight.
    limb([-0.05, 0.5, 0.0], [-0.062, 0.31, 0.005], [0.066, 0.044], 0.025),
    limb([-0.062, 0.31, 0.005], [-0.066, 0.13, -0.012], [0.043, 0.028], 0.014),
    limb([-0.064, 0.25, -0.012], [-0.065, 0.22, -0.014], [0.038, 0.036], 0.025),
    limb([-0.067, 0.112, -0.016], [-0.078, 0.108, 0.062], [0.028, 0.022], 0.016),
    // Left leg, a little forward.
    limb([0.05, 0.5, 0.0], [0.074, 0.315, 0.045], [0.066, 0.044], 0.025),
    limb([0.074, 0.315, 0.045], [0.082, 0.13, 0.018], [0.043, 0.028], 0.014),
    limb([0.077, 0.255, 0.025], [0.079, 0.225, 0.02], [0.038, 0.036], 0.025),
    limb([0.084, 0.112, 0.012], [0.104, 0.108, 0.088], [0.028, 0.022], 0.016),
    // A tree stump behind the left leg for support, as in marble statues.
    limb([0.075, 0.08, -0.055], [0.062, 0.34, -0.05], [0.05, 0.036], 0.02),
];

/// Signed distance to the hull of two spheres, exact except near the ends.
fn distance_to_limb(point: DVec3, limb: &Limb) -> f64 {
    let (from, to) = (DVec3::from_array(limb.from), DVec3::from_array(limb.to));
    let along = to - from;
    let t = ((point - from).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(from + t * along) - (limb.radii[0] + t * (limb.radii[1] - limb.radii[0]))
}

/// Signed distance to an upright cylinder with rounded edges.
fn distance_to_disc(point: DVec3, center_y: f64, radius: f64, half_height: f64) -> f64 {
    const EDGE: f64 = 0.012;
    let out = point.x.hypot(point.z) - (radius - EDGE);
    let up = (point.y - center_y).abs() - (half_height - EDGE);
    out.max(0.0).hypot(up.max(0.0)) + out.max(up).min(0.0) - EDGE
}

/// Minimum of two distances, smoothed where they differ by less than `blend`.
fn smooth_minimum(first: f64, second: f64, blend: f64) -> f64 {
    let overlap = (blend - (first - second).abs()).max(0.0) / blend;
    first.min(second) - 0.25 * blend * overlap * overlap
}

/// Approximate signed distance to the statue, meters.
fn field(point: DVec3) -> f64 {
    let plinth = smooth_minimum(distance_to_disc(point, 0.03, 0.2, 0.03), distance_to_disc(point, 0.07, 0.17, 0.03), 0.015);
    LIMBS.iter().fold(plinth, |distance, limb| smooth_minimum(distance, distance_to_limb(point, limb), limb.blend))
}

pub fn statue() -> TriangleMesh {
    // The grid is shifted by an arbitrary share of a cell so that no grid point is on the flat faces of the plinth.
    let origin = DVec3::new(-0.2537, -0.0123, -0.2251);
    let count = IVec3::new(55, 112, 48);
    let position = |node: IVec3| origin + CELL * node.as_dvec3();
    let index = |node: IVec3| ((node.z * (count.y + 1) + node.y) * (count.x + 1) + node.x) as usize;
    let mut values = Vec::with_capacity(index(count) + 1);
    for z in 0..=count.z {
        for y in 0..=count.y {
            values.extend((0..=count.x).map(|x| field(position(IVec3::new(x, y, z)))));
        }
    }
    let value = |node: IVec3| values[index(node)];

    let mut mesh = TriangleMesh::default();
    let mut vertices: BTreeMap<[i32; 3], u32> = BTreeMap::new();
    for z in 0..count.z {
        for y in 0..count.y {
            for x in 0..count.x {
                let cell = IVec3::new(x, y, z);
                if let Some(point) = crossing_mean(cell, &value) {
                    vertices.insert(cell.to_array(), add(&mut mesh, onto_surface(origin + CELL * point)));
                }
            }
        }
    }
    for cell in vertices.keys().map(|&cell| IVec3::from_array(cell)) {
        for axis in 0..3 {
            let (first, second) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
            let (here, there) = (value(cell), value(cell + IVec3::AXES[axis]));
            if (here < 0.0) != (there < 0.0) {
                let around = [cell - first - second, cell - second, cell, cell - first].map(|cell| vertices[&cell.to_array()]);
                let [a, b, c, d] = around;
                quad(&mut mesh, if here < 0.0 { around } else { [d, c, b, a] });
            }
        }
    }
    mesh
}

/// The mean, in grid coordinates, of the points where the surface crosses the edges of a cell; `None` if it crosses none.
fn crossing_mean(cell: IVec3, value: &impl Fn(IVec3) -> f64) -> Option<DVec3> {
    let (mut sum, mut count) = (DVec3::ZERO, 0.0);
    for axis in 0..3 {
        let (first, second) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
        for from in [cell, cell + first, cell + second, cell + first + second] {
            let (low, high) = (value(from), value(from + IVec3::AXES[axis]));
            if (low < 0.0) != (high < 0.0) {
                sum += from.as_dvec3() + low / (low - high) * DVec3::AXES[axis];
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| sum / count)
}

/// Two Newton steps along the gradient, each at most a quarter of a cell.
fn onto_surface(mut point: DVec3) -> DVec3 {
    const STEP: f64 = 1e-4;
    for _ in 0..2 {
        let slope = |axis: DVec3| (field(point + STEP * axis) - field(point - STEP * axis)) / (2.0 * STEP);
        let gradient = DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z));
        let move_by = -field(point) * gradient / gradient.length_squared().max(0.1);
        point += move_by.clamp_length_max(0.25 * CELL);
    }
    point
}
