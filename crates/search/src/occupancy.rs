//! Occupancy: the space that placed spheres occupy. Spheres of similar size share a grid of cells, so that a small sphere is not tested
//! against all small spheres near a large one.

use glam::DVec3;
use plimsoll_base::math::Domain;

use super::Sphere;

/// Maximum number of cells per expected sphere. It is large because all spheres may be in a small part of the domain.
const CELLS_PER_SPHERE: f64 = 64.0;
/// Minimum and maximum of the resulting limit, for few and for many spheres.
const CELL_LIMITS: [f64; 2] = [1e6, 8e6];
/// Maximum number of cells along an axis.
const MAX_ALONG_AXIS: f64 = 3000.0;
/// End of a list.
const NONE: u32 = u32::MAX;

/// Spheres placed so far.
#[derive(Clone, Debug)]
pub struct Occupancy {
    domain: Domain,
    /// Maximum radius, m.
    largest: f64,
    /// Minimum width of a cell, to limit the number of cells, m.
    narrowest: f64,
    /// Size classes: radii above half of the maximum, above a quarter, and so on.
    sizes: Vec<SizeClass>,
}

/// Spheres of similar size in their own cells.
#[derive(Clone, Debug, Default)]
struct SizeClass {
    /// Maximum radius in the class, m.
    largest: f64,
    cells: [i64; 3],
    /// The last sphere added to each cell. `spheres` stores the previous one for each sphere.
    last: Vec<u32>,
    spheres: Vec<(Sphere, u32)>,
}

impl Occupancy {
    /// Empty `domain` for about `count` spheres. Queries are fast for radii up to `largest` (m), and slower for larger spheres.
    pub fn new(domain: Domain, largest: f64, count: usize) -> Self {
        let [fewest, most] = CELL_LIMITS;
        let cells = (CELLS_PER_SPHERE * count as f64).clamp(fewest, most);
        let narrowest = (domain.volume() / cells).powf(1.0 / domain.dimension as f64);
        Self { domain, largest, narrowest, sizes: Vec::new() }
    }

    /// Maximum overlap of `sphere` with the placed spheres, m; zero if its space is free.
    pub fn overlap(&self, sphere: &Sphere) -> f64 {
        let mut most: f64 = 0.0;
        self.visit_overlapping(sphere, 1.0, |reach, squared| {
            most = most.max(reach - squared.sqrt());
            true
        });
        most
    }

    /// Whether `sphere` touches no placed sphere. Sums of radii are enlarged by the fraction `clearance`.
    pub fn is_free(&self, sphere: &Sphere, clearance: f64) -> bool {
        let mut free = true;
        self.visit_overlapping(sphere, 1.0 + clearance, |_, _| {
            free = false;
            false
        });
        free
    }

    /// Adds `sphere` to the placed spheres.
    pub fn push(&mut self, sphere: Sphere) {
        let halvings = (self.largest / sphere.radius).log2().max(0.0) as usize;
        while self.sizes.len() <= halvings {
            self.sizes.push(SizeClass { largest: self.largest * 0.5_f64.powi(self.sizes.len() as i32), ..SizeClass::default() });
        }
        self.sizes[halvings].push(&self.domain, self.narrowest, sphere);
    }

    /// Calls `visit` with the sum of radii and the squared distance of all spheres closer than `factor` times that sum, until it returns
    /// false.
    fn visit_overlapping(&self, sphere: &Sphere, factor: f64, mut visit: impl FnMut(f64, f64) -> bool) {
        for size in self.sizes.iter().filter(|size| !size.spheres.is_empty()) {
            if !size.visit_overlapping(&self.domain, sphere, factor, &mut visit) {
                return;
            }
        }
    }
}

impl SizeClass {
    fn push(&mut self, domain: &Domain, narrowest: f64, sphere: Sphere) {
        if self.spheres.is_empty() {
            let width = narrowest.max(2.0 * self.largest);
            let along = |axis| (domain.size[axis] / width).floor().clamp(1.0, MAX_ALONG_AXIS) as i64;
            self.cells = [0, 1, 2].map(|axis| if axis < domain.dimension { along(axis) } else { 1 });
            self.last = vec![NONE; self.cells.iter().product::<i64>() as usize];
        }
        // Only the first class may contain spheres larger than its limit.
        self.largest = self.largest.max(sphere.radius);
        let inside = domain.wrap(sphere.center);
        let [x, y, z] = [0, 1, 2].map(|axis| self.cell(domain, axis, inside[axis]).clamp(0, self.cells[axis] - 1));
        let cell = self.index(x, y, z);
        self.spheres.push((sphere, self.last[cell]));
        self.last[cell] = (self.spheres.len() - 1) as u32;
    }

