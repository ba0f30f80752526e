//! An independent twin: voxels that water reaches from outside, counted.

use glam::{DQuat, DVec3, EulerRot};
use plimsoll_base::math::Pose;
use plimsoll_shape::{TriangleMesh, hydrostatics::Hold};

use super::bodies::{cuboid, hull, oriented, random_numbers, sample, together, vessel};

/// A lattice around a body with a margin of one cell, in world axes.
struct Lattice {
    low: DVec3,
    cell: f64,
    count: [usize; 3],
    solid: Vec<bool>,
}

impl Lattice {
    /// A cell is solid if the vertical line from its center up crosses the surface an odd number of times.
    fn of(mesh: &TriangleMesh, cell: f64) -> Self {
        let aabb = mesh.aabb();
        // An offset that has nothing to do with the mesh, so that no vertical line meets an edge.
        let low = aabb.min - cell * DVec3::new(1.312_713, 1.237_511, 1.271_319);
        let count = ((aabb.max - low) / cell).ceil().to_array().map(|cells| cells as usize + 2);
        let mut lattice = Self { low, cell, count, solid: vec![false; count.iter().product()] };
        for index in 0..mesh.triangles.len() {
            lattice.toggle_below(mesh.corners(index));
        }
        lattice
    }

    fn place(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.count[2] + k) * self.count[1] + j
    }

    fn center(&self, [i, j, k]: [usize; 3]) -> DVec3 {
        self.low + self.cell * DVec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5)
    }

    /// Toggles all cells whose centers are below a triangle.
    fn toggle_below(&mut self, [a, b, c]: [DVec3; 3]) {
        let area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
        let cells = |x: f64, low: f64| ((x - low) / self.cell).floor().max(0.0) as usize;
        let (least, most) = (a.min(b).min(c), a.max(b).max(c));
        for i in cells(least.x, self.low.x)..=cells(most.x, self.low.x) {
            for k in cells(least.z, self.low.z)..=cells(most.z, self.low.z) {
                let point = self.center([i, 0, k]);
                let u = ((point.x - a.x) * (c.z - a.z) - (c.x - a.x) * (point.z - a.z)) / area;
                let v = ((b.x - a.x) * (point.z - a.z) - (point.x - a.x) * (b.z - a.z)) / area;
                if u < 0.0 || v < 0.0 || u + v > 1.0 || area == 0.0 {
                    continue;
                }
                let height = a.y + u * (b.y - a.y) + v * (c.y - a.y);
                for j in 0..self.count[1] {
                    if self.center([i, j, k]).y < height {
                        let place = self.place([i, j, k]);
                        self.solid[place] = !self.solid[place];
                    }
                }
            }
        }
    }

    /// Volume and center of the cells below `level` that water does not reach from the outside; without a dry hold, of those in the body.
    fn displaced(&self, level: f64, hold: Hold) -> (f64, DVec3) {
        let layers = (0..self.count[1]).take_while(|&j| self.center([0, j, 0]).y < level).count();
        let mut water = vec![false; self.solid.len()];
        let mut front = vec![[0, 0, 0]];
        water[0] = true;
        while let Some(cell) = front.pop() {
            for axis in 0..3 {
                for forward in [false, true] {
                    let mut next: [usize; 3] = cell;
                    next[axis] = next[axis].wrapping_add_signed(if forward { 1 } else { -1 });
                    let inside = next[0] < self.count[0] && next[1] < layers && next[2] < self.count[2];
                    if inside && !self.solid[self.place(next)] && !std::mem::replace(&mut water[self.place(next)], true) {
                        front.push(next);
                    }
                }
            }
        }
        let (mut cells, mut sum) = (0.0, DVec3::ZERO);
        for i in 0..self.count[0] {
            for j in 0..layers {
                for k in 0..self.count[2] {
                    let place = self.place([i, j, k]);
                    if self.solid[place] || hold == Hold::Dry && !water[place] {
                        cells += 1.0;
                        sum += self.center([i, j, k]);
                    }
                }
            }
        }
        (cells * self.cell.powi(3), sum / cells)
    }
}

