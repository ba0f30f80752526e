//! glTF files, text and binary.
#![no_main]

plimsoll_fuzz::target!("gltf");
