//! Estimate of the overlaps of a scene from speeds, weight and stiffness, before it runs.

use std::f64::consts::PI;

use super::law::Law;
use super::settings::{GrainsSettings, Sizes};

/// Packing fraction of a bed, for spheres and for discs in a plane.
const PACKED: [f64; 2] = [0.6, 0.8];

/// Expected overlaps in radii.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpectedOverlap {
    /// At an impact on a wall after a fall through the whole box.
    pub impact: f64,
    /// Of the lowest grain of a bed of all grains.
    pub weight: f64,
}

/// Grains of one size of one material.
struct Class {
    material: u16,
    radius: f64,
    count: f64,
    speed: f64,
}

impl GrainsSettings {
    /// Estimates the maximum overlaps.
    pub fn expected_overlap(&self) -> ExpectedOverlap {
        let law = Law::new(self.law, &self.materials);
        let gravity = self.gravity.length();
        let height = if gravity > 0.0 { self.domain.size.dot(self.gravity.abs()) / gravity } else { 0.0 };
        let bed = self.bed_height(height);
        let mut expected = ExpectedOverlap::default();
        for Class { material, radius, speed, .. } in self.classes() {
            let mass = 4.0 / 3.0 * PI * radius.powi(3) * self.materials[usize::from(material)].density;
            let squared_speed = speed * speed + 2.0 * gravity * height;
            let impact = law.overlap_of_impact([material, self.wall_material], radius, mass * squared_speed) / radius;
            // A column of grains of this size.
            let load = mass * gravity * bed / (2.0 * radius);
            let weight = law.overlap_of_load([material, material], 0.5 * radius, load) / radius;
            expected = ExpectedOverlap { impact: expected.impact.max(impact), weight: expected.weight.max(weight) };
        }
        expected
    }

    /// The grains by size.
    fn classes(&self) -> Vec<Class> {
        let groups = self.groups.iter().filter(|group| group.count > 0).map(|group| {
            let (smallest, largest) = group.sizes.range();
            let radius = if let Sizes::LogNormal { median, .. } = group.sizes { median } else { 0.5 * (smallest + largest) };
            Class { material: group.material, radius, count: group.count as f64, speed: group.velocity.length() }
        });
        let placed = self.placed.iter().map(|grain| Class {
            material: grain.material,
            radius: grain.radius,
            count: 1.0,
            speed: grain.velocity.length(),
        });
        groups.chain(placed).collect()
    }

    /// Height of a bed of all grains in a box of this height, m.
    fn bed_height(&self, height: f64) -> f64 {
        let plane = self.domain.dimension == 2;
        let size = |radius: f64| if plane { PI * radius * radius } else { 4.0 / 3.0 * PI * radius.powi(3) };
        let grains: f64 = self.classes().iter().map(|class| class.count * size(class.radius)).sum();
        let space: f64 = (0..self.domain.dimension).map(|axis| self.domain.size[axis]).product();
        (grains / (PACKED[usize::from(plane)] * space)).min(1.0) * height
    }
}
