//! Maximum overlaps of a step.

/// Maximum overlaps, relative to sizes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overlaps {
    /// In radii of the smaller grain.
    pub relative: f64,
    /// In lengths within which a grain would pass through: 1 if its center reaches what it touches.
    pub passage: f64,
}

impl Overlaps {
    /// Two grains. A much smaller grain cannot pass through a large one; inside it by its whole diameter it is lost.
    pub fn of_pair(overlap: f64, one: f64, other: f64) -> Self {
        let (smaller, larger) = (one.min(other), one.max(other));
        Self { relative: overlap / smaller, passage: overlap / larger.min(2.0 * smaller) }
    }

    /// A grain and a surface, which has two sides.
    pub fn of_surface(overlap: f64, radius: f64) -> Self {
        Self { relative: overlap / radius, passage: overlap / radius }
    }

    /// A grain and a wall of the box, through which nothing passes; a grain is lost if its whole diameter is outside.
    pub fn of_box(overlap: f64, radius: f64) -> Self {
        Self { relative: overlap / radius, passage: overlap / (2.0 * radius) }
    }

    /// The greater of each.
    pub fn max(self, other: Self) -> Self {
        Self { relative: self.relative.max(other.relative), passage: self.passage.max(other.passage) }
    }
}
