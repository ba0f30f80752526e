//! Offset lists: values grouped by key in one flat array, built by counting sort (count, prefix sum, fill).

use std::ops::Range;

/// The values of key `k` are `values[offsets[k] .. offsets[k + 1]]`, in order of insertion.
#[derive(Clone, Debug, Default)]
pub struct OffsetLists {
    offsets: Vec<u32>,
    values: Vec<u32>,
}

impl OffsetLists {
    /// Empty lists for `key_count` keys.
    pub fn new(key_count: usize) -> Self {
        Self { offsets: vec![0; key_count + 1], values: Vec::new() }
    }

    /// Groups `entries`, pairs of key and value, by key. Keys must be below `key_count`.
    pub fn rebuild(&mut self, key_count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) {
        // Counts are stored two keys later and summed. Each placed value then advances its offset by one, so all offsets are correct at the
        // end.
        self.offsets.clear();
        self.offsets.resize(key_count + 2, 0);
        let mut count = 0;
        for (key, _) in entries.clone() {
            self.offsets[key as usize + 2] += 1;
            count += 1;
        }
        prefix_sum(&mut self.offsets);
        self.values.resize(count, 0);
        for (key, value) in entries {
            let place = &mut self.offsets[key as usize + 1];
            self.values[*place as usize] = value;
            *place += 1;
        }
        self.offsets.pop();
    }

    /// The values of `key`.
    #[inline]
    pub fn of(&self, key: usize) -> &[u32] {
        &self.values[self.range(key)]
    }

    /// Range of the values of `key` among all values.
    #[inline]
    pub fn range(&self, key: usize) -> Range<usize> {
        self.offsets[key] as usize..self.offsets[key + 1] as usize
    }

    /// Index of the first value of each key; the number of values at the end.
    #[inline]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All values, key by key.
    #[inline]
    pub fn values(&self) -> &[u32] {
        &self.values
    }

    /// Number of keys.
    pub fn key_count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        4 * (self.offsets.capacity() + self.values.capacity())
    }
}

/// Replaces each value by the sum of all values up to and including it.
pub fn prefix_sum(values: &mut [u32]) {
    let mut total = 0;
    for value in values {
        total += *value;
        *value = total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn values_are_grouped_and_keep_their_order() {
        let mut random = Random::new(3);
        let mut lists = OffsetLists::default();
        for count in [0, 1, 7, 500] {
            let keys: Vec<u32> = (0..count).map(|_| (random.uniform() * 20.0) as u32).collect();
            lists.rebuild(21, keys.iter().copied().zip(100..));
            assert_eq!((lists.key_count(), lists.values().len()), (21, count));
            for key in 0..21 {
                let expected: Vec<u32> = keys.iter().zip(100..).filter(|(found, _)| **found == key).map(|(_, value)| value).collect();
                assert_eq!(lists.of(key as usize), expected);
            }
        }
        assert_eq!(OffsetLists::new(3).offsets(), [0; 4]);
    }
}
