//! The house is in order: floors import only what lies below them, and no file or function has grown too large.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// Each module and its floor; `lib.rs` tells the same to readers.
const FLOORS: [(&str, u32); 20] = [
    ("math", 0),
    ("shape", 1),
    ("frame", 1),
    ("simulator", 1),
    ("timing", 1),
    ("chart", 1),
    ("search", 2),
    ("bodies", 3),
    ("fluid", 4),
    ("gas", 4),
    ("grains", 4),
    ("aggregates", 4),
    ("blocks", 4),
    ("scene", 5),
    ("output", 5),
    ("run", 5),
    ("surface", 5),
    ("plot", 5),
    ("cli", 6),
    ("viewer", 6),
];
/// The floor of simulators, which know nothing of one another.
const SIMULATORS: u32 = 4;

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 100;

/// A word, a mark of punctuation or `::`, and the line it stands on (from 1).
#[derive(Clone, Debug, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

/// Rust without comments, strings, characters and lifetimes.
fn tokens(source: &str) -> Vec<Token> {
    let characters: Vec<char> = source.chars().collect();
    let (mut tokens, mut place, mut line) = (Vec::new(), 0, 1);
    while place < characters.len() {
        let end = skip(&characters, place).unwrap_or(place);
        if end > place {
            line += characters[place..end].iter().filter(|&&character| character == '\n').count();
            place = end;
            continue;
        }
        let character = characters[place];
        let is_word = |character: &char| character.is_alphanumeric() || *character == '_';
        let length = match character {
            ':' if characters.get(place + 1) == Some(&':') => 2,
            _ if is_word(&character) => characters[place..].iter().take_while(|character| is_word(character)).count(),
            _ => 1,
        };
        if !character.is_whitespace() {
            tokens.push(Token { text: characters[place..place + length].iter().collect(), line });
        }
        line += usize::from(character == '\n');
        place += length;
    }
    tokens
}

/// Where the comment, string, character or lifetime that begins at `place` ends, if one does.
fn skip(characters: &[char], place: usize) -> Option<usize> {
    let begins =
        |start: usize, text: &str| text.chars().enumerate().all(|(offset, wanted)| characters.get(start + offset) == Some(&wanted));
    if begins(place, "//") {
        return Some((place..characters.len()).find(|&at| characters[at] == '\n').unwrap_or(characters.len()));
    }
    if begins(place, "/*") {
        let (mut depth, mut at) = (1, place + 2);
        while depth > 0 && at < characters.len() {
            let (opens, closes) = (begins(at, "/*"), begins(at, "*/"));
            depth = depth + usize::from(opens) - usize::from(closes);
            at += if opens || closes { 2 } else { 1 };
        }
        return Some(at);
    }
    let in_word = place > 0 && (characters[place - 1].is_alphanumeric() || characters[place - 1] == '_');
    let prefix = ["br", "cr", "r"].iter().find(|prefix| !in_word && begins(place, prefix));
    if let Some(prefix) = prefix {
        let start = place + prefix.len();
        let hashes = characters[start..].iter().take_while(|&&character| character == '#').count();
        if characters.get(start + hashes) == Some(&'"') {
            let end = format!("\"{}", "#".repeat(hashes));
            return (start + hashes + 1..characters.len()).find(|&at| begins(at, &end)).map(|at| at + 1 + hashes);
        }
    }
    match characters[place] {
        '"' => closing(characters, place, '"'),
        '\'' if characters.get(place + 1) == Some(&'\\') => closing(characters, place, '\''),
        '\'' if characters.get(place + 2) == Some(&'\'') => Some(place + 3),
        '\'' => Some(place + 1),
        _ => None,
    }
}

/// The place after the next `quote` that no backslash stands before.
fn closing(characters: &[char], place: usize, quote: char) -> Option<usize> {
    let mut at = place + 1;
    while at < characters.len() && characters[at] != quote {
        at += if characters[at] == '\\' { 2 } else { 1 };
    }
    Some((at + 1).min(characters.len()))
}

/// A path of modules from the crate's root, and the line that names it.
#[derive(Clone, Debug, PartialEq)]
struct Named {
    path: Vec<String>,
    line: usize,
}

