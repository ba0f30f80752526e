//! Tables of bodies, and tables that changed since the last checkpoint.
#![no_main]

plimsoll_fuzz::target!("bodies");
