//! Axes of a picture and heights of its panels.

mod axis;

pub use axis::Axis;
use plimsoll_contract::chart::{Image, Panel, Picture, Scale};

use super::layout::PLOT_WIDTH;

type Point = (f64, f64);

/// Distance of ticks on a vertical axis, and on both axes if they have equal scales.
const TICK_DISTANCE: f64 = 38.0;
const EQUAL_TICK_DISTANCE: f64 = 75.0;
/// Margin around the data on axes with equal scales, relative to their extent.
const EQUAL_MARGIN: f64 = 0.06;
/// Minimum height of a panel with equal scales, and maximum height of all panels of a picture together.
const EQUAL_HEIGHT: f64 = 120.0;
const EQUAL_HEIGHTS: f64 = 760.0;

/// Height of an image that is as wide as the plot area.
pub const IMAGE_HEIGHT: f64 = PLOT_WIDTH * Image::HEIGHT as f64 / Image::WIDTH as f64;
/// Minimum height of a panel with two logarithmic axes.
const POWERS_HEIGHT: f64 = 420.0;

/// Scales that all panels of a picture share.
pub struct Scales {
    /// Height of each panel.
    pub height: f64,
    pub horizontal: Axis,
    /// For axes with equal scales: data units per unit of the picture.
    equal: Option<f64>,
}

impl Scales {
    pub fn of(picture: &Picture) -> Self {
        let times = picture.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points).map(|(time, _)| *time);
        let (first, last) = range(times).unwrap_or((0.0, 1.0));
        if let Some(image) = picture.panels.iter().find_map(|panel| panel.image.as_ref()) {
            let scale = image.height / IMAGE_HEIGHT;
            return Self {
                height: IMAGE_HEIGHT,
                horizontal: Axis::spaced(0.0, image.width, EQUAL_TICK_DISTANCE * scale),
                equal: Some(scale),
            };
        }
        if picture.panels.iter().any(|panel| panel.scale == Scale::Equal) {
            return Self::equal(picture, (first, last));
        }
        let height: f64 = match picture.panels.len() {
            1 => 340.0,
            2 => 220.0,
            _ => 165.0,
        };
        if picture.panels.iter().any(|panel| matches!(panel.scale, Scale::Powers | Scale::Scatter)) {
            let places = picture.panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points).map(|(place, _)| *place);
            let (first, last) = range(places.filter(|place| *place > 0.0)).unwrap_or((0.1, 1.0));
            return Self { height: height.max(POWERS_HEIGHT), horizontal: Axis::logarithmic(first, last, 8), equal: None };
        }
        Self { height, horizontal: Axis::time(first, last, 8), equal: None }
    }

    /// The height follows from the extent of the data, within limits.
    fn equal(picture: &Picture, (first, last): Point) -> Self {
        let heights = picture.panels.iter().filter_map(|panel| range(values(panel))).map(|(least, most)| most - least);
        let extent = (last - first, heights.fold(0.0, f64::max));
        let most = (EQUAL_HEIGHTS / picture.panels.len() as f64).max(EQUAL_HEIGHT);
        let height = (PLOT_WIDTH * extent.1 / extent.0.max(f64::MIN_POSITIVE)).clamp(EQUAL_HEIGHT, most);
        let tight = (extent.0 / PLOT_WIDTH).max(extent.1 / height);
        let scale = if tight > 0.0 { (1.0 + 2.0 * EQUAL_MARGIN) * tight } else { 1.0 };
        Self { height, horizontal: around((first, last), PLOT_WIDTH, scale), equal: Some(scale) }
    }

    /// The vertical axis of `panel` with its filled `bands`.
    pub fn vertical(&self, panel: &Panel, bands: &[Vec<Point>]) -> Axis {
        let ticks = (self.height / TICK_DISTANCE) as usize;
        let (least, most) = range(values(panel)).unwrap_or((0.0, 1.0));
        if let Some(image) = &panel.image {
            return Axis::spaced(0.0, image.height, EQUAL_TICK_DISTANCE * image.height / self.height);
        }
        if let Some(scale) = self.equal {
            return around((least, most), self.height, scale);
        }
        match panel.scale {
            Scale::Linear | Scale::Measured | Scale::Equal => Axis::linear(least, most, ticks),
            Scale::Histogram => Axis::linear(0.0, most, ticks),
            Scale::Logarithmic | Scale::Powers | Scale::Scatter => {
                let (least, most) = range(values(panel).filter(|value| *value > 0.0)).unwrap_or((0.1, 1.0));
                Axis::logarithmic(least, most, ticks)
            }
            Scale::Stacked => {
                let (_, most) = range(bands.iter().flatten().map(|(_, value)| *value)).unwrap_or((0.0, 1.0));
                Axis::linear(0.0, most, ticks)
            }
        }
    }
}

/// An axis of `length` in the picture, centered on the middle of the range.
fn around((least, most): Point, length: f64, scale: f64) -> Axis {
    let (middle, reach) = (0.5 * (least + most), 0.5 * length * scale);
    Axis::spaced(middle - reach, middle + reach, EQUAL_TICK_DISTANCE * scale)
}

fn values(panel: &Panel) -> impl Iterator<Item = f64> {
    panel.series.iter().flat_map(|series| &series.points).map(|(_, value)| *value)
}

fn range(values: impl Iterator<Item = f64>) -> Option<Point> {
    let finite = values.filter(|value| value.is_finite());
    finite.fold(None, |range, value| range.map_or(Some((value, value)), |(least, most): Point| Some((least.min(value), most.max(value)))))
}
