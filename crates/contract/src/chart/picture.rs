//! Pictures as data: panels, lines and images.

/// Panels stacked vertically with a common horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Identifier of the picture, and the name of its file.
    pub name: String,
    /// Title above the panels.
    pub title: String,
    /// Smaller text next to the title.
    pub subtitle: String,
    /// Title of the horizontal axis, with its unit.
    pub horizontal: String,
    /// Panels from top to bottom.
    pub panels: Vec<Panel>,
}

/// A pair of axes with its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title of the vertical axis.
    pub title: String,
    /// SI unit of the vertical axis; empty for pure numbers.
    pub unit: String,
    /// Mapping from values to lengths.
    pub scale: Scale,
    /// Lines, in drawing order.
    pub series: Vec<Series>,
    /// Image that replaces the lines.
    pub image: Option<Image>,
}

/// A gray image that fills a panel of [`Scale::Equal`]. The axes start at its lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// [`Image::WIDTH`] by [`Image::HEIGHT`] values, rows from the top; 0 is black.
    pub pixels: Vec<u8>,
    /// Width of the depicted area, m.
    pub width: f64,
    /// Height of the depicted area, m.
    pub height: f64,
}

impl Image {
    /// Columns of pixels.
    pub const WIDTH: usize = 1712;
    /// Rows of pixels.
    pub const HEIGHT: usize = 1284;
}

/// Mapping from values to lengths, and the style in which a panel draws them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Lines on linear axes.
    Linear,
    /// Logarithmic vertical axis. Values that are not positive are skipped.
    Logarithmic,
    /// Same as `Linear`, but the points of the first series are dots: measurements.
    Measured,
    /// Filled bands, each series stacked on the previous ones. Values must not be negative, and all series must have the same times.
    Stacked,
    /// Linear, from zero. The first series is a filled outline, the others are lines over it.
    Histogram,
    /// Linear, with the same scale on both axes. A line connects its points in order. Applies to all panels of a picture.
    Equal,
    /// Logarithmic axes. Values that are not positive are skipped. All panels of a picture must be this or `Scatter`.
    Powers,
    /// Same as `Powers`, but the points of the first series are dots.
    Scatter,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Legend entry; none if empty.
    pub name: String,
    /// Index into the palette. A name has the same color in all panels of a picture.
    pub color: usize,
    /// Horizontal and vertical values. Horizontal values ascend, except for [`Scale::Equal`]. The line has a gap at values that are not
    /// finite.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// `values` over `times`.
    pub fn new(name: impl Into<String>, color: usize, times: &[f64], values: impl IntoIterator<Item = f64>) -> Self {
        Self { name: name.into(), color, points: times.iter().copied().zip(values).collect() }
    }

    /// Whether any value is finite and not zero.
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
    /// A panel of lines.
    pub fn new(title: impl Into<String>, unit: impl Into<String>, scale: Scale, series: Vec<Series>) -> Self {
        Self { title: title.into(), unit: unit.into(), scale, series, image: None }
    }

    /// Whether the panel has an image or a line worth drawing.
    pub fn is_worth_drawing(&self) -> bool {
        self.image.is_some() || self.series.iter().any(Series::is_worth_drawing)
    }
}

impl Picture {
    /// A picture of the panels that are worth drawing; `None` if there are none.
    pub fn of(name: &str, title: &str, horizontal: &str, panels: Vec<Panel>) -> Option<Self> {
        let panels: Vec<Panel> = panels.into_iter().filter(Panel::is_worth_drawing).collect();
        let (name, title, horizontal) = (name.to_owned(), title.to_owned(), horizontal.to_owned());
        (!panels.is_empty()).then_some(Self { name, title, subtitle: String::new(), horizontal, panels })
    }
}
