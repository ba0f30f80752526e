//! Number of levels and size of their cells: the cost model.
//!
//! Level `k` (0 is the coarsest) has `N_k` spheres, and their maximum diameter is the edge `e_k` of its cells. A sphere tests those in the
//! `3^D` cells around its own, each pair once. It also searches the cells of each finer level `l` within `ρ = R + r_l`: its own radius plus
//! the maximum radius on that level, including the skin. Cells form rows, and a search visits the part of a row that is near. `G_D(e, ρ)`
//! is the volume of a cube in `D` dimensions together with everything closer to it than `ρ`:
//!
//! ```text
//! G_1 = e + 2ρ      G_2 = e² + 4eρ + πρ²      G_3 = e³ + 6e²ρ + 3πeρ² + 4/3 πρ³   (Steiner)
//!
//! searches  Σ_k N_k (3^(D-1) + 1)/2  +  Σ_{k<l} N_k G_{D-1}(e_l, ρ) / e_l^(D-1)
//! tests     Σ_k 3^D e_k^D / V · N_k²/2  +  Σ_{k<l} N_k N_l G_D(e_l, ρ) / V
//! ```
//!
//! in a volume `V`: the mean numbers of rows and of spheres in the cells that intersect a ball at a random position. For one level this is
//! table 1 of Lu, Zhou, Feng & Gu (2008, J. Xi'an Jiaotong Univ. 42, 304-307), except that pairs are counted once and three adjacent cells
//! count as one search. For several levels, their small spheres search the coarser levels instead. The cost of a level depends only on its
//! first and last sphere in the order of sizes and on the larger spheres, not on how these are divided into levels. The optimal levels are
//! therefore found by dynamic programming.

use std::{
    f64::consts::PI,
    ops::{AddAssign, Mul},
};

use plimsoll_base::math::Domain;
use serde::{Deserialize, Serialize};

use crate::Sphere;

/// Maximum number of size classes.
const BINS: usize = 64;
/// Maximum number of levels.
pub const MAX_LEVELS: usize = 12;
/// Cost of searching a row of cells on the same level (forward) and on a finer level (down), in units of a test. By a count of operations
/// (table 2 of the paper), a test takes 1.5 times as long as a search. On current processors, a search waits for the memory of the cells,
/// while tests run back to back: a test takes 0.9 ns, a forward search 5 ns and a downward search 12 ns, because the part of the row
/// must be found first.
const FORWARD_COST: f64 = 5.0;
const DOWN_COST: f64 = 14.0;

/// Choice of the number of levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LevelChoice {
    /// The number with the minimum cost.
    Automatic,
    /// A given number, with the limits chosen by the cost model; fewer if there are fewer sizes. One level is a search with cells as wide
    /// as the largest sphere.
    Levels(usize),
}

/// Numbers of searches and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchCost {
    /// Number of cell rows searched.
    pub searches: f64,
    /// Number of pairs whose distance is tested.
    pub tests: f64,
}

/// The levels, the coarsest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelPlan {
    /// Maximum diameter on each level, meters, descending.
    pub diameters: Vec<f64>,
    /// Number of spheres on each level.
    pub counts: Vec<usize>,
    /// Cell edge minus diameter, meters.
    pub skin: f64,
}

/// Spheres of about one size.
#[derive(Clone, Copy, Debug)]
struct Bin {
    diameter: f64,
    count: f64,
}

/// Input of the cost of a class.
struct CostModel {
    bins: Vec<Bin>,
    volume: f64,
    dimension: usize,
    skin: f64,
}

impl LevelPlan {
    /// The optimal levels for `spheres` in `domain`, for pairs closer than the sum of the radii and `skin` (meters).
    pub fn new(spheres: &[Sphere], domain: &Domain, skin: f64, choice: LevelChoice) -> Self {
        let model = CostModel::new(spheres, domain, skin);
        let count = model.bins.len();
        if count == 0 {
            return Self { diameters: vec![1.0], counts: vec![0], skin };
        }
        let most = match choice {
            LevelChoice::Automatic => MAX_LEVELS.min(count),
            LevelChoice::Levels(levels) => levels.clamp(1, MAX_LEVELS.min(count)),
        };
        // best[k][b]: minimum cost of the bins before b in k + 1 classes, and the first bin of the last class.
        let mut best = vec![vec![(f64::INFINITY, 0_usize); count + 1]; most];
        for (end, least) in best[0].iter_mut().enumerate().skip(1) {
            *least = (model.class_cost(0, end), 0);
        }
        for level in 1..most {
            for end in level + 1..=count {
                let option = |begin: usize| (best[level - 1][begin].0 + model.class_cost(begin, end), begin);
                best[level][end] =
                    (level..end).map(option).fold((f64::INFINITY, 0), |least, option| if option.0 < least.0 { option } else { least });
            }
        }
        let mut level = match choice {
            LevelChoice::Levels(_) => most - 1,
            LevelChoice::Automatic => {
                (0..most).fold(0, |least, level| if best[level][count].0 < best[least][count].0 { level } else { least })
            }
        };
        let (mut begins, mut end) = (Vec::new(), count);
        loop {
            let begin = best[level][end].1;
            begins.push((begin, end));
            if level == 0 {
                break;
            }
            (level, end) = (level - 1, begin);
        }
        begins.reverse();
        let counts = begins.iter().map(|&(begin, end)| model.bins[begin..end].iter().map(|bin| bin.count as usize).sum()).collect();
        Self { diameters: begins.iter().map(|&(begin, _)| model.bins[begin].diameter).collect(), counts, skin }
    }

