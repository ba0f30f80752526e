//! Tables of a run and its probes, drawn as SVG.
#![no_main]

plimsoll_fuzz::target!("plot");
