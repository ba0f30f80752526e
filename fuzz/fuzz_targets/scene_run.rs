//! Scenes that are run for some steps if they are accepted.
#![no_main]

plimsoll_fuzz::target!("scene_run");
