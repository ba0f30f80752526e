//! When a cluster touches a face of the box, by steps that cannot miss a contact.
//!
//! The gap `g` between a member and a face changes at the rate `ġ`. The spin changes this rate by at most `A = |ω|² |q|`, where `q` is the
//! position of the member in the cluster: after `h` the gap is at least `g + ġ h − ½ A h²`. So nothing touches before the first `h`, over
//! all members, at which this is zero. Contacts are placed at gaps between minus one and minus two [`TOLERANCE`] radii, and only
//! approaching members count. SI units.

use glam::DVec3;

use super::{
    super::cluster::{Cluster, Member, Motion},
    TOLERANCE,
};

/// A cluster touches a face.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceContact {
    /// Seconds from the instant of the given motion.
    pub time: f64,
    /// Normal that points into the box.
    pub normal: DVec3,
    /// Index of the member that touches.
    pub member: u32,
}

/// The first contact of `cluster` with a face of the box from the origin to `side` (m), within `limit` seconds.
pub fn first_face_contact(cluster: &Cluster, motion: &Motion, side: f64, limit: f64) -> Option<FaceContact> {
    let mut first: Option<FaceContact> = None;
    for axis in 0..3 {
        for (normal, height) in [(DVec3::AXES[axis], motion.center[axis]), (-DVec3::AXES[axis], side - motion.center[axis])] {
            let until = first.map_or(limit, |first| first.time);
            let contact = at_face(cluster, motion, (normal, height), until);
            // Of simultaneous contacts, the one with the first face counts.
            if contact.is_some_and(|contact| first.is_none_or(|first| contact.time < first.time)) {
                first = contact;
            }
        }
    }
    first
}

/// The first contact within `limit` seconds with the face that has this normal and is `height` (m) below the center.
fn at_face(cluster: &Cluster, motion: &Motion, (normal, height): (DVec3, f64), limit: f64) -> Option<FaceContact> {
    let speed = normal.dot(motion.velocity);
    // No member touches before the bounding sphere reaches the face.
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
                // Until the first of these times the member is no deeper than now; until the second, if it hardly moves, deeper by at most
                // half a tolerance.
                step = step.min((2.0 * rate / bend).max((TOLERANCE * radius / bend).sqrt()));
            }
        }
        // A step lost in rounding would cause an infinite loop.
        time = (time + step).max(time.next_up());
    }
    None
}

/// The time after which `height + rate t − ½ bend t²` reaches zero, s.
fn fall(height: f64, rate: f64, bend: f64) -> f64 {
    let root = (rate * rate + 2.0 * bend * height).sqrt();
    // In the form without cancellation.
    match rate < 0.0 {
        true => 2.0 * height / (root - rate),
        false if bend > 0.0 => (rate + root) / bend,
        false => f64::INFINITY,
    }
}
