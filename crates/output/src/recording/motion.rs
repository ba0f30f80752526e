//! Fits rigid motions to moving vertices.

use glam::{DMat3, DQuat, DVec3};
use plimsoll_base::math::Pose;

/// The pose that maps `own` (body coordinates) to `world`, vertex by vertex. It is determined by three vertices far from one another, which
/// give an orthonormal frame on each side. The identity if all vertices are collinear.
pub fn fitting_pose(own: &[DVec3], world: &[DVec3]) -> Pose {
    if own.is_empty() || own.len() != world.len() {
        return Pose::IDENTITY;
    }
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let measured = own.iter().map(|&vertex| measure(vertex)).enumerate();
        measured.max_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index)
    };
    let first = farthest(&|vertex| vertex.distance_squared(own[0]));
    let second = farthest(&|vertex| vertex.distance_squared(own[first]));
    let along = own[second] - own[first];
    let third = farthest(&|vertex| along.cross(vertex - own[first]).length_squared());
    let triple = [first, second, third];
    let rotation = match (frame(triple.map(|vertex| own[vertex])), frame(triple.map(|vertex| world[vertex]))) {
        (Some(own), Some(world)) => DQuat::from_mat3(&(world * own.transpose())).normalize(),
        _ => DQuat::IDENTITY,
    };
    let shifts: DVec3 = own.iter().zip(world).map(|(&own, &world)| world - rotation * own).sum();
    Pose::new(rotation, shifts / own.len() as f64)
}

/// Right-handed orthonormal axes: from the first point to the second, in the plane of the three, normal to it.
fn frame([first, second, third]: [DVec3; 3]) -> Option<DMat3> {
    let along = (second - first).try_normalize()?;
    let normal = along.cross(third - first).try_normalize()?;
    Some(DMat3::from_cols(along, normal.cross(along), normal))
}

/// Velocity of `center` and angular velocity of the rigid motion that best fits the `velocities` (m/s) of `vertices`:
/// `(Σ |r|² − r rᵀ) ω = Σ r × v` about the mean vertex. Zero if the velocities are unknown.
pub fn fitting_velocity(vertices: &[DVec3], velocities: &[[f32; 3]], center: DVec3) -> (DVec3, DVec3) {
    if vertices.is_empty() || vertices.len() != velocities.len() {
        return (DVec3::ZERO, DVec3::ZERO);
    }
    let velocities = || velocities.iter().map(|&velocity| glam::Vec3::from(velocity).as_dvec3());
    let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
    let mean = velocities().sum::<DVec3>() / vertices.len() as f64;
    let (mut inertia, mut spin) = (DMat3::ZERO, DVec3::ZERO);
    for (&vertex, v) in vertices.iter().zip(velocities()) {
        let r = vertex - middle;
        inertia += DMat3::from_diagonal(DVec3::splat(r.length_squared())) - DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        spin += r.cross(v);
    }
    let scale = inertia.determinant().abs().cbrt();
    let angular = if scale > 1e-12 * inertia.col(0).length().max(f64::MIN_POSITIVE) { inertia.inverse() * spin } else { DVec3::ZERO };
    (mean + angular.cross(center - middle), angular)
}
