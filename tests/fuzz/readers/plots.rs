//! Tables are drawn: as the diagnostics of a run, as its other tables and as those of its probes. No picture holds a control character.

use std::fs;

use plimsoll::{
    plot::{pictures, read_probes, to_svg},
    run::figure_tables,
};
use quick_xml::{Reader, events::Event};

use super::{Folder, assert_says_why, seeds};

/// Reads `file` as each table of a run and draws it.
pub fn check(file: &[u8]) {
    thread_local!(static FOLDER: Folder = {
        let folder = Folder::new();
        fs::create_dir(folder.path().join("probes")).expect("a temporary folder");
        folder
    });
    FOLDER.with(|folder| {
        // Each simulator has figures of its own.
        let records = seeds::records();
        folder.write("run.json", &records[file.len() % records.len()]);
        folder.write("diagnostics.csv", file);
        folder.write("probes/gauge.csv", file);
        figure_tables().into_iter().for_each(|name| drop(folder.write(&format!("{name}.csv"), file)));
        draw(folder);
        if let Err(error) = read_probes(folder.path(), |record| assert_eq!(record.times.len(), record.values.len())) {
            assert_says_why(&error);
        }
    });
}

/// Draws the run in `folder`.
pub fn draw(folder: &Folder) {
    match pictures(folder.path(), "sub\u{1b}[31mtitle") {
        Ok(pictures) => pictures.iter().for_each(|picture| match to_svg(picture) {
            Ok(svg) => assert_plain(&svg),
            Err(error) => assert_says_why(&error),
        }),
        Err(error) => assert_says_why(&error),
    }
}

/// A picture is valid XML without control characters.
fn assert_plain(svg: &str) {
    let control = svg.chars().find(|&c| c.is_control() && c != '\n' && c != '\t');
    assert_eq!(control, None);
    let mut reader = Reader::from_str(svg);
    while !matches!(reader.read_event().expect("XML"), Event::Eof) {}
}
