//! The npm package around the embed files, and what else is made of the one description of the
//! elements, `src/embed/elements.json`.

mod described;
pub(crate) mod fixtures;
mod licences;
mod manifest;
mod tables;
mod types;

use std::fs;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};
use sha2::{Digest, Sha384};

use crate::build::Project;
use crate::step::{Attempt, Outcome};

use described::Described;

/// The description of the elements, below the project's root.
const DESCRIPTION: &str = "src/embed/elements.json";

/// The guide whose tables are made from it.
const GUIDE: &str = "docs/embedding.md";

/// The command: writes the tables of the guide anew.
pub(crate) fn write_guide(project: &Project) -> Outcome {
    let (described, guide) = (describe(project)?, project.root.join(GUIDE));
    let before = fs::read_to_string(&guide).attempt(format!("cannot read {GUIDE}"))?;
    let after = tables::written_into(&before, &described)?;
    if before == after {
        println!("the tables in {GUIDE} are what {DESCRIPTION} says");
        return Ok(());
    }
    fs::write(&guide, after).attempt(format!("cannot write {GUIDE}"))?;
    println!("{GUIDE} has new tables");
    Ok(())
}

/// Reads the description of the elements.
fn describe(project: &Project) -> Outcome<Described> {
    let text = fs::read_to_string(project.root.join(DESCRIPTION))
        .attempt(format!("cannot read {DESCRIPTION}"))?;
    Described::read(&text)
}

/// The script that customers put on their pages, as it is in the package.
const LOADER: &str = "embed.js";

/// What makes `files`, by name, an npm package.
pub(crate) fn files(project: &Project, files: &[(&str, &[u8])]) -> Outcome<Vec<(String, Vec<u8>)>> {
    let described = describe(project)?;
    let version = env!("CARGO_PKG_VERSION");
    let loader = files.iter().find(|(name, _)| *name == LOADER);
    let (_, loader) = loader.ok_or("the package has no loader")?;
    let read =
        |name: &str| fs::read(project.root.join(name)).attempt(format!("cannot read {name}"));
    let mut made: Vec<(String, Vec<u8>)> = [
        ("index.js", for_bundlers(&String::from_utf8_lossy(loader))?),
        ("index.d.ts", types::index(&described)),
        ("jsx.d.ts", types::jsx(&described)),
        ("vue.d.ts", types::vue(&described)),
        ("svelte.d.ts", types::svelte(&described)),
        ("react.js", manifest::react(&described)),
        ("react.d.ts", types::react(&described)),
        (
            "custom-elements.json",
            pretty(&manifest::custom_elements(&described)),
        ),
        ("LICENSES.txt", licences::text(project)?),
        ("README.md", include_str!("package/README.md").to_owned()),
    ]
    .map(|(name, text)| (name.to_owned(), text.into_bytes()))
    .into();
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        made.push((name.to_owned(), read(name)?));
    }

    let ours = files.iter().filter(|(name, _)| is_packed(name));
    let ours = ours.map(|(name, content)| ((*name).to_owned(), *content));
    let made_too = made
        .iter()
        .map(|(name, content)| (name.clone(), content.as_slice()));
    let mut integrity: Map<String, Value> = ours
        .chain(made_too)
        .map(|(name, content)| (name, hash(content).into()))
        .collect();
    let mut names: Vec<String> = integrity.keys().cloned().collect();
    names.push("integrity.json".to_owned());
    names.sort();
    let package = pretty(&manifest::package(version, &names)).into_bytes();
    integrity.insert("package.json".to_owned(), hash(&package).into());
    made.push(("package.json".to_owned(), package));
    made.push((
        "integrity.json".to_owned(),
        pretty(&integrity.into()).into_bytes(),
    ));
    Ok(made)
}

/// The page that shows the elements is no part of the package.
fn is_packed(name: &str) -> bool {
    !name.starts_with("demo.")
}

