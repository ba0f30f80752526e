//! Limits the step so that grains cannot pass sheets, or one another, between two steps.

use plimsoll_base::math::parallel::max;
use plimsoll_bodies::BodyKind;

use super::simulation::GrainsSimulation;

/// Maximum path of a grain in a step relative to what it meets, in radii of the smaller grain.
const SHARE: f64 = 0.15;

impl GrainsSimulation {
    /// The longest safe step up to `dt` (s): `dt` itself unless grains are so fast that they may move through something. Searches first if
    /// pairs that meet in the step may not be listed.
    pub(super) fn travel_limit(&mut self, dt: f64) -> f64 {
        let least = SHARE * self.scratch.smallest_radius;
        let fastest = max(self.grains.len(), |grain| self.grains.velocities[grain].length_squared()).sqrt();
        let fastest_body = self.fastest_body_point();
        if (fastest + fastest.max(fastest_body)) * dt <= least {
            return dt;
        }
        // Without a limit on pairs, two grains may approach by twice this path.
        let free = 0.5 * least;
        if self.may_leave_skins(dt, free) || self.body_path + fastest_body * dt > self.widest_skin() {
            self.search();
        }
        let rate = self.skin_rate(free).max(fastest_body / self.widest_skin().max(free));
        let (contacts, context) = self.contacts();
        let pairs = contacts.max_approach(&self.grains, context);
        let walls = self.walls.max_approach(&self.grains, &self.bodies.list);
        let rate = rate.max(pairs.max(walls) / SHARE);
        if rate * dt > 1.0 { 1.0 / rate } else { dt }
    }

    /// Upper bound of the speed of all points of moving bodies, m/s.
    fn fastest_body_point(&self) -> f64 {
        let moving = self.bodies.list.iter().zip(&self.scratch.extents).filter(|(body, _)| !matches!(body.kind, BodyKind::Static));
        moving.map(|(body, extent)| body.velocity.length() + body.angular_velocity.length() * extent).fold(0.0, f64::max)
    }

    /// Whether a grain may leave its skin in a step of `dt` seconds; paths up to `free` (m) do not count.
    fn may_leave_skins(&self, dt: f64, free: f64) -> bool {
        let grains = &self.grains;
        let excess = max(grains.len(), |grain| {
            let (sphere, padded) = (&grains.spheres[grain], &grains.padded[grain]);
            let path = grains.velocities[grain].length() * dt;
            let left = padded.radius - sphere.radius - sphere.center.distance(padded.center);
            if path > free { (path - left).max(0.0) } else { 0.0 }
        });
        excess > 0.0
    }

    /// Maximum rate at which a grain crosses its skin, or a path of `free` (m) if this is longer, 1/s.
    fn skin_rate(&self, free: f64) -> f64 {
        let grains = &self.grains;
        max(grains.len(), |grain| {
            let skin = grains.padded[grain].radius - grains.spheres[grain].radius;
            grains.velocities[grain].length() / skin.max(free)
        })
    }
}
