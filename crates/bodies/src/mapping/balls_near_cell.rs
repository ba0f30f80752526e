//! Slab-cut balls relative to a point nearby, tested eight at a time in single precision.

use glam::{DVec3, Vec3A};
use plimsoll_base::math::lanes::{LANES, Lanes, consecutive};
use plimsoll_search::reuse;
use plimsoll_shape::SlabCutBall;

/// The balls are widened by this share of the distances involved. It is ten times the error of single precision, so that no point in a ball
/// is missed.
const ROUNDING: f64 = 4e-6;

/// The balls mapped to a cell.
#[derive(Clone, Debug, Default)]
pub(super) struct BallsNearCell {
    blocks: Vec<Block>,
    count: usize,
}

/// Eight balls, in columns; lengths in m.
#[derive(Clone, Debug, Default)]
#[repr(align(32))]
struct Block {
    center: [[f32; LANES]; 3],
    normal: [[f32; LANES]; 3],
    lower: [f32; LANES],
    upper: [f32; LANES],
    /// Negative if there is no ball.
    squared_radius: [f32; LANES],
}

impl BallsNearCell {
    /// Removes all balls.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Appends `ball`, whose center is `offset` (m) away from the origin of the points to be tested. These are within `size` (m) of the
    /// origin. `inflation` in m.
    pub fn push(&mut self, ball: &SlabCutBall, offset: DVec3, inflation: f64, size: f64) {
        let (index, lane) = (self.count / LANES, self.count % LANES);
        self.count += 1;
        let block = &mut reuse(&mut self.blocks, index + 1)[index];
        if lane == 0 {
            block.squared_radius = [-1.0; LANES];
        }
        let inflation = inflation + ROUNDING * (ball.radius + inflation + size);
        for axis in 0..3 {
            block.center[axis][lane] = offset[axis] as f32;
            block.normal[axis][lane] = ball.normal[axis] as f32;
        }
        block.lower[lane] = (ball.lower - inflation) as f32;
        block.upper[lane] = (ball.upper + inflation) as f32;
        block.squared_radius[lane] = (ball.radius + inflation).powi(2) as f32;
    }

    /// Writes the indices of the balls that contain `point` into `found`, in order; returns their number.
    #[inline(always)]
    pub fn containing<L: Lanes>(&self, point: Vec3A, found: &mut Vec<u32>) -> usize {
        let blocks = &self.blocks[..self.count.div_ceil(LANES)];
        if found.len() < LANES * blocks.len() {
            found.resize(LANES * blocks.len(), 0);
        }
        let (x, y, z, zero) = (L::splat(point.x), L::splat(point.y), L::splat(point.z), L::splat(0.0));
        let mut count = 0;
        for (index, block) in blocks.iter().enumerate() {
            let [cx, cy, cz] = &block.center;
            let [nx, ny, nz] = &block.normal;
            let (x, y, z) = (x - L::load(cx), y - L::load(cy), z - L::load(cz));
            let height = x * L::load(nx) + y * L::load(ny) + z * L::load(nz);
            let outside_ball = x * x + y * y + z * z - L::load(&block.squared_radius);
            let outside_slab = (height - L::load(&block.upper)).max(L::load(&block.lower) - height);
            let inside = outside_ball.max(outside_slab).bits_less(zero);
            count = L::append(&consecutive((LANES * index) as u32), inside, found, count);
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use plimsoll_base::math::{
        Random,
        lanes::{LaneWork, compute},
    };

    use super::*;

    struct Containing<'a> {
        balls: &'a BallsNearCell,
        point: Vec3A,
    }

    impl LaneWork for Containing<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<L: Lanes>(self) -> Vec<u32> {
            let mut found = Vec::new();
            let count = self.balls.containing::<L>(self.point, &mut found);
            found[..count].to_vec()
        }
    }

    #[test]
    fn lanes_find_the_balls_that_contain_a_point() {
        let mut random = Random::new(5);
        let (inflation, size, mut inside) = (0.1, 0.3, 0);
        let mut near = BallsNearCell::default();
        for count in (0..40).cycle().take(400) {
            let balls: Vec<SlabCutBall> = (0..count)
                .map(|_| {
                    let lower = random.uniform() - 0.7;
                    let normal = (random.point() - 0.5).normalize_or(DVec3::Z);
                    let (center, radius) = (random.point() - 0.5, 0.4 * random.uniform());
                    SlabCutBall { center, radius, normal, lower, upper: lower + 0.5 * random.uniform() }
                })
                .collect();
            near.clear();
            balls.iter().for_each(|ball| near.push(ball, ball.center, inflation, size));
            let point = (0.3 * (random.point() - 0.5)).as_vec3a();
            let found = compute(Containing { balls: &near, point });
            inside += found.len();
            assert!(found.is_sorted_by(|a, b| a < b));
            for (index, ball) in balls.iter().enumerate() {
                let is_found = found.contains(&(index as u32));
                assert!(is_found || !ball.contains(point.as_dvec3(), inflation), "{ball:?} is missed");
                assert!(!is_found || ball.contains(point.as_dvec3(), inflation + 1e-5), "{ball:?} is found");
            }
        }
        assert!(inside > 500, "{inside}");
    }
}
