//! Checkpoints of all simulators.
#![no_main]

plimsoll_fuzz::target!("checkpoint");
