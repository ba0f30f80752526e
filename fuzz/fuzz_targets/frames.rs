//! Particles, bodies and polygons of a run, `.vtu` and `.ply`.
#![no_main]

plimsoll_fuzz::target!("frames");
