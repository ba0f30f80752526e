//! Tables: whole rows are kept when a run resumes, and the rows of bodies place bodies.

use std::fs;

use plimsoll::output::{Mark, Table};

use super::{Folder, assert_says_why, frames, seeds};

/// The last step whose rows are kept.
const LAST_STEP: u64 = 5;

/// Reads `file` as the table of the bodies of a run, and as a table that changed since the last checkpoint.
pub fn check_bodies(file: &[u8]) {
    thread_local!(static FOLDER: Folder = seeds::run(seeds::FORMATS[0]));
    FOLDER.with(|folder| {
        folder.write("bodies.csv", file);
        frames::read(folder);
        let path = folder.write("changed.csv", file);
        match Table::resume(path.clone(), LAST_STEP, Mark { length: 1, checksum: 0 }) {
            Ok((table, warning)) => {
                drop(table);
                let kept = fs::read(&path).expect("the table");
                assert!(file.starts_with(&kept), "rows that were not there");
                assert!(kept == file || warning.is_some_and(|warning| !warning.is_empty()), "rows were lost without a warning");
            }
            Err(error) => assert_says_why(&error),
        }
    });
}
