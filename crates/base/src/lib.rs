//! What all floors of plimsoll stand on: mathematics, input files, the clock and the wall times of a step.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod clock;
pub mod input;
pub mod math;
pub mod timing;
