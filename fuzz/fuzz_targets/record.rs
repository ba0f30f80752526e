//! Records of a run, `run.json`.
#![no_main]

plimsoll_fuzz::target!("record");
