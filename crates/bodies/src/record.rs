//! Frames, table rows and descriptions of bodies.

use std::sync::Arc;

use glam::DVec3;
use plimsoll_base::math::format::{grouped, significant};
use plimsoll_contract::{
    frame::{BodyFrame, Row, SegmentMesh, Value, push_vector},
    simulator::{Fact, TableRows},
};

use super::{
    Bodies, Body, BodyKind, JointDefinition, JointKind, LineDefinition, LineLaw, MechanismDefinition, MooringDefinition, PrescribedMotion,
    SpringDefinition,
    mechanism::{Joint, JointState, Tension},
};

impl Body {
    /// The body for display, with the force (N) on it and the torque (N m) about its center.
    pub fn frame(&self, force: DVec3, torque: DVec3) -> BodyFrame {
        BodyFrame {
            name: self.name.clone(),
            mesh: if self.is_present() { self.mesh.clone() } else { Arc::default() },
            surface_velocities: if self.is_present() { self.surface_velocities() } else { Vec::new() },
            pose: self.pose,
            center: self.center(),
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            force,
            torque,
        }
    }

    /// A table row of the body after step `step`, at `time` (s), with the force (N) on it and the torque (N m) about its center.
    pub fn row(&self, step: u64, time: f64, force: DVec3, torque: DVec3) -> Row {
        let mut row: Row = vec![("step", Value::Integer(step)), ("time [s]", Value::Real(time)), ("body", Value::Text(self.name.clone()))];
        push_vector(&mut row, ["position_x [m]", "position_y [m]", "position_z [m]"], self.pose.translation);
        let rotation = ["rotation_x", "rotation_y", "rotation_z", "rotation_w"];
        row.extend(rotation.into_iter().zip(self.pose.rotation.to_array().map(Value::Real)));
        push_vector(&mut row, ["center_x [m]", "center_y [m]", "center_z [m]"], self.center());
        push_vector(&mut row, ["velocity_x [m/s]", "velocity_y [m/s]", "velocity_z [m/s]"], self.velocity);
        push_vector(
            &mut row,
            ["angular_velocity_x [rad/s]", "angular_velocity_y [rad/s]", "angular_velocity_z [rad/s]"],
            self.angular_velocity,
        );
        push_vector(&mut row, ["force_x [N]", "force_y [N]", "force_z [N]"], force);
        push_vector(&mut row, ["torque_x [N m]", "torque_y [N m]", "torque_z [N m]"], torque);
        row
    }
}

impl Bodies {
    /// The triangles of each body, with their segments.
    pub fn segment_meshes(&self) -> Vec<Arc<SegmentMesh>> {
        let of = |body: &Body| {
            let segmentation = body.whole_segmentation();
            let mut segments = vec![0; segmentation.mesh.triangles.len()];
            for (number, segment) in segmentation.segments.iter().enumerate() {
                segments[segment.triangles.start as usize..segment.triangles.end as usize].fill(number as u32);
            }
            Arc::new(SegmentMesh { mesh: segmentation.mesh.clone(), segments })
        };
        self.list.iter().map(of).collect()
    }

    /// The tables of the joints and the moorings after step `step` of `dt` seconds, at `time` (s); none without any.
    pub fn mechanism_tables(&self, step: u64, time: f64, dt: f64) -> impl Iterator<Item = TableRows> {
        let table = |name, rows: Vec<Row>| rows.first().cloned().map(|template| TableRows::new(name, &template, rows));
        let (joints, moorings) = (self.joint_rows(step, time), self.mooring_rows(step, time, dt));
        [table("joints", joints), table("moorings", moorings)].into_iter().flatten()
    }

    /// Coordinate and speed of each joint.
    fn joint_rows(&self, step: u64, time: f64) -> Vec<Row> {
        let row = |(joint, name): (&Joint, String)| {
            let JointState { displacement, angle, speed, angular_speed, gap } = joint.state(&self.list);
            let mut row: Row = vec![("step", Value::Integer(step)), ("time [s]", Value::Real(time)), ("joint", Value::Text(name))];
            row.extend([("displacement [m]", Value::Real(displacement)), ("angle [rad]", Value::Real(angle))]);
            row.extend([
                ("speed [m/s]", Value::Real(speed)),
                ("angular_speed [rad/s]", Value::Real(angular_speed)),
                ("gap [m]", Value::Real(gap)),
            ]);
            row
        };
        self.mechanism.joints.iter().zip(self.joint_names()).map(row).collect()
    }

    /// Tension of each mooring at its body and force on the body, N.
    fn mooring_rows(&self, step: u64, time: f64, dt: f64) -> Vec<Row> {
        let per_step = if dt > 0.0 { 1.0 / dt } else { 0.0 };
        let row = |(mooring, &pull): (&MooringDefinition, &DVec3)| {
            let force = pull * per_step;
            let name = Value::Text(mooring.name.clone());
            let mut row: Row = vec![("step", Value::Integer(step)), ("time [s]", Value::Real(time)), ("mooring", name)];
            row.push(("tension [N]", Value::Real(force.length())));
            push_vector(&mut row, ["force_x [N]", "force_y [N]", "force_z [N]"], force);
            row
        };
        self.mechanism.definition.moorings.iter().zip(&self.mechanism.pulls).map(row).collect()
    }

