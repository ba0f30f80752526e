//! When a cluster touches a face of the box, by steps that cannot miss it.
//!
//! The gap `g` between a member and a face changes at the rate `ġ`, and the spin bends its course by no more than `A = |ω|² |q|`, with the place
//! `q` of the member in the cluster: after `h` it is at least `g + ġ h − ½ A h²`. So nothing touches before the first `h` of all members at
//! which this comes to zero. Contacts are placed at gaps between minus one and minus two [`TOLERANCE`] radii, and only what approaches counts.
//! SI units.

use glam::DVec3;

use super::{
    super::cluster::{Cluster, Member, Motion},
    TOLERANCE,
};

/// A cluster touches a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceContact {
    /// Seconds from the instant for which the motion was given.
    pub time: f64,
    /// Into the box.
    pub normal: DVec3,
    /// Place among the members of the one that touches.
    pub member: u32,
}

/// The first contact of `cluster` with a face of the box from the origin to `side` (m), within `limit` seconds.
pub fn first_face_contact(cluster: &Cluster, motion: &Motion, side: f64, limit: f64) -> Option<FaceContact> {
    let mut first: Option<FaceContact> = None;
    for axis in 0..3 {
        for (normal, height) in [(DVec3::AXES[axis], motion.center[axis]), (-DVec3::AXES[axis], side - motion.center[axis])] {
            let until = first.map_or(limit, |first| first.time);
            let contact = at_face(cluster, motion, (normal, height), until);
            // Of contacts at the same time the one with the first face.
            if contact.is_some_and(|contact| first.is_none_or(|first| contact.time < first.time)) {
                first = contact;
            }
        }
    }
    first
}

/// The first contact within `limit` seconds with the face that has this normal and lies `height` (m) below the center.
fn at_face(cluster: &Cluster, motion: &Motion, (normal, height): (DVec3, f64), limit: f64) -> Option<FaceContact> {
    let speed = normal.dot(motion.velocity);
    // Before the bounding sphere reaches the face nothing does.
    let mut time = if height <= cluster.radius { 0.0 } else { (cluster.radius - height) / speed };
    if height > cluster.radius && speed >= 0.0 {
        return None;
    }
    let square = motion.spin.length_squared();
    while time <= limit {
        let orientation = motion.orientation_after(time);
        let mut step = f64::INFINITY;
        for (number, &Member { radius, offset, .. }) in (0..).zip(&cluster.members) {
            let arm = orientation * offset;
            let gap = height + time * speed + normal.dot(arm) - radius;
            let rate = speed + normal.dot(motion.spin.cross(arm));
            let bend = square * offset.length();
            if gap > -TOLERANCE * radius {
                step = step.min(fall(gap + 1.5 * TOLERANCE * radius, rate, bend));
            } else if rate < 0.0 {
                return Some(FaceContact { time, normal, member: number });
            } else if bend > 0.0 {
                // No deeper than now before this; nor by more than half a tolerance if it hardly moves.
                step = step.min((2.0 * rate / bend).max((TOLERANCE * radius / bend).sqrt()));
            }
        }
        // A step lost in rounding would never end.
        time = (time + step).max(time.next_up());
    }
    None
}

/// The time after which `height + rate t − ½ bend t²` comes to zero, s.
fn fall(height: f64, rate: f64, bend: f64) -> f64 {
    let root = (rate * rate + 2.0 * bend * height).sqrt();
    // In the form that subtracts nothing of like size.
    match rate < 0.0 {
        true => 2.0 * height / (root - rate),
        false if bend > 0.0 => (rate + root) / bend,
        false => f64::INFINITY,
    }
}
