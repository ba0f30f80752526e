//! Colors: what a number looks like.

mod field;
mod legend;
mod map;
mod palette;

pub use field::{ColorField, ValueRange};
pub use legend::draw_legend;
pub use map::{linear, viridis};
pub use palette::palette;