    /// Same for one size class; returns whether to continue.
    fn visit_overlapping(&self, domain: &Domain, sphere: &Sphere, factor: f64, visit: &mut impl FnMut(f64, f64) -> bool) -> bool {
        // The logarithms that divide spheres into classes have rounding errors.
        let reach = DVec3::splat((sphere.radius + self.largest) * factor * (1.0 + 1e-9));
        let (low, high) = (sphere.center - reach, sphere.center + reach);
        let [xs, ys, zs] = [0, 1, 2].map(|axis| self.between(domain, axis, low[axis], high[axis]));
        for z in zs.clone() {
            for y in ys.clone() {
                for x in xs.clone() {
                    let mut next = self.last[self.index(x, y, z)];
                    while let Some((other, before)) = self.spheres.get(next as usize) {
                        let squared = domain.nearest_image(other.center - sphere.center).length_squared();
                        let sum = sphere.radius + other.radius;
                        let limit = sum * factor;
                        if squared < limit * limit && !visit(sum, squared) {
                            return false;
                        }
                        next = *before;
                    }
                }
            }
        }
        true
    }

    /// Cells between two coordinates along an axis, each once.
    fn between(&self, domain: &Domain, axis: usize, low: f64, high: f64) -> impl Iterator<Item = i64> + Clone + use<> {
        let cells = self.cells[axis];
        let (from, to) = (self.cell(domain, axis, low), self.cell(domain, axis, high));
        let range = match domain.periodic[axis] {
            true => from..=to.min(from + cells - 1),
            false => from.clamp(0, cells - 1)..=to.clamp(0, cells - 1),
        };
        range.map(move |cell| cell.rem_euclid(cells))
    }

    fn cell(&self, domain: &Domain, axis: usize, place: f64) -> i64 {
        if axis >= domain.dimension {
            return 0;
        }
        ((place - domain.low[axis]) / domain.size[axis] * self.cells[axis] as f64).floor() as i64
    }

    fn index(&self, x: i64, y: i64, z: i64) -> usize {
        ((z * self.cells[1] + y) * self.cells[0] + x) as usize
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::Random;

    use super::*;

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
            let domain = Domain { low: DVec3::new(-0.3, 0.7, if flat { 0.0 } else { 2.0 }), size, periodic, dimension };
            // Sizes over two decades in random order, including the maximum divided by powers of two.
            let (largest, mut occupancy, mut all) = (0.24, Occupancy::new(domain, 0.24, 60), Vec::<Sphere>::new());
            for step in 0..60 {
                let radius = if step % 4 == 0 { largest * 0.5_f64.powi(step % 5) } else { largest * 100.0_f64.powf(-random.uniform()) };
                let share = DVec3::new(random.uniform(), random.uniform(), if flat { 0.0 } else { random.uniform() });
                let mut sphere = Sphere { center: domain.low + share * size, radius };
                // Every other sphere slightly overlaps an existing one; half of these are offset along an axis.
                if let Some(other) = all.get(step as usize / 2).filter(|_| step % 2 == 1) {
                    let anywhere = (share - 0.5) * DVec3::new(1.0, 1.0, if flat { 0.0 } else { 1.0 });
                    let away = if step % 4 == 1 { DVec3::AXES[case % 2] } else { anywhere };
                    sphere.center = domain.wrap(other.center + away.normalize() * (radius + other.radius) * (1.0 - 1e-6));
                }
                let overlap = |other: &Sphere| radius + other.radius - domain.nearest_image(other.center - sphere.center).length();
                let expected = all.iter().map(overlap).fold(0.0, f64::max);
                assert!((occupancy.overlap(&sphere) - expected).abs() < 1e-15, "{} of {expected}, {domain:?}", occupancy.overlap(&sphere));
                assert_eq!(occupancy.is_free(&sphere, 0.0), expected <= 0.0);
                assert!(!occupancy.is_free(&sphere, 0.5) || expected == 0.0);
                if expected > 0.0 {
                    found += 1
                } else {
                    none += 1
                }
                occupancy.push(sphere);
                all.push(sphere);
            }
        }
        assert!(found > 1000 && none > 1000, "{found} with an overlap, {none} without");
    }
}
