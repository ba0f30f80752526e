//! Transfer between particles and the nodes of the finest grid, in lanes.
//!
//! Particles are sorted, so those of a cell come in runs. Within a run, what a particle has at the eight corners is found from eight moments:
//! sums of its values times the products of its coordinates in the cell.

use glam::Vec3A;
use plimsoll_base::math::lanes::{LANES, LaneWork, Lanes, Places};

use super::axes::Axes;

/// Consecutive particles in one cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    /// Offsets in the batch.
    start: u32,
    end: u32,
    /// Key and index of the cell.
    pub key: u64,
    pub cell: u32,
    /// The lowest corner of the cell, in widths of cells.
    low: Vec3A,
}

impl Run {
    /// Whether one of the particles has an unknown, by the values of the batch, which are zero where there is none.
    pub fn has_unknown(&self, inverse_diagonal: &[f32]) -> bool {
        inverse_diagonal[self.start as usize..self.end as usize].iter().any(|&value| value > 0.0)
    }
}

/// Lists the runs of a batch of particles at `positions` (m) into `runs`.
pub fn find_runs(axes: &Axes, positions: &[Vec3A], runs: &mut Vec<Run>) {
    runs.clear();
    let mut last = Vec3A::NAN;
    for (offset, &position) in positions.iter().enumerate() {
        let low = (position * axes.inverse_widths()).floor();
        if low != last {
            let start = offset as u32;
            runs.push(Run { start, end: start, key: axes.key(low.as_ivec3()), cell: 0, low });
            last = low;
        }
        runs.last_mut().expect("a run").end += 1;
    }
}

/// Ones in the first lanes, by their number.
const FIRST: [[f32; LANES]; LANES + 1] = {
    let mut first = [[0.0; LANES]; LANES + 1];
    let mut count = 0;
    while count <= LANES {
        let mut lane = 0;
        while lane < count {
            first[count][lane] = 1.0;
            lane += 1;
        }
        count += 1;
    }
    first
};

/// Coordinates in their cell of the eight particles from `at` on, from 0 to 1 for those of the run.
#[inline(always)]
fn coordinates<L: Lanes>(run: &Run, inverse_widths: Vec3A, positions: &[Vec3A], at: usize) -> [L; 3] {
    let last = positions.len() as u32 - 1;
    let mut places = Places::default();
    let mut lane = 0;
    while lane < LANES {
        places.0[lane] = (at as u32 + lane as u32).min(last);
        lane += 1;
    }
    let [x, y, z] = L::gather_vectors(positions, &places);
    [
        x * L::splat(inverse_widths.x) - L::splat(run.low.x),
        y * L::splat(inverse_widths.y) - L::splat(run.low.y),
        z * L::splat(inverse_widths.z) - L::splat(run.low.z),
    ]
}

/// Sums the values of the particles of a batch at the corners of their cells, run by run.
pub struct Collect<'a> {
    pub axes: &'a Axes,
    pub runs: &'a [Run],
    /// m
    pub positions: &'a [Vec3A],
    pub values: &'a [f32],
    pub sums: &'a mut [[f32; 8]],
}

impl LaneWork for Collect<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let inverse_widths = self.axes.inverse_widths();
        let zero = L::splat(0.0);
        for (run, sums) in self.runs.iter().zip(self.sums) {
            let (mut one, mut mx, mut my, mut mz) = (zero, zero, zero, zero);
            let (mut mxy, mut mxz, mut myz, mut mxyz) = (zero, zero, zero, zero);
            for at in (run.start as usize..run.end as usize).step_by(LANES) {
                let inside = L::load(&FIRST[(run.end as usize - at).min(LANES)]);
                let value = L::load_at(self.values, at) * inside;
                let [x, y, z] = coordinates::<L>(run, inverse_widths, self.positions, at);
                let (vx, vy, vz) = (value * x, value * y, value * z);
                let vxy = vx * y;
                (one, mx, my, mz) = (one + value, mx + vx, my + vy, mz + vz);
                (mxy, mxz, myz, mxyz) = (mxy + vxy, mxz + vx * z, myz + vy * z, mxyz + vxy * z);
            }
            let ([one, x, y], [z, xy, xz]) = (L::sums([one, mx, my]).to_array(), L::sums([mz, mxy, mxz]).to_array());
            let [yz, xyz, _] = L::sums([myz, mxyz, zero]).to_array();
            *sums = [
                one - x - y - z + xy + xz + yz - xyz,
                x - xy - xz + xyz,
                y - xy - yz + xyz,
                xy - xyz,
                z - xz - yz + xyz,
                xz - xyz,
                yz - xyz,
                xyz,
            ];
        }
    }
}

/// Interpolates to the particles of a batch from the corners of their cells.
pub struct Spread<'a> {
    pub axes: &'a Axes,
    pub runs: &'a [Run],
    /// m
    pub positions: &'a [Vec3A],
    /// The nodes at the corners of each cell, and the solution at each node.
    pub corners: &'a [[u32; 8]],
    pub solution: &'a [f32],
    pub values: &'a mut [f32],
}

impl LaneWork for Spread<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let inverse_widths = self.axes.inverse_widths();
        for run in self.runs {
            let [a, b, c, d, e, f, g, h] = self.corners[run.cell as usize];
            let (a, b, c, d) = (self.solution[a as usize], self.solution[b as usize], self.solution[c as usize], self.solution[d as usize]);
            let (e, f, g, h) = (self.solution[e as usize], self.solution[f as usize], self.solution[g as usize], self.solution[h as usize]);
            let (one, cx, cy, cz) = (L::splat(a), L::splat(b - a), L::splat(c - a), L::splat(e - a));
            let (cxy, cxz, cyz) = (L::splat(d - c - b + a), L::splat(f - e - b + a), L::splat(g - e - c + a));
            let cxyz = L::splat(h - g - f - d + e + c + b - a);
            // What is written beyond the end of a run is overwritten by the next.
            for at in (run.start as usize..run.end as usize).step_by(LANES) {
                let [x, y, z] = coordinates::<L>(run, inverse_widths, self.positions, at);
                let value = one + x * (cx + y * (cxy + z * cxyz) + z * cxz) + y * (cy + z * cyz) + z * cz;
                value.store_at(self.values, at);
            }
        }
    }
}
