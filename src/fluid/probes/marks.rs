//! Where probes measure, as lines.

use glam::DVec3;

use super::{Patch, Probe, ProbeKind};
use crate::{
    bodies::Body,
    fluid::settings::FluidSettings,
    math::{Aabb, Pose},
    shape::topology::EdgeTable,
};

/// Size of the mark of a point, in particle radii.
const POINT: f64 = 2.0;
/// Length of the arrow of a flow, relative to the shorter side of its rectangle.
const ARROW: f64 = 0.5;

type Line = [DVec3; 2];

impl Probe {
    /// Where it measures with the bodies where they are now, as lines in world coordinates (m); `last` are its last values. None for the
    /// totals of the fluid.
    pub fn lines(&self, settings: &FluidSettings, bodies: &[Body], last: &[f64]) -> Vec<[DVec3; 2]> {
        let size = POINT * settings.particle_radius;
        match &self.kind {
            ProbeKind::Pressure(point) => {
                let moved = point.body.map_or(point.position, |body| bodies[body].pose.transform_point(point.position));
                octahedron(moved, size)
            }
            ProbeKind::Patch(patch) => outline(patch, &bodies[patch.body].pose),
            ProbeKind::Force(force) => octahedron(force.about.unwrap_or_else(|| bodies[force.body].center()), 2.0 * size),
            ProbeKind::Motion(motion) => octahedron(bodies[motion.body].center(), 2.0 * size),
            ProbeKind::Height(gauge) => {
                let up = -settings.gravity.normalize_or(DVec3::NEG_Y);
                let surface = gauge.position + last.first().copied().unwrap_or(0.0) * up;
                let mut lines = vec![[gauge.position, surface]];
                lines.extend(octahedron(surface, size));
                lines
            }
            ProbeKind::Velocity(velocities) => {
                let points = &velocities.points;
                let along = points.windows(2).map(|pair| [pair[0], pair[1]]);
                along.chain(points.iter().flat_map(|&point| octahedron(point, 0.5 * size))).collect()
            }
            ProbeKind::Flow(flow) => {
                let [a, b, c, d] = [flow.corner, flow.corner + flow.u, flow.corner + flow.u + flow.v, flow.corner + flow.v];
                let length = ARROW * flow.u.length().min(flow.v.length());
                let middle = 0.5 * (a + c);
                let mut lines = vec![[a, b], [b, c], [c, d], [d, a]];
                lines.extend(arrow(middle, middle + length * flow.u.cross(flow.v).normalize(), flow.u.normalize()));
                lines
            }
            ProbeKind::Volume(volume) => edges(&volume.region),
            ProbeKind::Fluid(_) => Vec::new(),
        }
    }
}

fn octahedron(center: DVec3, size: f64) -> Vec<Line> {
    let tips = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z].map(|axis| center + size * axis);
    let pairs = (0..6).flat_map(|i| (i + 1..6).map(move |j| (i, j)));
    // Opposite tips have no edge.
    pairs.filter(|(i, j)| i / 2 != j / 2).map(|(i, j)| [tips[i], tips[j]]).collect()
}

/// A shaft and two barbs that lie in the plane of the shaft and `across`.
fn arrow(from: DVec3, to: DVec3, across: DVec3) -> [Line; 3] {
    let back = 0.25 * (from - to);
    let side = 0.1 * from.distance(to) * across;
    [[from, to], [to, to + back + side], [to, to + back - side]]
}

/// The edges of the surface that belong to a single triangle.
fn outline(patch: &Patch, pose: &Pose) -> Vec<Line> {
    let surface = &patch.surface;
    let table = EdgeTable::of(surface);
    let single = table.edges().filter(|sides| sides.len() == 1);
    let corners = single.map(|sides| {
        let [from, to] = sides[0].edge;
        [surface.vertices[from as usize], surface.vertices[to as usize]]
    });
    corners.map(|line| line.map(|point| pose.transform_point(point))).collect()
}

fn edges(region: &Aabb) -> Vec<Line> {
    let corner = |number: usize| DVec3::select(glam::BVec3::new(number & 1 != 0, number & 2 != 0, number & 4 != 0), region.max, region.min);
    let pairs = (0..8_usize).flat_map(|from| (0..3).map(move |axis| (from, from | 1 << axis)));
    pairs.filter(|(from, to)| from != to).map(|(from, to)| [corner(from), corner(to)]).collect()
}
