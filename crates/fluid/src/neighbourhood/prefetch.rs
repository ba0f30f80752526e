//! Prefetching of pairs: a sweep takes as long as the pairs need to arrive.

use plimsoll_base::math::lanes::{Eight, Lanes, PackedVectors};

/// Number of blocks ahead of the current one that are prefetched. Without it, `benches/scenes/dam_break_98k.toml` takes 1.27 times as long,
/// `dam_break_19k.toml` 1.05 times.
pub const AHEAD: usize = 24;

/// Prefetches the blocks, and their gradients, that are needed soon after these.
#[inline(always)]
pub fn prefetch<L: Lanes>(eight: impl Eight, gradient: &PackedVectors) {
    eight.prefetch::<L>(AHEAD);
    L::prefetch(gradient, AHEAD);
}
