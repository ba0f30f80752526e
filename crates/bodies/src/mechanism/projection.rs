//! How joined bodies respond to forces: velocities and compliances that satisfy the constraints of the joints.
//!
//! With the rows J of the constraints `J u = s`, the compliance C of the free bodies and `S = J C Jᵀ`, a wrench w and velocities u become
//!
//! ```text
//! a = C (w − Jᵀ S⁻¹ J C w)          u ← u − C Jᵀ S⁻¹ (J u − s)
//! ```
//!
//! The projected compliance is symmetric and positive semi-definite. S is factored by Cholesky, row by row; a row that depends on those before
//! it is left out. An impulse of the joints themselves has no effect on the projected velocities.

use glam::DVec3;
use plimsoll_shape::topology::DisjointSets;

use super::joint::{Constraint, Joint};
use crate::{Body, Compliance};

/// A row is redundant if less than this share of its diagonal is left.
const REDUNDANT: f64 = 1e-9;

/// A vector of six: force and torque about the center, or velocity and angular velocity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dof6 {
    pub linear: DVec3,
    pub angular: DVec3,
}

impl Dof6 {
    fn dot(&self, other: &Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.linear += factor * other.linear;
        self.angular += factor * other.angular;
    }
}

/// A motion about the center of a body: its linear and its angular part.
pub trait Twist {
    /// The linear and the angular part.
    fn parts(&mut self) -> [&mut DVec3; 2];
}

impl Compliance {
    fn of(&self, wrench: &Dof6) -> Dof6 {
        Dof6 { linear: self.inverse_mass * wrench.linear, angular: self.inverse_inertia * wrench.angular }
    }
}

/// The constraints of all joints at one instant.
#[derive(Clone, Debug, Default)]
pub struct Projection {
    groups: Vec<Group>,
    /// The columns of each body's projected compliance, if it has joints and responds to forces.
    columns: Vec<Option<[Dof6; 6]>>,
}

/// Bodies that are joined, directly or through others.
#[derive(Clone, Debug, Default)]
struct Group {
    bodies: Vec<usize>,
    rows: Vec<Row>,
    /// The lower triangle of the Cholesky factor of S, row by row.
    factor: Vec<f64>,
}

/// A constraint on the velocities of one or two bodies that respond to forces.
#[derive(Clone, Debug)]
struct Row {
    /// Places of the bodies in the group, with the constraint's factors.
    parts: Vec<(usize, Dof6)>,
    /// The same times the compliances of the bodies.
    responses: Vec<Dof6>,
    /// Where the velocity of the bodies has to be.
    target: f64,
}

impl Projection {
    /// The constraints of `joints` on `bodies` with these compliances; `None` if there are none.
    pub fn new(joints: &[Joint], bodies: &[Body], compliances: &[Compliance]) -> Option<Self> {
        if joints.is_empty() {
            return None;
        }
        let responds = |body: usize| !compliances[body].is_zero();
        let mut sets = DisjointSets::new(bodies.len());
        for joint in joints {
            if let Some(other) = joint.other.filter(|&other| responds(other) && responds(joint.body)) {
                sets.join(joint.body as u32, other as u32);
            }
        }
        let (labels, count) = sets.numbered();
        let mut groups: Vec<Group> = vec![Group::default(); count];
        let mut places = vec![0; bodies.len()];
        for body in (0..bodies.len()).filter(|&body| responds(body)) {
            let group = &mut groups[labels[body] as usize];
            places[body] = group.bodies.len();
            group.bodies.push(body);
        }
        for joint in joints {
            let ends: Vec<usize> = [Some(joint.body), joint.other].into_iter().flatten().filter(|&body| responds(body)).collect();
            let Some(&first) = ends.first() else { continue };
            let group = &mut groups[labels[first] as usize];
            for constraint in joint.constraints(bodies) {
                group.push(Row::new(joint, &constraint, bodies, compliances, &places));
            }
        }
        groups.retain(|group| !group.rows.is_empty());
        let mut columns = vec![None; bodies.len()];
        for group in &groups {
            for (place, &body) in group.bodies.iter().enumerate() {
                columns[body] = Some(group.columns(place, compliances));
            }
        }
        Some(Self { groups, columns })
    }