    /// Kind and bodies of each joint; equal names get a number.
    fn joint_names(&self) -> Vec<String> {
        let of_joint = |joint: &JointDefinition| {
            let kind = match joint.kind {
                JointKind::Hinge(_) => "hinge",
                JointKind::Slider(_) => "slider",
                JointKind::Ball => "ball",
                JointKind::Fixed => "fixed",
            };
            format!("{kind}: {}", self.names_of_pair(joint.body, joint.other))
        };
        let mut names: Vec<String> = Vec::new();
        for name in self.mechanism.definition.joints.iter().map(of_joint) {
            let numbered = |number: usize| if number == 1 { name.clone() } else { format!("{name} ({number})") };
            let free = (1..).map(numbered).find(|candidate| !names.contains(candidate));
            names.extend(free);
        }
        names
    }

    fn names_of_pair(&self, body: usize, other: Option<usize>) -> String {
        let name = |body: usize| self.list[body].name.as_str();
        format!("{} to {}", name(body), other.map_or("the world", name))
    }

    /// Number and kinds of the joints and lines; empty without any.
    pub fn describe_mechanism(&self) -> Vec<Fact> {
        let MechanismDefinition { springs, moorings, .. } = &self.mechanism.definition;
        let name = |body: usize| self.list[body].name.as_str();
        let of_spring = |spring: &SpringDefinition| format!("spring: {}", self.names_of_pair(spring.bodies.0, spring.bodies.1));
        let of_mooring = |(index, mooring): (usize, &MooringDefinition)| {
            let LineDefinition { length, law, .. } = mooring.line;
            let shape = if law == LineLaw::Straight { "straight" } else { "catenary" };
            let tension = self.mechanism.mooring_tension(index, &self.list).map_or(0.0, |tension| tension.force);
            format!("{}: {}, {shape}, {} m, tension {} N", mooring.name, name(mooring.body), significant(length), significant(tension))
        };
        let joint_lines: Vec<String> = self.joint_names().into_iter().chain(springs.iter().map(of_spring)).collect();
        let mooring_lines: Vec<String> = moorings.iter().enumerate().map(of_mooring).collect();
        let fact = |(label, lines): (&'static str, Vec<String>)| {
            (!lines.is_empty()).then(|| Fact::new(label, grouped(lines.len() as u64)).with_details(lines))
        };
        [("joints", joint_lines), ("moorings", mooring_lines)].into_iter().filter_map(fact).collect()
    }

    /// The speed (m/s) that each mooring gives its body when the line, now stretched, becomes slack, and what this is about, for messages.
    pub fn mooring_speeds(&self) -> impl Iterator<Item = (f64, String)> {
        let speed = |(index, mooring): (usize, &MooringDefinition)| {
            let body = &self.list[mooring.body];
            let Some(Tension { force, stiffness, .. }) = self.mechanism.mooring_tension(index, &self.list) else {
                return (0.0, String::new());
            };
            let text = format!(
                "the line pulls body \"{}\" of {} kg with {} N at the start",
                body.name,
                significant(body.mass),
                significant(force)
            );
            (force / (stiffness * body.mass).sqrt(), text)
        };
        self.mechanism.definition.moorings.iter().enumerate().map(speed)
    }

    /// Number and kinds of the bodies; `None` if there are none.
    pub fn describe(&self) -> Option<Fact> {
        let of = |body: &Body| {
            let (triangles, segments) = (body.mesh.triangles.len() as u64, body.whole_segmentation().segments.len() as u64);
            let shape = format!("{} triangles in {} segments", grouped(triangles), grouped(segments));
            let kind = match &body.kind {
                BodyKind::Static => format!("{}: static, {shape}", body.name),
                BodyKind::Moving(_) => match body.deformation() {
                    Some(deformation) => format!("{}: deforming, {shape}, {}", body.name, deformation.describe()),
                    None => format!("{}: moving, {shape}", body.name),
                },
                BodyKind::Floating(floating) => {
                    let held = floating.held.as_ref().map_or_else(String::new, |held| format!(", held until {} s", held.until));
                    format!("{}: floating, {shape}, {} kg{held}", body.name, significant(body.mass))
                }
            };
            kind + &body.presence.describe()
        };
        (!self.list.is_empty()).then(|| Fact::new("bodies", grouped(self.list.len() as u64)).with_details(self.list.iter().map(of)))
    }

    /// The waves of each paddle, with lengths in units of `particle_diameter` (m) as well.
    pub fn describe_waves(&self, particle_diameter: f64) -> impl Iterator<Item = Fact> {
        self.list.iter().filter_map(move |body| match &body.kind {
            BodyKind::Moving(motion) if let PrescribedMotion::Waves(maker) = motion.rigid() => {
                Some(Fact::new("waves", format!("by {}", body.name)).with_details(maker.describe(particle_diameter)))
            }
            _ => None,
        })
    }
}