/// All paths of this crate that `source`, the text of module `module`, names: through `crate`, `super` or `self`, in imports or elsewhere.
fn paths(source: &str, module: &[String]) -> Vec<Named> {
    let tokens = tokens(source);
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    let mut named = Vec::new();
    // Modules within the file that are open, and the depth of braces in which each was opened.
    let (mut inner, mut depth): (Vec<(String, usize)>, usize) = (Vec::new(), 0);
    let mut at = 0;
    while at < tokens.len() {
        match text(at) {
            "mod" if text(at + 2) == "{" => inner.push((text(at + 1).to_owned(), depth)),
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inner.pop_if(|(_, outside)| *outside == depth);
            }
            "crate" | "plimsoll" | "super" | "self" if text(at + 1) == "::" && (at == 0 || text(at - 1) != "::") => {
                let here: Vec<String> = module.iter().cloned().chain(inner.iter().map(|(name, _)| name.clone())).collect();
                at = collect(&tokens, at, &[], &here, &mut named);
                continue;
            }
            "crate" if text(at + 1) == "as" => named.push(Named { path: vec!["crate as".to_owned()], line: tokens[at].line }),
            _ => {}
        }
        at += 1;
    }
    named
}

/// Adds the paths of the tree that begins at token `at`, below `prefix`; returns the token after it.
fn collect(tokens: &[Token], mut at: usize, prefix: &[String], here: &[String], named: &mut Vec<Named>) -> usize {
    let mut path = prefix.to_vec();
    let line = tokens[at].line;
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    loop {
        match text(at) {
            "{" => {
                at += 1;
                while at < tokens.len() && text(at) != "}" {
                    at = collect(tokens, at, &path, here, named);
                    // An alias, and the comma.
                    while !["}", ","].contains(&text(at)) && at < tokens.len() {
                        at += 1;
                    }
                    at += usize::from(text(at) == ",");
                }
                return at + 1;
            }
            "crate" | "plimsoll" => path.clear(),
            "self" if path.is_empty() && prefix.is_empty() => path = here.to_vec(),
            "self" => {}
            "super" if path.is_empty() && prefix.is_empty() => path = here[..here.len().saturating_sub(1)].to_vec(),
            "super" => drop(path.pop()),
            word => path.push(word.to_owned()),
        }
        at += 1;
        if text(at) != "::" {
            named.push(Named { path, line });
            return at;
        }
        at += 1;
        if text(at) == "<" {
            named.push(Named { path, line });
            return at;
        }
    }
}

fn floor_of(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|&(_, floor)| floor)
}

/// What is wrong with the imports of a file: for each, the line and why.
fn misplaced(source: &str, module: &[String]) -> Vec<String> {
    let Some(own) = floor_of(&module[0]) else { return vec![format!("module {} stands on no floor", module[0])] };
    let wrong = |Named { path, line }: Named| {
        let other = path.first().map_or("the crate's root", String::as_str);
        let Some(floor) = floor_of(other) else { return Some(format!("line {line}: {other} is no module with a floor")) };
        let sideways = floor == own && floor == SIMULATORS && other != module[0];
        (floor > own || sideways).then(|| format!("line {line}: {} (floor {own}) uses {other} (floor {floor})", module[0]))
    };
    paths(source, module).into_iter().filter_map(wrong).collect()
}

