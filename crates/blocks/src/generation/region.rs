//! A region of rock and its cutting.

use glam::DVec2;
use i_overlay::{
    core::{fill_rule::FillRule, overlay_rule::OverlayRule},
    float::{single::SingleFloatOverlay, slice::FloatSlice},
};
use plimsoll_base::math::{Random, Rectangle};
use plimsoll_shape::polygon::Moments;
use serde::{Deserialize, Serialize};

use super::{joints::JointSet, voronoi};

/// Pieces smaller than this share of the mean area are removed.
const SPLINTER: f64 = 0.01;
/// Edges shorter than this share of the square root of a piece's area are collapsed.
const SHORT_EDGE: f64 = 0.01;

/// Rock within an outline and outside holes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Outer polygon, m.
    pub outline: Vec<DVec2>,
    /// Polygons without rock, m.
    pub holes: Vec<Vec<DVec2>>,
    /// How the rock is cut into blocks.
    pub cutting: Cutting,
}

/// How rock is cut into blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cutting {
    /// Sets of parallel joints.
    Joints(Vec<JointSet>),
    /// Cells of a Voronoi diagram.
    Voronoi {
        /// Distance between cell centers, m.
        spacing: f64,
        /// Random displacement of the cell centers, 0 to 1.
        scatter: f64,
    },
    /// Courses from the bottom up; every other one is shifted by half a brick if `bonded`.
    Bricks {
        /// Width of a brick, m.
        width: f64,
        /// Height of a course, m.
        height: f64,
        /// Whether every other course is shifted by half a brick.
        bonded: bool,
    },
}

impl Cutting {
    /// About how often the lines of all joint sets cross one another, also outside a region with this `outline`. All crossings are computed.
    pub fn max_crossings(&self, outline: &[DVec2]) -> f64 {
        let Self::Joints(sets) = self else { return 0.0 };
        let area = Rectangle::around(outline.iter().copied());
        let lines: f64 = sets.iter().map(|set| set.line_count(&area)).sum();
        let pairs = lines * lines - sets.iter().map(|set| set.line_count(&area).powi(2)).sum::<f64>();
        0.5 * pairs
    }

    /// About how many pieces a region with this `outline` is cut into at most.
    pub fn max_pieces(&self, outline: &[DVec2]) -> f64 {
        let area = Rectangle::around(outline.iter().copied());
        match self {
            // Each end of a joint and each crossing of two can make one more.
            Self::Joints(sets) => {
                let inside = Moments::of(outline).area.abs();
                let crossings =
                    |(index, set): (usize, &JointSet)| -> f64 { sets[..index].iter().map(|other| set.crossings(other, inside)).sum() };
                let ends: f64 = sets.iter().map(|set| set.joint_count(&area)).sum();
                1.0 + ends + sets.iter().enumerate().map(crossings).sum::<f64>()
            }
            Self::Voronoi { spacing, .. } => (area.extent() / *spacing + 1.0).element_product(),
            Self::Bricks { width, height, .. } => (area.extent() / DVec2::new(*width, *height) + 1.0).element_product(),
        }
    }
}

/// The blocks of a region, counterclockwise; deterministic for a given `seed`.
pub fn generate(region: &Region, seed: u64) -> Vec<Vec<DVec2>> {
    let area = Rectangle::around(region.outline.iter().copied());
    let mut random = Random::new(seed);
    let lines = match &region.cutting {
        Cutting::Joints(sets) => sets.iter().flat_map(|set| set.lines(&area, &mut random)).collect(),
        Cutting::Voronoi { spacing, scatter } => voronoi::borders(&area, *spacing, *scatter, &mut random),
        Cutting::Bricks { width, height, bonded } => courses(&area, DVec2::new(*width, *height), *bonded),
    };
    let mut pieces = slice(region, &lines);
    pieces.iter_mut().for_each(tidy);
    let areas: Vec<f64> = pieces.iter().map(|piece| Moments::of(piece).area).collect();
    let mean = areas.iter().sum::<f64>() / areas.len().max(1) as f64;
    let mut kept: Vec<_> = pieces.into_iter().zip(areas).filter(|(_, area)| *area > SPLINTER * mean).map(|(piece, _)| piece).collect();
    // Row by row from the bottom, independent of the order of the slices.
    let key = |piece: &Vec<DVec2>| Moments::of(piece).centroid;
    kept.sort_by(|one, other| {
        let (one, other) = (key(one), key(other));
        one.y.total_cmp(&other.y).then(one.x.total_cmp(&other.x))
    });
    kept
}