    /// Changes the velocities of all bodies, about their centers, by the impulses of the joints.
    pub fn project_velocities<T: Twist>(&self, velocities: &mut [T]) {
        self.correct(velocities, |row| row.target);
    }

    /// Changes the accelerations of free bodies to those with joints.
    pub fn project_accelerations<T: Twist>(&self, accelerations: &mut [T]) {
        self.correct(accelerations, |_| 0.0);
    }

    fn correct<T: Twist>(&self, motions: &mut [T], target: impl Fn(&Row) -> f64) {
        for group in &self.groups {
            let own = |&body: &usize| {
                let [linear, angular] = motions[body].parts();
                Dof6 { linear: *linear, angular: *angular }
            };
            let own: Vec<Dof6> = group.bodies.iter().map(own).collect();
            let changes = group.correction(|row| row.of(|place| own[place]) - target(row));
            for (&body, change) in group.bodies.iter().zip(&changes) {
                let [linear, angular] = motions[body].parts();
                *linear += change.linear;
                *angular += change.angular;
            }
        }
    }

    /// Velocity that an impulse on `body` at `lever` (m) from its center, along `direction`, gives this point in this direction, per impulse,
    /// 1/kg; `None` if the body has no joints.
    pub fn mobility(&self, body: usize, lever: DVec3, direction: DVec3) -> Option<f64> {
        let columns = self.columns[body].as_ref()?;
        let wrench = Dof6 { linear: direction, angular: lever.cross(direction) };
        let parts = [wrench.linear.to_array(), wrench.angular.to_array()].concat();
        let mut response = Dof6::default();
        for (column, part) in columns.iter().zip(parts) {
            response.add_scaled(part, column);
        }
        Some(wrench.dot(&response).max(0.0))
    }

    /// Gives all bodies of a group the sum of their `counts`.
    pub fn pool<T: Copy + std::iter::Sum<T>>(&self, counts: &mut [T]) {
        for group in &self.groups {
            let sum: T = group.bodies.iter().map(|&body| counts[body]).sum();
            group.bodies.iter().for_each(|&body| counts[body] = sum);
        }
    }
}

impl Row {
    fn new(joint: &Joint, constraint: &Constraint, bodies: &[Body], compliances: &[Compliance], places: &[usize]) -> Self {
        let Constraint { point, linear, angular, speed } = *constraint;
        let (mut parts, mut responses, mut target) = (Vec::new(), Vec::new(), speed);
        for (body, sign) in [(Some(joint.body), 1.0), (joint.other, -1.0)] {
            let Some(body) = body else { continue };
            let compliance = &compliances[body];
            let lever = point - compliance.center;
            let part = Dof6 { linear: sign * linear, angular: sign * (lever.cross(linear) + angular) };
            if compliance.is_zero() {
                target -= part.linear.dot(bodies[body].velocity) + part.angular.dot(bodies[body].angular_velocity);
            } else {
                parts.push((places[body], part));
                responses.push(compliance.of(&part));
            }
        }
        Self { parts, responses, target }
    }

    /// The constraint's value for a motion of the bodies.
    fn of(&self, motion: impl Fn(usize) -> Dof6) -> f64 {
        self.parts.iter().map(|(place, part)| part.dot(&motion(*place))).sum()
    }

    /// `J C Jᵀ` of this row and another.
    fn coupling(&self, other: &Self) -> f64 {
        let of = |(place, part): &(usize, Dof6)| -> f64 {
            let same = other.parts.iter().zip(&other.responses).filter(|((other, _), _)| other == place);
            same.map(|(_, response)| part.dot(response)).sum()
        };
        self.parts.iter().map(of).sum()
    }
}

