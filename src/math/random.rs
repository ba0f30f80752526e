//! Random numbers that are the same on every machine: SplitMix64 (Steele, Lea & Flood 2014).

use std::f64::consts::TAU;

use glam::DVec3;

#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// From 0 to 1, 1 excluded.
    pub fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    /// Normal, of mean 0 and variance 1 (Box & Muller 1958).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.uniform()).ln()).sqrt() * (TAU * self.uniform()).cos()
    }

    /// In all directions alike, of length 1, in the first `dimensions` coordinates.
    pub fn direction(&mut self, dimensions: usize) -> DVec3 {
        loop {
            let vector = self.normals(dimensions);
            if vector.length_squared() > 1e-12 {
                return vector.normalize();
            }
        }
    }

    /// Normal in the first `dimensions` coordinates, zero in the others.
    pub fn normals(&mut self, dimensions: usize) -> DVec3 {
        let mut vector = DVec3::ZERO;
        (0..dimensions).for_each(|axis| vector[axis] = self.normal());
        vector
    }

    /// Brings `values` into a random order (Fisher & Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::new(3);
        let count = 200_000;
        let mean = |power: i32, values: &[f64]| values.iter().map(|value| value.powi(power)).sum::<f64>() / f64::from(count);
        let uniform: Vec<f64> = (0..count).map(|_| random.uniform()).collect();
        assert!((mean(1, &uniform) - 0.5).abs() < 3e-3 && (mean(2, &uniform) - 1.0 / 3.0).abs() < 3e-3);
        let normal: Vec<f64> = (0..count).map(|_| random.normal()).collect();
        assert!(mean(1, &normal).abs() < 0.01 && (mean(2, &normal) - 1.0).abs() < 0.02 && (mean(4, &normal) - 3.0).abs() < 0.1);
        let mut order: Vec<usize> = (0..100).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
