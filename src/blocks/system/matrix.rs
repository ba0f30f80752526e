//! A symmetric matrix of 6 × 6 blocks, of which the diagonal and the lower half are kept.

use serde::{Deserialize, Serialize};

use crate::blocks::state::Six;

/// Numbers in one block.
const SIZE: usize = 36;

/// Which blocks of the matrix may differ from zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Rows of the matrix, in blocks.
    pub rows: usize,
    /// Pairs of a column and a lower row, ascending, each once.
    pub pairs: Vec<[u32; 2]>,
    /// Pairs of column `c` are those from `starts[c]` up to `starts[c + 1]`.
    starts: Vec<u32>,
}

impl Pattern {
    /// With these pairs, in any order and the two of a pair in either order.
    pub fn new(rows: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Self {
        let mut pairs: Vec<[u32; 2]> = pairs.map(|[one, other]| [one.min(other), one.max(other)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let starts = (0..=rows as u32).map(|column| pairs.partition_point(|pair| pair[0] < column) as u32).collect();
        Self { rows, pairs, starts }
    }

    /// Place of a pair in the list.
    pub fn place(&self, one: u32, other: u32) -> Option<usize> {
        let (column, row) = (one.min(other), one.max(other));
        let range = self.starts[column as usize] as usize..self.starts[column as usize + 1] as usize;
        self.pairs[range.clone()].binary_search_by_key(&row, |pair| pair[1]).ok().map(|place| range.start + place)
    }

    /// Column starts and rows of the lower half, number by number, as compressed columns.
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

/// Matrix and right-hand side.
#[derive(Clone, Debug, Default)]
pub struct BlockMatrix {
    /// Row by row.
    diagonal: Vec<[f64; SIZE]>,
    /// In the order of the pattern's pairs: the block in the lower row, row by row.
    below: Vec<[f64; SIZE]>,
    pub right: Vec<Six>,
}

impl BlockMatrix {
    /// All zero.
    pub fn zero(pattern: &Pattern) -> Self {
        Self {
            diagonal: vec![[0.0; SIZE]; pattern.rows],
            below: vec![[0.0; SIZE]; pattern.pairs.len()],
            right: vec![[0.0; 6]; pattern.rows],
        }
    }

    /// Takes the numbers of another matrix of the same pattern.
    pub fn copy_from(&mut self, other: &Self) {
        self.diagonal.clone_from(&other.diagonal);
        self.below.clone_from(&other.below);
        self.right.clone_from(&other.right);
    }

    pub fn add_to_diagonal(&mut self, row: usize, block: &[Six; 6]) {
        for (sum, value) in self.diagonal[row].iter_mut().zip(block.as_flattened()) {
            *sum += value;
        }
    }

    pub fn add_to_right(&mut self, row: usize, factor: f64, weights: &Six) {
        for (sum, weight) in self.right[row].iter_mut().zip(weights) {
            *sum += factor * weight;
        }
    }

    /// A spring whose stretch is `length + Σ weights · d` over one or two rows: `stiffness wᵀw`, and `−stiffness length w` on the right.
    pub fn add_spring(&mut self, pattern: &Pattern, parts: [(Option<u32>, &Six); 2], stiffness: f64, length: f64) {
        for (row, weights) in parts {
            let Some(row) = row.map(|row| row as usize) else { continue };
            add_product(&mut self.diagonal[row], stiffness, weights, weights);
            self.add_to_right(row, -stiffness * length, weights);
        }
        if let [(Some(one), first), (Some(other), second)] = parts {
            let place = pattern.place(one, other).expect("the pattern has every pair that springs join");
            let (lower, upper) = if one < other { (second, first) } else { (first, second) };
            add_product(&mut self.below[place], stiffness, lower, upper);
        }
    }

    /// The numbers of the lower half in the order of [`Pattern::compressed_columns`].
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

fn add_product(block: &mut [f64; SIZE], factor: f64, rows: &Six, columns: &Six) {
    for (line, &row) in block.chunks_exact_mut(6).zip(rows) {
        let scaled = factor * row;
        for (sum, column) in line.iter_mut().zip(columns) {
            *sum += scaled * column;
        }
    }
}
