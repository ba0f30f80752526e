//! Search for pairs of triangles that may have points in common, by division of space.
//!
//! Space is divided recursively, and each part of it has the triangles that reach into it, clipped to it. A box around a long triangle overlaps
//! many others that the triangle does not come near (those of a slanted fan all overlap), but its clipped parts are small. Triangles of one
//! group need not be compared, so that a part of space with one group is finished, and only the surroundings of others matter: where two flat
//! faces of `n` slivers meet, `n log n` boxes are made instead of `n²` comparisons. Where `n` triangles of different groups have a common
//! vertex, all pairs are compared.

use glam::DVec3;
use plimsoll_base::math::Aabb;
use rayon::prelude::*;

/// Margin of boxes and parts of space, as a share of the largest coordinate, so that triangles that touch are found whatever is rounded.
const ROUNDING: f64 = 1e-12;
/// A part of space with at most this number of pairs is not divided.
const FEW_PAIRS: usize = 64;
/// A division must leave at most this share of the pairs.
const WORTHWHILE: f64 = 0.9;
/// Maximum number of successive cuts of a division.
const CUTS: usize = 6;
/// Parts with more triangles, and comparisons of more pairs, are divided among threads.
const PARALLEL: usize = 2048;

/// Calls `visit` with the indices of any two of `triangles` that are of different groups and whose parts in some region of space have boxes
/// that overlap; among them are all that come within rounding of each other. A pair may be visited more than once, in any order, by any thread.
pub fn for_each_near_pair(triangles: &[[DVec3; 3]], groups: &[u32], visit: impl Fn(usize, usize) + Sync) {
    let whole = Aabb::around(triangles.iter().flatten().copied());
    let margin = if triangles.is_empty() { 0.0 } else { ROUNDING * whole.max.abs().max(whole.min.abs()).max_element() };
    let item = |(index, (corners, &group)): (usize, (&[DVec3; 3], &u32))| Item { index, group, bounds: Aabb::around(*corners) };
    let mut items: Vec<Item> = triangles.iter().zip(groups).enumerate().map(item).collect();
    items.sort_by_key(|item| item.group);
    let search = Search { triangles, margin, visit };
    search.search(search.near_other_groups(items));
}

/// The part of a triangle in a region of space.
#[derive(Clone, Copy)]
struct Item {
    index: usize,
    group: u32,
    /// Around the part.
    bounds: Aabb,
}

struct Search<'a, V> {
    triangles: &'a [[DVec3; 3]],
    /// m
    margin: f64,
    visit: V,
}

impl<V: Fn(usize, usize) + Sync> Search<'_, V> {
    /// Finds the pairs among `items`, which are sorted by group and near other groups.
    fn search(&self, items: Vec<Item>) {
        let pairs = pairs(&items);
        match self.divide(&items, pairs) {
            None => self.compare(&items, pairs),
            Some(parts) if items.len() > PARALLEL => {
                drop(items);
                parts.into_par_iter().for_each(|part| self.search(part));
            }
            Some(parts) => parts.into_iter().for_each(|part| self.search(part)),
        }
    }

    fn compare(&self, items: &[Item], pairs: usize) {
        let compare = |(place, first): (usize, &Item)| {
            let near = first.bounds.inflated(self.margin);
            for second in &items[place + 1..] {
                if second.group != first.group && near.overlaps(&second.bounds) {
                    (self.visit)(first.index, second.index);
                }
            }
        };
        if pairs > PARALLEL {
            items.par_iter().enumerate().for_each(compare);
        } else {
            items.iter().enumerate().for_each(compare);
        }
    }

    /// The parts of `items` in the box around those of other groups.
    fn near_other_groups(&self, items: Vec<Item>) -> Vec<Item> {
        let faces = OuterFaces::of(&items);
        let near = |item: Item| self.clip(item, &faces.without(item.group).inflated(self.margin));
        items.into_iter().filter_map(near).collect()
    }

    /// The parts of `items` in two or more regions of space, if these have fewer pairs. Where faces meet along a slanted line, one cut may not be
    /// enough.
    fn divide(&self, items: &[Item], pairs: usize) -> Option<Vec<Vec<Item>>> {
        if pairs <= FEW_PAIRS {
            return None;
        }
        let is_worthwhile = |parts: &Vec<Vec<Item>>| {
            let left: usize = parts.iter().map(|part| self::pairs(part)).sum();
            left as f64 <= WORTHWHILE * pairs as f64
        };
        let axes = Axes::of(items);
        if let Some(parts) = axes.0.iter().filter_map(|&axis| self.cut(items, axis)).find(is_worthwhile) {
            return Some(parts);
        }
        let mut parts = self.cut(items, axes.0[0])?;
        for _ in 1..CUTS {
            parts = parts.into_iter().flat_map(|part| self.cut(&part, Axes::of(&part).0[0]).unwrap_or_else(|| vec![part])).collect();
            if is_worthwhile(&parts) {
                return Some(parts);
            }
        }
        None
    }

    /// The parts of `items` on both sides of a plane; `None` if they are within rounding of a point.
    fn cut(&self, items: &[Item], axis: usize) -> Option<Vec<Vec<Item>>> {
        let whole = around(items);
        if whole.is_empty() || whole.extent()[axis] <= 4.0 * self.margin {
            return None;
        }
        let mut centers: Vec<f64> = items.iter().map(|item| item.bounds.center()[axis]).collect();
        let middle = centers.len() / 2;
        let place = *centers.select_nth_unstable_by(middle, f64::total_cmp).1;
        let (mut low, mut high) = (whole, whole);
        low.max[axis] = place + self.margin;
        high.min[axis] = place - self.margin;
        let part = |side: &Aabb| self.near_other_groups(items.iter().filter_map(|&item| self.clip(item, side)).collect());
        Some(vec![part(&low), part(&high)])
    }

    /// The part of `item` in `region`, if there is any.
    fn clip(&self, item: Item, region: &Aabb) -> Option<Item> {
        if item.bounds.min.cmpge(region.min).all() && item.bounds.max.cmple(region.max).all() {
            return Some(item);
        }
        if !item.bounds.overlaps(region) {
            return None;
        }
        let both = Aabb { min: item.bounds.min.max(region.min), max: item.bounds.max.min(region.max) };
        // A margin for the rounding of clipped corners.
        let part = bounds_within(self.triangles[item.index], &both.inflated(self.margin));
        let bounds = Aabb { min: part.min.max(both.min), max: part.max.min(both.max) };
        // What is cut by rounding may be empty: a part that touches the region stays.
        let bounds = if bounds.is_empty() && !part.is_empty() { part } else { bounds };
        (!bounds.is_empty()).then_some(Item { bounds, ..item })
    }
}

