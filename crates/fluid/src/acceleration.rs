//! Acceleration fields: accelerations of fluid and bodies, given as expressions of place and time, in addition to gravity.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::{
    Aabb, Expression,
    parallel::{InTasks, TASK, max},
};
use plimsoll_bodies::{Bodies, Impulse};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Maximum magnitude of a component, m/s²; single precision is not sufficient for more.
pub const MAX_ACCELERATION: f64 = 1e10;

/// An acceleration field. It acts from `start` to `end` on the fluid within the region, and on floating bodies whose center of mass is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AccelerationField {
    /// World coordinates; everywhere if there is none.
    pub region: Option<Aabb>,
    /// Components along x, y and z, m/s², at a place in the coordinates of the scene (m) and a time (s).
    pub components: [Expression; 3],
    /// s
    pub start: f64,
    /// s, if it ends.
    pub end: Option<f64>,
    /// Whether it acts on floating bodies, too.
    pub bodies: bool,
}

/// A value with which nothing can be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("acceleration field {field} is {value:e} m/s² along {axis} at [{:.4}, {:.4}, {:.4}] and {time:.6} s (`{text}`)", place.x, place.y, place.z)]
pub struct FieldError {
    /// Number of the field, from 1.
    pub field: usize,
    /// The component.
    pub axis: &'static str,
    /// The expression.
    pub text: String,
    /// Its value, m/s².
    pub value: f64,
    /// In the coordinates of the scene, m.
    pub place: DVec3,
    /// s
    pub time: f64,
}

impl AccelerationField {
    /// A field that acts everywhere and always, also on bodies.
    pub fn everywhere(components: [Expression; 3]) -> Self {
        Self { region: None, components, start: 0.0, end: None, bodies: true }
    }

    /// Whether it acts at `position`, in world coordinates (m).
    pub fn contains(&self, position: DVec3) -> bool {
        self.region.is_none_or(|region| region.contains(position))
    }

    /// Whether it is the same at all places where it acts.
    pub fn is_uniform(&self) -> bool {
        self.components.iter().all(Expression::is_uniform)
    }

    /// The acceleration (m/s²) at a place in the coordinates of the scene (m) and a time (s).
    ///
    /// # Errors
    /// It is not finite or too large; `number` is that of the field.
    pub fn acceleration(&self, number: usize, place: DVec3, time: f64) -> Result<DVec3, FieldError> {
        let values = self.components.each_ref().map(|component| component.value(place, time));
        match values.iter().position(|value| value.is_nan() || value.abs() > MAX_ACCELERATION) {
            None => Ok(DVec3::from_array(values)),
            Some(axis) => Err(FieldError {
                field: number,
                axis: ["x", "y", "z"][axis],
                text: self.components[axis].text().to_owned(),
                value: values[axis],
                place,
                time,
            }),
        }
    }

    /// The part of the `dt` seconds from `time` in which it acts: the middle, and the length, s.
    fn part_of(&self, time: f64, dt: f64) -> Option<(f64, f64)> {
        let begin = time.max(self.start);
        let end = (time + dt).min(self.end.unwrap_or(f64::INFINITY));
        (end > begin).then_some((0.5 * (begin + end), end - begin))
    }
}

/// The fields that act in a step. The change of velocity is the acceleration in the middle of the time in which the field acts, times this time.
pub struct FieldStep<'a> {
    origin: DVec3,
    acting: Vec<Acting<'a>>,
}

struct Acting<'a> {
    field: &'a AccelerationField,
    number: usize,
    time: f64,
    duration: f64,
    /// The change of velocity, m/s, if it is valid and the same everywhere.
    uniform: Option<DVec3>,
}

impl<'a> FieldStep<'a> {
    /// Those of `fields` that act in the `dt` seconds from `time`; `origin` (m) is where the origin of positions is in the scene.
    pub fn new(fields: &'a [AccelerationField], origin: DVec3, time: f64, dt: f64) -> Self {
        let acting = |(index, field): (usize, &'a AccelerationField)| {
            let (time, duration) = field.part_of(time, dt)?;
            let number = index + 1;
            let uniform = field.is_uniform().then(|| field.acceleration(number, DVec3::ZERO, time).ok()).flatten();
            Some(Acting { field, number, time, duration, uniform: uniform.map(|uniform| duration * uniform) })
        };
        Self { origin, acting: fields.iter().enumerate().filter_map(acting).collect() }
    }

    /// Whether no field acts.
    pub fn is_empty(&self) -> bool {
        self.acting.is_empty()
    }

