//! All paths of this workspace and the standard library that a file names, in any notation.

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::{
    Attribute, Item, ItemMod, ItemUse, Macro, Meta, UseTree,
    spanned::Spanned,
    visit::{self, Visit},
};

/// A path that begins with its crate, the line that names it, and the module that does.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub path: Vec<String>,
    pub line: usize,
    /// The file's module and the modules within the file around the path.
    pub here: Vec<String>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// `use`; the path may refer to a module.
    Import,
    /// `pub use`.
    Reexport,
    /// In code: `crate::fluid::Kernel::new`. A path without `crate`, `super` or `self` is relative to the module.
    Code,
}

/// Whether an item is compiled for tests only.
pub fn is_test_only(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

pub fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Every path in `file`, the text of `module`; with `relative`, also those without `crate`, `super` or `self`.
pub fn paths(file: &syn::File, module: &[String], relative: bool, with_tests: bool) -> Vec<Named> {
    let mut collector = Collector { here: module.to_vec(), relative, with_tests, named: Vec::new() };
    collector.visit_file(file);
    collector.named
}

struct Collector {
    here: Vec<String>,
    relative: bool,
    with_tests: bool,
    named: Vec<Named>,
}

impl Collector {
    /// Records a path, unless it belongs to a crate from elsewhere.
    fn note(&mut self, written: &[String], line: usize, kind: Kind) {
        let Some(path) = absolute(written, &self.here, self.relative) else { return };
        self.named.push(Named { path, line, here: self.here.clone(), kind });
    }

    fn tree(&mut self, tree: &UseTree, prefix: &[String], kind: Kind) {
        let line = tree.span().start().line;
        let joined = |name: String| [prefix, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &joined(path.ident.to_string()), kind),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, prefix, kind)),
            UseTree::Glob(_) => self.note(&joined("*".to_owned()), line, kind),
            UseTree::Name(name) if name.ident == "self" => self.note(prefix, line, kind),
            UseTree::Rename(name) if name.ident == "self" => self.note(prefix, line, kind),
            UseTree::Rename(name) if name.ident == "crate" => self.note(&["crate".to_owned(), "crate as".to_owned()], line, kind),
            UseTree::Name(name) => self.note(&joined(name.ident.to_string()), line, kind),
            UseTree::Rename(name) => self.note(&joined(name.ident.to_string()), line, kind),
        }
    }

    /// Paths in the arguments of a macro, which are only tokens.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut written: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                TokenTree::Ident(ident) if colons == 2 && !written.is_empty() => (written.push(ident.to_string()), colons = 0).1,
                TokenTree::Ident(ident) => {
                    self.flush(&mut written, line);
                    (line, colons) = (ident.span().start().line, 0);
                    written.push(ident.to_string());
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' && (colons == 1 || mark.spacing() == Spacing::Joint) => colons += 1,
                TokenTree::Group(group) => {
                    self.flush(&mut written, line);
                    self.tokens(group.stream());
                }
                _ => self.flush(&mut written, line),
            }
        }
        self.flush(&mut written, line);
    }

    fn flush(&mut self, written: &mut Vec<String>, line: usize) {
        if written.len() > 1 {
            self.note(written, line, Kind::Code);
        }
        written.clear();
    }
}