fn around(items: &[Item]) -> Aabb {
    items.iter().fold(Aabb::EMPTY, |whole, item| whole.union(item.bounds))
}

/// The axes along which a region is longest first.
struct Axes([usize; 3]);

impl Axes {
    fn of(items: &[Item]) -> Self {
        let extent = around(items).extent();
        let mut axes = [0, 1, 2];
        axes.sort_by(|&a, &b| extent[b].total_cmp(&extent[a]));
        Self(axes)
    }
}

/// Number of pairs of different groups; `items` are sorted by group.
fn pairs(items: &[Item]) -> usize {
    let same: usize = items.chunk_by(|a, b| a.group == b.group).map(|group| group.len() * group.len()).sum();
    (items.len() * items.len() - same) / 2
}

/// The faces of the boxes around groups that are farthest out.
struct OuterFaces {
    /// For each side, the coordinate of the farthest face, outward, and its group.
    first: [(f64, u32); 6],
    /// For each side, the farthest face of another group.
    second: [f64; 6],
}

impl OuterFaces {
    /// `items` are sorted by group.
    fn of(items: &[Item]) -> Self {
        let mut faces = Self { first: [(f64::NEG_INFINITY, u32::MAX); 6], second: [f64::NEG_INFINITY; 6] };
        for group in items.chunk_by(|a, b| a.group == b.group) {
            let Aabb { min, max } = around(group);
            for (side, place) in [-min.x, -min.y, -min.z, max.x, max.y, max.z].into_iter().enumerate() {
                if place > faces.first[side].0 {
                    faces.second[side] = faces.first[side].0;
                    faces.first[side] = (place, group[0].group);
                } else {
                    faces.second[side] = faces.second[side].max(place);
                }
            }
        }
        faces
    }

    /// The box around all groups but one.
    fn without(&self, group: u32) -> Aabb {
        let place = |side: usize| if self.first[side].1 == group { self.second[side] } else { self.first[side].0 };
        Aabb { min: -DVec3::new(place(0), place(1), place(2)), max: DVec3::new(place(3), place(4), place(5)) }
    }
}

