//! The record of a run, `run.json`.

use plimsoll::output::RunInfo;

use super::{Folder, assert_says_why, frames, plots, seeds};

/// Reads `file` as the record of a run with frames and tables.
pub fn check(file: &[u8]) {
    thread_local!(static FOLDERS: [Folder; 2] = seeds::FORMATS.map(|format| {
        let folder = seeds::run(format);
        folder.write("diagnostics.csv", seeds::DIAGNOSTICS.as_bytes());
        folder
    }));
    FOLDERS.with(|folders| {
        for folder in folders {
            let path = folder.write("run.json", file);
            match RunInfo::read(&path) {
                Ok(info) => {
                    info.write(&path).expect("a record");
                    assert_eq!(RunInfo::read(&path).expect("a record that was written"), info);
                }
                Err(error) => assert_says_why(&error),
            }
            frames::read(folder);
        }
        plots::draw(&folders[0]);
    });
}
