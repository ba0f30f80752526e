//! Lists of the frames of a run, `.pvd`.
#![no_main]

plimsoll_fuzz::target!("collection");
