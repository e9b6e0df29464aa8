//! Licences of the crates that are compiled into the WebAssembly modules. `cargo-about`, which collects them, too, would be
//! compiled for minutes before each first build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fs_err as fs;
use serde_json::Value;

use crate::process::{self, Outcome};
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
    let metadata = project.metadata(&["--filter-platform", WASM])?;
    let linked = linked_crates(project)?;
    let mut crates = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let field = |name: &str| package[name].as_str().unwrap_or_default();
        let name = format!("{} {}", field("name"), field("version"));
        // Packages without a source are the project's own; LICENSE-MIT and LICENSE-APACHE cover them.
        if !linked.contains(&name) || package["source"].is_null() {
            continue;
        }
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

/// Returns names and versions of the widget and its normal dependencies, without build, dev and macro
/// dependencies.
fn linked_crates(project: &Project) -> Outcome<BTreeSet<String>> {
    let mut tree = project.cargo("tree");
    tree.args(["--package", "booking-widget", "--target", WASM]);
    tree.args(["--prefix", "none"]);
    tree.args(["--edges", "normal,no-proc-macro", "--format", "{p}"]);
    let tree = process::read(&mut tree)?;
    let crates = tree.lines().filter_map(|line| {
        let (name, version) = line.split_once(" v")?;
        let (version, _) = version.split_once(' ').unwrap_or((version, ""));
        Some(format!("{name} {version}"))
    });
    Ok(crates.collect())
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
         library of\nRust (The Rust Project Developers, MIT OR Apache-2.0). The table of telephone numbers is made of the \
         metadata of\nlibphonenumber (The Libphonenumber Authors, Apache-2.0: LICENSE-APACHE).\n\n",
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
