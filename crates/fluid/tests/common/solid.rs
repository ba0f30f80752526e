//! Solids, by brute force over their triangles: volume below a level, whether a point is inside, whether a path crosses the surface.

use glam::DVec3;
use plimsoll_base::math::Pose;
use plimsoll_shape::TriangleMesh;

/// Volume (m³) that a body keeps free of water below `level`: above each point of a fine horizontal grid, from the first hit of a ray from
/// below up to the level. Hollows open at the top count as displaced, so the rim must be above the water.
pub fn displaced(mesh: &TriangleMesh, pose: &Pose, level: f64, columns: usize) -> f64 {
    let corners: Vec<[DVec3; 3]> =
        (0..mesh.triangles.len()).map(|index| mesh.corners(index).map(|corner| pose.transform_point(corner))).collect();
    let low = corners.iter().flatten().fold(DVec3::INFINITY, |low, &corner| low.min(corner));
    let high = corners.iter().flatten().fold(DVec3::NEG_INFINITY, |high, &corner| high.max(corner));
    let step = (high - low) / columns as f64;
    // Where the body begins above each grid point; each triangle is projected onto the points below it.
    let mut bottom = vec![f64::INFINITY; columns * columns];
    for [a, b, c] in corners {
        let area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
        if area == 0.0 {
            continue;
        }
        let first = ((a.min(b).min(c) - low) / step).floor().max(DVec3::ZERO);
        let last = ((a.max(b).max(c) - low) / step).ceil();
        for i in first.x as usize..(last.x as usize).min(columns) {
            for j in first.z as usize..(last.z as usize).min(columns) {
                let (x, z) = (low.x + (i as f64 + 0.5) * step.x, low.z + (j as f64 + 0.5) * step.z);
                let u = ((x - a.x) * (c.z - a.z) - (z - a.z) * (c.x - a.x)) / area;
                let v = ((b.x - a.x) * (z - a.z) - (b.z - a.z) * (x - a.x)) / area;
                if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                    let spot = &mut bottom[i * columns + j];
                    *spot = spot.min(a.y + u * (b.y - a.y) + v * (c.y - a.y));
                }
            }
        }
    }
    bottom.iter().map(|bottom| (level - bottom).max(0.0)).sum::<f64>() * step.x * step.z
}

/// Whether `point` (body coordinates) is inside a closed mesh: the solid angle of its triangles (Van Oosterom & Strackee 1983).
pub fn contains(mesh: &TriangleMesh, point: DVec3) -> bool {
    let solid_angle = |index: usize| {
        let [a, b, c] = mesh.corners(index).map(|corner| corner - point);
        let (x, y, z) = (a.length(), b.length(), c.length());
        2.0 * a.dot(b.cross(c)).atan2(x * y * z + a.dot(b) * z + b.dot(c) * x + c.dot(a) * y)
    };
    (0..mesh.triangles.len()).map(solid_angle).sum::<f64>().abs() > std::f64::consts::TAU
}

/// The still-water level above `floor` in a tank of horizontal area `area`, m: the fluid and the volume displaced below the level fill it.
pub fn still_level(fluid_volume: f64, area: f64, floor: f64, displaced_below: impl Fn(f64) -> f64) -> f64 {
    bisect(floor, floor + 100.0 * (fluid_volume / area), |level| (level - floor) * area - displaced_below(level) - fluid_volume)
}

/// The zero of the increasing function `f`.
pub fn bisect(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Whether some part of the mesh is directly below `point`, in body coordinates, and none directly above it.
pub fn below(mesh: &TriangleMesh, point: DVec3) -> bool {
    let (mut below, mut above) = (false, false);
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(index);
        let area = (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x);
        let u = ((point.x - a.x) * (c.z - a.z) - (point.z - a.z) * (c.x - a.x)) / area;
        let v = ((b.x - a.x) * (point.z - a.z) - (b.z - a.z) * (point.x - a.x)) / area;
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
            let height = a.y + u * (b.y - a.y) + v * (c.y - a.y);
            if height < point.y { below = true } else { above = true }
        }
    }
    below && !above
}

/// Whether the path crosses a triangle of the mesh (body coordinates; Möller & Trumbore 1997).
pub fn crossed(mesh: &TriangleMesh, from: DVec3, to: DVec3) -> bool {
    let path = to - from;
    (0..mesh.triangles.len()).any(|index| {
        let [a, b, c] = mesh.corners(index);
        let (ab, ac) = (b - a, c - a);
        let p = path.cross(ac);
        let determinant = ab.dot(p);
        if determinant == 0.0 {
            return false;
        }
        let offset = from - a;
        let q = offset.cross(ab);
        let (u, v, t) = (offset.dot(p) / determinant, path.dot(q) / determinant, ac.dot(q) / determinant);
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)
    })
}