    /// The change of velocity (m/s) of fluid at each position, in world coordinates (m).
    ///
    /// # Errors
    /// The first value that is not finite.
    pub fn change_fluid(&self, positions: &[Vec3A], changes: &mut Vec<Vec3A>) -> Result<(), FieldError> {
        let change = |position: &Vec3A| self.change(position.as_dvec3(), |_| true);
        // The error must not depend on the number of threads.
        let change_or_nothing = |position: &Vec3A| change(position).map_or(Vec3A::NAN, |change| change.as_vec3a());
        positions.par_iter().map(change_or_nothing).in_tasks(TASK).collect_into(changes);
        let is_valid = changes.par_iter().with_min_len(TASK).all(|change| !change.is_nan());
        if is_valid { Ok(()) } else { positions.iter().try_for_each(|position| change(position).map(|_| ())) }
    }

    /// Changes the velocities of floating bodies.
    ///
    /// # Errors
    /// The first value that is not finite.
    pub fn push_bodies(&self, bodies: &mut Bodies) -> Result<(), FieldError> {
        for index in 0..bodies.list.len() {
            let body = &bodies.list[index];
            if body.floating().is_some() {
                let linear = body.mass * self.change(body.center(), |field| field.bodies)?;
                bodies.push_from_outside(index, Impulse { linear, angular: DVec3::ZERO });
            }
        }
        Ok(())
    }

    /// The largest velocity change (m/s) of fluid at `positions` (m) or of a body, if everything changes by `other` (m/s) as well.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn largest_change(&self, positions: &[Vec3A], bodies: &Bodies, other: DVec3) -> Result<f64, FieldError> {
        let mut changes = Vec::new();
        self.change_fluid(positions, &mut changes)?;
        let mut largest = max(changes.len(), |i| (changes[i].as_dvec3() + other).length());
        for body in bodies.list.iter().filter(|body| body.floating().is_some()) {
            largest = largest.max((self.change(body.center(), |field| field.bodies)? + other).length());
        }
        Ok(largest)
    }

    /// The change of velocity (m/s) at `position` (m) by the fields that are `wanted`.
    fn change(&self, position: DVec3, wanted: impl Fn(&AccelerationField) -> bool) -> Result<DVec3, FieldError> {
        let place = self.origin + position;
        let mut change = DVec3::ZERO;
        for acting in self.acting.iter().filter(|acting| wanted(acting.field) && acting.field.contains(position)) {
            change += match acting.uniform {
                Some(uniform) => uniform,
                None => acting.duration * acting.field.acceleration(acting.number, place, acting.time)?,
            };
        }
        Ok(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(x: &str) -> AccelerationField {
        AccelerationField::everywhere([x, "0", "0"].map(|text| Expression::parse(text).unwrap()))
    }

    #[test]
    fn fields_act_within_their_time_and_region() {
        let region = Some(Aabb { min: DVec3::ZERO, max: DVec3::ONE });
        let fields = vec![AccelerationField { region, start: 1.0, end: Some(1.5), ..field("2") }, field("10*x + t")];
        let origin = DVec3::new(100.0, 0.0, 0.0);
        let step = |time: f64| FieldStep::new(&fields, origin, time, 0.25);
        let x = |time: f64, x: f64| step(time).change(DVec3::new(x, 0.5, 0.5), |_| true).unwrap().x;
        let everywhere = |time: f64, x: f64| 0.25 * (10.0 * (100.0 + x) + time + 0.125);
        assert_eq!(x(0.0, 0.5), everywhere(0.0, 0.5));
        assert_eq!(x(1.125, 0.5), everywhere(1.125, 0.5) + 0.5);
        assert_eq!(x(0.875, 0.5), everywhere(0.875, 0.5) + 0.25);
        assert_eq!(x(1.375, 0.5), everywhere(1.375, 0.5) + 0.25);
        assert_eq!(x(1.125, 1.5), everywhere(1.125, 1.5));
    }

    #[test]
    fn the_first_invalid_value_is_reported_by_any_number_of_threads() {
        let fields = [field("1"), field("sqrt(5000 - x)")];
        let step = || FieldStep::new(&fields, DVec3::ZERO, 0.0, 0.5);
        let positions: Vec<Vec3A> = (0..20_000).map(|i| Vec3A::new(i as f32, 0.0, 0.0)).collect();
        for threads in [1, 4] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let error = pool.install(|| step().change_fluid(&positions, &mut Vec::new())).unwrap_err();
            assert_eq!((error.field, error.axis, error.place.x, error.time), (2, "x", 5001.0, 0.25));
        }
        assert!(step().change_fluid(&positions[..5001], &mut Vec::new()).is_ok());
        let error = FieldStep::new(&[field("1e11")], DVec3::ZERO, 0.0, 0.5).change(DVec3::ZERO, |_| true).unwrap_err();
        assert_eq!(error.to_string(), "acceleration field 1 is 1e11 m/s² along x at [0.0000, 0.0000, 0.0000] and 0.250000 s (`1e11`)");
    }
}
