//! What all simulators of plimsoll have in common: the state at one instant as plain data, the interface of a simulation, and charts as plain
//! data.

#![warn(missing_docs)]
// These macros panic if a stream is closed; only the program prints.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod chart;
pub mod frame;
pub mod simulator;
