//! Points and polygons in the plane.

use glam::DVec2;
use plimsoll_shape::polygon::{Moments, self_crossing};
use toml::de::DeValue;

use super::{quantity::to_number, table::Table};

impl Table<'_> {
    /// Two finite numbers; `words` describe them: "a point [x, y] in m".
    pub fn point(&self, key: &'static str, words: &str) -> Option<DVec2> {
        if !self.has(key) {
            self.missing(key, words);
        }
        self.optional_point(key, words)
    }

    pub fn optional_point(&self, key: &'static str, words: &str) -> Option<DVec2> {
        let entry = self.entry(key)?;
        let point = to_point(entry.value);
        if point.is_none() {
            self.document.wrong(&entry, words);
        }
        point
    }

    /// Three finite numbers of any meaning.
    pub fn three_numbers_or(&self, key: &'static str, words: &str, default: [f64; 3]) -> [f64; 3] {
        self.optional_vector(key, words).map_or(default, |vector| vector.to_array())
    }

    /// The corners of a simple polygon in counterclockwise order, regardless of their order in the file.
    pub fn polygon(&self, key: &'static str) -> Option<Vec<DVec2>> {
        const WORDS: &str = "a polygon, an array of at least three points [x, y] in m";
        let Some(entry) = self.entry(key) else {
            self.missing(key, WORDS);
            return None;
        };
        let Some(polygon) = to_polygon(entry.value) else {
            self.document.wrong(&entry, WORDS);
            return None;
        };
        let (checked, found) = check(polygon);
        if let Some(found) = found {
            self.document.report(entry.line, &entry.key, found, "a polygon with positive area and no self-intersection");
        }
        checked
    }

    /// An array of polygons; empty if the key is absent.
    pub fn polygons(&self, key: &'static str) -> Vec<Vec<DVec2>> {
        let Some(entry) = self.entry(key) else { return Vec::new() };
        let polygons =
            entry.value.as_array().and_then(|items| items.iter().map(|item| to_polygon(item.get_ref())).collect::<Option<Vec<_>>>());
        let Some(polygons) = polygons else {
            self.document.wrong(&entry, "an array of polygons, each an array of at least three points [x, y] in m");
            return Vec::new();
        };
        let mut sound = Vec::new();
        for (index, polygon) in polygons.into_iter().enumerate() {
            let (checked, found) = check(polygon);
            if let Some(found) = found {
                let key = format!("{}[{}]", entry.key, index + 1);
                self.document.report(entry.line, &key, found, "a polygon with positive area and no self-intersection");
            }
            sound.extend(checked);
        }
        sound
    }
}

/// The polygon in counterclockwise order, or its error.
fn check(mut polygon: Vec<DVec2>) -> (Option<Vec<DVec2>>, Option<String>) {
    let count = polygon.len();
    if let Some(k) = (0..count).find(|&k| polygon[k] == polygon[(k + 1) % count]) {
        return (None, Some(format!("the vertex {} twice in a row", polygon[k])));
    }
    if let Some((one, other)) = self_crossing(&polygon) {
        return (None, Some(format!("edges {} and {} that intersect or touch", one + 1, other + 1)));
    }
    let area = Moments::of(&polygon).area;
    if area == 0.0 {
        return (None, Some("collinear vertices".to_owned()));
    }
    if area < 0.0 {
        polygon.reverse();
    }
    (Some(polygon), None)
}

fn to_point(value: &DeValue) -> Option<DVec2> {
    let items = value.as_array()?;
    let numbers = items.iter().map(|item| to_number(item.get_ref())).collect::<Option<Vec<_>>>()?;
    let point = DVec2::from_array(numbers.try_into().ok()?);
    point.is_finite().then_some(point)
}

fn to_polygon(value: &DeValue) -> Option<Vec<DVec2>> {
    let points = value.as_array()?.iter().map(|item| to_point(item.get_ref())).collect::<Option<Vec<_>>>()?;
    (points.len() >= 3).then_some(points)
}
