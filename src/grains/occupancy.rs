//! Where spheres stand already, by size, so that a small one among few large ones does not ask all small ones around a large one.

use glam::DVec3;

use crate::search::hierarchical_grid::{Space, Sphere};

/// Cells along an axis, at most.
const MOST_CELLS: f64 = 200.0;
/// The end of a list.
const NONE: u32 = u32::MAX;

/// Spheres placed so far.
pub struct Occupancy {
    space: Space,
    /// Radius of the largest, metres.
    largest: f64,
    /// Those of more than half this radius, of more than a quarter, and so on.
    sizes: Vec<OneSize>,
}

/// Spheres of about one size, in cells of theirs.
#[derive(Default)]
struct OneSize {
    /// Radius that none exceeds, metres.
    largest: f64,
    cells: [i64; 3],
    /// The last sphere put into each cell, and for each sphere the one before it.
    last: Vec<u32>,
    spheres: Vec<(Sphere, u32)>,
}

impl Occupancy {
    /// Room for spheres no larger than `largest` (radius, m).
    pub fn new(space: Space, largest: f64) -> Self {
        Self { space, largest, sizes: Vec::new() }
    }

    /// Greatest overlap with those placed, metres.
    pub fn overlap(&self, sphere: &Sphere) -> f64 {
        self.sizes.iter().filter(|size| !size.spheres.is_empty()).map(|size| size.overlap(&self.space, sphere)).fold(0.0, f64::max)
    }

    pub fn push(&mut self, sphere: Sphere) {
        let halvings = (self.largest / sphere.radius).log2().max(0.0) as usize;
        while self.sizes.len() <= halvings {
            self.sizes.push(OneSize { largest: self.largest * 0.5_f64.powi(self.sizes.len() as i32), ..OneSize::default() });
        }
        self.sizes[halvings].push(&self.space, sphere);
    }
}

impl OneSize {
    fn push(&mut self, space: &Space, sphere: Sphere) {
        if self.spheres.is_empty() {
            let along = |axis| (space.size[axis] / (2.0 * self.largest)).floor().clamp(1.0, MOST_CELLS) as i64;
            self.cells = [0, 1, 2].map(|axis| if axis < space.dimension { along(axis) } else { 1 });
            self.last = vec![NONE; self.cells.iter().product::<i64>() as usize];
        }
        let [x, y, z] = [0, 1, 2].map(|axis| self.cell(space, axis, sphere.center[axis]).clamp(0, self.cells[axis] - 1));
        let cell = self.index(x, y, z);
        self.spheres.push((sphere, self.last[cell]));
        self.last[cell] = (self.spheres.len() - 1) as u32;
    }

    fn overlap(&self, space: &Space, sphere: &Sphere) -> f64 {
        let mut most: f64 = 0.0;
        // Sizes are told apart by logarithms, which are rounded.
        let reach = DVec3::splat((sphere.radius + self.largest) * (1.0 + 1e-9));
        let (low, high) = (sphere.center - reach, sphere.center + reach);
        let [xs, ys, zs] = [0, 1, 2].map(|axis| self.between(space, axis, low[axis], high[axis]));
        for z in zs.clone() {
            for y in ys.clone() {
                for x in xs.clone() {
                    let mut next = self.last[self.index(x, y, z)];
                    while let Some((other, before)) = self.spheres.get(next as usize) {
                        let apart = space.nearest_image(other.center - sphere.center).length_squared();
                        let reach = sphere.radius + other.radius;
                        if apart < reach * reach {
                            most = most.max(reach - apart.sqrt());
                        }
                        next = *before;
                    }
                }
            }
        }
        most
    }

    /// Cells from one place to another along an axis, each once.
    fn between(&self, space: &Space, axis: usize, low: f64, high: f64) -> impl Iterator<Item = i64> + Clone + use<> {
        let cells = self.cells[axis];
        let (from, to) = (self.cell(space, axis, low), self.cell(space, axis, high));
        let range = match space.periodic[axis] {
            true => from..=to.min(from + cells - 1),
            false => from.clamp(0, cells - 1)..=to.clamp(0, cells - 1),
        };
        range.map(move |cell| cell.rem_euclid(cells))
    }

    fn cell(&self, space: &Space, axis: usize, place: f64) -> i64 {
        if axis >= space.dimension {
            return 0;
        }
        ((place - space.low[axis]) / space.size[axis] * self.cells[axis] as f64).floor() as i64
    }

    fn index(&self, x: i64, y: i64, z: i64) -> usize {
        ((z * self.cells[1] + y) * self.cells[0] + x) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn overlaps_are_those_of_brute_force() {
        let mut random = Random::new(11);
        let (mut found, mut none) = (0, 0);
        for case in 0..200 {
            let dimension = 2 + case % 2;
            let flat = dimension == 2;
            let mut edge = || 1.0 + 2.0 * random.uniform();
            let size = DVec3::new(edge(), edge(), if flat { 0.0 } else { edge() });
            let periodic = [case % 3 == 0, case % 5 == 0, case % 7 == 0 && !flat];
            let space = Space { low: DVec3::new(-0.3, 0.7, if flat { 0.0 } else { 2.0 }), size, periodic, dimension };
            // Sizes over two decades in any order, halves of the largest among them.
            let (largest, mut taken, mut all) = (0.24, Occupancy::new(space, 0.24), Vec::<Sphere>::new());
            for step in 0..60 {
                let radius = if step % 4 == 0 { largest * 0.5_f64.powi(step % 5) } else { largest * 100.0_f64.powf(-random.uniform()) };
                let share = DVec3::new(random.uniform(), random.uniform(), if flat { 0.0 } else { random.uniform() });
                let mut sphere = Sphere { center: space.low + share * size, radius };
                // Every other one hardly touches one that is there, half of them along an axis.
                if let Some(other) = all.get(step as usize / 2).filter(|_| step % 2 == 1) {
                    let anywhere = (share - 0.5) * DVec3::new(1.0, 1.0, if flat { 0.0 } else { 1.0 });
                    let away = if step % 4 == 1 { DVec3::AXES[case % 2] } else { anywhere };
                    sphere.center = space.wrapped(other.center + away.normalize() * (radius + other.radius) * (1.0 - 1e-6));
                }
                let overlap = |other: &Sphere| radius + other.radius - space.nearest_image(other.center - sphere.center).length();
                let expected = all.iter().map(overlap).fold(0.0, f64::max);
                assert!((taken.overlap(&sphere) - expected).abs() < 1e-15, "{} of {expected}, {space:?}", taken.overlap(&sphere));
                if expected > 0.0 {
                    found += 1
                } else {
                    none += 1
                }
                taken.push(sphere);
                all.push(sphere);
            }
        }
        assert!(found > 1000 && none > 1000, "{found} with an overlap, {none} without");
    }
}
