//! The licences of everything that is compiled into the programs that pages load.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::build::{Project, WASM};
use crate::step::{self, Attempt, Outcome};

/// What a crate is called and says of itself.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    source: String,
}

/// Every crate in the programs with its licence, and every text once with the crates that it is of.
/// The same for the same `Cargo.lock`, on every machine.
pub(crate) fn text(project: &Project) -> Outcome<String> {
    let mut metadata = project.cargo("metadata");
    metadata.args(["--format-version", "1", "--filter-platform", WASM]);
    let metadata: Value = serde_json::from_str(&step::read(&mut metadata)?)
        .attempt("cargo's metadata is not JSON")?;
    let ids = compiled_in(&metadata)?;
    let mut crates = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        // What has no source is the project's own, under the licences beside this file.
        if !ids.contains(field("id")) || package["source"].is_null() {
            continue;
        }
        let name = format!("{} {}", field("name"), field("version"));
        let folder = Path::new(field("manifest_path")).parent();
        let mut own = folder.map(licences_in).transpose()?.unwrap_or_default();
        if own.is_empty() && field("license").contains("MIT") {
            own.push(mit(package));
        }
        for text in own {
            texts.entry(text).or_default().insert(name.clone());
        }
        crates.insert(Crate {
            name: field("name").to_owned(),
            version: field("version").to_owned(),
            licence: field("license").to_owned(),
            source: field("repository").to_owned(),
        });
    }
    Ok(written(&crates, &texts))
}

/// The text of a crate that says that it is under the MIT licence and does not bring it.
fn mit(package: &Value) -> String {
    let authors = package["authors"].as_array().into_iter().flatten();
    let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
    let holder = match authors.is_empty() {
        true => "the authors".to_owned(),
        false => authors.join(", "),
    };
    // The permission is the same for everybody, and this project's own is one of them.
    let ours = include_str!("../../../LICENSE-MIT");
    let permission = ours.find("Permission is hereby").unwrap_or_default();
    let permission = ours.get(permission..).unwrap_or_default().trim();
    format!("MIT License\n\nCopyright (c) {holder}\n\n{permission}")
}

/// The packages that the widget is linked with: what builds them and what tests them is not.
fn compiled_in(metadata: &Value) -> Outcome<BTreeSet<&str>> {
    let nodes = metadata["resolve"]["nodes"].as_array();
    let nodes: BTreeMap<&str, &Value> = nodes
        .into_iter()
        .flatten()
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let packages = || metadata["packages"].as_array().into_iter().flatten();
    let widget = packages()
        .filter(|package| package["name"] == "booking-widget")
        .find_map(|package| package["id"].as_str());
    // A macro leaves nothing of itself behind, and neither does what it uses.
    let macros: BTreeSet<&str> = packages()
        .filter(|package| !is_linked(package))
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut found = BTreeSet::new();
    let mut unread = vec![widget.ok_or("cargo knows no widget")?];
    while let Some(id) = unread.pop() {
        if macros.contains(id) || !found.insert(id) {
            continue;
        }
        let Some(node) = nodes.get(id) else { continue };
        for dependency in node["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array();
            let is_normal = kinds
                .into_iter()
                .flatten()
                .any(|kind| kind["kind"].is_null());
            if let (true, Some(id)) = (is_normal, dependency["pkg"].as_str()) {
                unread.push(id);
            }
        }
    }
    Ok(found)
}

/// Whether a package is a library that becomes part of a program.
fn is_linked(package: &Value) -> bool {
    let targets = package["targets"].as_array().into_iter().flatten();
    targets
        .flat_map(|target| target["kind"].as_array().into_iter().flatten())
        .any(|kind| kind == "lib" || kind == "rlib" || kind == "cdylib")
}

/// The texts of the licences in a crate's folder.
fn licences_in(folder: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).attempt(format!("cannot read {}", folder.display()))? {
        let entry = entry.attempt(format!("cannot read {}", folder.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| upper.starts_with(start));
        if is_licence && entry.path().is_file() {
            names.push(name);
        }
    }
    // Where there is a choice, the shorter text is the one that is chosen.
    let is_mit = |name: &String| name.to_uppercase().contains("MIT");
    if names.iter().any(is_mit) {
        names.retain(is_mit);
    }
    names.sort();
    names
        .iter()
        .map(|name| {
            let bytes = fs::read(folder.join(name)).attempt(format!("cannot read {name}"))?;
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().map(str::trim_end);
            Ok(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
        })
        .collect()
}

fn written(crates: &BTreeSet<Crate>, texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut text = String::from(
        "What is compiled into the programs of this package, beside its own code and the standard \
         library of\nRust (The Rust Project Developers, MIT OR Apache-2.0).\n\n",
    );
    for it in crates {
        let licence = if it.licence.is_empty() {
            "see its text below"
        } else {
            &it.licence
        };
        text.push_str(&format!("{} {}: {licence}\n", it.name, it.version));
        if !it.source.is_empty() {
            text.push_str(&format!("    {}\n", it.source));
        }
    }
    for (licence, names) in texts {
        let rule = "-".repeat(80);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        text.push_str(&format!(
            "\n{rule}\n{}\n{rule}\n\n{licence}\n",
            names.join(", ")
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_only_needed_to_build_is_not_compiled_in() {
        let dep = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let package = |name: &str, kind: &str| json!({ "name": name, "id": name, "targets": [{ "kind": [kind] }] });
        let metadata = json!({
            "packages": [
                package("booking-widget", "lib"),
                package("a", "rlib"),
                package("b", "lib"),
                package("macros", "proc-macro"),
                package("syntax", "lib"),
            ],
            "resolve": { "nodes": [
                { "id": "booking-widget", "deps": [dep("a", Value::Null), dep("macros", Value::Null), dep("tests", json!("dev"))] },
                { "id": "a", "deps": [dep("b", Value::Null), dep("builds", json!("build"))] },
                { "id": "b", "deps": [dep("a", Value::Null)] },
                { "id": "macros", "deps": [dep("syntax", Value::Null)] },
                { "id": "service", "deps": [dep("c", Value::Null)] },
            ] },
        });
        let found = compiled_in(&metadata).unwrap();
        assert_eq!(found, BTreeSet::from(["booking-widget", "a", "b"]));
    }

    #[test]
    fn a_crate_without_a_text_has_the_one_that_it_names() {
        let text = mit(&json!({ "authors": ["Ada", "Grace"] }));
        assert!(text.contains("Copyright (c) Ada, Grace\n\nPermission is hereby granted"));
        assert!(mit(&json!({})).contains("(c) the authors\n"));
    }

    #[test]
    fn a_text_stands_once_for_all_crates_that_have_it() {
        let it = |name: &str| Crate {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            source: String::new(),
        };
        let names = BTreeSet::from(["a 1.0.0".to_owned(), "b 1.0.0".to_owned()]);
        let texts = BTreeMap::from([("Permission is granted".to_owned(), names)]);
        let text = written(&BTreeSet::from([it("b"), it("a")]), &texts);
        assert!(text.contains("a 1.0.0: MIT\nb 1.0.0: MIT\n"));
        assert!(text.contains("\na 1.0.0, b 1.0.0\n"));
        assert_eq!(text.matches("Permission").count(), 1);
    }
}
