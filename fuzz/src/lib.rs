//! What the fuzz targets have in common.

#[path = "../../tests/fuzz/readers/mod.rs"]
pub mod readers;

use std::{env, fs, path::PathBuf};

use libfuzzer_sys::fuzzer_mutate;
use plimsoll::math::Random;

pub use libfuzzer_sys;

/// The fuzz target of the reader with this name. Half of the changes are those of the tests, which know texts and numbers.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        use $crate::libfuzzer_sys::{fuzz_mutator, fuzz_target};

        fuzz_target!(init: $crate::write_seeds($name), |file: &[u8]| ($crate::readers::reader($name).check)(file));

        fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| { $crate::change(data, size, max_size, seed) });
    };
}

/// Folder for the good files from which a target starts.
const SEEDS: &str = "FUZZ_SEEDS";

/// Writes the good files of the reader `name`, if a folder for them is given.
pub fn write_seeds(name: &str) {
    let Some(folder) = env::var_os(SEEDS).map(PathBuf::from) else { return };
    fs::create_dir_all(&folder).expect("a folder");
    for (index, seed) in (readers::reader(name).seeds)().iter().enumerate() {
        fs::write(folder.join(format!("seed_{index}")), seed).expect("a file");
    }
}

/// Changes the first `size` bytes of `data`; returns their new number, at most `max_size`.
pub fn change(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    if seed.is_multiple_of(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let changed = readers::mutate(&data[..size], &mut Random::new(seed.into()));
    let length = changed.len().min(max_size);
    data[..length].copy_from_slice(&changed[..length]);
    length
}
