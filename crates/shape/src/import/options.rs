//! Conversion of the coordinates of a mesh file to m with y up.

use std::{fmt, path::Path, str::FromStr};

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::MeshError;

/// The axis of the file that points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// The x axis.
    X,
    /// The y axis.
    #[default]
    Y,
    /// The z axis.
    Z,
}

impl UpAxis {
    /// Rotates `point` so that this axis becomes y: a quarter turn, never a reflection.
    pub fn to_y_up(self, point: DVec3) -> DVec3 {
        match self {
            Self::X => DVec3::new(-point.y, point.x, point.z),
            Self::Y => point,
            Self::Z => DVec3::new(point.x, point.z, -point.y),
        }
    }
}

impl FromStr for UpAxis {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "x" => Ok(Self::X),
            "y" => Ok(Self::Y),
            "z" => Ok(Self::Z),
            _ => Err(format!("found \"{text}\", expected x, y or z")),
        }
    }
}

impl fmt::Display for UpAxis {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

/// Which defects of a mesh are repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repair {
    /// None.
    Off,
    /// Those whose repair makes no difference to the solid that was meant: duplicates, folds, cracks, vertices on edges, small holes and parts
    /// that overlap.
    #[default]
    Safe,
    /// All of them; holes of any size are closed.
    Fill,
}

/// Options for reading a mesh file.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImportOptions {
    /// Meters per unit of the file, along the file's own axes (before the up axis is applied). A mirroring scale (an odd number of negative
    /// factors) also reverses the winding, so that the outside remains outside.
    pub scale: DVec3,
    /// The axis of the file that points up.
    pub up_axis: UpAxis,
    /// Which defects are repaired.
    pub repair: Repair,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { scale: DVec3::ONE, up_axis: UpAxis::Y, repair: Repair::Safe }
    }
}

impl ImportOptions {
    /// A point of the file in m with y up.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.up_axis.to_y_up(point * self.scale)
    }

    /// Whether the scale is a reflection.
    pub fn mirrors(&self) -> bool {
        self.scale.element_product() < 0.0
    }

    pub(super) fn check(&self, path: &Path) -> Result<(), MeshError> {
        if self.scale.is_finite() && self.scale.cmpne(DVec3::ZERO).all() {
            return Ok(());
        }
        Err(MeshError::BadScale { path: path.into(), found: self.scale.to_string() })
    }
}
