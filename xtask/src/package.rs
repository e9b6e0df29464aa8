//! The npm package around the embed files, and the tables of the guide. Both are generated from
//! `src/page/elements.json`.

mod definitions;
mod licences;
mod manifest;
pub(crate) mod node_tests;
mod tables;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use fs_err as fs;
use serde_json::{Map, Value};
use sha2::{Digest, Sha384};

use crate::process::{Attempt, Outcome};
use crate::project::Project;

use definitions::Definitions;

/// Path of the element definitions in the project.
const DEFINITIONS: &str = "src/page/elements.json";

fn read_definitions(project: &Project) -> Outcome<Definitions> {
    Definitions::parse(&fs::read_to_string(project.root.join(DEFINITIONS))?)
}

/// Returns the guide with its tables replaced by those of the definitions.
pub(crate) fn replace_tables(project: &Project, guide: &str) -> Outcome<String> {
    tables::replace_tables(guide, &read_definitions(project)?)
}

/// Name of the loader script in the package.
const LOADER: &str = "embed.js";

/// Files that are made from the element definitions.
const TEMPLATES: [(&str, &str); 6] = [
    ("index.d.ts", include_str!("package/index.d.ts.j2")),
    ("jsx.d.ts", include_str!("package/jsx.d.ts.j2")),
    ("vue.d.ts", include_str!("package/vue.d.ts.j2")),
    ("svelte.d.ts", include_str!("package/svelte.d.ts.j2")),
    ("react.js", include_str!("package/react.js.j2")),
    ("react.d.ts", include_str!("package/react.d.ts.j2")),
];

/// Returns the files, by name, that turn the embed `files` into an npm package.
pub(crate) fn files(project: &Project, files: &[(&str, &[u8])]) -> Outcome<Vec<(String, Vec<u8>)>> {
    let definitions = read_definitions(project)?;
    let version = env!("CARGO_PKG_VERSION");
    let loader = files.iter().find(|(name, _)| *name == LOADER);
    let (_, loader) = loader.ok_or("there is no embed.js to package")?;
    let entry = bundler_entry(&String::from_utf8_lossy(loader))?;
    let manifest = pretty_json(&manifest::custom_elements(&definitions));
    let mut generated = vec![
        ("index.js".to_owned(), entry.into_bytes()),
        ("custom-elements.json".to_owned(), manifest.into_bytes()),
        (
            "LICENSES.txt".to_owned(),
            licences::text(project)?.into_bytes(),
        ),
        (
            "README.md".to_owned(),
            include_bytes!("package/README.md").to_vec(),
        ),
    ];
    for (name, template) in TEMPLATES {
        let text = definitions.render(template).attempt(name)?;
        generated.push((name.to_owned(), text.into_bytes()));
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        generated.push((name.to_owned(), fs::read(project.root.join(name))?));
    }

    let packed = files.iter().filter(|(name, _)| is_packed(name));
    let packed = packed.map(|(name, content)| ((*name).to_owned(), *content));
    let generated_files = generated
        .iter()
        .map(|(name, content)| (name.clone(), content.as_slice()));
    let mut integrity: Map<String, Value> = packed
        .chain(generated_files)
        .map(|(name, content)| (name, integrity_hash(content).into()))
        .collect();
    let mut names: Vec<String> = integrity.keys().cloned().collect();
    names.push("integrity.json".to_owned());
    names.sort();
    let package = pretty_json(&manifest::package(version, &names)).into_bytes();
    integrity.insert("package.json".to_owned(), integrity_hash(&package).into());
    generated.push(("package.json".to_owned(), package));
    generated.push((
        "integrity.json".to_owned(),
        pretty_json(&integrity.into()).into_bytes(),
    ));
    Ok(generated)
}

/// The demo pages are not part of the package.
fn is_packed(name: &str) -> bool {
    !["demo.", "snippet."]
        .iter()
        .any(|page| name.starts_with(page))
}

/// Marks the dynamic imports of `loader` as ignored by bundlers: their URLs depend on `configure`,
/// which the page calls at run time.
fn bundler_entry(loader: &str) -> Outcome<String> {
    const CALL: &str = "import(";
    if !loader.contains(CALL) || !loader.contains("configure") {
        return Err("the loader has no dynamic import or no `configure` function".into());
    }
    Ok(loader.replace(CALL, "import(/* webpackIgnore: true */ /* @vite-ignore */ "))
}

/// Subresource integrity hash of a file.
fn integrity_hash(content: &[u8]) -> String {
    format!("sha384-{}", BASE64_STANDARD.encode(Sha384::digest(content)))
}

fn pretty_json(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Returns true for files that [`files`] generates.
pub(crate) fn is_generated(name: &str) -> bool {
    let generated = [
        "index.js",
        "react.js",
        "custom-elements.json",
        "integrity.json",
        "package.json",
    ];
    generated.contains(&name)
        || [".d.ts", ".md", ".txt"]
            .iter()
            .any(|ending| name.ends_with(ending))
        || name.starts_with("LICENSE-")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated_files() -> Vec<(String, Vec<u8>)> {
        let loader =
            b"export function configure() {} const more = (url) => import(url);".as_slice();
        let project = Project::locate().unwrap();
        let embedded = [
            ("embed.js", loader),
            ("demo.js", b""),
            ("lang-1/de.json", b"{}"),
        ];
        files(&project, &embedded).unwrap()
    }

    fn text_of<'a>(files: &'a [(String, Vec<u8>)], name: &str) -> &'a str {
        let (_, content) = files.iter().find(|(file, _)| file == name).unwrap();
        std::str::from_utf8(content).unwrap()
    }

    #[test]
    fn generated_package_lists_existing_files_with_integrity_hashes() {
        let generated = generated_files();
        let package: Value = serde_json::from_str(text_of(&generated, "package.json")).unwrap();
        let integrity: Value = serde_json::from_str(text_of(&generated, "integrity.json")).unwrap();
        let names: Vec<&str> = package["files"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        for name in &names {
            let exists = ["embed.js", "lang-1/de.json"].contains(name)
                || generated.iter().any(|(file, _)| file == name);
            assert!(exists, "{name}");
            let has_hash = integrity[*name]
                .as_str()
                .is_some_and(|hash| hash.starts_with("sha384-"));
            assert!(has_hash || *name == "integrity.json", "{name}");
        }
        assert!(!names.contains(&"demo.js"));
        assert!(text_of(&generated, "index.js").contains("webpackIgnore"));
        let text = text_of(&generated, "LICENSES.txt");
        assert!(
            text.contains("\nleptos 0.8") && !text.contains("\naxum ") && !text.contains("\nclap ")
        );
        assert_eq!(generated, generated_files());
    }

    #[test]
    fn loader_without_import_or_configure_is_rejected() {
        assert!(bundler_entry("export function configure() {}").is_err());
        assert!(bundler_entry("import(import.meta.url)").is_err());
    }
}
