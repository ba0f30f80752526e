//! The command line.

pub mod inspect;
