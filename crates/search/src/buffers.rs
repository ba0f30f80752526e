//! Buffers that are reused from step to step.

use plimsoll_base::math::parallel::{self, for_each_part};

/// The first `count` of `buffers`; missing ones are added. Surplus ones stay, so that their memory is reused when `count` grows again.
pub fn reuse<T: Default>(buffers: &mut Vec<T>, count: usize) -> &mut [T] {
    if buffers.len() < count {
        buffers.resize_with(count, T::default);
    }
    &mut buffers[..count]
}

/// Resizes to `count`; contents are unspecified. Pairs dominate the memory of a run, so this grows by 1/16 instead of doubling
/// and frees the old buffer first.
pub fn make_room<T: Clone + Default>(values: &mut Vec<T>, count: usize) {
    if values.capacity() < count {
        *values = Vec::new();
        values.reserve_exact(count + count / 16);
    }
    values.resize(count, T::default());
}

/// Concatenates `parts` into `whole` and reuses its buffer; `ends` is a buffer for the end of each part.
pub fn concatenate<P: Sync, T: Copy + Default + Send + Sync>(
    parts: &[P],
    values: impl Fn(&P) -> &[T] + Sync,
    ends: &mut Vec<usize>,
    whole: &mut Vec<T>,
) {
    ends.clear();
    ends.extend(parts.iter().scan(0, |end, part| {
        *end += values(part).len();
        Some(*end)
    }));
    make_room(whole, ends.last().copied().unwrap_or(0));
    let end = |part: usize| ends[part];
    for_each_part(parallel::parts(whole, end), 0..parts.len(), &|part, target| target.values.copy_from_slice(values(&parts[part])));
}
