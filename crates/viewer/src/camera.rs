//! The default camera of a scene, and camera settings for kiss3d.

use glam::{DVec3, Vec3};
use kiss3d::camera::OrbitCamera3d;
use plimsoll_base::math::Aabb;
use plimsoll_contract::frame::Frame;
use plimsoll_scene::Viewpoint;

use super::drawing::points;

/// Vertical field of view, radians.
const ANGLE_OF_VIEW: f64 = 35.0 * std::f64::consts::PI / 180.0;
/// Azimuth from the front (+z) to the right (+x), and elevation above the horizon, radians.
const AZIMUTH: f64 = 0.55;
const ELEVATION: f64 = 0.5;
/// Share of the half picture that the scene fills.
const FILLED: f64 = 0.86;
/// A scene is flat if its depth is less than this share of the larger of width and height.
const FLAT: f64 = 0.15;
/// Near and far clipping distances, relative to the distance from the camera to its target.
const NEAREST: f64 = 0.02;
const FARTHEST: f64 = 100.0;
/// Factor on the distance per wheel unit; scrolling towards the user moves the camera away. One notch is about twenty units.
const WHEEL: f32 = 0.99;

/// The bounding box of all particles and bodies in world coordinates; 1 m around the origin if there are none.
pub fn bounds(frame: &Frame) -> Aabb {
    let radii = frame.particles.radii();
    let particles = frame.particles.positions.iter().enumerate().flat_map(|(index, &position)| {
        let (position, radius) = (DVec3::from(Vec3::from(position)), f64::from(radii.of(index)));
        [position - radius, position + radius]
    });
    let bodies = frame.bodies.iter().flat_map(|body| body.mesh.vertices.iter().map(|&vertex| body.pose.transform_point(vertex)));
    let polygons = points(&frame.polygons).map(Vec3::as_dvec3);
    let bounds = Aabb::around(particles.chain(bodies).chain(polygons));
    if bounds.is_empty() { Aabb { min: DVec3::splat(-0.5), max: DVec3::splat(0.5) } } else { bounds }
}

/// Whether everything within `bounds` is roughly in one plane across z.
pub fn is_flat(bounds: &Aabb) -> bool {
    let extent = bounds.extent();
    extent.z < FLAT * extent.x.max(extent.y)
}

/// Looks from the front right and above, or straight from the front if the scene is flat, from as near as `bounds` fits into a picture
/// `aspect` times as wide as high.
pub fn automatic(bounds: &Aabb, aspect: f64) -> Viewpoint {
    let away = if is_flat(bounds) {
        DVec3::Z
    } else {
        DVec3::new(AZIMUTH.sin() * ELEVATION.cos(), ELEVATION.sin(), AZIMUTH.cos() * ELEVATION.cos())
    };
    let right = DVec3::Y.cross(away).normalize();
    let up = away.cross(right);
    let vertical = (0.5 * ANGLE_OF_VIEW).tan() * FILLED;
    let horizontal = vertical * aspect;
    let center = bounds.center();
    let corners: Vec<DVec3> = (0..8)
        .map(|corner| {
            let side = |axis: u32, lower: f64, upper: f64| if corner >> axis & 1 == 0 { lower } else { upper };
            let (min, max) = (bounds.min, bounds.max);
            DVec3::new(side(0, min.x, max.x), side(1, min.y, max.y), side(2, min.z, max.z)) - center
        })
        .collect();
    // In the plane of a coordinate c, a corner at height h above the middle and nearness n to the camera is visible if |h - s| is at most t
    // (d - n), where d is the distance and s the shift of the camera. The corners that limit the view give the minimum d and its s.
    let fit = |axis: DVec3, slope: f64| {
        let above = corners.iter().map(|corner| corner.dot(axis) + slope * corner.dot(away)).fold(f64::NEG_INFINITY, f64::max);
        let below = corners.iter().map(|corner| -corner.dot(axis) + slope * corner.dot(away)).fold(f64::NEG_INFINITY, f64::max);
        (0.5 * (above + below) / slope, 0.5 * (above - below))
    };
    let (for_width, shift_right) = fit(right, horizontal);
    let (for_height, shift_up) = fit(up, vertical);
    let look_at = center + shift_right * right + shift_up * up;
    Viewpoint { position: look_at + for_width.max(for_height) * away, look_at, angle_of_view: ANGLE_OF_VIEW }
}

/// The camera of kiss3d at `viewpoint`.
pub fn orbit_camera(viewpoint: &Viewpoint) -> OrbitCamera3d {
    let distance = viewpoint.position.distance(viewpoint.look_at);
    let mut camera = OrbitCamera3d::new_with_frustum(
        viewpoint.angle_of_view as f32,
        (NEAREST * distance) as f32,
        (FARTHEST * distance) as f32,
        viewpoint.position.as_vec3(),
        viewpoint.look_at.as_vec3(),
    );
    camera.set_dist_step(WHEEL);
    camera
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_in_the_picture_and_fills_it() {
        for (extent, aspect) in
            [(DVec3::new(2.0, 1.0, 1.0), 16.0 / 9.0), (DVec3::new(0.1, 5.0, 0.1), 1.0), (DVec3::new(3.0, 0.1, 9.0), 0.5)]
        {
            let bounds = Aabb { min: DVec3::new(3.0, -1.0, 2.0), max: DVec3::new(3.0, -1.0, 2.0) + extent };
            let viewpoint = automatic(&bounds, aspect);
            let forward = (viewpoint.look_at - viewpoint.position).normalize();
            let right = forward.cross(DVec3::Y).normalize();
            let up = right.cross(forward);
            let slope = (0.5 * viewpoint.angle_of_view).tan();
            let (mut widest, mut highest) = (0.0_f64, 0.0_f64);
            for corner in 0..8 {
                let pick = |axis: usize| if corner >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
                let offset = DVec3::new(pick(0), pick(1), pick(2)) - viewpoint.position;
                let depth = offset.dot(forward);
                widest = widest.max((offset.dot(right) / depth / slope / aspect).abs());
                highest = highest.max((offset.dot(up) / depth / slope).abs());
            }
            assert!(widest.max(highest) < FILLED + 1e-9, "{widest} {highest}");
            assert!(widest.max(highest) > FILLED - 1e-9, "{widest} {highest}");
        }
    }
}
