//! Eight lanes of single precision for loops over neighbours.
//!
//! A loop is written once, against [`Lanes`], and runs with the best instructions of the processor: AVX2, or those that every processor of its
//! kind has. Both compute the same numbers to the last bit: every operation is rounded by itself (no fused multiplication and addition), and
//! sums over the lanes have one order. Only `avx2.rs` contains unsafe code.

pub mod algebra;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod interface;
mod portable;

use std::sync::OnceLock;

pub use interface::{Eight, LANES, LaneWork, Lanes, Near, Offsets, PackedVectors, Places};

/// Environment variable that keeps AVX2 from being used if its value is `portable`.
pub const VARIABLE: &str = "PLIMSOLL_INSTRUCTIONS";

/// Runs `work` with the best instructions of this processor.
pub fn compute<W: LaneWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        return avx2::run(work);
    }
    work.run::<portable::Portable>()
}

/// Names the instructions in use.
#[cfg(feature = "cli")]
pub fn instructions() -> &'static str {
    if has_avx2() { "AVX2" } else { "portable instructions" }
}

fn has_avx2() -> bool {
    static HAS_AVX2: OnceLock<bool> = OnceLock::new();
    *HAS_AVX2.get_or_init(|| {
        let allowed = std::env::var_os(VARIABLE).is_none_or(|value| value != "portable");
        allowed && avx2_is_detected()
    })
}

#[cfg(target_arch = "x86_64")]
fn avx2_is_detected() -> bool {
    avx2::is_detected()
}

#[cfg(not(target_arch = "x86_64"))]
fn avx2_is_detected() -> bool {
    false
}

#[cfg(test)]
mod tests;
