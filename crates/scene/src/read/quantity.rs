//! Physical quantities: their valid ranges and descriptions in messages.

use glam::DVec3;
use toml::de::DeValue;

/// Which finite values are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Range {
    Any,
    Positive,
    NotNegative,
    /// From 0 to 1.
    Fraction,
    /// Above 0, up to the given number.
    PositiveUpTo(f64),
    /// At least the given number.
    AtLeast(f64),
    /// From the first number to the second.
    Between(f64, f64),
}

/// A number in a scene: its range, and its description in messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quantity {
    pub range: Range,
    /// With article, range and unit: "a positive length in m".
    pub words: &'static str,
}

impl Quantity {
    pub const fn new(range: Range, words: &'static str) -> Self {
        Self { range, words }
    }

    pub fn accepts(&self, value: f64) -> bool {
        value.is_finite()
            && match self.range {
                Range::Any => true,
                Range::Positive => value > 0.0,
                Range::NotNegative => value >= 0.0,
                Range::Fraction => (0.0..=1.0).contains(&value),
                Range::PositiveUpTo(greatest) => value > 0.0 && value <= greatest,
                Range::AtLeast(least) => value >= least,
                Range::Between(least, greatest) => (least..=greatest).contains(&value),
            }
    }
}

/// The value of an integer or float; absent for anything else. Overflow gives an infinity.
pub(super) fn to_number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|integer| integer as f64),
        _ => None,
    }
}

/// An array of exactly three finite numbers.
pub(super) fn to_vector(value: &DeValue) -> Option<DVec3> {
    let items = value.as_array()?;
    let numbers = items.iter().map(|item| to_number(item.get_ref())).collect::<Option<Vec<_>>>()?;
    let vector = DVec3::from_array(numbers.try_into().ok()?);
    vector.is_finite().then_some(vector)
}
