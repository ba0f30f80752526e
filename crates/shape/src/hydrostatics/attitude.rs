//! Heel and trim, and the directions of a hull. In mesh coordinates, y is up.

use std::{fmt, str::FromStr};

use glam::{DMat3, DQuat, DVec3};

/// The horizontal mesh axis that points to the bow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bow {
    /// Towards +x; starboard is +z.
    PlusX,
    /// Towards −x; starboard is −z.
    MinusX,
    /// Towards +z; starboard is −x.
    PlusZ,
    /// Towards −z; starboard is +x.
    MinusZ,
}

impl Bow {
    /// Unit vector towards the bow.
    pub fn forward(self) -> DVec3 {
        match self {
            Self::PlusX => DVec3::X,
            Self::MinusX => DVec3::NEG_X,
            Self::PlusZ => DVec3::Z,
            Self::MinusZ => DVec3::NEG_Z,
        }
    }

    /// Unit vector towards starboard: `forward × up`.
    pub fn starboard(self) -> DVec3 {
        self.forward().cross(DVec3::Y)
    }
}

impl FromStr for Bow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "x" | "+x" => Ok(Self::PlusX),
            "-x" => Ok(Self::MinusX),
            "z" | "+z" => Ok(Self::PlusZ),
            "-z" => Ok(Self::MinusZ),
            _ => Err(format!("found \"{text}\", expected x, -x, z or -z")),
        }
    }
}

impl fmt::Display for Bow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::PlusX => "+x",
            Self::MinusX => "-x",
            Self::PlusZ => "+z",
            Self::MinusZ => "-z",
        })
    }
}

/// Inclination of a hull: the direction of the vertical in its frame. Rotation about the vertical has no effect in still water.
///
/// With heel φ, trim θ and the directions F forward, U up and S starboard of the mesh, the vertical is
/// `n = sin θ F + cos θ (cos φ U − sin φ S)`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attitude {
    /// Rotation about the longitudinal axis, rad, −π to π; positive: starboard down.
    pub heel: f64,
    /// Angle of the longitudinal axis to the horizontal, rad, −π/2 to π/2; positive: bow up, trimmed by the stern.
    pub trim: f64,
}

impl Attitude {
    /// No heel and no trim.
    pub const UPRIGHT: Self = Self { heel: 0.0, trim: 0.0 };

    /// Heel and trim in radians.
    pub fn new(heel: f64, trim: f64) -> Self {
        Self { heel, trim }
    }

    /// The attitude in which the unit vector `up`, in mesh coordinates, is vertical.
    pub fn of(up: DVec3, bow: Bow) -> Self {
        let transverse = -up.dot(bow.starboard());
        let trim = up.dot(bow.forward()).atan2(transverse.hypot(up.y));
        Self { heel: transverse.atan2(up.y), trim }
    }

    /// The vertical, upwards, in mesh coordinates.
    pub fn up(&self, bow: Bow) -> DVec3 {
        let (sine, cosine) = self.trim.sin_cos();
        sine * bow.forward() + cosine * self.transverse_up(bow)
    }

    /// The horizontal direction across the hull, towards starboard, in mesh coordinates.
    pub fn across(&self, bow: Bow) -> DVec3 {
        let (sine, cosine) = self.heel.sin_cos();
        sine * DVec3::Y + cosine * bow.starboard()
    }

    /// The horizontal direction along the hull, towards the bow, in mesh coordinates: the derivative of `up` by the trim.
    pub fn along(&self, bow: Bow) -> DVec3 {
        let (sine, cosine) = self.trim.sin_cos();
        cosine * bow.forward() - sine * self.transverse_up(bow)
    }

    /// Rotation from mesh to world axes, y up, that keeps the heading of the bow.
    pub fn rotation(&self, bow: Bow) -> DQuat {
        let world = DMat3::from_cols(bow.forward(), DVec3::Y, bow.starboard());
        let mesh = DMat3::from_cols(self.along(bow), self.up(bow), self.across(bow));
        DQuat::from_mat3(&(world * mesh.transpose())).normalize()
    }

    /// The part of the vertical across the hull, a unit vector.
    fn transverse_up(&self, bow: Bow) -> DVec3 {
        let (sine, cosine) = self.heel.sin_cos();
        cosine * DVec3::Y - sine * bow.starboard()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOWS: [Bow; 4] = [Bow::PlusX, Bow::MinusX, Bow::PlusZ, Bow::MinusZ];

    #[test]
    fn the_vertical_determines_heel_and_trim() {
        for bow in BOWS {
            for (heel, trim) in [(0.0, 0.0), (0.3, -0.2), (-2.8, 0.9), (3.1, 0.01), (1.57, -1.5)] {
                let attitude = Attitude::new(heel, trim);
                let found = Attitude::of(attitude.up(bow), bow);
                assert!((found.heel - heel).abs() < 1e-12 && (found.trim - trim).abs() < 1e-12, "{found:?} for {attitude:?}");
            }
        }
    }

    #[test]
    fn starboard_goes_down_with_heel_and_the_bow_up_with_trim() {
        for bow in BOWS {
            let rotation = Attitude::new(0.2, 0.0).rotation(bow);
            assert!(((rotation * bow.starboard()).y + 0.2_f64.sin()).abs() < 1e-15);
            assert!((rotation * bow.forward()).distance(bow.forward()) < 1e-15);
            let rotation = Attitude::new(0.0, 0.1).rotation(bow);
            assert!(((rotation * bow.forward()).y - 0.1_f64.sin()).abs() < 1e-15);
            let attitude = Attitude::new(-1.9, 0.4);
            assert!((attitude.rotation(bow) * attitude.up(bow)).distance(DVec3::Y) < 1e-15);
        }
    }

    #[test]
    fn axes_read_back() {
        for bow in BOWS {
            assert_eq!(bow.to_string().parse::<Bow>(), Ok(bow));
        }
        assert_eq!("y".parse::<Bow>(), Err("found \"y\", expected x, -x, z or -z".to_owned()));
    }
}
