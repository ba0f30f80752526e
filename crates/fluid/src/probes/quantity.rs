//! A measured quantity.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Name, unit and kind of a measured quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// A word for a column: "pressure", `force_x`.
    pub name: Cow<'static, str>,
    /// SI unit; "-" for pure numbers.
    pub unit: &'static str,
    /// What the values of successive steps mean.
    pub signal: Signal,
}

/// What the values of successive steps mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    /// The mean over each step: forces, pressures, flows.
    Mean,
    /// The state at the end of each step, linear in between: heights, velocities, positions.
    State,
}

impl Quantity {
    /// A mean over each step.
    pub fn mean(name: impl Into<Cow<'static, str>>, unit: &'static str) -> Self {
        Self { name: name.into(), unit, signal: Signal::Mean }
    }

    /// A state at the end of each step.
    pub fn state(name: impl Into<Cow<'static, str>>, unit: &'static str) -> Self {
        Self { name: name.into(), unit, signal: Signal::State }
    }

    /// The three components of a vector.
    pub fn vector(name: &str, unit: &'static str, signal: Signal) -> [Self; 3] {
        ["x", "y", "z"].map(|axis| Self { name: format!("{name}_{axis}").into(), unit, signal })
    }
}
