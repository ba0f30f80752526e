//! The part of the equations that does not depend on contacts: inertia, elasticity, weight, loads, fixed points, bolts.
//!
//! With constant acceleration over the step `Δt`, `v_1 = 2 d / Δt − v_0` and
//!
//! ```text
//! (2 M / Δt² + A C) d = 2 M v_0 / Δt − A σ + weight + loads + springs
//! ```
//!
//! where `A` is the area, `C` and `σ` act on the three strains, and springs join points (Shi 1988). Springs and loads act at the arms that
//! the blocks are expected to have in the middle of the step. With the arms at its beginning a swinging block gains energy, in proportion
//! to the step.

use glam::DVec2;
use serde::{Deserialize, Serialize};

use crate::{
    block::{Dof6, half_moved, weights},
    settings::BlocksSettings,
    state::{BlocksState, Follower},
    system::{BlockMatrix, Pattern, Spring},
};

/// A bar between two followers of the state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bolt {
    pub ends: [u32; 2],
    /// N/m
    pub stiffness: f64,
    /// Length without tension, meters.
    pub length: f64,
}

/// A force on a follower.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Load {
    pub point: u32,
    /// N
    pub force: DVec2,
    /// Seconds.
    pub from: f64,
    pub until: f64,
}

/// Supports, bolts and loads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Supports {
    /// Followers fixed at their initial positions.
    pub fixed_points: Vec<u32>,
    pub bolts: Vec<Bolt>,
    pub loads: Vec<Load>,
}

/// Row numbers of the unknowns: for each block its row, absent if it has none.
#[derive(Clone, Debug, Default)]
pub struct Equations {
    pub rows: Vec<Option<u32>>,
    pub count: usize,
}

impl Equations {
    pub fn new(state: &BlocksState) -> Self {
        let mut count = 0;
        let mut row = |moves: bool| {
            let row = moves.then_some(count);
            count += u32::from(moves);
            row
        };
        let rows = state.blocks.iter().map(|block| row(block.moves())).collect();
        Self { rows, count: count as usize }
    }

    /// The rows of two blocks; absent if one block has none or both are the same.
    pub fn pair(&self, [one, other]: [u32; 2]) -> Option<[u32; 2]> {
        let rows = [self.rows[one as usize]?, self.rows[other as usize]?];
        (rows[0] != rows[1]).then_some(rows)
    }

    /// Assembles everything except contacts, for a step of `dt` seconds that begins at `time`.
    pub fn assemble(&self, of: &Sources, pattern: &Pattern, dt: f64, matrix: &mut BlockMatrix) {
        matrix.clear(pattern);
        let Sources { state, settings, .. } = of;
        for (block, row) in state.blocks.iter().zip(&self.rows) {
            let Some(row) = row.map(|row| row as usize) else { continue };
            let mut stiffness = block.mass_matrix();
            let right = &mut matrix.right[row];
            for (line, sum) in stiffness.iter_mut().zip(right.iter_mut()) {
                let momentum: f64 = line.iter().zip(&block.velocity).map(|(mass, rate)| mass * rate).sum();
                *sum += 2.0 / dt * settings.step.velocity_kept * momentum;
                line.iter_mut().for_each(|mass| *mass *= 2.0 / (dt * dt));
            }
            let area = block.moments.area;
            let [direct, cross, shear] = settings.materials[block.material as usize].stiffness(settings.plane).map(|c| area * c);
            let strains = [[direct, cross, 0.0], [cross, direct, 0.0], [0.0, 0.0, shear]];
            for (line, added) in stiffness[3..].iter_mut().zip(&strains) {
                line[3..].iter_mut().zip(added).for_each(|(sum, c)| *sum += c);
            }
            right[3..].iter_mut().zip(&block.stress).for_each(|(sum, stress)| *sum -= area * stress);
            right[0] += block.mass * settings.gravity.x;
            right[1] += block.mass * settings.gravity.y;
            matrix.add_to_diagonal(row, &stiffness);
        }
        self.add_supports(of, pattern, matrix);
    }

    fn add_supports(&self, of: &Sources, pattern: &Pattern, matrix: &mut BlockMatrix) {
        let Sources { state, settings, supports, time, expected } = of;
        // A follower, its arm in the middle of the step, and the row of its block.
        let follower = |point: u32| {
            let follower = state.points[point as usize];
            let block = follower.block as usize;
            (follower, state.blocks[block].mid_arm(follower.position, &expected[block]), self.rows[block])
        };
        for &point in &supports.fixed_points {
            let (follower, arm, row) = follower(point);
            for axis in [DVec2::X, DVec2::Y] {
                let weights = [weights(arm, axis), [0.0; 6]];
                let stretch = (follower.position - follower.start).dot(axis);
                matrix.add_spring(pattern.link([row, None]), &weights, Spring::stretched(settings.step.normal_stiffness, stretch));
            }
        }
        for bolt in &supports.bolts {
            let [(from, from_arm, first), (to, to_arm, second)] = bolt.ends.map(follower);
            if [from, to].iter().any(|end| state.blocks[end.block as usize].gone) {
                continue;
            }
            let length = from.position.distance(to.position);
            let middle = |end: Follower, arm: DVec2| {
                state.blocks[end.block as usize].moments.centroid + half_moved(&expected[end.block as usize]) + arm
            };
            let along = (middle(to, to_arm) - middle(from, from_arm)).normalize();
            let weights: [Dof6; 2] = [weights(from_arm, -along), weights(to_arm, along)];
            if first.is_some() && first == second {
                continue;
            }
            let spring = Spring::stretched(bolt.stiffness, length - bolt.length);
            let link = pattern.link([first, second]);
            matrix.add_spring(link, &weights, spring);
            matrix.count_springs(link, true);
        }
        for load in supports.loads.iter().filter(|load| load.from <= *time && *time < load.until) {
            let (_, arm, row) = follower(load.point);
            if let Some(row) = row {
                matrix.add_to_right(row as usize, 1.0, &weights(arm, load.force));
            }
        }
    }
}

/// Inputs of the equations.
#[derive(Clone, Copy, Debug)]
pub struct Sources<'a> {
    pub state: &'a BlocksState,
    pub settings: &'a BlocksSettings,
    pub supports: &'a Supports,
    /// Time at the beginning of the step, seconds.
    pub time: f64,
    /// Expected motion of each block in the step.
    pub expected: &'a [Dof6],
}
