//! Tests every box against every other, as classical DDA does. Test oracle for the other box searches.

use serde::{Deserialize, Serialize};

use super::outlines::Outlines;

/// All pairs of boxes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Enumeration {}

impl Enumeration {
    /// See [`super::PairSearch::find`].
    pub fn find(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let mut checks = 0;
        for (first, one) in outlines.boxes.iter().enumerate().filter(|(_, one)| !one.is_empty()) {
            let one = one.inflated(cutoff);
            for (second, other) in outlines.boxes.iter().enumerate().skip(first + 1) {
                checks += 1;
                if one.overlaps(other) {
                    pairs.push([first as u32, second as u32]);
                }
            }
        }
        checks
    }
}
