//! Files and functions stay small, files begin with a description, and the fluid's step does not move buffers around.

use syn::{
    ImplItemFn, ItemFn, TraitItemFn,
    visit::{self, Visit},
};

use crate::{Source, none, sources};

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 100;
/// Folders in which `mem::take` is forbidden.
const STEP: [&str; 1] = ["crates/fluid/src/"];

#[derive(Default)]
struct Functions {
    found: Vec<(String, usize)>,
}

impl Functions {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.brace_token.span.close().end().line - signature.fn_token.span.start().line + 1;
        self.found.push((signature.ident.to_string(), lines));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.add(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(block) = &function.default {
            self.add(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// Functions with a body and their lengths in lines.
fn functions(file: &syn::File) -> Vec<(String, usize)> {
    let mut functions = Functions::default();
    functions.visit_file(file);
    functions.found
}

/// Errors of a file that do not depend on its imports.
fn oversized(source: &Source) -> Vec<String> {
    let mut wrong = Vec::new();
    if !source.text.starts_with("//! ") {
        wrong.push("does not begin by saying what it is".to_owned());
    }
    let lines = source.text.lines().count();
    if lines > FILE_LINES {
        wrong.push(format!("has {lines} lines, at most {FILE_LINES}"));
    }
    let long = functions(&source.parsed).into_iter().filter(|&(_, lines)| lines > FUNCTION_LINES);
    wrong.extend(long.map(|(name, lines)| format!("function {name} has {lines} lines, at most {FUNCTION_LINES}")));
    wrong
}

#[derive(Default)]
struct Takes(usize);

impl<'ast> Visit<'ast> for Takes {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
        if names.next().as_deref() == Some("take") && names.next().as_deref() == Some("mem") {
            self.0 += 1;
        }
        visit::visit_path(self, path);
    }

    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        if path.ident == "mem" && matches!(&*path.tree, syn::UseTree::Name(name) if name.ident == "take") {
            self.0 += 1;
        }
        visit::visit_use_path(self, path);
    }
}

/// How often a file names `mem::take`.
fn takes(file: &syn::File) -> usize {
    let mut takes = Takes::default();
    takes.visit_file(file);
    takes.0
}

#[test]
fn files_and_functions_are_small_and_say_what_they_are() {
    let wrong = |source: &Source| oversized(source).into_iter().map(|why| format!("{} {why}", source.path)).collect::<Vec<_>>();
    none(&sources().iter().flat_map(wrong).collect::<Vec<_>>());
}

#[test]
fn the_step_takes_no_buffers_out() {
    let sources = sources();
    let watched = sources.iter().filter(|source| STEP.iter().any(|start| source.path.starts_with(start)));
    let taking = |source: &Source| vec![format!("{} uses mem::take", source.path); takes(&source.parsed)];
    none(&watched.flat_map(taking).collect::<Vec<_>>());
}

#[test]
fn uses_of_take_are_found() {
    let count = |text: &str| takes(&syn::parse_file(text).expect("Rust"));
    assert_eq!(count("fn f() { let a = std::mem::take(&mut b); let c = mem::take(&mut d); }"), 2);
    assert_eq!(count("use std::mem::take;"), 1);
    assert_eq!(count("fn f() { b.iter().take(3); Option::take(&mut a); }"), 0);
}

#[test]
fn oversized_files_and_functions_are_found() {
    let made_up = |text: &str| Source::new("src/made_up.rs", text);
    let function = |lines: usize| {
        format!("//! Made up.\npub fn long<const N: usize>(x: [f64; 3]) -> [f64; 3] {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    };
    assert_eq!(functions(&made_up(&function(100)).parsed), [("long".to_owned(), 100)]);
    assert!(oversized(&made_up(&function(100))).is_empty());
    assert_eq!(oversized(&made_up(&function(101))), ["function long has 101 lines, at most 100"]);
    assert_eq!(oversized(&made_up("// Made up.\n")).len(), 1);
    assert!(oversized(&made_up(&format!("//! Made up.\n{}", "const A: u8 = 0;\n".repeat(799)))).is_empty());
    assert_eq!(oversized(&made_up(&format!("//! Made up.\n{}", "const A: u8 = 0;\n".repeat(800)))).len(), 1);
    let trait_and_pointer = "trait T { fn no_body(&self) -> [u8; 3]; fn body(&self) {\n} }\nstruct S { f: fn(u8) -> u8 }";
    assert_eq!(functions(&made_up(trait_and_pointer).parsed), [("body".to_owned(), 2)]);
    let nested = "fn outer() {\n    fn inner() {\n    }\n    let brace = '{';\n}\n";
    assert_eq!(functions(&made_up(nested).parsed), [("outer".to_owned(), 5), ("inner".to_owned(), 2)]);
}
