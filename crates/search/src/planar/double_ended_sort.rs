//! Double-ended spatial sorting: both ends of every box in one list sorted along x, scanned in one sweep.
//!
//! Perkins, E. & Williams, J. R. (2001). A fast contact detection algorithm insensitive to object sizes. *Eng. Comput.* 18, 48–62. Each box
//! that overlaps another along x has an end between the other's ends, or encloses them; these pairs are tested along y. The list is kept
//! from call to call. Blocks move little, so insertion sort restores the order in nearly linear time.

use serde::{Deserialize, Serialize};

use super::outlines::{Outlines, ordered};

/// Boxes sorted by their ends along one axis, kept sorted from call to call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct DoubleEndedSort {
    ends: Vec<End>,
    /// Boxes that the sweep is currently in, and the index of each box in that list.
    #[serde(skip)]
    open: Vec<u32>,
    #[serde(skip)]
    place: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct End {
    x: f64,
    /// Twice the outline index, plus one for its upper end. At equal x, lower ends come first, because touching boxes count as overlapping.
    code: u32,
}

impl End {
    fn comes_before(&self, other: &Self) -> bool {
        (self.x, self.code & 1, self.code) < (other.x, other.code & 1, other.code)
    }
}

impl DoubleEndedSort {
    /// See [`super::PairSearch::find`].
    pub fn find(&mut self, outlines: &Outlines, cutoff: f64, pairs: &mut Vec<[u32; 2]>) -> u64 {
        let half = cutoff / 2.0;
        self.sort(outlines, half);
        self.open.clear();
        self.place.resize(outlines.boxes.len(), 0);
        let mut checks = 0;
        for end in &self.ends {
            let outline = end.code >> 1;
            if end.code & 1 == 1 {
                let place = self.place[outline as usize] as usize;
                self.open.swap_remove(place);
                if let Some(&moved) = self.open.get(place) {
                    self.place[moved as usize] = place as u32;
                }
                continue;
            }
            let own = outlines.boxes[outline as usize].inflated(cutoff);
            checks += self.open.len() as u64;
            for &other in &self.open {
                let other_box = &outlines.boxes[other as usize];
                if own.overlaps(other_box) {
                    pairs.push(ordered(outline, other));
                }
            }
            self.place[outline as usize] = self.open.len() as u32;
            self.open.push(outline);
        }
        checks
    }

    /// Updates the list; each box is inflated by `half` on both sides.
    fn sort(&mut self, outlines: &Outlines, half: f64) {
        let present = outlines.boxes.iter().filter(|one| !one.is_empty()).count();
        let stale = self.ends.len() != 2 * present
            || self.ends.iter().any(|end| outlines.boxes.get((end.code >> 1) as usize).is_none_or(|one| one.is_empty()));
        if stale {
            let codes = (0..outlines.boxes.len() as u32).filter(|&outline| !outlines.boxes[outline as usize].is_empty());
            self.ends = codes.flat_map(|outline| [2 * outline, 2 * outline + 1]).map(|code| End { x: 0.0, code }).collect();
        }
        for end in &mut self.ends {
            let one = &outlines.boxes[(end.code >> 1) as usize];
            end.x = if end.code & 1 == 1 { one.max.x + half } else { one.min.x - half };
        }
        if stale {
            self.ends.sort_by(|one, other| one.x.total_cmp(&other.x).then((one.code & 1, one.code).cmp(&(other.code & 1, other.code))));
            return;
        }
        for at in 1..self.ends.len() {
            let end = self.ends[at];
            let mut place = at;
            while place > 0 && end.comes_before(&self.ends[place - 1]) {
                self.ends[place] = self.ends[place - 1];
                place -= 1;
            }
            self.ends[place] = end;
        }
    }
}
