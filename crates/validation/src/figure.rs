//! A computed number beside the expected one.

use std::borrow::Cow;

/// A computed number beside the expected one.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it is.
    pub quantity: Cow<'static, str>,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// What was computed.
    pub found: f64,
    /// What is expected.
    pub expected: Expected,
    /// What errors are relative to, in `unit`.
    pub scale: f64,
    /// The largest error that is good enough, relative to `scale`.
    pub target: Option<f64>,
}

/// What is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// A value.
    Value(f64),
    /// Anything between two limits.
    Between(f64, f64),
    /// Nothing: the number is only reported.
    Nothing,
}

impl Figure {
    /// A number whose error is relative to the expected value.
    pub fn value(quantity: impl Into<Cow<'static, str>>, unit: &'static str, found: f64, expected: f64, target: f64) -> Self {
        let (expected, scale) = (Expected::Value(expected), expected.abs());
        Self { quantity: quantity.into(), unit, found, expected, scale, target: Some(target) }
    }

    /// An error that should be zero, relative to the quantity it is an error of.
    pub fn error_of(quantity: impl Into<Cow<'static, str>>, found: f64, target: f64) -> Self {
        Self { quantity: quantity.into(), unit: "", found, expected: Expected::Value(0.0), scale: 1.0, target: Some(target) }
    }

    /// A number that should be between two limits.
    pub fn between(quantity: impl Into<Cow<'static, str>>, unit: &'static str, found: f64, [low, high]: [f64; 2]) -> Self {
        let scale = low.abs().max(high.abs());
        Self { quantity: quantity.into(), unit, found, expected: Expected::Between(low, high), scale, target: Some(0.0) }
    }

    /// A number without expectation.
    pub fn reported(quantity: impl Into<Cow<'static, str>>, unit: &'static str, found: f64) -> Self {
        Self { quantity: quantity.into(), unit, found, expected: Expected::Nothing, scale: 1.0, target: None }
    }

    /// The same figure with errors relative to `scale`.
    pub fn relative_to(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// The same figure without a target.
    pub fn without_target(self) -> Self {
        Self { target: None, ..self }
    }

    /// The relative error; `None` if nothing is expected.
    pub fn error(&self) -> Option<f64> {
        let difference = match self.expected {
            Expected::Value(value) => self.found - value,
            Expected::Between(low, high) => self.found - self.found.clamp(low, high),
            Expected::Nothing => return None,
        };
        Some(difference / self.scale)
    }

    /// Whether the error is within the target; `None` without a target. A figure that is not a number is never good.
    pub fn is_good(&self) -> Option<bool> {
        Some(self.error()?.abs() <= self.target?)
    }
}
