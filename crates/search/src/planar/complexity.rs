//! Detection of outlines that fill little of their bounding boxes.

use glam::DVec2;
use plimsoll_base::math::Rectangle;
use plimsoll_shape::polygon::{Moments, is_convex};

/// An outline is thin if it fills at most this fraction of its box.
const THIN: f64 = 1.0 / 3.0;
/// A long outline spans at least this fraction of the scene and fills less than [`FULL`] of its box.
const LONG: f64 = 0.5;
const FULL: f64 = 0.9;
/// A large outline has a box larger than this many median boxes; it is complex if it is concave.
const LARGE: f64 = 16.0;

/// Whether each outline is complex: thin in its box, or long and not box-like, or large and concave. Evaluated once, at the start.
pub fn is_complex(vertices: &[DVec2], offsets: &[u32]) -> Vec<bool> {
    let polygons: Vec<&[DVec2]> = offsets.windows(2).map(|ends| &vertices[ends[0] as usize..ends[1] as usize]).collect();
    let boxes: Vec<Rectangle> = polygons.iter().map(|polygon| Rectangle::around(polygon.iter().copied())).collect();
    let scene = boxes.iter().fold(Rectangle::EMPTY, |all, &one| all.union(one)).extent();
    let mut areas: Vec<f64> = boxes.iter().map(Rectangle::area).collect();
    areas.sort_by(f64::total_cmp);
    let median = areas.get(areas.len() / 2).copied().unwrap_or(0.0);
    let complex = |(polygon, own): (&&[DVec2], &Rectangle)| {
        let share = Moments::of(polygon).area / own.area();
        let long = (own.extent() / scene).max_element() >= LONG && share < FULL;
        let large = own.area() > LARGE * median && !is_convex(polygon);
        polygons.len() > 2 && (share <= THIN || long || large)
    };
    polygons.iter().zip(&boxes).map(complex).collect()
}
