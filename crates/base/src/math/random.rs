//! Random numbers that are the same on every machine: ChaCha with eight rounds (Bernstein 2008), and distributions.

use glam::DVec3;
use rand::seq::SliceRandom;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use rand_distr::{Distribution, StandardNormal, StandardUniform};
use serde::{Deserialize, Serialize};

/// A random number generator. After deserialization it continues where it stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The generator for `seed`.
    #[inline]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// One of several independent generators with the same seed; `new` returns stream 0.
    #[inline]
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut random = Self::new(seed);
        random.0.set_stream(stream);
        random
    }

    /// Uniform from 0 to 1, excluding 1.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        StandardUniform.sample(&mut self.0)
    }

    /// Uniform from `low` to `high`.
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in the unit cube.
    #[inline]
    pub fn point(&mut self) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|_| self.uniform()))
    }

    /// Normal with mean 0 and variance 1.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// Normal in the first `dimensions` coordinates, zero in the others.
    #[inline]
    pub fn normals(&mut self, dimensions: usize) -> DVec3 {
        DVec3::from_array(std::array::from_fn(|axis| if axis < dimensions { self.normal() } else { 0.0 }))
    }

    /// Random unit vector, uniform over all directions, in the first `dimensions` coordinates.
    #[inline]
    pub fn direction(&mut self, dimensions: usize) -> DVec3 {
        loop {
            let vector = self.normals(dimensions);
            if vector.length_squared() > 1e-12 {
                return vector.normalize();
            }
        }
    }

    /// Shuffles `values`.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        values.shuffle(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut random = Random::stream(3, 1);
        let count = 200_000;
        let (mut normal, mut even) = ([DVec3::ZERO; 3], [DVec3::ZERO; 2]);
        for _ in 0..count {
            let (deviate, point) = (random.normals(3), random.point());
            normal[0] += deviate;
            normal[1] += deviate.powf(2.0);
            normal[2] += deviate.powf(4.0);
            even[0] += point;
            even[1] += point.powf(2.0);
        }
        let near = |sum: DVec3, expected: f64, error: f64| (sum / f64::from(count)).abs_diff_eq(DVec3::splat(expected), error);
        assert!(near(normal[0], 0.0, 0.01) && near(normal[1], 1.0, 0.02) && near(normal[2], 3.0, 0.1), "{normal:?}");
        assert!(near(even[0], 0.5, 3e-3) && near(even[1], 1.0 / 3.0, 3e-3), "{even:?}");
    }

    #[test]
    fn streams_differ_and_go_on_after_a_checkpoint() {
        let draw = |random: &mut Random| (0..5).map(|_| random.uniform()).collect::<Vec<_>>();
        let mut random = Random::new(7);
        assert_ne!(draw(&mut Random::stream(7, 1)), draw(&mut random));
        let saved = postcard::to_allocvec(&random).expect("it can be written");
        let mut read: Random = postcard::from_bytes(&saved).expect("it can be read");
        assert_eq!(draw(&mut read), draw(&mut random));
        let mut order: Vec<usize> = (0..100).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..100).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..100).collect::<Vec<_>>());
    }
}
