//! Unsafe code is only where it is known of.

use syn::visit::{self, Visit};

use crate::{Source, files_under, is_source, none, read, sources};

/// The files with unsafe code and the reason. The lint `unsafe_code` (Cargo.toml) is allowed in no other.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("src/main.rs", "settings of the C library, before anything runs"),
    ("crates/base/src/math/lanes/avx2.rs", "instructions of the processor"),
];

/// Blocks, functions and implementations that are unsafe, and attributes that allow them.
#[derive(Default)]
struct Unsafe {
    lines: Vec<usize>,
}

impl Visit<'_> for Unsafe {
    fn visit_token_stream(&mut self, _: &proc_macro2::TokenStream) {}

    fn visit_expr_unsafe(&mut self, block: &syn::ExprUnsafe) {
        self.lines.push(block.unsafe_token.span.start().line);
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &syn::Signature) {
        self.lines.extend(signature.unsafety.iter().map(|token| token.span.start().line));
        visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        self.lines.extend(item.unsafety.iter().map(|token| token.span.start().line));
        visit::visit_item_impl(self, item);
    }

    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        let Ok(list) = attribute.meta.require_list() else { return };
        let allows = ["allow", "expect"].iter().any(|name| list.path.is_ident(name)) && list.tokens.to_string().contains("unsafe_code");
        if allows {
            self.lines.push(list.delimiter.span().open().start().line);
        }
    }
}

fn lines(file: &syn::File) -> Vec<usize> {
    let mut found = Unsafe::default();
    found.visit_file(file);
    found.lines
}

#[test]
fn unsafe_code_is_only_in_the_named_files() {
    let others = ["benches", "crates", "examples", "tests", "tools"]
        .into_iter()
        .flat_map(files_under)
        .filter(|path| path.ends_with(".rs") && !is_source(path));
    let others = others.map(|path| (lines(&syn::parse_file(&read(&path)).unwrap_or_else(|error| panic!("{path}: {error}"))), path));
    let ours = sources().into_iter().map(|Source { path, parsed, .. }| (lines(&parsed), path));
    let found: Vec<(Vec<usize>, String)> = ours.chain(others).filter(|(lines, _)| !lines.is_empty()).collect();
    let unknown = found.iter().filter(|(_, path)| EXCEPTIONS.iter().all(|(known, _)| known != path));
    none(&unknown.map(|(lines, path)| format!("{path}: lines {lines:?} are unsafe or allow it")).collect::<Vec<_>>());
    let unused = EXCEPTIONS.iter().filter(|(known, _)| found.iter().all(|(_, path)| path != known));
    none(&unused.map(|(known, reason)| format!("{known} has no unsafe code any more ({reason})")).collect::<Vec<_>>());
}

#[test]
fn the_search_finds_each_kind() {
    let found = |text: &str| lines(&syn::parse_file(text).unwrap()).len();
    assert_eq!(found("fn f() { unsafe { g() } }"), 1);
    assert_eq!(found("unsafe fn f() {}"), 1);
    assert_eq!(found("unsafe impl Send for A {}"), 1);
    assert_eq!(found("#![allow(unsafe_code)]"), 1);
    assert_eq!(found("#[expect(unsafe_code)] fn f() {}"), 1);
    assert_eq!(found("#[allow(dead_code)] fn f() { let unsafety = 1; }"), 0);
}
