//! What names and files say reaches the terminal without its control characters.

use std::{fs, path::Path};

use super::{plimsoll, scene};

const RED: &str = "\u{1b}[31m\u{7}\u{9b}2J";

/// Runs the program and returns what it printed.
#[track_caller]
fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = plimsoll(folder).args(arguments).output().expect("the program starts");
    let printed = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8")).concat();
    let control = printed.chars().find(|&c| c.is_control() && c != '\n' && c != '\t');
    assert_eq!(control, None, "{arguments:?}: {printed:?}");
    printed
}

#[test]
fn no_control_character_of_a_name_or_a_file_reaches_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    scene(path, 0.02);
    let text = fs::read_to_string(path.join("falling.toml")).expect("a scene");
    let named = |name: &str, content: &str| {
        let name = name.replace("RED", RED);
        fs::write(path.join(&name), content.replace("RED", RED)).expect("a file");
        name
    };
    let good = named("goodRED.toml", &text);
    let out = format!("out{RED}");
    // Names that are not in files.
    assert!(printed(path, &["run", &good, "--out", &out]).contains("out\\u{1b}[31m\\u{7}\\u{9b}2J"));
    for arguments in
        [&["check", &good][..], &["plot", &out], &["surface", &out], &["run", "--resume", &out], &["run", &good, "--out", &out]]
    {
        printed(path, arguments);
    }
    for arguments in [&["run", &good, "--until", RED][..], &[RED], &["check", RED], &["inspect", RED, "--scale", RED], &["run", &good, RED]]
    {
        assert!(printed(path, arguments).contains("\\u{9b}"), "{arguments:?}");
    }
    // Words of files.
    for (name, content) in [
        ("keyRED.toml", text.replace("duration", "\"RED\"")),
        ("escaped.toml", text.replace("duration", "\"\\u001b[31m\"")),
        ("title.toml", text.replace("Falling block", "\\u001b[31m")),
        ("syntax.toml", text.replace("duration", "RED")),
        ("mesh.toml", text.replace("cube.obj", "\\u001b[31m.obj")),
    ] {
        printed(path, &["check", &named(name, &content)]);
    }
    for (name, content) in [("vertex.obj", "v RED 0 0\n"), ("face.obj", "v 0 0 0\nf 1 RED 1\n"), ("text.stl", "solid RED\nfacet RED\n")] {
        assert!(printed(path, &["inspect", &named(name, content)]).contains("expected"), "{name}");
    }
    named("header.ply", "ply\nformat RED 1.0\nelement RED 1\nend_header\n");
    printed(path, &["inspect", "header.ply"]);
    // Files of a run.
    let run = path.join(&out);
    let record = fs::read_to_string(run.join("run.json")).expect("a record");
    fs::write(run.join("run.json"), record.replace("Falling block", "\\u001b[31m")).expect("a record");
    printed(path, &["plot", &out]);
    let energy = fs::read_to_string(run.join("plots/energy.svg")).expect("a picture");
    assert!(!energy.contains('\u{1b}'));
    fs::write(run.join("particles.pvd"), format!("<DataSet {RED}\n</VTKFile>")).expect("a list of frames");
    assert!(printed(path, &["surface", &out]).contains("\\u{1b}"));
}