/// The box around the part of a triangle within `region` (Sutherland & Hodgman 1974).
fn bounds_within(corners: [DVec3; 3], region: &Aabb) -> Aabb {
    // Each of six planes adds one corner, or a few more by rounding.
    let mut polygon = [DVec3::ZERO; 12];
    polygon[..3].copy_from_slice(&corners);
    let mut count = 3;
    for axis in 0..3 {
        for (sign, limit) in [(1.0, region.max[axis]), (-1.0, -region.min[axis])] {
            let excess = |point: DVec3| sign * point[axis] - limit;
            if polygon[..count].iter().all(|&point| excess(point) <= 0.0) {
                continue;
            }
            let given = polygon;
            let mut kept = 0;
            for k in 0..count {
                let (from, to) = (given[k], given[(k + 1) % count]);
                let (start, end) = (excess(from), excess(to));
                let crossing = (start < 0.0 && end > 0.0) || (start > 0.0 && end < 0.0);
                for point in [(start <= 0.0).then_some(from), crossing.then(|| from.lerp(to, start / (start - end)))].into_iter().flatten()
                {
                    if kept == polygon.len() {
                        return *region;
                    }
                    polygon[kept] = point;
                    kept += 1;
                }
            }
            count = kept;
            if count == 0 {
                return Aabb::EMPTY;
            }
        }
    }
    Aabb::around(polygon[..count].iter().copied())
}

#[cfg(test)]
mod tests {
    use std::{
        collections::HashSet,
        sync::{
            Mutex,
            atomic::{AtomicUsize, Ordering},
        },
    };

    use plimsoll_base::math::Random;

    use super::*;
    use crate::{TriangleMesh, patches::single_layers, topology::EdgeTable};

    /// Number of pairs visited, with repetitions, for a mesh whose single layers are groups.
    fn visits(mesh: &TriangleMesh) -> usize {
        let triangles: Vec<[DVec3; 3]> = (0..mesh.triangles.len()).map(|index| mesh.corners(index)).collect();
        let count = AtomicUsize::new(0);
        for_each_near_pair(&triangles, &single_layers(mesh, &EdgeTable::of(mesh)), |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        count.into_inner()
    }

    /// A prism over a polygon, counterclockwise in the plane: fans from the last corner, and two triangles per side.
    fn prism(polygon: &[DVec3]) -> TriangleMesh {
        let count = polygon.len() as u32;
        let vertices = polygon.iter().map(|&point| point + DVec3::Z).chain(polygon.iter().copied()).collect();
        let fan = (0..count - 2).flat_map(|k| [[count - 1, k, k + 1], [2 * count - 1, count + k + 1, count + k]]);
        let sides = (0..count).flat_map(|k| {
            let next = (k + 1) % count;
            [[k, count + k, count + next], [k, count + next, next]]
        });
        TriangleMesh { vertices, triangles: fan.chain(sides).collect() }
    }

    #[test]
    fn pairs_that_touch_are_visited() {
        let mut random = Random::new(8);
        for (size, count) in [(1.0, 90), (0.4, 400), (0.1, 3000)] {
            let mut triangle = || {
                let at = random.point();
                [0, 1, 2].map(|_| at + size * random.point())
            };
            let triangles: Vec<[DVec3; 3]> = (0..count).map(|_| triangle()).collect();
            for groups in [(0..count).collect::<Vec<u32>>(), (0..count).map(|index| index % 3).collect()] {
                let visited = Mutex::new(HashSet::new());
                for_each_near_pair(&triangles, &groups, |first, second| {
                    visited.lock().unwrap().insert([first.min(second), first.max(second)]);
                });
                let visited = visited.into_inner().unwrap();
                let mut touching = 0;
                for first in 0..triangles.len() {
                    for second in first + 1..triangles.len() {
                        let apart = crate::self_contact::are_apart(&triangles[first], &triangles[second]);
                        let other = groups[first] != groups[second];
                        assert!(other || !visited.contains(&[first, second]));
                        assert!(apart || !other || visited.contains(&[first, second]), "{first} and {second}");
                        touching += usize::from(!apart && other);
                    }
                }
                assert!(touching > 100, "{touching}");
            }
        }
    }

    #[test]
    fn faces_of_many_slivers_take_few_comparisons() {
        let count = 20_000;
        let line = (0..count).map(|k| DVec3::new(f64::from(k) / f64::from(count), 0.0, 0.0));
        let straight: Vec<DVec3> = line.chain([DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]).collect();
        let round: Vec<DVec3> = (0..count)
            .map(|k| (std::f64::consts::TAU * f64::from(k) / f64::from(count)).sin_cos())
            .map(|(y, x)| DVec3::new(x, y, 0.0))
            .collect();
        let tilt = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.4, 1.1, -0.7);
        for shape in [prism(&straight), prism(&round)] {
            for rotation in [glam::DQuat::IDENTITY, tilt] {
                let mut mesh = shape.clone();
                mesh.vertices.iter_mut().for_each(|vertex| *vertex = rotation * *vertex);
                let visits = visits(&mesh);
                assert!(visits < 30 * mesh.triangles.len(), "{visits} comparisons of {} triangles", mesh.triangles.len());
            }
        }
    }
}
