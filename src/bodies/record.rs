//! What can be seen of a body, and its row in a table.

use glam::DVec3;

use super::Body;
use crate::frame::{BodyFrame, Row, Value, push_vector};

impl Body {
    /// The body as it is drawn, with the force (N) on it and its torque about the centre (N m).
    pub fn frame(&self, force: DVec3, torque: DVec3) -> BodyFrame {
        BodyFrame {
            name: self.name.clone(),
            mesh: self.mesh.clone(),
            pose: self.pose,
            center: self.center(),
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
            force,
            torque,
        }
    }

    /// The body after step `step`, at `time` (s), with the force (N) on it and its torque about the centre (N m).
    pub fn row(&self, step: u64, time: f64, force: DVec3, torque: DVec3) -> Row {
        let mut row: Row = vec![("step", Value::Integer(step)), ("time", Value::Real(time)), ("body", Value::Text(self.name.clone()))];
        push_vector(&mut row, ["position_x", "position_y", "position_z"], self.pose.translation);
        let rotation = ["rotation_x", "rotation_y", "rotation_z", "rotation_w"];
        row.extend(rotation.into_iter().zip(self.pose.rotation.to_array().map(Value::Real)));
        push_vector(&mut row, ["center_x", "center_y", "center_z"], self.center());
        push_vector(&mut row, ["velocity_x", "velocity_y", "velocity_z"], self.velocity);
        push_vector(&mut row, ["angular_velocity_x", "angular_velocity_y", "angular_velocity_z"], self.angular_velocity);
        push_vector(&mut row, ["force_x", "force_y", "force_z"], force);
        push_vector(&mut row, ["torque_x", "torque_y", "torque_z"], torque);
        row
    }
}
