//! The parts of a Markdown page that the checks need: headings, links, code.

use std::collections::BTreeSet;

/// A piece of a page and its first line number (from 1).
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub line: usize,
    pub text: String,
}

#[derive(Debug, Default)]
pub struct Page {
    /// Path within the package.
    pub path: String,
    /// Headings as link anchors.
    pub anchors: BTreeSet<String>,
    /// Targets of links and images.
    pub links: Vec<Piece>,
    /// Text between backticks.
    pub codes: Vec<Piece>,
    /// Lines outside of fences.
    pub prose: Vec<Piece>,
    /// Fenced blocks without their fences, each with its language.
    pub blocks: Vec<(String, Piece)>,
}

impl Page {
    pub fn new(path: &str, text: &str) -> Self {
        let mut page = Self { path: path.to_owned(), ..Self::default() };
        let mut in_block = false;
        let mut prose: Vec<Piece> = Vec::new();
        for (index, content) in text.lines().enumerate() {
            let line = index + 1;
            if let Some(language) = content.trim_start().strip_prefix("```") {
                in_block = !in_block;
                if in_block {
                    page.blocks.push((language.to_owned(), Piece { line: line + 1, text: String::new() }));
                }
            } else if in_block {
                let (_, block) = page.blocks.last_mut().expect("an open block");
                block.text += content;
                block.text.push('\n');
            } else {
                prose.push(Piece { line, text: content.to_owned() });
            }
        }
        for piece in &prose {
            page.read_line(piece);
        }
        page.prose = prose;
        page
    }

    fn read_line(&mut self, Piece { line, text }: &Piece) {
        if text.starts_with('#') {
            self.anchors.insert(slug(text.trim_start_matches('#')));
        }
        let piece = |text: &str| Piece { line: *line, text: text.to_owned() };
        let mut plain = String::new();
        for (index, part) in text.split('`').enumerate() {
            if index % 2 == 1 {
                self.codes.push(piece(part));
            } else {
                plain += part;
            }
        }
        let targets = plain.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        self.links.extend(targets.map(|(target, _)| piece(target)));
    }
}

/// The link anchor of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|&character| character.is_alphanumeric() || [' ', '-', '_'].contains(&character));
    kept.flat_map(char::to_lowercase).map(|character| if character == ' ' { '-' } else { character }).collect()
}

#[test]
fn pages_are_read() {
    let text =
        "# Steps, and `dt` (s)\n[a](b.md#c) and ![d](e.png), `[f](g)` and `src/h.rs`\n```rust\nfn f() {}\n# no heading\n```\n## Last\n";
    let page = Page::new("docs/made_up.md", text);
    assert_eq!(page.anchors.iter().collect::<Vec<_>>(), ["last", "steps-and-dt-s"]);
    let texts = |pieces: &[Piece]| pieces.iter().map(|piece| piece.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&page.links), ["b.md#c", "e.png"]);
    assert_eq!(texts(&page.codes), ["dt", "[f](g)", "src/h.rs"]);
    assert_eq!(page.codes[2].line, 2);
    assert_eq!(page.blocks, [("rust".to_owned(), Piece { line: 4, text: "fn f() {}\n# no heading\n".to_owned() })]);
}
