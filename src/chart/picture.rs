//! Pictures before they are drawn: panels, lines and images.

/// Panels one above the other over a common horizontal axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Identifies the picture; its file has this name.
    pub name: String,
    /// Shown above the panels.
    pub title: String,
    /// Shown smaller beside the title.
    pub subtitle: String,
    /// Title of the horizontal axis, with its unit.
    pub horizontal: String,
    /// From top to bottom.
    pub panels: Vec<Panel>,
}

/// A pair of axes with its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Title of the vertical axis.
    pub title: String,
    /// SI unit of the vertical axis; empty for pure numbers.
    pub unit: String,
    /// How values are mapped to lengths.
    pub scale: Scale,
    /// Drawn in this order.
    pub series: Vec<Series>,
    /// Replaces the lines.
    pub image: Option<Image>,
}

/// A gray image that fills a panel of [`Scale::Equal`]. The axes start in its lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// [`Image::WIDTH`] by [`Image::HEIGHT`] values, rows from the top; 0 is black.
    pub pixels: Vec<u8>,
    /// Width of what it shows, m.
    pub width: f64,
    /// Height of what it shows, m.
    pub height: f64,
}

impl Image {
    /// Columns of pixels.
    pub const WIDTH: usize = 1712;
    /// Rows of pixels.
    pub const HEIGHT: usize = 1284;
}

/// How a panel maps values to lengths, and what it draws for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Lines.
    Linear,
    /// Decades. Values that are not positive are left out.
    Logarithmic,
    /// Filled bands, each series on top of the ones before it. Values are not negative, and all series have the same times.
    Stacked,
    /// Linear, from zero: the first series is a filled outline, the others are lines over it.
    Histogram,
    /// Linear, with the same scale on both axes; a line connects its points in their order. Applies to all panels of a picture.
    Equal,
    /// Decades on both axes. Values that are not positive are left out. All panels of a picture are this or `Scatter`.
    Powers,
    /// As `Powers`, with dots for the points of the first series.
    Scatter,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Entry of the legend; none if empty.
    pub name: String,
    /// Index into the palette. A name has the same color in all panels of a picture.
    pub color: usize,
    /// Horizontal and vertical values; the first ascend except for [`Scale::Equal`]. The line has a gap where a value is not finite.
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

    /// Whether it has an image or a line worth drawing.
    pub fn is_worth_drawing(&self) -> bool {
        self.image.is_some() || self.series.iter().any(Series::is_worth_drawing)
    }
}

impl Picture {
    /// The picture of those panels that are worth drawing; `None` if there are none.
    pub fn of(name: &str, title: &str, horizontal: &str, panels: Vec<Panel>) -> Option<Self> {
        let panels: Vec<Panel> = panels.into_iter().filter(Panel::is_worth_drawing).collect();
        let (name, title, horizontal) = (name.to_owned(), title.to_owned(), horizontal.to_owned());
        (!panels.is_empty()).then_some(Self { name, title, subtitle: String::new(), horizontal, panels })
    }
}
