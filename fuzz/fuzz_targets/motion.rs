//! Motions of bodies in CSV files.
#![no_main]

plimsoll_fuzz::target!("motion");
