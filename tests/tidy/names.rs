//! The window, the diagrams and `check` name no simulator: they use only the contract and tables.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, Item, LitStr, Macro,
    visit::{self, Visit},
};

use crate::{
    Source,
    imports::{attributes, is_test_only},
    none, sources,
};

/// Places in which no simulator may be named.
const PLACES: [&str; 3] = ["crates/viewer/src/", "crates/plot/src/", "src/cli/check.rs"];
const SIMULATORS: [&str; 5] = ["fluid", "gas", "grains", "aggregates", "blocks"];

/// Words of an identifier or a text, in lower case: `GasSettings` is `gas` and `settings`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for character in text.chars() {
        if !character.is_alphanumeric() || (character.is_uppercase() && before_is_lower) {
            words.push(String::new());
        }
        before_is_lower = character.is_lowercase();
        if character.is_alphanumeric() {
            words.last_mut().expect("a word").extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

struct Namer {
    found: BTreeSet<(usize, String)>,
}

impl Namer {
    fn look(&mut self, text: &str, line: usize) {
        let simulators = words(text).into_iter().filter(|word| SIMULATORS.contains(&word.as_str()));
        self.found.extend(simulators.map(|word| (line, word)));
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            let line = token.span().start().line;
            match token {
                TokenTree::Ident(ident) => self.look(&ident.to_string(), line),
                TokenTree::Literal(literal) => self.look(&literal.to_string(), line),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(_) => {}
            }
        }
    }
}

impl<'ast> Visit<'ast> for Namer {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.look(&ident.to_string(), ident.span().start().line);
    }

    fn visit_lit_str(&mut self, literal: &'ast LitStr) {
        self.look(&literal.value(), literal.span().start().line);
    }

    fn visit_macro(&mut self, found: &'ast Macro) {
        self.tokens(found.tokens.clone());
    }
}

/// Simulators that a file names outside comments and tests, with the lines.
fn named(source: &Source) -> Vec<(usize, String)> {
    let mut namer = Namer { found: BTreeSet::new() };
    namer.visit_file(&source.parsed);
    namer.found.into_iter().collect()
}

#[test]
fn no_simulator_is_named_above_the_contract() {
    let sources = sources();
    let watched = sources.iter().filter(|source| PLACES.iter().any(|place| source.path.starts_with(place)));
    let wrong: Vec<String> = watched
        .flat_map(|source| named(source).into_iter().map(|(line, name)| format!("{} line {line} names {name}", source.path)))
        .collect();
    none(&wrong);
}

#[test]
fn names_of_simulators_are_found() {
    let named = |text: &str| named(&Source::new("crates/plot/src/made_up.rs", text)).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(named("use crate::gas::Contact;"), ["gas"]);
    assert_eq!(named("fn f(x: FluidSettings) { g(\"of the grains\"); }"), ["fluid", "grains"]);
    assert_eq!(named("fn f() { println!(\"{}\", x.blocks_of(\"aggregates\")); }"), ["aggregates", "blocks"]);
    assert_eq!(
        named("//! Gas.\n/// Grains and blocks.\nfn f() {} // fluid\n#[cfg(test)]\nmod tests { use crate::gas; }"),
        Vec::<String>::new()
    );
    assert_eq!(named("fn gasoline(unblocks: u8) -> &'static str { \"fluids\" }"), Vec::<String>::new());
}