impl Group {
    /// Adds a row to the factor, unless it depends on the others.
    fn push(&mut self, row: Row) {
        let (count, full) = (self.rows.len(), row.coupling(&row));
        let mut line: Vec<f64> = Vec::with_capacity(count + 1);
        let mut start = 0;
        for (number, earlier) in self.rows.iter().enumerate() {
            let known = &self.factor[start..start + number + 1];
            let product: f64 = known[..number].iter().zip(&line).map(|(a, b)| a * b).sum();
            line.push((row.coupling(earlier) - product) / known[number]);
            start += number + 1;
        }
        let left = full - line.iter().map(|value| value * value).sum::<f64>();
        if left > REDUNDANT * full {
            line.push(left.sqrt());
            self.factor.extend(line);
            self.rows.push(row);
        }
    }

    /// `−C Jᵀ S⁻¹ y` for each body, with the value `y` of each row.
    fn correction(&self, value: impl Fn(&Row) -> f64) -> Vec<Dof6> {
        let mut values: Vec<f64> = self.rows.iter().map(value).collect();
        self.solve(&mut values);
        let mut changes = vec![Dof6::default(); self.bodies.len()];
        for (row, value) in self.rows.iter().zip(&values) {
            for ((place, _), response) in row.parts.iter().zip(&row.responses) {
                changes[*place].add_scaled(-value, response);
            }
        }
        changes
    }

    /// `S⁻¹ y`, in place.
    fn solve(&self, values: &mut [f64]) {
        let start = |row: usize| row * (row + 1) / 2;
        for row in 0..values.len() {
            let line = &self.factor[start(row)..=start(row) + row];
            let known: f64 = line[..row].iter().zip(&*values).map(|(a, b)| a * b).sum();
            values[row] = (values[row] - known) / line[row];
        }
        for row in (0..values.len()).rev() {
            let later: f64 = (row + 1..values.len()).map(|other| self.factor[start(other) + row] * values[other]).sum();
            values[row] = (values[row] - later) / self.factor[start(row) + row];
        }
    }

    /// The projected compliance of the body at `place`, column by column.
    fn columns(&self, place: usize, compliances: &[Compliance]) -> [Dof6; 6] {
        let units =
            [DVec3::AXES.map(|linear| Dof6 { linear, ..Dof6::default() }), DVec3::AXES.map(|angular| Dof6 { angular, ..Dof6::default() })];
        let column = |unit: Dof6| {
            let mut free = compliances[self.bodies[place]].of(&unit);
            let changes = self.correction(|row| row.of(|other| if other == place { free } else { Dof6::default() }));
            free.add_scaled(1.0, &changes[place]);
            free
        };
        let [linear, angular] = units.map(|units| units.map(column));
        [linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]]
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Domain;
    use plimsoll_contract::simulator::Unwatched;
    use plimsoll_shape::{SegmentLimits, TriangleMesh};

    use super::*;
    use crate::{Bodies, BodyDefinition, JointDefinition, JointKind, MassSource, MechanismDefinition};

    impl Twist for Dof6 {
        fn parts(&mut self) -> [&mut DVec3; 2] {
            [&mut self.linear, &mut self.angular]
        }
    }

    const SIZE: DVec3 = DVec3::new(0.2, 1.2, 0.1);

    /// Two bars of 3 kg, one above the other, with these joints.
    fn bars(joints: Vec<JointDefinition>) -> Bodies {
        let bar = |name: &str, y: f64| {
            BodyDefinition::floating(name, TriangleMesh::cuboid(SIZE), MassSource::Mass(3.0)).at(DVec3::new(0.3, y, 0.0))
        };
        let definitions = vec![bar("upper", 0.6), bar("lower", -0.6)];
        let bodies = Bodies::new(definitions, SegmentLimits::new(1.0, 32), Domain::OPEN, &Unwatched).expect("nobody interrupts");
        bodies.with_mechanism(&MechanismDefinition { joints, ..MechanismDefinition::default() })
    }