/// Functions with a body and their lengths in lines.
fn functions(source: &str) -> Vec<(String, usize)> {
    let tokens = tokens(source);
    let mut functions = Vec::new();
    for at in 0..tokens.len() {
        let named = tokens.get(at + 1).filter(|name| tokens[at].text == "fn" && name.text != "(");
        let Some(name) = named else { continue };
        let (mut depth, mut opened) = (0, false);
        for token in &tokens[at..] {
            match token.text.as_str() {
                ";" if depth == 0 => break,
                "{" | "(" | "[" => (depth, opened) = (depth + 1, opened || token.text == "{"),
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            if opened && depth == 0 {
                functions.push((name.text.clone(), token.line - tokens[at].line + 1));
                break;
            }
        }
    }
    functions
}

/// What is wrong with a file whatever it imports.
fn oversized(source: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    if !source.starts_with("//! ") {
        wrong.push("does not begin by saying what it is".to_owned());
    }
    let lines = source.lines().count();
    if lines > FILE_LINES {
        wrong.push(format!("has {lines} lines, at most {FILE_LINES}"));
    }
    let long = functions(source).into_iter().filter(|&(_, lines)| lines > FUNCTION_LINES);
    wrong.extend(long.map(|(name, lines)| format!("function {name} has {lines} lines, at most {FUNCTION_LINES}")));
    wrong
}

/// All files under `folder`, and the folders with the number of their entries; a module's file and folder of one name count once.
fn walk(folder: &Path, files: &mut Vec<PathBuf>, folders: &mut BTreeMap<PathBuf, usize>) {
    let entries = fs::read_dir(folder).expect("a folder can be read").map(|entry| entry.expect("an entry can be read").path());
    let entries: Vec<PathBuf> = entries.collect();
    let mut names: Vec<_> = entries.iter().map(|path| path.with_extension("")).collect();
    names.sort();
    names.dedup();
    // The two that the compiler starts from are no rooms.
    names.retain(|name| !["lib", "main"].iter().any(|root| name.ends_with(root)));
    folders.insert(folder.to_owned(), names.len());
    for path in entries {
        if path.is_dir() {
            walk(&path, files, folders);
        } else {
            files.push(path);
        }
    }
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Path below the package and text of every Rust file in `src`.
fn sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    walk(&package().join("src"), &mut files, &mut BTreeMap::new());
    files.sort();
    let read = |path: PathBuf| {
        assert!(path.extension().is_some_and(|extension| extension == "rs"), "{} is no Rust", path.display());
        let text = fs::read_to_string(&path).expect("a source can be read");
        (path.strip_prefix(package()).expect("a path below the package").to_owned(), text)
    };
    let sources: Vec<_> = files.into_iter().map(read).collect();
    assert!(sources.len() > 50, "{} sources", sources.len());
    sources
}

/// `["fluid", "wall", "edge"]` for `src/fluid/wall/edge.rs`.
fn module_of(path: &Path) -> Vec<String> {
    let below = path.strip_prefix("src").expect("a source").with_extension("");
    let mut module: Vec<String> = below.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    module.pop_if(|last| last == "mod");
    module
}

fn is_root(path: &Path) -> bool {
    [Path::new("src/lib.rs"), Path::new("src/main.rs")].contains(&path)
}

#[test]
fn floors_use_only_what_lies_below() {
    let mut wrong = Vec::new();
    for (path, source) in sources().iter().filter(|(path, _)| !is_root(path)) {
        wrong.extend(misplaced(source, &module_of(path)).into_iter().map(|why| format!("{}: {why}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_crate_page_tells_of_the_same_floors() {
    let text = fs::read_to_string(package().join("src/lib.rs")).expect("lib.rs can be read");
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | F"));
    let told = rows.flat_map(|row| {
        let mut cells = row.split('|');
        let floor: u32 = cells.next().and_then(|cell| cell.trim().parse().ok()).expect("a number after F");
        let modules = cells.next().expect("a column of modules").split(',');
        modules.map(move |module| (module.trim().trim_matches(['[', ']', '`']).to_owned(), floor)).collect::<Vec<_>>()
    });
    let known: Vec<(String, u32)> = FLOORS.iter().map(|&(name, floor)| (name.to_owned(), floor)).collect();
    assert_eq!(told.collect::<Vec<_>>(), known);
    let modules = text.lines().filter_map(|line| line.strip_prefix("pub mod ")).map(|name| name.trim_end_matches(';').to_owned());
    let mut names: Vec<String> = known.into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(modules.collect::<Vec<_>>(), names);
}

#[test]
fn files_and_functions_are_small_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for (path, source) in sources() {
        wrong.extend(oversized(&source).into_iter().map(|why| format!("{} {why}", path.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_source_folder_holds_only_what_has_a_floor() {
    let mut folders = BTreeMap::new();
    walk(&package().join("src"), &mut Vec::new(), &mut folders);
    // What the table of floors names, and the two roots of the crate.
    let (entries, most) = (folders[&package().join("src")], FLOORS.len() + 2);
    assert!(entries <= most, "src has {entries} entries, at most {most}");
}

fn module(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

fn named(source: &str, of: &str) -> Vec<String> {
    paths(source, &module(of)).into_iter().map(|named| named.path.join("::")).collect()
}

#[test]
fn paths_are_read_however_they_are_written() {
    assert_eq!(named("use crate::math::Pose;", "shape::mesh"), ["math::Pose"]);
    let nested = "use crate::{\n    fluid::{self, wall::{edge as brink, *}},\n    math::Pose,\n};";
    assert_eq!(named(nested, "cli"), ["fluid", "fluid::walls::edge", "fluid::walls::*", "math::Pose"]);
    assert_eq!(named("use super::super::{run::Run, math};", "output::vtk"), ["run::Run", "math"]);
    assert_eq!(named("use super::{super::run, file};", "output::vtk"), ["run", "output::file"]);
    assert_eq!(
        named("mod tests { use super::*; fn f() { crate::run::go() } }\nuse super::file;", "output::vtk"),
        ["output::vtk::*", "run::go", "output::file"]
    );
    assert_eq!(named("pub(super) use self::inner::Thing; pub(crate) fn f() {}", "output"), ["output::inner::Thing"]);
    assert_eq!(named("fn f(body: &crate::bodies::Body) -> Vec::<crate::math::Pose> { todo() }", "fluid"), ["bodies::Body", "math::Pose"]);
    assert_eq!(named("let x = self.crate_size; foo::super_thing::go();", "fluid"), Vec::<String>::new());
    let hidden = "// use crate::run::Run;\n/* use crate::cli; /* crate::cli */ */ let s = \"use crate::run;\"; let r = r#\"crate::\"run\"#; let c = '\"'; crate::math::go::<'a>();";
    assert_eq!(named(hidden, "math"), ["math::go"]);
}

#[test]
fn misplaced_imports_are_found() {
    let count = |source: &str, of: &str| misplaced(source, &module(of)).len();
    assert_eq!(count("use crate::{math::Pose, shape::{TriangleMesh, topology::EdgeTable}};", "search::grid"), 0);
    assert_eq!(count("use crate::{\n    math::Pose,\n    search::{self, CellGrid},\n};", "shape::mesh"), 2);
    assert_eq!(misplaced("\n\nuse crate::fluid::Kernel;", &module("bodies::body")), ["line 3: bodies (floor 3) uses fluid (floor 4)"]);
    assert_eq!(count("use super::super::fluid::Kernel;", "bodies::body"), 1);
    assert_eq!(count("fn f() -> crate::cli::Arguments { g() }", "run::plan"), 1);
    assert_eq!(count("fn f() -> plimsoll::cli::Arguments { g() }", "run::plan"), 1);
    assert_eq!(count("use crate::run::Run;", "scene::load"), 0);
    assert_eq!(count("use crate::frame::Frame;", "shape::mesh"), 0);
    assert_eq!(count("use crate::cellar::Wine;", "cli"), 1);
    assert_eq!(count("use crate as plimsoll;", "math"), 1);
    assert_eq!(count("use crate::math::Pose;", "cellar"), 1);
    assert_eq!(count("mod tests { use super::super::super::fluid::Kernel; }", "bodies::body"), 1);
}

#[test]
fn oversized_files_and_functions_are_found() {
    let function = |lines: usize| {
        format!("//! Made up.\npub fn long<const N: usize>(x: [f64; 3]) -> [f64; 3] {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    };
    assert_eq!(functions(&function(100)), [("long".to_owned(), 100)]);
    assert!(oversized(&function(100)).is_empty());
    assert_eq!(oversized(&function(101)), ["function long has 101 lines, at most 100"]);
    assert_eq!(oversized("// Made up.\n").len(), 1);
    assert!(oversized(&format!("//! Made up.\n{}", "const A: u8 = 0;\n".repeat(799))).is_empty());
    assert_eq!(oversized(&format!("//! Made up.\n{}", "const A: u8 = 0;\n".repeat(800))).len(), 1);
    let trait_and_pointer = "trait T { fn no_body(&self) -> [u8; 3]; fn body(&self) {\n} }\nstruct S { f: fn(u8) -> u8 }";
    assert_eq!(functions(trait_and_pointer), [("body".to_owned(), 2)]);
    let nested = "fn outer() {\n    fn inner() {\n    }\n    let brace = '{';\n}\n";
    assert_eq!(functions(nested), [("outer".to_owned(), 5), ("inner".to_owned(), 2)]);
}
