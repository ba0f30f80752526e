//! For tests: what a checkpoint restores. Serialization of a simulation consists of thousands of small functions, among them those of the rigid-body
//! library; they are compiled here once and without optimization, not in the tests of each simulator.

#![warn(missing_docs)]

use serde::{Serialize, de::DeserializeOwned};

macro_rules! saved {
    ($($(#[$feature:meta])? $name:ident: $type:ty),*) => {
        $(
            $(#[$feature])?
            #[doc = concat!("Saves and loads [`", stringify!($type), "`].")]
            pub mod $name {
                /// The complete state.
                pub fn save(state: &$type) -> Vec<u8> {
                    super::save(state)
                }

                /// What was saved.
                pub fn load(bytes: &[u8]) -> $type {
                    super::load(bytes)
                }

                /// A copy that was saved and loaded.
                pub fn restored(state: &$type) -> $type {
                    load(&save(state))
                }
            }
        )*
    };
}

saved!(
    bodies: plimsoll_bodies::Bodies,
    #[cfg(feature = "fluid")]
    fluid: plimsoll_fluid::FluidSimulation,
    #[cfg(feature = "grains")]
    grains: plimsoll_grains::GrainsSimulation
);

fn save<T: Serialize>(state: &T) -> Vec<u8> {
    postcard::to_allocvec(state).expect("plain data can be written")
}

fn load<T: DeserializeOwned>(bytes: &[u8]) -> T {
    postcard::from_bytes(bytes).expect("what was written can be read")
}
