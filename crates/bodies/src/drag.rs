//! The spring with which a user drags a body.

use glam::DVec3;
use plimsoll_contract::simulator::Drag;

use super::Body;

/// Natural frequency of the spring loaded with the body's mass, rad/s.
const FREQUENCY: f64 = 9.0;
/// Damping ratio.
const DAMPING: f64 = 0.7;

/// Force (N) of the spring on `body`, and its torque (N m) about the body's center.
///
/// `F = m ω² (target − point) − 2 ζ m ω v_point`, with the effective mass m of the body at that point for a force along the spring:
/// `1/m = 1/m_body + n · ((I⁻¹ (r × n)) × r)`.
pub fn spring(body: &Body, drag: &Drag) -> (DVec3, DVec3) {
    let point = body.pose.transform_point(drag.point);
    let r = point - body.center();
    let n = (drag.target - point).try_normalize().unwrap_or(DVec3::Y);
    let compliance = body.compliance();
    let by_rotation = (compliance.inverse_inertia * r.cross(n)).cross(r);
    let mass = 1.0 / n.dot(compliance.inverse_mass * n + by_rotation).max(1.0 / body.mass);
    let force = mass * FREQUENCY * (FREQUENCY * (drag.target - point) - 2.0 * DAMPING * body.velocity_at(point));
    (force, r.cross(force))
}
