//! Scenes, read and checked.
#![no_main]

plimsoll_fuzz::target!("scene");
