//! Test oracle: exact distances between outlines, for every pair.

use glam::DVec2;
use plimsoll_shape::polygon::{segments_touch, winding_number};

use super::outlines::Outlines;

/// Distance between two polygons (m), zero where they touch or overlap.
pub fn outline_distance(one: &[DVec2], other: &[DVec2]) -> f64 {
    let edges = |polygon: &[DVec2]| (0..polygon.len()).map(|k| (polygon[k], polygon[(k + 1) % polygon.len()])).collect::<Vec<_>>();
    if winding_number(one, other[0]) != 0 || winding_number(other, one[0]) != 0 {
        return 0.0;
    }
    let others = edges(other);
    let mut least = f64::INFINITY;
    for first in edges(one) {
        for &second in &others {
            if segments_touch(first, second) {
                return 0.0;
            }
            let ends = [(first.0, second), (first.1, second), (second.0, first), (second.1, first)];
            least = ends.into_iter().map(|(point, edge)| distance_to_segment(point, edge)).fold(least, f64::min);
        }
    }
    least
}

/// The pairs of outlines within `cutoff` (m) of each other, `i < j`, sorted.
pub fn pairs_within(outlines: &Outlines, cutoff: f64) -> Vec<[u32; 2]> {
    let count = outlines.boxes.len();
    let near = |&(i, j): &(usize, usize)| {
        let apart = !outlines.boxes[i].inflated(1.01 * cutoff).overlaps(&outlines.boxes[j]);
        !apart && outline_distance(outlines.polygon(i), outlines.polygon(j)) <= cutoff
    };
    let pairs = (0..count).flat_map(|i| (i + 1..count).map(move |j| (i, j))).filter(near);
    pairs.map(|(i, j)| [i as u32, j as u32]).collect()
}

fn distance_to_segment(point: DVec2, (a, b): (DVec2, DVec2)) -> f64 {
    let along = b - a;
    let share = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(a + share * along)
}
