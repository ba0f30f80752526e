//! PLY files.
#![no_main]

plimsoll_fuzz::target!("ply");
