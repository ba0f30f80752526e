//! Eight lanes of single precision for loops over neighbours.
//!
//! A loop is written once, against [`Lanes`], and runs with the best instructions of the processor: AVX2, or those that every processor of its
//! kind has. Both compute the same numbers to the last bit: every operation is rounded by itself (no fused multiplication and addition), and
//! sums over the lanes have one order. Only `avx2.rs` contains unsafe code.

pub mod algebra;
#[cfg(target_arch = "x86_64")]
mod avx2;
mod blocks;
mod interface;
mod portable;

use std::sync::OnceLock;

pub use blocks::{BlockLists, BlockWork, Blocks};
pub use interface::{Eight, LANES, LaneWork, Lanes, PackedVectors, Places, consecutive};

/// Environment variable that limits the instructions in use to the `portable` ones or to `avx2`.
pub const VARIABLE: &str = "PLIMSOLL_INSTRUCTIONS";

/// Instructions for lanes, from the slowest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Instructions {
    Portable,
    Avx2,
    Avx512,
}

/// Runs `work` with the best instructions of this processor.
pub fn compute<W: LaneWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    match selected() {
        Instructions::Avx512 => return avx2::run_with_more_registers(work),
        Instructions::Avx2 => return avx2::run(work),
        Instructions::Portable => {}
    }
    work.run::<portable::Portable>()
}

/// Names the instructions in use.
pub fn instructions() -> &'static str {
    match selected() {
        Instructions::Avx512 => "AVX2 and the registers of AVX-512",
        Instructions::Avx2 => "AVX2",
        Instructions::Portable => "portable instructions",
    }
}

fn selected() -> Instructions {
    static SELECTED: OnceLock<Instructions> = OnceLock::new();
    *SELECTED.get_or_init(|| {
        let limit = match std::env::var_os(VARIABLE) {
            Some(value) if value == "portable" => Instructions::Portable,
            Some(value) if value == "avx2" => Instructions::Avx2,
            _ => Instructions::Avx512,
        };
        limit.min(best())
    })
}

#[cfg(target_arch = "x86_64")]
fn best() -> Instructions {
    match (avx2::has_more_registers(), avx2::is_detected()) {
        (true, _) => Instructions::Avx512,
        (false, true) => Instructions::Avx2,
        (false, false) => Instructions::Portable,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn best() -> Instructions {
    Instructions::Portable
}

#[cfg(test)]
mod tests;
