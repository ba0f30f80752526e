//! A symmetric matrix of 6 × 6 blocks. Stores the diagonal and the lower half.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::block::Dof6;

/// Numbers in one block.
pub const SIZE: usize = 36;

/// The blocks of the matrix that may be nonzero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Rows of the matrix, in blocks.
    pub rows: usize,
    /// Pairs of a column and a lower row, ascending, without duplicates.
    pub pairs: Vec<[u32; 2]>,
    /// The pairs of column `c` are from `starts[c]` up to `starts[c + 1]`.
    starts: Vec<u32>,
}

impl Pattern {
    /// Creates a pattern from `pairs`, in any order; the two rows of a pair may be in either order.
    pub fn new(rows: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut pairs: Vec<[u32; 2]> = pairs.map(|[one, other]| [one.min(other), one.max(other)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=rows as u32).map(|column| pairs.partition_point(|pair| pair[0] < column) as u32).collect();
        Self { rows, pairs, starts }
    }

    /// Index of a pair in the list.
    pub fn place(&self, one: u32, other: u32) -> Option<usize> {
        let (column, row) = (one.min(other), one.max(other));
        let range = self.starts[column as usize] as usize..self.starts[column as usize + 1] as usize;
        self.pairs[range.clone()].binary_search_by_key(&row, |pair| pair[1]).ok().map(|place| range.start + place)
    }

    /// The matrix position of a spring between two rows.
    pub fn link(&self, rows: [Option<u32>; 2]) -> Link {
        let place = match rows {
            [Some(one), Some(other)] => Some(self.place(one, other).expect("the pattern has every pair that springs join") as u32),
            _ => None,
        };
        Link { rows, place }
    }

    /// Indices of the pairs of a column.
    pub fn below(&self, column: usize) -> Range<usize> {
        self.starts[column] as usize..self.starts[column + 1] as usize
    }

    /// Column starts and rows of the lower half in compressed column format, per number.
    pub fn compressed_columns(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut starts, mut rows) = (vec![0], Vec::new());
        for column in 0..self.rows {
            let below = &self.pairs[self.starts[column] as usize..self.starts[column + 1] as usize];
            for inner in 0..6 {
                rows.extend(6 * column + inner..6 * column + 6);
                rows.extend(below.iter().flat_map(|pair| 6 * pair[1] as usize..6 * pair[1] as usize + 6));
                starts.push(rows.len());
            }
        }
        (starts, rows)
    }
}

/// The rows that a spring acts on, and the index of their pair. A row is absent if that end has no unknowns.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    rows: [Option<u32>; 2],
    place: Option<u32>,
}

/// Contribution of a spring to the equations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spring {
    /// N/m
    pub stiffness: f64,
    /// Force at zero displacement, N.
    pub load: f64,
}

impl Spring {
    /// A spring stretched by `length` (m) at the beginning of the step.
    pub fn stretched(stiffness: f64, length: f64) -> Self {
        Self { stiffness, load: -stiffness * length }
    }
}

impl std::ops::Sub for Spring {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { stiffness: self.stiffness - other.stiffness, load: self.load - other.load }
    }
}

/// Matrix and right-hand side.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    /// Row by row.
    pub diagonal: Vec<[f64; SIZE]>,
    /// Blocks in the lower rows, row-major, in the order of the pattern's pairs.
    pub below: Vec<[f64; SIZE]>,
    /// Number of springs in each of these blocks; a block without springs is zero.
    counts: Vec<u32>,
    pub right: Vec<Dof6>,
    /// Rows whose diagonal block has changed since the last reset.
    pub changed: Vec<bool>,
}

impl BlockMatrix {
    /// Sets everything to zero and reuses the memory.
    pub fn clear(&mut self, pattern: &Pattern) {
        self.diagonal.clear();
        self.diagonal.resize(pattern.rows, [0.0; SIZE]);
        self.below.clear();
        self.below.resize(pattern.pairs.len(), [0.0; SIZE]);
        self.changed.clear();
        self.changed.resize(pattern.rows, true);
        self.counts.clear();
        self.counts.resize(pattern.pairs.len(), 0);
        self.right.clear();
        self.right.resize(pattern.rows, [0.0; 6]);
    }

