//! Where probes measure, as lines.

use glam::DVec3;
use plimsoll_base::math::{Aabb, Pose};
use plimsoll_shape::topology::EdgeTable;

use super::{Patch, Probe, ProbeKind, placed::Placed};
use crate::FluidSettings;

/// Size of the mark of a point, in particle radii.
const POINT: f64 = 2.0;
/// Length of the arrow of a flow, relative to the shorter side of its rectangle.
const ARROW: f64 = 0.5;

type Line = [DVec3; 2];

impl Probe {
    /// Where it measures with the bodies where they are now, as lines in world coordinates (m); `last` are its last values. None for the
    /// totals of the fluid.
    pub fn lines(&self, settings: &FluidSettings, bodies: &[Placed], last: &[f64]) -> Vec<[DVec3; 2]> {
        let (size, up) = (POINT * settings.particle_radius, settings.up());
        match &self.kind {
            ProbeKind::Pressure(point) => {
                let moved = point.body.map_or(point.position, |body| bodies[body].pose.transform_point(point.position));
                octahedron(moved, size)
            }
            ProbeKind::Patch(patch) => outline(patch, &bodies[patch.body].pose),
            ProbeKind::Force(force) => octahedron(force.about.unwrap_or_else(|| bodies[force.body].center), 2.0 * size),
            ProbeKind::Motion(motion) => octahedron(bodies[motion.body].center, 2.0 * size),
            ProbeKind::Height(gauge) => {
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
            ProbeKind::Events(events) => edges(&events.region),
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

#[cfg(test)]
mod tests {
    use plimsoll_bodies::{Body, BodyDefinition};
    use plimsoll_shape::{SegmentLimits, Segmentation, TriangleMesh};

    use super::*;
    use crate::probes::{BodyForce, BodyMotion, Flow, FluidTotals, PressurePoint, Velocities, Volume, WaterHeight};

    /// Lines of a probe of `kind` whose last values are `last`; body 0 is a unit cube about (5, 0, 0).
    fn lines(kind: ProbeKind, last: &[f64]) -> Vec<Line> {
        let definition = BodyDefinition::fixed("cube", TriangleMesh::cuboid(DVec3::ONE)).at(5.0 * DVec3::X);
        let segmentation = Segmentation::build(&definition.mesh, &SegmentLimits::new(0.5, 16));
        let body = Body::new(definition, segmentation);
        Probe { name: "probe".to_owned(), rate: 1.0, kind }.lines(&FluidSettings::new(0.01), &[Placed::from(&body)], last)
    }

    fn middle(lines: &[Line]) -> DVec3 {
        lines.iter().flatten().sum::<DVec3>() / (2 * lines.len()) as f64
    }

    fn length(lines: &[Line]) -> f64 {
        lines.iter().map(|[from, to]| from.distance(*to)).sum()
    }

    #[test]
    fn points_are_marked_where_they_are_and_move_with_their_body() {
        let fixed = lines(ProbeKind::Pressure(PressurePoint { position: DVec3::ONE, body: None }), &[]);
        assert!(fixed.len() == 12 && middle(&fixed).distance(DVec3::ONE) < 1e-12, "{fixed:?}");
        let moved = lines(ProbeKind::Pressure(PressurePoint { position: DVec3::Y, body: Some(0) }), &[]);
        assert!(middle(&moved).distance(DVec3::new(5.0, 1.0, 0.0)) < 1e-12, "{moved:?}");
        for kind in [ProbeKind::Force(BodyForce { body: 0, about: None }), ProbeKind::Motion(BodyMotion { body: 0 })] {
            assert!(middle(&lines(kind, &[])).distance(5.0 * DVec3::X) < 1e-12);
        }
        assert!(lines(ProbeKind::Fluid(FluidTotals {}), &[]).is_empty());
    }

    #[test]
    fn a_gauge_reaches_up_to_the_surface_that_it_reads() {
        let gauge = lines(ProbeKind::Height(WaterHeight { position: DVec3::X }), &[0.4, 0.39]);
        assert_eq!(gauge[0], [DVec3::X, DVec3::new(1.0, 0.4, 0.0)]);
    }

    #[test]
    fn lines_rectangles_boxes_and_patches_have_their_edges() {
        let points = ProbeKind::Velocity(Velocities::along(DVec3::ZERO, 3.0 * DVec3::Z, 4));
        assert_eq!(lines(points, &[])[..3].iter().map(|[from, to]| from.distance(*to)).sum::<f64>(), 3.0);
        let flow = lines(ProbeKind::Flow(Flow { corner: DVec3::ZERO, u: 2.0 * DVec3::X, v: DVec3::Y }), &[]);
        assert_eq!(length(&flow[..4]), 6.0);
        // The arrow points along u × v.
        assert_eq!(flow[4], [DVec3::new(1.0, 0.5, 0.0), DVec3::new(1.0, 0.5, 0.5)]);
        let region = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) };
        let volume = lines(ProbeKind::Volume(Volume { region }), &[]);
        assert!(volume.len() == 12 && length(&volume) == 24.0, "{volume:?}");
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        let surface = TriangleMesh { vertices, triangles: vec![[0, 1, 2], [0, 2, 3]] };
        let patch = lines(ProbeKind::Patch(Patch { body: 0, surface }), &[]);
        assert!(patch.len() == 4 && middle(&patch).distance(DVec3::new(5.5, 0.5, 0.0)) < 1e-12, "{patch:?}");
    }
}