/// The loader as bundlers take it along: what it imports is found where pages say that they serve it,
/// so bundlers must not look for it.
fn for_bundlers(loader: &str) -> Outcome<String> {
    const CALL: &str = "import(";
    if !loader.contains(CALL) || !loader.contains("configure") {
        return Err("the loader imports nothing, or cannot be told where its files are".into());
    }
    Ok(loader.replace(CALL, "import(/* webpackIgnore: true */ /* @vite-ignore */ "))
}

/// What browsers check a file against.
fn hash(content: &[u8]) -> String {
    format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(content)))
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The command: makes what is in `dist/embed` a package, without building anything.
pub(crate) fn run(project: &Project) -> Outcome {
    let folder = project.dist().join("embed");
    let names = below(&folder, "")?;
    let contents: Vec<(String, Vec<u8>)> = names
        .into_iter()
        .filter(|name| !name.ends_with(".br") && !name.ends_with(".gz"))
        .filter(|name| !is_made(name))
        .map(|name| {
            let content = fs::read(folder.join(&name)).attempt(format!("cannot read {name}"))?;
            Ok((name, content))
        })
        .collect::<Outcome<_>>()?;
    let given: Vec<(&str, &[u8])> = contents
        .iter()
        .map(|(name, content)| (name.as_str(), content.as_slice()))
        .collect();
    for (name, content) in files(project, &given)? {
        fs::write(folder.join(&name), content).attempt(format!("cannot write {name}"))?;
    }
    println!("{} is a package", folder.display());
    Ok(())
}

/// Whether this module made the file.
fn is_made(name: &str) -> bool {
    let made = [
        "index.js",
        "react.js",
        "custom-elements.json",
        "integrity.json",
        "package.json",
    ];
    made.contains(&name)
        || [".d.ts", ".md", ".txt"]
            .iter()
            .any(|ending| name.ends_with(ending))
        || name.starts_with("LICENSE-")
}

/// The files of a folder, by their paths in it.
fn below(folder: &std::path::Path, prefix: &str) -> Outcome<Vec<String>> {
    let mut names = Vec::new();
    let cannot = || {
        format!(
            "cannot read {}; `cargo xtask dist` makes it",
            folder.display()
        )
    };
    for entry in fs::read_dir(folder).attempt(cannot())? {
        let entry = entry.attempt(cannot())?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            names.extend(below(&entry.path(), &format!("{name}/"))?);
        } else {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> Vec<(String, Vec<u8>)> {
        let loader =
            b"export function configure() {} const more = (url) => import(url);".as_slice();
        let project = Project::locate().unwrap();
        let given = [
            ("embed.js", loader),
            ("demo.js", b""),
            ("lang-1/de.json", b"{}"),
        ];
        files(&project, &given).unwrap()
    }

    fn text_of<'a>(made: &'a [(String, Vec<u8>)], name: &str) -> &'a str {
        let (_, content) = made.iter().find(|(made, _)| made == name).unwrap();
        std::str::from_utf8(content).unwrap()
    }

    #[test]
    fn the_package_has_what_it_says_and_browsers_can_check_all_of_it() {
        let made = made();
        let package: Value = serde_json::from_str(text_of(&made, "package.json")).unwrap();
        let integrity: Value = serde_json::from_str(text_of(&made, "integrity.json")).unwrap();
        let names: Vec<&str> = package["files"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for name in &names {
            let is_there = ["embed.js", "lang-1/de.json"].contains(name)
                || made.iter().any(|(made, _)| made == name);
            assert!(is_there, "{name}");
            let checked = integrity[*name]
                .as_str()
                .is_some_and(|hash| hash.starts_with("sha384-"));
            assert!(checked || *name == "integrity.json", "{name}");
        }
        assert!(!names.contains(&"demo.js"));
        assert!(text_of(&made, "index.js").contains("webpackIgnore"));
        let text = text_of(&made, "LICENSES.txt");
        assert!(
            text.contains("\nleptos 0.8")
                && !text.contains("\naxum ")
                && !text.contains("\nlexopt ")
        );
        assert_eq!(made, self::made());
    }

    #[test]
    fn a_loader_that_bundlers_cannot_take_along_is_refused() {
        assert!(for_bundlers("export function configure() {}").is_err());
        assert!(for_bundlers("import(import.meta.url)").is_err());
    }
}
