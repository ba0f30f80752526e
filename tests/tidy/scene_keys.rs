//! Every key that `crates/scene` reads is documented by a row of `docs/scene.md`.

use std::collections::BTreeSet;

use syn::{
    Expr, ExprMethodCall, FnArg, ImplItem, Item, Lit, Pat,
    visit::{self, Visit},
};

use crate::{Source, imports, none, read, sources};

/// Methods of `Table` whose first argument is a key.
fn readers(table: &syn::File) -> BTreeSet<String> {
    let methods = table.items.iter().filter_map(|item| if let Item::Impl(item) = item { Some(&item.items) } else { None }).flatten();
    let takes_key = |item: &ImplItem| {
        let ImplItem::Fn(function) = item else { return None };
        let FnArg::Typed(argument) = function.sig.inputs.iter().nth(1)? else { return None };
        let Pat::Ident(name) = &*argument.pat else { return None };
        (name.ident == "key").then(|| function.sig.ident.to_string())
    };
    methods.filter_map(takes_key).collect()
}

struct Keys<'a> {
    readers: &'a BTreeSet<String>,
    found: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Keys<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if !imports::is_test_only(imports::attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if self.readers.contains(&call.method.to_string())
            && let Some(Expr::Lit(literal)) = call.args.first()
            && let Lit::Str(key) = &literal.lit
        {
            // Messages join keys with dots.
            self.found.extend(key.value().rsplit('.').next().map(str::to_owned));
        }
        visit::visit_expr_method_call(self, call);
    }
}

fn keys(file: &syn::File, readers: &BTreeSet<String>) -> BTreeSet<String> {
    let mut keys = Keys { readers, found: BTreeSet::new() };
    keys.visit_file(file);
    keys.found
}

/// Last words of the keys in the first column of the tables of `page`.
fn documented(page: &str) -> BTreeSet<String> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let codes = rows.flat_map(|cell| cell.split('`').step_by(2).map(str::to_owned).collect::<Vec<_>>());
    codes.filter_map(|key| key.rsplit('.').next().map(str::to_owned)).collect()
}

#[test]
fn every_key_of_a_scene_is_documented() {
    let sources = sources();
    let of_scenes: Vec<&Source> = sources
        .iter()
        .filter(|source| source.path.starts_with("crates/scene/src/") && source.path != "crates/scene/src/tests.rs")
        .collect();
    let table = of_scenes.iter().find(|source| source.path == "crates/scene/src/read/table.rs").expect("the reader of tables");
    let readers = readers(&table.parsed);
    assert!(readers.len() > 15, "{readers:?}");
    let documented = documented(&read("docs/scene.md"));
    let mut wrong = Vec::new();
    let mut count = 0;
    for source in of_scenes {
        let keys = keys(&source.parsed, &readers);
        count += keys.len();
        wrong.extend(keys.difference(&documented).map(|key| format!("{} reads `{key}`, which docs/scene.md does not list", source.path)));
    }
    assert!(count > 100, "{count} keys");
    none(&wrong);
}

#[test]
fn keys_are_found_in_code_and_docs() {
    let table = syn::parse_file("impl Table { fn number(&self, key: &str) {} fn line_of(&self, path: &str) {} }").expect("Rust");
    let readers = readers(&table);
    assert_eq!(readers.iter().collect::<Vec<_>>(), ["number"]);
    let code =
        syn::parse_file("fn f(t: &Table) { t.number(\"radius\", Q); t.line_of(\"speed\"); t.table(\"x\"); t.number(\"box.max\", Q); }")
            .expect("Rust");
    assert_eq!(keys(&code, &readers).iter().collect::<Vec<_>>(), ["max", "radius"]);
    let page = "| `sphere.radius` | number |\n| `min`, `max` | vector | `not_this` |\n`nor_this`";
    assert_eq!(documented(page).iter().collect::<Vec<_>>(), ["max", "min", "radius"]);
}
