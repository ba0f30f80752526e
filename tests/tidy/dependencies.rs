//! Dependencies have permissive licenses and come from the registry, by the rules in `deny.toml`. `cargo deny` reads the same rules and knows
//! more; this test needs no tool to be built.

use std::process::Command;

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::{none, package, read};

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    /// `None` for a crate of the workspace.
    source: Option<String>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    path: Option<String>,
}

#[derive(Deserialize)]
struct Rules {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
    exceptions: Vec<Exception>,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

impl Licenses {
    /// Why the license of a package is not accepted.
    fn objection(&self, name: &str, license: Option<&str>) -> Option<String> {
        let Some(license) = license else {
            return Some(format!("{name} states no license"));
        };
        let expression = match Expression::parse_mode(license, ParseMode::LAX) {
            Ok(expression) => expression,
            Err(error) => return Some(format!("{name}: the license '{license}' cannot be read: {error}")),
        };
        let further = self.exceptions.iter().filter(|exception| exception.name == name).flat_map(|exception| &exception.allow);
        let allowed: Vec<Licensee> = self.allow.iter().chain(further).map(|license| Licensee::parse(license).unwrap()).collect();
        let accepted = expression.evaluate(|required| allowed.iter().any(|license| license.satisfies(required)));
        (!accepted).then(|| format!("{name}: the license '{license}' is not among those that deny.toml allows"))
    }
}

impl Package {
    /// Why its source and the versions that it asks for are not accepted.
    fn objections(&self) -> impl Iterator<Item = String> + '_ {
        let Self { name, version, source, dependencies, .. } = self;
        let foreign = source.as_deref().filter(|&source| source != REGISTRY);
        let foreign = foreign.map(|source| format!("{name} {version} comes from {source}, not from the registry"));
        let any = dependencies.iter().filter(|dependency| source.is_none() && dependency.path.is_none() && dependency.req == "*");
        foreign.into_iter().chain(any.map(move |dependency| format!("{name} accepts any version of {}", dependency.name)))
    }
}

fn rules() -> Licenses {
    toml::from_str::<Rules>(&read("deny.toml")).expect("rules").licenses
}

#[test]
fn licenses_sources_and_versions_of_dependencies_are_accepted() {
    let mut metadata = Command::new(env!("CARGO"));
    metadata.args(["metadata", "--format-version=1", "--locked", "--all-features"]).current_dir(package());
    let output = metadata.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let Metadata { packages } = serde_json::from_slice(&output.stdout).expect("metadata");
    assert!(packages.len() > 400, "{} packages", packages.len());
    let rules = rules();
    let objections = packages.iter().flat_map(|package| {
        let license = rules.objection(&package.name, package.license.as_deref());
        license.into_iter().chain(package.objections())
    });
    none(&objections.collect::<Vec<_>>());
}

#[test]
fn what_the_rules_do_not_allow_is_named() {
    let rules = rules();
    for allowed in ["MIT/Apache-2.0", "GPL-2.0-only OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"] {
        assert_eq!(rules.objection("some", Some(allowed)), None);
    }
    assert_eq!(rules.objection("libfuzzer-sys", Some("MIT AND NCSA")), None);
    for refused in [Some("GPL-3.0-only"), Some("MIT AND NCSA"), Some("MIT AND LGPL-2.1-or-later"), Some("mine"), None] {
        assert!(rules.objection("some", refused).is_some_and(|objection| objection.starts_with("some")), "{refused:?}");
    }
    let dependency = |req: &str, path: Option<&str>| Dependency { name: "other".into(), req: req.into(), path: path.map(str::to_owned) };
    let package = |source: Option<&str>| Package {
        name: "some".into(),
        version: "1.0.0".into(),
        license: None,
        source: source.map(str::to_owned),
        dependencies: vec![dependency("^1", None), dependency("*", Some("crates/other")), dependency("*", None)],
    };
    assert_eq!(package(Some(REGISTRY)).objections().count(), 0);
    assert_eq!(package(None).objections().collect::<Vec<_>>(), ["some accepts any version of other"]);
    let objections: Vec<_> = package(Some("git+https://example.org/some")).objections().collect();
    assert_eq!(objections, ["some 1.0.0 comes from git+https://example.org/some, not from the registry"]);
}