    fn projection(bodies: &Bodies) -> (Projection, Vec<Compliance>) {
        let compliances: Vec<Compliance> = bodies.list.iter().map(Body::compliance).collect();
        (bodies.projection(&compliances).expect("joints"), compliances)
    }

    fn hinge(body: usize, other: Option<usize>, point: DVec3) -> JointDefinition {
        JointDefinition::new(JointKind::Hinge(DVec3::Z), body, other, point)
    }

    #[test]
    fn a_bar_on_a_hinge_yields_with_its_inertia_about_the_hinge() {
        let middle = bars(Vec::new()).list[0].center();
        let top = middle + DVec3::new(0.0, 0.5 * SIZE.y, 0.0);
        for extra in [Vec::new(), vec![hinge(0, None, middle + DVec3::new(0.0, 0.6, 0.4))]] {
            // A second hinge on the same axis is redundant.
            let bodies = bars([vec![hinge(0, None, top)], extra].concat());
            let (projection, _) = projection(&bodies);
            let inertia = 3.0 * ((SIZE.x * SIZE.x + SIZE.y * SIZE.y) / 12.0 + 0.25 * SIZE.y * SIZE.y);
            let lever = DVec3::new(0.0, -0.4, 0.0);
            let found = projection.mobility(0, lever, DVec3::X).expect("a body with joints");
            assert!((found * inertia / 1.0 - 1.0).abs() < 1e-12, "{found}");
            for blocked in [DVec3::Y, DVec3::Z] {
                assert!(projection.mobility(0, lever, blocked).expect("a body with joints") < 1e-12);
            }
            assert_eq!(projection.mobility(1, lever, DVec3::X), None);
        }
    }

    #[test]
    fn projected_motions_satisfy_the_joints_and_the_compliance_is_symmetric() {
        let middle = DVec3::new(0.3, 0.0, 0.0);
        let bodies = bars(vec![hinge(0, None, DVec3::new(0.3, 1.2, 0.0)), JointDefinition::new(JointKind::Ball, 0, Some(1), middle)]);
        let (projection, compliances) = projection(&bodies);
        let wrench = |seed: f64| Dof6 { linear: DVec3::new(seed, 2.0 - seed, 0.3), angular: DVec3::new(0.1, seed * seed, -1.0) };
        let respond = |wrenches: [Dof6; 2]| {
            let mut motions: Vec<Dof6> = wrenches.iter().zip(&compliances).map(|(wrench, compliance)| compliance.of(wrench)).collect();
            projection.project_accelerations(&mut motions);
            motions
        };
        let [one, other] = [[wrench(0.4), wrench(-1.3)], [wrench(2.0), wrench(0.9)]];
        let work =
            |motions: &[Dof6], wrenches: &[Dof6]| motions.iter().zip(wrenches).map(|(motion, wrench)| motion.dot(wrench)).sum::<f64>();
        let motions = respond(one);
        assert!((work(&motions, &other) - work(&respond(other), &one)).abs() < 1e-12);
        assert!(work(&motions, &one) > 0.0);
        let at = |body: usize, point: DVec3| motions[body].linear + motions[body].angular.cross(point - compliances[body].center);
        assert!(at(0, DVec3::new(0.3, 1.2, 0.0)).length() < 1e-12);
        assert!(at(0, middle).distance(at(1, middle)) < 1e-12 && at(1, middle).length() > 0.1);
        // Twice is the same as once.
        let mut again = motions.clone();
        projection.project_velocities(&mut again);
        assert!(again.iter().zip(&motions).all(|(a, b)| a.linear.distance(b.linear) + a.angular.distance(b.angular) < 1e-12));
    }
}