    /// Number of levels.
    pub fn level_count(&self) -> usize {
        self.diameters.len()
    }

    /// The level of a sphere with this diameter.
    #[inline]
    pub fn level_of(&self, diameter: f64) -> usize {
        let mut level = self.diameters.len() - 1;
        while level > 0 && self.diameters[level] < diameter {
            level -= 1;
        }
        level
    }

    /// Cost that the model predicts for `spheres` in `domain`, with cells of these edges (meters) on each level.
    pub fn expected(&self, spheres: &[Sphere], domain: &Domain, edges: &[f64]) -> SearchCost {
        let (dimension, volume) = (domain.dimension, domain.volume());
        let mut cost = SearchCost::default();
        for (&edge, &count) in edges.iter().zip(&self.counts) {
            let count = count as f64;
            cost += own_level(edge, dimension, volume, count) * count;
        }
        for sphere in spheres {
            let level = self.level_of(2.0 * sphere.radius);
            for ((&edge, &diameter), &count) in edges.iter().zip(&self.diameters).zip(&self.counts).skip(level + 1) {
                let cutoff = sphere.radius + 0.5 * diameter + self.skin;
                cost += finer_level(edge, cutoff, dimension, volume, count as f64);
            }
        }
        cost
    }
}

/// Cost of one of `count` spheres on its own level, with cells of this edge.
fn own_level(edge: f64, dimension: usize, volume: f64, count: f64) -> SearchCost {
    let around = (3.0 * edge).powi(dimension as i32) / volume;
    SearchCost { searches: 0.5 * (3.0_f64.powi(dimension as i32 - 1) + 1.0), tests: 0.5 * around * (count - 1.0) }
}

/// Cost of a sphere on a finer level with `count` spheres in cells of this edge, for the cells within `cutoff`.
fn finer_level(edge: f64, cutoff: f64, dimension: usize, volume: f64, count: f64) -> SearchCost {
    let searches = grown(edge, cutoff, dimension - 1) / edge.powi(dimension as i32 - 1);
    SearchCost { searches, tests: count * (grown(edge, cutoff, dimension) / volume).min(1.0) }
}

/// Volume (area, length) of a cube together with everything no farther from it than `cutoff` (Steiner).
fn grown(edge: f64, cutoff: f64, dimension: usize) -> f64 {
    let (e, r) = (edge, cutoff);
    match dimension {
        1 => e + 2.0 * r,
        2 => e * e + 4.0 * e * r + PI * r * r,
        _ => e * e * e + 6.0 * e * e * r + 3.0 * PI * e * r * r + 4.0 / 3.0 * PI * r * r * r,
    }
}

impl CostModel {
    fn new(spheres: &[Sphere], domain: &Domain, skin: f64) -> Self {
        let mut diameters: Vec<f64> = spheres.iter().map(|sphere| 2.0 * sphere.radius).collect();
        diameters.sort_unstable_by(|a, b| b.total_cmp(a));
        let distinct = diameters.chunk_by(|a, b| a == b).count();
        let ratio = match (diameters.first(), diameters.last()) {
            (Some(largest), Some(smallest)) if distinct > BINS => (largest / smallest).powf(1.0 / BINS as f64),
            _ => 1.0,
        };
        let mut bins: Vec<Bin> = Vec::new();
        for &diameter in &diameters {
            match bins.last_mut() {
                Some(bin) if bin.diameter <= diameter * ratio => bin.count += 1.0,
                _ => bins.push(Bin { diameter, count: 1.0 }),
            }
        }
        // Grains settle: a sparse packing now will be dense later.
        let solid: f64 = match domain.dimension {
            2 => diameters.iter().map(|diameter| diameter * diameter).sum(),
            _ => diameters.iter().map(|diameter| diameter.powi(3)).sum(),
        };
        Self { bins, volume: solid.min(domain.volume()), dimension: domain.dimension, skin }
    }

    /// Cost of a level with the bins `begin .. end`: pairs within it, and searches on it from coarser levels.
    fn class_cost(&self, begin: usize, end: usize) -> f64 {
        let count: f64 = self.bins[begin..end].iter().map(|bin| bin.count).sum();
        let edge = self.bins[begin].diameter + self.skin;
        let own = own_level(edge, self.dimension, self.volume, count) * count;
        let mut down = SearchCost::default();
        for bin in &self.bins[..begin] {
            let cutoff = 0.5 * (bin.diameter + self.bins[begin].diameter) + self.skin;
            down += finer_level(edge, cutoff, self.dimension, self.volume, count) * bin.count;
        }
        FORWARD_COST * own.searches + DOWN_COST * down.searches + own.tests + down.tests
    }
}

impl AddAssign for SearchCost {
    fn add_assign(&mut self, other: Self) {
        self.searches += other.searches;
        self.tests += other.tests;
    }
}

impl Mul<f64> for SearchCost {
    type Output = Self;

    fn mul(self, times: f64) -> Self {
        Self { searches: times * self.searches, tests: times * self.tests }
    }
}
