//! Licences of the crates that are compiled into the WebAssembly modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fs_err as fs;
use serde_json::Value;

use crate::process::{self, Attempt, Outcome};
use crate::project::{Project, WASM};

/// Licence metadata of a crate.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    source: String,
}

/// Lists every linked crate with its licence, and each distinct licence text with its crates.
/// Depends on `Cargo.lock` only, so that builds are reproducible.
pub(crate) fn text(project: &Project) -> Outcome<String> {
    let mut metadata = project.cargo("metadata");
    metadata.args(["--format-version", "1", "--filter-platform", WASM]);
    let metadata: Value = serde_json::from_str(&process::read(&mut metadata)?)
        .attempt("cargo's metadata is not JSON")?;
    let ids = linked_packages(&metadata)?;
    let mut crates = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        // Packages without a source are the project's own; LICENSE-MIT and LICENSE-APACHE cover them.
        if !ids.contains(field("id")) || package["source"].is_null() {
            continue;
        }
        let name = format!("{} {}", field("name"), field("version"));
        let folder = Path::new(field("manifest_path")).parent();
        let mut found = folder.map(licences_in).transpose()?.unwrap_or_default();
        if found.is_empty() && field("license").contains("MIT") {
            found.push(mit_text(package));
        }
        for text in found {
            texts.entry(text).or_default().insert(name.clone());
        }
        crates.insert(Crate {
            name: field("name").to_owned(),
            version: field("version").to_owned(),
            licence: field("license").to_owned(),
            source: field("repository").to_owned(),
        });
    }
    Ok(render(&crates, &texts))
}

/// MIT licence text for a crate that names this licence but does not include its text.
fn mit_text(package: &Value) -> String {
    let authors = package["authors"].as_array().into_iter().flatten();
    let authors: Vec<&str> = authors.filter_map(Value::as_str).collect();
    let holder = match authors.is_empty() {
        true => "the authors".to_owned(),
        false => authors.join(", "),
    };
    // The permission notice is the same in every MIT licence.
    let own = include_str!("../../../LICENSE-MIT");
    let permission = own.find("Permission is hereby").unwrap_or_default();
    let permission = own.get(permission..).unwrap_or_default().trim();
    format!("MIT License\n\nCopyright (c) {holder}\n\n{permission}")
}

/// Ids of the widget and its normal dependencies, without build, dev and macro dependencies.
fn linked_packages(metadata: &Value) -> Outcome<BTreeSet<&str>> {
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
    // Macro crates and their dependencies are not linked.
    let macros: BTreeSet<&str> = packages()
        .filter(|package| !is_linked(package))
        .filter_map(|package| package["id"].as_str())
        .collect();
    let mut found = BTreeSet::new();
    let mut pending = vec![widget.ok_or("cargo metadata lists no booking-widget package")?];
    while let Some(id) = pending.pop() {
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
                pending.push(id);
            }
        }
    }
    Ok(found)
}

/// True if a package has a library target that is linked.
fn is_linked(package: &Value) -> bool {
    let targets = package["targets"].as_array().into_iter().flatten();
    targets
        .flat_map(|target| target["kind"].as_array().into_iter().flatten())
        .any(|kind| kind == "lib" || kind == "rlib" || kind == "cdylib")
}

/// Reads the licence texts in a crate's folder.
fn licences_in(folder: &Path) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| upper.starts_with(start));
        if is_licence && entry.path().is_file() {
            names.push(name);
        }
    }
    // Of several licences to choose from, MIT is used for its short text.
    let is_mit = |name: &String| name.to_uppercase().contains("MIT");
    if names.iter().any(is_mit) {
        names.retain(is_mit);
    }
    names.sort();
    names
        .iter()
        .map(|name| {
            let bytes = fs::read(folder.join(name))?;
            let text = String::from_utf8_lossy(&bytes);
            let lines = text.lines().map(str::trim_end);
            Ok(lines.collect::<Vec<_>>().join("\n").trim().to_owned())
        })
        .collect()
}

fn render(crates: &BTreeSet<Crate>, texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut text = String::from(
        "What is compiled into the programs of this package, beside its own code and the standard \
         library of\nRust (The Rust Project Developers, MIT OR Apache-2.0).\n\n",
    );
    for entry in crates {
        let licence = if entry.licence.is_empty() {
            "see its text below"
        } else {
            &entry.licence
        };
        text.push_str(&format!("{} {}: {licence}\n", entry.name, entry.version));
        if !entry.source.is_empty() {
            text.push_str(&format!("    {}\n", entry.source));
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
    fn build_dev_and_macro_dependencies_are_not_linked() {
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
        let found = linked_packages(&metadata).unwrap();
        assert_eq!(found, BTreeSet::from(["booking-widget", "a", "b"]));
    }

    #[test]
    fn mit_crate_without_text_gets_standard_text() {
        let text = mit_text(&json!({ "authors": ["Ada", "Grace"] }));
        assert!(text.contains("Copyright (c) Ada, Grace\n\nPermission is hereby granted"));
        assert!(mit_text(&json!({})).contains("(c) the authors\n"));
    }

    #[test]
    fn shared_licence_text_is_listed_once() {
        let mit_crate = |name: &str| Crate {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT".to_owned(),
            source: String::new(),
        };
        let names = BTreeSet::from(["a 1.0.0".to_owned(), "b 1.0.0".to_owned()]);
        let texts = BTreeMap::from([("Permission is granted".to_owned(), names)]);
        let text = render(&BTreeSet::from([mit_crate("b"), mit_crate("a")]), &texts);
        assert!(text.contains("a 1.0.0: MIT\nb 1.0.0: MIT\n"));
        assert!(text.contains("\na 1.0.0, b 1.0.0\n"));
        assert_eq!(text.matches("Permission").count(), 1);
    }
}
