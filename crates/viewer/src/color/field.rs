//! The number that colors a particle or polygon, and the range of the color scale.

use plimsoll_contract::frame::{FieldValues, Frame};
use plimsoll_scene::MaterialLook;

use super::palette;
use crate::error::ViewerError;

/// The field that distinguishes several fluids.
pub const MATERIAL: &str = "material";

/// Share of the values at either end that may be outside the color range, so that a few outliers do not spoil it.
const OUTLIERS: f64 = 0.01;

/// Integers with up to this many different values get a palette instead of a scale.
const CATEGORIES: u32 = 10;

/// One number per particle or polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct ColorField {
    /// Legend title, with unit: "speed, m/s".
    pub title: String,
    pub values: Vec<f32>,
    /// Label and color of each value, if the values are categories rather than amounts.
    pub categories: Option<Vec<Category>>,
    /// Whether the color range begins at zero.
    from_zero: bool,
}

/// What a value of a field of categories stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Category {
    /// Shown in the legend.
    pub label: String,
    /// sRGB, 0 to 1.
    pub color: [f32; 3],
}

/// Lower and upper end of a color range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueRange {
    /// Lower end.
    pub lower: f32,
    /// Upper end.
    pub upper: f32,
}

impl Category {
    /// Value `index`, which stands for `material` if there is one.
    pub fn of(index: usize, material: Option<&MaterialLook>) -> Self {
        Self {
            label: material.map_or_else(|| index.to_string(), |material| material.name.clone()),
            color: material.and_then(|material| material.color).unwrap_or_else(|| palette(index)),
        }
    }
}

impl ColorField {
    /// The field of `frame` called `name`; for a vector field, its magnitude. `materials` are the fluids that [`MATERIAL`] distinguishes.
    ///
    /// # Errors
    /// [`ViewerError::NoField`] if the frame has no such field.
    pub fn of(frame: &Frame, name: &str, materials: &[MaterialLook]) -> Result<Self, ViewerError> {
        let fields = frame.fields();
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let expected = fields.iter().map(|field| format!("\"{}\"", field.name)).collect::<Vec<_>>().join(", ");
            return Err(ViewerError::NoField { found: name.to_owned(), expected });
        };
        let (values, is_vector) = match &field.values {
            FieldValues::Integer(values) => (values.iter().map(|&value| value as f32).collect(), false),
            FieldValues::Scalar(values) => (values.clone(), false),
            FieldValues::Vector(values) => (values.iter().map(|&value| glam::Vec3::from(value).length()).collect(), true),
        };
        let categories = match &field.values {
            FieldValues::Integer(values) if values.iter().all(|&value| value < CATEGORIES) => {
                let count = values.iter().max().map_or(0, |&last| last as usize + 1);
                let materials = if name == MATERIAL { materials } else { &[] };
                Some((0..count.max(materials.len())).map(|index| Category::of(index, materials.get(index))).collect())
            }
            _ => None,
        };
        Ok(Self { title: title(name), values, categories, from_zero: is_vector })
    }

    /// The range of all values without the outliers.
    pub fn range(&self) -> ValueRange {
        let mut sorted: Vec<f32> = self.values.iter().copied().filter(|value| value.is_finite()).collect();
        if sorted.is_empty() {
            return ValueRange { lower: 0.0, upper: 1.0 };
        }
        sorted.sort_unstable_by(f32::total_cmp);
        let last = (sorted.len() - 1) as f64;
        let at = |share: f64| sorted[(share * last).round() as usize];
        let lower = if self.from_zero { 0.0 } else { at(OUTLIERS) };
        ValueRange { lower, upper: at(1.0 - OUTLIERS) }
    }
}

impl ValueRange {
    /// The smallest range that contains both.
    pub fn union(self, other: Self) -> Self {
        Self { lower: self.lower.min(other.lower), upper: self.upper.max(other.upper) }
    }

    /// Position of `value` in the range: 0 at the lower end, 1 at the upper end.
    pub fn share(&self, value: f32) -> f32 {
        let extent = self.upper - self.lower;
        if extent > 0.0 { (value - self.lower) / extent } else { 0.0 }
    }
}

/// Title and unit of the fields known by name.
fn title(name: &str) -> String {
    match name {
        "velocity" => "speed, m/s".to_owned(),
        "spin" => "spin, rad/s".to_owned(),
        "density" => "density, kg/m³".to_owned(),
        "pressure" => "pressure, Pa".to_owned(),
        "radius" => "radius, m".to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::frame::Field;

    use super::*;

    fn frame(values: FieldValues) -> Frame {
        let mut frame = Frame::default();
        frame.particles.fields.push(Field { name: "velocity".into(), values });
        frame
    }

    #[test]
    fn fluids_have_their_names_and_colors() {
        let look = |name: &str, color| MaterialLook { name: name.into(), color };
        let materials = vec![look("water", Some([0.1, 0.2, 0.3])), look("oil", None)];
        let mut frame = frame(FieldValues::Vector(vec![[0.0; 3]; 3]));
        frame.particles.fields.push(Field { name: "material".into(), values: FieldValues::Integer(vec![0, 0, 0]) });
        let field = ColorField::of(&frame, MATERIAL, &materials).expect("a field");
        let categories = field.categories.expect("categories");
        assert_eq!(categories.iter().map(|category| category.label.as_str()).collect::<Vec<_>>(), ["water", "oil"]);
        assert_eq!((categories[0].color, categories[1].color), ([0.1, 0.2, 0.3], palette(1)));
    }

    #[test]
    fn a_vector_counts_by_its_length_and_outliers_do_not() {
        let mut velocities: Vec<[f32; 3]> = (0..1000).map(|i| [0.6 * i as f32 / 1000.0, 0.8 * i as f32 / 1000.0, 0.0]).collect();
        velocities[7] = [1e6, 0.0, 0.0];
        velocities[8] = [f32::NAN, 0.0, 0.0];
        let field = ColorField::of(&frame(FieldValues::Vector(velocities)), "velocity", &[]).expect("a field");
        let range = field.range();
        assert_eq!(range.lower, 0.0);
        assert!((range.upper - 0.99).abs() < 0.005, "{range:?}");
    }

    #[test]
    fn a_field_that_is_not_there_is_told_with_those_that_are() {
        let error = ColorField::of(&frame(FieldValues::Scalar(vec![])), "speed", &[]).expect_err("no such field");
        assert_eq!(error.to_string(), "found the field \"speed\", expected one of \"velocity\"");
    }
}
