//! Files of `[[probe]]` tables.
#![no_main]

plimsoll_fuzz::target!("probes");
