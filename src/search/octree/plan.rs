//! How many levels, and how large their cells: the cost model.
//!
//! Classes of spheres, the largest first, have `N_k` members whose largest diameter makes the edge `e_k` of their cells. A sphere looks into
//! the `s = 3^D` cells around it on its own level and on each coarser one, at those on its own level only forwards. In a volume V that takes
//!
//! ```text
//! searches  Σ_k N_k ((s + 1)/2 + s k)
//! tests     Σ_k s e_k^D / V · N_k (N_k/2 + Σ_{l>k} N_l)
//! ```
//!
//! with a weight each. That is table 1 of Lu, Zhou, Feng & Gu (2008, J. Xi'an Jiaotong Univ. 42, 304-307) for any number of classes and
//! any edges, but that pairs of one class are counted once. The second sum is by the coarser partner, so the cost of a class depends on
//! nothing but where it begins and ends in the order of sizes: the best classes are found by dynamic programming.

use serde::{Deserialize, Serialize};

use super::space::{Space, Sphere};

/// Most sizes that are told apart.
const BINS: usize = 64;
/// Most levels.
pub const MOST_LEVELS: usize = 12;
/// Cost of looking at a cell and of a test. By a count of operations (table 2 of the paper) a test takes 1.5 times as long as a search. On
/// present processors it is the search that waits, for the memory that holds the cell, while tests follow one another: measured on
/// mixtures of 1:1, 1:2:4 and 1:10, a search takes 3.2 ns and a test 0.9 ns.
const SEARCH_COST: f64 = 3.5;
const TEST_COST: f64 = 1.0;

/// How many levels there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LevelChoice {
    /// As many as cost least.
    Automatic,
    /// So many, where the cost model puts them; fewer if there are fewer sizes. One is the search with cells as wide as the largest sphere.
    Levels(usize),
}

/// Searches and tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchCost {
    /// Cells looked at.
    pub searches: f64,
    /// Pairs whose distance is tested.
    pub tests: f64,
}

/// The levels, the coarsest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LevelPlan {
    /// Largest diameter on each level, metres, decreasing.
    pub diameters: Vec<f64>,
    /// Spheres on each level.
    pub counts: Vec<usize>,
    /// Added to a diameter gives the edge of a cell, metres.
    pub skin: f64,
}

/// Spheres of about one size.
#[derive(Clone, Copy, Debug)]
struct Bin {
    diameter: f64,
    count: f64,
}

/// What the cost of a class depends on.
struct CostModel {
    bins: Vec<Bin>,
    /// Number of spheres in all bins from each on.
    from: Vec<f64>,
    volume: f64,
    dimension: i32,
    skin: f64,
}

impl LevelPlan {
    /// The best levels for `spheres` in `space`, for pairs nearer than the sum of the radii and `skin` (metres).
    pub fn new(spheres: &[Sphere], space: &Space, skin: f64, choice: LevelChoice) -> Self {
        let model = CostModel::new(spheres, space, skin);
        let count = model.bins.len();
        if count == 0 {
            return Self { diameters: vec![1.0], counts: vec![0], skin };
        }
        let most = match choice {
            LevelChoice::Automatic => MOST_LEVELS.min(count),
            LevelChoice::Levels(levels) => levels.clamp(1, MOST_LEVELS.min(count)),
        };
        // best[k][b]: least cost of the bins before b in k + 1 classes, and where the last class begins.
        let mut best = vec![vec![(f64::INFINITY, 0_usize); count + 1]; most];
        for (end, least) in best[0].iter_mut().enumerate().skip(1) {
            *least = (model.class_cost(0, end, 0), 0);
        }
        for level in 1..most {
            for end in level + 1..=count {
                let option = |begin: usize| (best[level - 1][begin].0 + model.class_cost(begin, end, level), begin);
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

    pub fn level_count(&self) -> usize {
        self.diameters.len()
    }

    /// The level on which a sphere of this diameter lives.
    #[inline]
    pub fn level_of(&self, diameter: f64) -> usize {
        let mut level = self.diameters.len() - 1;
        while level > 0 && self.diameters[level] < diameter {
            level -= 1;
        }
        level
    }

    /// What the model expects, with cells of volume `cell_volumes` (m³, or m² in two dimensions) on each level.
    pub fn expected(&self, space: &Space, cell_volumes: &[f64]) -> SearchCost {
        let stencil = 3.0_f64.powi(space.dimension as i32);
        let mut cost = SearchCost::default();
        let mut finer: f64 = self.counts.iter().map(|&count| count as f64).sum();
        for (level, &count) in self.counts.iter().enumerate() {
            let count = count as f64;
            finer -= count;
            cost.searches += count * (0.5 * (stencil + 1.0) + stencil * level as f64);
            cost.tests += stencil * cell_volumes[level] / space.volume() * count * (0.5 * (count - 1.0) + finer);
        }
        cost
    }
}

impl CostModel {
    fn new(spheres: &[Sphere], space: &Space, skin: f64) -> Self {
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
        let mut from = vec![0.0; bins.len() + 1];
        for (index, bin) in bins.iter().enumerate().rev() {
            from[index] = from[index + 1] + bin.count;
        }
        // Grains settle: where there is much room now they will be packed.
        let solid: f64 = match space.dimension {
            2 => diameters.iter().map(|diameter| diameter * diameter).sum(),
            _ => diameters.iter().map(|diameter| diameter.powi(3)).sum(),
        };
        Self { bins, from, volume: solid.min(space.volume()), dimension: space.dimension as i32, skin }
    }

    /// Cost of a class of the bins `begin .. end` on a level of this number.
    fn class_cost(&self, begin: usize, end: usize, level: usize) -> f64 {
        let count = self.from[begin] - self.from[end];
        let stencil = 3.0_f64.powi(self.dimension);
        let share = ((self.bins[begin].diameter + self.skin).powi(self.dimension) / self.volume).min(1.0);
        let searches = count * (0.5 * (stencil + 1.0) + stencil * level as f64);
        SEARCH_COST * searches + TEST_COST * stencil * share * count * (0.5 * count + self.from[end])
    }
}
