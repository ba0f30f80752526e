//! OBJ files.
#![no_main]

plimsoll_fuzz::target!("obj");
