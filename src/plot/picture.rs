//! What a picture shows, before it is drawn.

use crate::aggregates::Micrograph;

/// Panels one above the other over a common axis, of time if nothing else is said.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// By which it is asked for and its file is called.
    pub name: String,
    pub title: String,
    /// Shown smaller beside the title.
    pub subtitle: String,
    /// What the horizontal axis shows, with its unit.
    pub horizontal: String,
    pub panels: Vec<Panel>,
}

/// One diagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What the vertical axis shows.
    pub title: String,
    /// SI unit of the vertical axis; empty for pure numbers.
    pub unit: String,
    pub scale: Scale,
    pub series: Vec<Series>,
    /// In place of lines.
    pub image: Option<Image>,
}

/// Fills a panel of scale [`Scale::Equal`], whose axes begin in its lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// As wide and high as told here.
    pub micrograph: Micrograph,
    /// What it shows, m.
    pub width: f64,
    pub height: f64,
}

impl Image {
    /// Pixels of an image.
    pub const WIDTH: usize = 1712;
    pub const HEIGHT: usize = 1284;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Decades; values not above zero are left out.
    Logarithmic,
    /// Each series upon the ones before it, filled; values are not below zero and series have the same times.
    Stacked,
    /// Linear, from zero: the first series is an outline that is filled, the others are lines over it.
    Histogram,
    /// Linear, a metre upwards as long as one to the right; points are in the order of the line. If one panel of a picture is so, all are.
    Equal,
    /// Decades along both axes, values not above zero left out. If one panel of a picture is so, all are that or the next.
    Powers,
    /// As before, but the points of the first series are dots.
    Scatter,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// In the legend; a series without a name is not in it.
    pub name: String,
    /// Place in the palette; what has the same name in several panels has the same.
    pub color: usize,
    /// Time and value, times ascending but for [`Scale::Equal`]. The line is broken where a value is not finite.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// `values` over `times`.
    pub fn new(name: impl Into<String>, color: usize, times: &[f64], values: impl IntoIterator<Item = f64>) -> Self {
        Self { name: name.into(), color, points: times.iter().copied().zip(values).collect() }
    }

    /// Whether there is anything but zero to see.
    pub fn is_worth_drawing(&self) -> bool {
        self.points.iter().any(|&(time, value)| time.is_finite() && value.is_finite() && value != 0.0)
    }

    /// Whether all finite values are the same.
    pub fn is_constant(&self) -> bool {
        let mut values = self.points.iter().map(|(_, value)| value).filter(|value| value.is_finite());
        let first = values.next();
        values.all(|value| Some(value) == first)
    }
}

impl Panel {
    pub fn new(title: impl Into<String>, unit: impl Into<String>, scale: Scale, series: Vec<Series>) -> Self {
        Self { title: title.into(), unit: unit.into(), scale, series, image: None }
    }
}

impl Picture {
    /// The picture of those panels in which there is something to see; nothing if there is none.
    pub fn of(name: &str, title: &str, horizontal: &str, panels: Vec<Panel>) -> Option<Self> {
        let panels: Vec<Panel> =
            panels.into_iter().filter(|panel| panel.image.is_some() || panel.series.iter().any(Series::is_worth_drawing)).collect();
        let (name, title, horizontal) = (name.to_owned(), title.to_owned(), horizontal.to_owned());
        (!panels.is_empty()).then_some(Self { name, title, subtitle: String::new(), horizontal, panels })
    }
}