/// Common area of two polygons, m².
pub fn overlap_area(one: &[DVec2], other: &[DVec2]) -> f64 {
    let points = |polygon: &[DVec2]| polygon.iter().map(|point| point.to_array()).collect::<Vec<_>>();
    let common = points(one).overlay_as::<i64>(&points(other), OverlayRule::Intersect, FillRule::NonZero);
    common.iter().flatten().map(|contour| Moments::of(&from_arrays(contour)).area).sum()
}

fn slice(region: &Region, lines: &[[DVec2; 2]]) -> Vec<Vec<DVec2>> {
    let points = |polygon: &[DVec2]| polygon.iter().map(|point| point.to_array()).collect::<Vec<[f64; 2]>>();
    let mut shapes = vec![vec![points(&region.outline)]];
    if !region.holes.is_empty() {
        let holes: Vec<Vec<[f64; 2]>> = region.holes.iter().map(|hole| points(hole)).collect();
        shapes = shapes.overlay_as::<i64>(&holes, OverlayRule::Difference, FillRule::NonZero);
    }
    let paths: Vec<Vec<[f64; 2]>> = lines.iter().map(|line| points(line)).collect();
    let sliced = shapes.slice_by_as::<i64>(&paths, FillRule::NonZero);
    // A piece around a hole is not a simple polygon: no joint cuts it open. Its hole is filled.
    sliced.into_iter().filter_map(|shape| shape.into_iter().next()).map(|contour| from_arrays(&contour)).collect()
}

fn from_arrays(contour: &[[f64; 2]]) -> Vec<DVec2> {
    contour.iter().map(|&point| DVec2::from_array(point)).collect()
}

/// Collapses very short edges and removes vertices within straight faces.
fn tidy(piece: &mut Vec<DVec2>) {
    let short = SHORT_EDGE * Moments::of(piece).area.max(0.0).sqrt();
    piece.dedup_by(|next, kept| next.distance(*kept) < short);
    if piece.len() > 3 && piece[0].distance(piece[piece.len() - 1]) < short {
        piece.pop();
    }
    let count = piece.len();
    let bends = |k: usize| {
        let (a, b) = (piece[k] - piece[(k + count - 1) % count], piece[(k + 1) % count] - piece[k]);
        a.perp_dot(b).abs() > 1e-6 * a.length() * b.length()
    };
    let bent: Vec<DVec2> = (0..count).filter(|&k| bends(k)).map(|k| piece[k]).collect();
    *piece = bent;
}

fn courses(area: &Rectangle, brick: DVec2, bonded: bool) -> Vec<[DVec2; 2]> {
    let counts = (area.extent() / brick).round();
    let mut lines = Vec::new();
    for row in 0..=counts.y as i64 {
        let low = area.min.y + row as f64 * brick.y;
        lines.push([DVec2::new(area.min.x - brick.x, low), DVec2::new(area.max.x + brick.x, low)]);
        let shift = if bonded && row % 2 == 1 { 0.5 } else { 0.0 };
        lines.extend((0..=counts.x as i64 + 1).map(|column| {
            let x = area.min.x + (column as f64 - shift) * brick.x;
            [DVec2::new(x, low), DVec2::new(x, low + brick.y)]
        }));
    }
    lines
}