/// `written` as a path that begins with its crate, if that is one of this workspace or the standard library.
pub fn absolute(written: &[String], here: &[String], relative: bool) -> Option<Vec<String>> {
    let mut path = match written.first()?.as_str() {
        "crate" => here[..1].to_vec(),
        name @ ("plimsoll" | "std") => vec![name.to_owned()],
        name if name.starts_with("plimsoll_") => vec![name["plimsoll_".len()..].to_owned()],
        "self" if written.len() > 1 => here.to_vec(),
        "super" => here[..here.len().saturating_sub(1)].to_vec(),
        name if relative => [here, &[name.to_owned()]].concat(),
        _ => return None,
    };
    for name in &written[1..] {
        match name.as_str() {
            "super" => drop(path.pop()),
            "self" => {}
            _ => path.push(name.clone()),
        }
    }
    Some(path)
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_item(&mut self, item: &'ast Item) {
        if self.with_tests || !is_test_only(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.here.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.here.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let kind = if matches!(item.vis, syn::Visibility::Inherited) { Kind::Import } else { Kind::Reexport };
        self.tree(&item.tree, &[], kind);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 && path.leading_colon.is_none() {
            let written: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.note(&written, path.span().start().line, Kind::Code);
        }
        visit::visit_path(self, path);
    }

    // `pub(in crate::scene)` imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_macro(&mut self, found: &'ast Macro) {
        self.tokens(found.tokens.clone());
    }
}

fn named(source: &str, of: &str) -> Vec<String> {
    let module: Vec<String> = of.split("::").map(str::to_owned).collect();
    let file = syn::parse_file(source).expect("Rust");
    paths(&file, &module, false, true).into_iter().map(|named| named.path.join("::")).collect()
}

#[test]
fn paths_are_read_however_they_are_written() {
    assert_eq!(named("use crate::math::Pose;", "shape::mesh"), ["shape::math::Pose"]);
    let nested = "use crate::{\n    fluid::{self, wall::{edge as brink, *}},\n    math::Pose,\n};";
    assert_eq!(named(nested, "cli"), ["cli::fluid", "cli::fluid::wall::edge", "cli::fluid::wall::*", "cli::math::Pose"]);
    assert_eq!(named("use super::super::{run::Run, math};", "output::vtu::grid"), ["output::run::Run", "output::math"]);
    assert_eq!(named("use super::{super::run, file};", "output::vtu::grid"), ["output::run", "output::vtu::file"]);
    assert_eq!(named("use plimsoll_run::Run; use plimsoll::math; use rayon::prelude::*;", "plot::read"), ["run::Run", "plimsoll::math"]);
    let tests = "mod tests { use super::*; fn f() { crate::run::go() } }\nuse super::file;";
    assert_eq!(named(tests, "output::vtk"), ["output::vtk::*", "output::run::go", "output::file"]);
    assert_eq!(named("pub(super) use self::inner::Thing; pub(crate) fn f() {}", "output"), ["output::inner::Thing"]);
    let types = "fn f(body: &plimsoll_bodies::Body) -> Vec::<crate::math::Pose> { todo() }";
    assert_eq!(named(types, "fluid"), ["bodies::Body", "fluid::math::Pose"]);
    assert_eq!(named("fn f() { let x = self.crate_size; foo::super_thing::go(); }", "fluid"), Vec::<String>::new());
    assert_eq!(named("use crate as plimsoll;", "math"), ["math::crate as"]);
    let hidden = "// use crate::run::Run;\n/* use crate::cli; */ fn f() { let s = \"use crate::run;\"; crate::math::go::<'a>(); }";
    assert_eq!(named(hidden, "base"), ["base::math::go"]);
    let arguments = "fn f() { assert!(x > plimsoll_base::math::LIMIT && [super::Y].len() == 1, \"{}\", plimsoll::run::go(crate::X)); }";
    assert_eq!(named(arguments, "fluid::step"), ["base::math::LIMIT", "fluid::Y", "plimsoll::run::go", "fluid::X"]);
}

#[test]
fn what_is_for_tests_can_be_left_out() {
    let file = syn::parse_file("#[cfg(test)]\nmod tests { use super::*; }\n#[cfg(feature = \"x\")]\nuse crate::run;").expect("Rust");
    let named = paths(&file, &["scene".to_owned()], false, false);
    assert_eq!(named.len(), 1);
    assert_eq!((named[0].path.join("::"), named[0].line, named[0].kind), ("scene::run".to_owned(), 4, Kind::Import));
}