    pub fn add_to_diagonal(&mut self, row: usize, block: &[Dof6; 6]) {
        self.changed[row] = true;
        for (sum, value) in self.diagonal[row].iter_mut().zip(block.as_flattened()) {
            *sum += value;
        }
    }

    pub fn add_to_right(&mut self, row: usize, factor: f64, weights: &Dof6) {
        for (sum, weight) in self.right[row].iter_mut().zip(weights) {
            *sum += factor * weight;
        }
    }

    /// Adds or removes a spring in a block below the diagonal. Removing the last one sets the block to zero, without rounding residue.
    pub fn count_springs(&mut self, link: Link, more: bool) {
        let Some(place) = link.place.map(|place| place as usize) else { return };
        if more {
            self.counts[place] += 1;
        } else {
            self.counts[place] -= 1;
            if self.counts[place] == 0 {
                self.below[place] = [0.0; SIZE];
            }
        }
    }

    /// Whether a block below the diagonal has a spring.
    pub fn is_used(&self, place: usize) -> bool {
        self.counts[place] > 0
    }

    /// Adds a spring with the stretch `Σ weights · d` over one or two rows: `stiffness wᵀw`, and `load w` on the right.
    pub fn add_spring(&mut self, link: Link, weights: &[Dof6; 2], Spring { stiffness, load }: Spring) {
        for (row, weights) in link.rows.into_iter().zip(weights) {
            let Some(row) = row.map(|row| row as usize) else { continue };
            add_product(&mut self.diagonal[row], stiffness, weights, weights);
            self.changed[row] = true;
            self.add_to_right(row, load, weights);
        }
        if let Some(place) = link.place {
            let [first, second] = weights;
            let (lower, upper) = if link.rows[0] < link.rows[1] { (second, first) } else { (first, second) };
            add_product(&mut self.below[place as usize], stiffness, lower, upper);
        }
    }

    /// Writes the numbers of the lower half in the order of [`Pattern::compressed_columns`].
    pub fn write_values(&self, pattern: &Pattern, values: &mut Vec<f64>) {
        values.clear();
        for column in 0..pattern.rows {
            let below = pattern.starts[column] as usize..pattern.starts[column + 1] as usize;
            for inner in 0..6 {
                values.extend((inner..6).map(|row| self.diagonal[column][6 * row + inner]));
                for block in &self.below[below.clone()] {
                    values.extend((0..6).map(|row| block[6 * row + inner]));
                }
            }
        }
    }
}

/// `block · x`.
#[inline]
pub fn product(block: &[f64; SIZE], x: &Dof6) -> Dof6 {
    let mut result = [0.0; 6];
    for (sum, line) in result.iter_mut().zip(block.as_chunks::<6>().0) {
        *sum = product_of_line(line, x);
    }
    result
}

/// `result −= block · x`.
#[inline]
pub fn subtract_product(result: &mut Dof6, block: &[f64; SIZE], x: &Dof6) {
    for (sum, line) in result.iter_mut().zip(block.as_chunks::<6>().0) {
        *sum -= product_of_line(line, x);
    }
}

/// Uses two sums, which processors compute in parallel.
#[inline]
fn product_of_line(line: &Dof6, x: &Dof6) -> f64 {
    let even = line[0] * x[0] + line[2] * x[2] + line[4] * x[4];
    let odd = line[1] * x[1] + line[3] * x[3] + line[5] * x[5];
    even + odd
}

/// `result −= blockᵀ · x`.
#[inline]
pub fn subtract_transposed(result: &mut Dof6, block: &[f64; SIZE], x: &Dof6) {
    for (line, &factor) in block.as_chunks::<6>().0.iter().zip(x) {
        for (sum, value) in result.iter_mut().zip(line) {
            *sum -= factor * value;
        }
    }
}

fn add_product(block: &mut [f64; SIZE], factor: f64, rows: &Dof6, columns: &Dof6) {
    for (line, &row) in block.chunks_exact_mut(6).zip(rows) {
        let scaled = factor * row;
        for (sum, column) in line.iter_mut().zip(columns) {
            *sum += scaled * column;
        }
    }
}
