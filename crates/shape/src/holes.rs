//! Holes: closed rims of a surface that are small against it. Scans and models have them by accident; a larger one may be meant.

use std::{collections::HashMap, fmt};

use glam::DVec3;
use plimsoll_base::math::format;

use super::{
    Repair, TriangleMesh, orient_outwards, polygon,
    report::{significant, triple},
    surface_area,
    topology::{EdgeTable, EdgeUse},
};

/// Largest area of a hole that is closed, as a share of the surface.
const SMALL: f64 = 1e-3;
/// Maximum number of holes listed in the printed report.
const LISTED: usize = 8;

/// Maximum number of holes listed in a message.
const NAMED: usize = 3;

/// A hole in a surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    /// Mean of the vertices on the rim, m.
    pub center: DVec3,
    /// Length of the rim, m.
    pub length: f64,
    /// Area within the rim, m².
    pub area: f64,
}

/// What [`close_holes`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HoleReport {
    /// Holes that were closed.
    pub closed: Vec<Hole>,
    /// Holes that are too large, or whose rim is no polygon. If there are any, none is closed.
    pub left: Vec<Hole>,
}

impl HoleReport {
    /// Number of the holes left open, and the length of the rim and the center of the first ones, m.
    pub fn left_in_words(&self) -> String {
        in_words(&self.left)
    }
}

impl fmt::Display for HoleReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "holes closed           {:>10}", self.closed.len())?;
        write!(formatter, "\nholes left open        {:>10}", self.left.len())?;
        for Hole { center, length, area } in self.left.iter().take(LISTED) {
            let (length, area) = (significant(*length), significant(*area));
            write!(formatter, "\n  {length:>10} m around, {area:>10} m², at {} m", triple(center.to_array()))?;
        }
        if self.left.len() > LISTED { formatter.write_str("\n  ...") } else { Ok(()) }
    }
}

/// Closes the holes of `mesh`, which is consistently wound, if all of them can be closed: if they are small, of at most a thousandth of its
/// area, or whatever their size with [`Repair::Fill`]. Only then it is known where the outside is, so the closed mesh is wound outward.
pub fn close_holes(mesh: &mut TriangleMesh, repair: Repair) -> HoleReport {
    let limit = match repair {
        Repair::Off => f64::NEG_INFINITY,
        Repair::Safe => SMALL * surface_area(mesh),
        Repair::Fill => f64::INFINITY,
    };
    let (mut report, mut caps) = (HoleReport::default(), Vec::new());
    for rim in rims(mesh) {
        let points: Vec<DVec3> = rim.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
        let hole = Hole::within(&points);
        let cap = if hole.area <= limit { polygon::triangulate(&points) } else { Vec::new() };
        // Fewer triangles would leave a part of the rim open.
        if cap.len() + 2 == rim.len() {
            caps.extend(cap.iter().map(|corners| corners.map(|corner| rim[corner])));
            report.closed.push(hole);
        } else {
            report.left.push(hole);
        }
    }
    if report.left.is_empty() && !caps.is_empty() {
        mesh.triangles.extend(caps);
        orient_outwards(mesh);
    } else {
        report.closed.clear();
    }
    report
}

impl Hole {
    fn within(points: &[DVec3]) -> Self {
        let center = points.iter().sum::<DVec3>() / points.len() as f64;
        let pairs = || points.iter().zip(points.iter().cycle().skip(1));
        let normal: DVec3 = pairs().map(|(&a, &b)| (a - center).cross(b - center)).sum();
        Self { center, length: pairs().map(|(a, b)| a.distance(*b)).sum(), area: 0.5 * normal.length() }
    }
}

/// Text with the number of `holes`, and the length of the rim and the center of the first ones, m.
pub(super) fn in_words(holes: &[Hole]) -> String {
    let place = |point: DVec3| point.to_array().map(format::significant).join(", ");
    let named = holes.iter().take(NAMED).map(|hole| format!("{} m around [{}]", format::significant(hole.length), place(hole.center)));
    let (count, noun) = (holes.len(), if holes.len() == 1 { "hole" } else { "holes" });
    let more = if count > NAMED { ", …" } else { "" };
    format!("{count} {noun} ({}{more})", named.collect::<Vec<_>>().join("; "))
}

/// The rims of `mesh` as polygons that would close it, wound like the triangles around them, in the order of their lowest vertices.
fn rims(mesh: &TriangleMesh) -> Vec<Vec<u32>> {
    let edges = EdgeTable::of(mesh);
    // Against the direction of the triangle at it, an edge is part of the rim.
    let mut sides: Vec<[u32; 2]> = edges.edges().flat_map(missing).collect();
    sides.sort_unstable();
    let mut used = vec![false; sides.len()];
    let mut rims = Vec::new();
    for first in 0..sides.len() {
        let (mut path, mut places): (Vec<u32>, HashMap<u32, usize>) = (Vec::new(), HashMap::new());
        let mut next = (!used[first]).then_some(first);
        while let Some(side) = next {
            used[side] = true;
            let [from, to] = sides[side];
            places.insert(from, path.len());
            path.push(from);
            // A rim that comes back to one of its vertices is complete there.
            if let Some(&start) = places.get(&to) {
                let rim = path.split_off(start);
                for vertex in &rim {
                    places.remove(vertex);
                }
                rims.push(rim);
            }
            let begin = sides.partition_point(|&[vertex, _]| vertex < to);
            next = (begin..sides.len()).take_while(|&side| sides[side][0] == to).find(|&side| !used[side]);
        }
    }
    rims
}

/// The directed edges that are missing for as many triangles in one direction as in the other.
fn missing(sides: &[EdgeUse]) -> impl Iterator<Item = [u32; 2]> {
    let [low, high] = sides[0].edge;
    let forward = sides.iter().filter(|side| side.forward).count();
    let backward = sides.len() - forward;
    let (edge, count) = if forward > backward { ([high, low], forward - backward) } else { ([low, high], backward - forward) };
    std::iter::repeat_n(edge, count)
}