#[test]
fn the_boat_displaces_the_voxels_that_water_does_not_reach() {
    let mesh = sample("boat");
    let body = hull(&mesh);
    let cell = 0.004;
    let mut compared = 0;
    for (heel, trim) in [(0.0, 0.0), (0.2, 0.0), (0.1, -0.15), (0.6, 0.1), (1.4, 0.0), (2.6, 0.3), (3.1, 0.0)] {
        let pose = Pose::new(DQuat::from_euler(EulerRot::XZY, heel, trim, 0.4), DVec3::new(0.1, 0.2, -0.3));
        let vertices = mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex)).collect();
        let world = TriangleMesh { vertices, triangles: mesh.triangles.clone() };
        let lattice = Lattice::of(&world, cell);
        let (low, high) = (world.aabb().min.y, world.aabb().max.y);
        for part in [0.2, 0.4, 0.55, 0.7, 0.9] {
            // Between two layers of centers.
            let layer = ((low + part * (high - low) - lattice.low.y) / cell).round();
            let level = lattice.low.y + layer * cell;
            for hold in [Hold::Dry, Hold::Flooded] {
                let exact = body.at_pose(&pose, level, hold);
                let (volume, center) = lattice.displaced(level, hold);
                let center = pose.inverse_transform_point(center);
                let rounding = 0.15 * cell * exact.wetted_area + 1e-5;
                assert!(
                    (volume - exact.volume).abs() < rounding,
                    "heel {heel}, trim {trim}, level {part}, {hold:?}: {volume} m³ of voxels, {} m³, flooded {}",
                    exact.volume,
                    exact.flooded
                );
                assert!(center.distance(exact.center_of_buoyancy) < 0.5 * cell, "{center} {}", exact.center_of_buoyancy);
                compared += usize::from(exact.dry_volume > 0.5 * exact.volume);
            }
        }
    }
    assert!(compared >= 5, "only {compared} positions with a dry hold");
}

/// Bodies with hollows in any attitude: a tank, a sealed drum, a ring, and a tub with a bench in its walls and a box on its floor.
#[test]
fn hollows_in_any_attitude_are_as_dry_as_their_voxels() {
    let tub = vessel(DVec3::new(-1.0, 0.0, -0.5), DVec3::new(1.0, 0.8, 0.5), 0.1);
    let bench = cuboid(DVec3::new(0.1, 0.5, -0.45), DVec3::new(0.4, 0.57, 0.45));
    let load = cuboid(DVec3::new(-0.6, 0.2, -0.2), DVec3::new(-0.3, 0.4, 0.2));
    let loaded = oriented(together(&[tub, bench, load]));
    let mut random = random_numbers(17);
    let (mut dry, mut compared) = (0, 0);
    for (name, mesh, cell) in
        [("tank", sample("tank"), 0.02), ("drum", sample("drum"), 0.006), ("torus", sample("torus"), 0.01), ("tub", loaded, 0.02)]
    {
        let body = hull(&mesh);
        for _ in 0..6 {
            let rotation = DQuat::from_euler(EulerRot::YXZ, 6.3 * random(), 1.6 * (random() - 0.5), 1.6 * (random() - 0.5));
            let pose = Pose::new(rotation, DVec3::new(0.1, 0.2, -0.3));
            let vertices = mesh.vertices.iter().map(|&vertex| pose.transform_point(vertex)).collect();
            let world = TriangleMesh { vertices, triangles: mesh.triangles.clone() };
            let lattice = Lattice::of(&world, cell);
            let (low, high) = (world.aabb().min.y, world.aabb().max.y);
            for _ in 0..5 {
                let layer = ((low + random() * (high - low) - lattice.low.y) / cell).round();
                let level = lattice.low.y + layer * cell;
                let exact = body.at_pose(&pose, level, Hold::Dry);
                let (volume, _) = lattice.displaced(level, Hold::Dry);
                // Overlapping components displace twice: the bench in the walls, at most 0.0021 m³.
                let overlap = if name == "tub" { 0.0022 } else { 0.0 };
                let rounding = 0.15 * cell * exact.wetted_area + overlap + 1e-5;
                assert!((volume - exact.volume).abs() < rounding, "{name} {rotation:?}, level {level}: {volume} m³ of voxels, {exact:?}");
                dry += usize::from(exact.dry_volume > 0.1 * exact.volume);
                compared += 1;
            }
        }
    }
    println!("{dry} of {compared} positions with a dry hold");
    assert!(dry >= 15, "only {dry} positions with a dry hold");
}
