//! Colors that represent numbers.

mod field;
mod legend;
mod map;
mod palette;

pub use field::{Category, ColorField, MATERIAL, ValueRange};
pub use legend::draw_legend;
pub use map::{linear, viridis};
pub use palette::palette;
