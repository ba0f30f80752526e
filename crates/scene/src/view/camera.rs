//! The section `[camera]`: a camera at rest, in orbit or along keyframes.

use glam::{DQuat, DVec3};

use crate::read::{Quantity, Range, Table};

const POSITION: &str = "a position [x, y, z] in m";
const LOOK_AT: &str = "a point to look at, [x, y, z] in m";
const ANGLE_OF_VIEW: Quantity = Quantity::new(Range::PositiveUpTo(150.0), "an angle in degrees above 0, at most 150");
const ORBIT: Quantity = Quantity::new(Range::Any, "an angular velocity in degrees per second");
const TIME: Quantity = Quantity::new(Range::NotNegative, "a time in seconds, 0 or more");

/// Default vertical angle of view, degrees.
const DEFAULT_ANGLE_OF_VIEW: f64 = 35.0;

/// Two points closer than this, relative to their distances from the origin, do not define a direction.
const COINCIDENT: f64 = 1e-9;

/// The motion of the camera over time.
#[derive(Clone, Debug, PartialEq)]
pub struct CameraPath {
    /// Viewpoints and their times (s), in order of time; at least one.
    keyframes: Vec<(f64, Viewpoint)>,
    /// Angular velocity about the vertical axis through the target, rad/s.
    orbit: f64,
}

/// Position, target and angle of view of the camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewpoint {
    /// m
    pub position: DVec3,
    /// m
    pub look_at: DVec3,
    /// Vertical angle of view, radians.
    pub angle_of_view: f64,
}

impl CameraPath {
    /// A camera at rest.
    pub fn fixed(viewpoint: Viewpoint) -> Self {
        Self { keyframes: vec![(0.0, viewpoint)], orbit: 0.0 }
    }

    /// The same camera, orbiting the vertical axis through the target at `orbit` rad/s, counterclockwise seen from above.
    pub fn orbiting(self, orbit: f64) -> Self {
        Self { orbit, ..self }
    }

    /// The viewpoint at `time`, seconds.
    ///
    /// Between keyframes the camera follows cubic Hermite curves. The slope at a keyframe is that between the previous and the next
    /// keyframe (Catmull and Rom 1974, with non-uniform times). Before the first keyframe and after the last one the camera is at rest.
    pub fn at(&self, time: f64) -> Viewpoint {
        let next = self.keyframes.partition_point(|(begin, _)| *begin <= time);
        let (first, last) = (self.keyframes[0], self.keyframes[self.keyframes.len() - 1]);
        let viewpoint = if next == 0 {
            first.1
        } else if next == self.keyframes.len() {
            last.1
        } else {
            self.between(next - 1, time)
        };
        let turn = DQuat::from_rotation_y(self.orbit * time);
        Viewpoint { position: viewpoint.look_at + turn * (viewpoint.position - viewpoint.look_at), ..viewpoint }
    }

    /// The viewpoint on the curve from keyframe `index` to the next.
    fn between(&self, index: usize, time: f64) -> Viewpoint {
        let (from, to) = (self.keyframes[index], self.keyframes[index + 1]);
        let interval = to.0 - from.0;
        let (slope_from, slope_to) = (self.slope(index), self.slope(index + 1));
        let t = (time - from.0) / interval;
        let weights = [
            2.0 * t.powi(3) - 3.0 * t.powi(2) + 1.0,
            -2.0 * t.powi(3) + 3.0 * t.powi(2),
            interval * (t.powi(3) - 2.0 * t.powi(2) + t),
            interval * (t.powi(3) - t.powi(2)),
        ];
        from.1.times(weights[0]).plus(to.1.times(weights[1])).plus(slope_from.times(weights[2])).plus(slope_to.times(weights[3]))
    }

    /// Change per second at keyframe `index`; zero at the ends, where the camera is at rest.
    fn slope(&self, index: usize) -> Viewpoint {
        if index == 0 || index + 1 == self.keyframes.len() {
            return self.keyframes[index].1.times(0.0);
        }
        let ((start, before), (end, after)) = (self.keyframes[index - 1], self.keyframes[index + 1]);
        after.plus(before.times(-1.0)).times(1.0 / (end - start))
    }
}

impl Viewpoint {
    fn plus(self, other: Self) -> Self {
        Self {
            position: self.position + other.position,
            look_at: self.look_at + other.look_at,
            angle_of_view: self.angle_of_view + other.angle_of_view,
        }
    }

