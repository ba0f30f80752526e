//! Widths that all pictures share.

/// Width of every picture.
pub const WIDTH: u32 = 960;
/// Left margin of the plot area.
pub const LEFT: f64 = 76.0;
/// Right margin of the plot area.
pub const RIGHT: f64 = 28.0;
/// Width of the plot area.
pub const PLOT_WIDTH: f64 = WIDTH as f64 - LEFT - RIGHT;