    fn times(self, factor: f64) -> Self {
        Self { position: factor * self.position, look_at: factor * self.look_at, angle_of_view: factor * self.angle_of_view }
    }
}

/// The camera of the scene; absent if the scene leaves it to the viewer.
pub fn read(root: &Table) -> Option<CameraPath> {
    let table = root.table("camera", "a table [camera]")?;
    let orbit = table.number_or("orbit", ORBIT, 0.0).to_radians();
    let angle = table.number_or("angle_of_view", ANGLE_OF_VIEW, DEFAULT_ANGLE_OF_VIEW);
    let keyframes = if table.has("keyframe") {
        for key in ["position", "look_at"] {
            table.misplaced(key, "with keyframes", "positions in the keyframes only");
        }
        read_keyframes(&table, angle)
    } else {
        read_viewpoint(&table, angle).map(|viewpoint| vec![(0.0, viewpoint)])
    };
    if !table.has("keyframe") {
        table.pass(&["keyframe"]);
    }
    table.finish();
    Some(CameraPath { keyframes: keyframes?, orbit })
}

fn read_keyframes(table: &Table, angle: f64) -> Option<Vec<(f64, Viewpoint)>> {
    let mut keyframes: Vec<(f64, Viewpoint)> = Vec::new();
    let mut complete = true;
    for entry in table.tables("keyframe") {
        let time = entry.number("time", TIME);
        if let (Some(time), Some((last, _))) = (time, keyframes.last())
            && time <= *last
        {
            let expected = format!("a time after the previous keyframe, {last} s");
            entry.document.report(entry.line_of("time"), &entry.key("time"), format!("{time}"), expected);
        }
        let angle = entry.number_or("angle_of_view", ANGLE_OF_VIEW, angle);
        let keyframe = time.zip(read_viewpoint(&entry, angle));
        complete &= keyframe.is_some();
        keyframes.extend(keyframe);
        entry.finish();
    }
    if keyframes.is_empty() && complete {
        table.document.report(table.line_of("keyframe"), &table.key("keyframe"), "nothing", "at least one [[camera.keyframe]]");
    }
    (complete && !keyframes.is_empty()).then_some(keyframes)
}

/// Position and target, with `angle` in degrees.
fn read_viewpoint(table: &Table, angle: f64) -> Option<Viewpoint> {
    let position = table.position("position", POSITION);
    let look_at = table.position("look_at", LOOK_AT);
    let (position, look_at) = (position?, look_at?);
    let offset = position - look_at;
    let scale = position.length().max(look_at.length());
    // Seen from directly above or below, the up direction of the picture is undefined.
    if offset.x.hypot(offset.z) <= COINCIDENT * scale {
        let expected = "a point that is not on the vertical through `position`";
        table.document.report(table.line_of("look_at"), &table.key("look_at"), "a point directly above, below or at `position`", expected);
        return None;
    }
    Some(Viewpoint { position, look_at, angle_of_view: angle.to_radians() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewpoint(x: f64) -> Viewpoint {
        Viewpoint { position: DVec3::new(x, 1.0, 2.0), look_at: DVec3::new(x, 0.0, 0.0), angle_of_view: 0.5 }
    }

    #[test]
    fn keyframes_are_passed_at_their_times_and_without_a_jerk() {
        let keyframes = vec![(1.0, viewpoint(0.0)), (2.0, viewpoint(3.0)), (4.0, viewpoint(4.0)), (5.0, viewpoint(-1.0))];
        let path = CameraPath { keyframes: keyframes.clone(), orbit: 0.0 };
        for (time, viewpoint) in &keyframes {
            assert!(path.at(*time).position.distance(viewpoint.position) < 1e-12);
            let step = 1e-6;
            let before = (path.at(*time).position - path.at(time - step).position) / step;
            let after = (path.at(time + step).position - path.at(*time).position) / step;
            assert!(before.distance(after) < 1e-4, "{before} {after}");
        }
        assert_eq!(path.at(0.0), keyframes[0].1);
        assert_eq!(path.at(9.0), keyframes[3].1);
    }

    #[test]
    fn an_orbit_goes_round_the_point_looked_at() {
        let path = CameraPath::fixed(viewpoint(5.0)).orbiting(0.5 * std::f64::consts::PI);
        assert!(path.at(1.0).position.distance(DVec3::new(7.0, 1.0, 0.0)) < 1e-12);
        assert!(path.at(4.0).position.distance(viewpoint(5.0).position) < 1e-12);
        assert_eq!(path.at(1.0).look_at, viewpoint(5.0).look_at);
    }
}
