//! Files for customers' pages: names with a hash of the content, so that browsers cache them for good, and a
//! loader with these names and the integrity hashes.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::files::Published;
use super::merge::{LOADER_MODULES, merged};
use crate::process::{Attempt, Outcome};

/// Bundles.
const BUNDLES: [&str; 2] = ["picker", "staff"];

/// Scripts that are appended to the script of each bundle. They share its scope.
const BUNDLE_PARTS: [&str; 2] = ["traps.js", "locale.js"];

/// Makes V8 compile all functions of a script at once, while the WebAssembly loads, instead of each at its first
/// call.
const EAGER_COMPILATION: &str = "//# allFunctionsCalledOnLoad\n";

/// Names of each bundle's script and WebAssembly, for pages and servers that preload them.
const PRELOADS: &str = "embed/preload.json";

/// Page with code to copy, which names files of this version.
const SNIPPET: &str = "snippet.html";

/// Scripts that keep their names: the loader, and those of the demo pages. All others are optional.
const STABLE_NAMES: [&str; 3] = ["embed.js", "demo.js", "snippet.js"];

/// Turns the built and written files below `embed/` into the published ones. `minified` minifies a script.
pub(crate) fn finish(
    files: &mut Vec<Published>,
    version: &str,
    minified: impl Fn(&str, &str) -> Outcome<String>,
) -> Outcome {
    let mut hashes = Vec::new();
    let mut preloads = Map::new();
    let mut snippet = text_of(files, SNIPPET)?.replace("%version%", version);
    let languages = hash_translations(files);
    for bundle in BUNDLES {
        let built_wasm = format!("{bundle}_bg.wasm");
        let (wasm, wasm_hash) = rename_by_hash(files, &built_wasm)?;
        let built_script = format!("{bundle}.js");
        let mut text = text_of(files, &built_script)?;
        for script_name in BUNDLE_PARTS {
            text.push_str(&text_of(files, script_name)?);
        }
        let text = fill(&text, EXPORTS, "wasm = guarded(instance.exports);")?
            .replace(&built_wasm, &wasm)
            .replace("`lang/", &format!("`{languages}/"))
            .replace(CHUNK_HASHES, &chunk_hashes(files, bundle));
        set(
            files,
            &built_script,
            EAGER_COMPILATION.to_owned() + &minified(&built_script, &text)?,
        )?;
        let (script, script_hash) = rename_by_hash(files, &built_script)?;
        preloads.insert(bundle.to_owned(), json!([script, wasm]));
        for (built, name, hash) in [
            (built_wasm, wasm, wasm_hash),
            (built_script, script, script_hash),
        ] {
            snippet = snippet
                .replace(&format!("%{built}%"), &name)
                .replace(&format!("%{built} integrity%"), &integrity(&hash));
            hashes.push((built, hash));
        }
    }
    files.push(Published::new(
        PRELOADS,
        format!("{:#}\n", Value::from(preloads)),
    ));
    let loader = merged_loader(files)?;
    // They are part of other scripts now.
    files.retain(|file| {
        let name = file.path.trim_start_matches("embed/");
        !BUNDLE_PARTS.contains(&name) && !LOADER_MODULES.contains(&name)
    });
    for module in optional_scripts(files) {
        let text = minified(&module, &text_of(files, &module)?)?;
        set(files, &module, text)?;
        let (_, hash) = rename_by_hash(files, &module)?;
        hashes.push((module, hash));
    }

    let hashes: Vec<String> = hashes
        .iter()
        .map(|(name, hash)| format!("{name:?}: {hash:?}"))
        .collect();
    let loader = fill(
        &loader,
        "const FILES = {};",
        &format!("const FILES = {{{}}};", hashes.join(", ")),
    )?;
    let version_line = format!("const VERSION = {version:?};");
    let loader = fill(&loader, "const VERSION = \"0.0.0\";", &version_line)?;
    let loader = minified("embed.js", &loader)?.into_bytes();
    // For pages that pin the version.
    let versioned = format!("embed-{version}.js");
    let loader_integrity = integrity(&digest(&loader));
    let snippet = fill(&snippet, "%loader%", &versioned)?;
    let snippet = fill(&snippet, "%loader integrity%", &loader_integrity)?;
    set(files, SNIPPET, snippet)?;
    files.push(Published::new(format!("embed/{versioned}"), loader.clone()));
    set(files, "embed.js", loader)
}

/// Returns the loader after the scripts that it imports.
fn merged_loader(files: &mut [Published]) -> Outcome<String> {
    let names = LOADER_MODULES.into_iter().chain(["embed.js"]);
    let texts = names.map(|name| text_of(files, name));
    merged(&texts.collect::<Outcome<Vec<_>>>()?)
}

/// Returns the scripts that the loader imports on demand.
fn optional_scripts(files: &[Published]) -> Vec<String> {
    let names = files
        .iter()
        .filter_map(|file| file.path.strip_prefix("embed/"));
    let scripts = names.filter(|name| name.ends_with(".js") && !STABLE_NAMES.contains(name));
    let modules = scripts.filter(|name| !BUNDLES.iter().any(|bundle| name.starts_with(bundle)));
    modules.map(str::to_owned).collect()
}

/// Line of a bundle's script that receives the exports of the WebAssembly.
const EXPORTS: &str = "wasm = instance.exports;";

/// Line of a bundle's script for the integrity hashes of its chunks.
const CHUNK_HASHES: &str = "const CHUNK_HASHES = {};";

/// Returns the integrity hashes of the chunks of `bundle`.
fn chunk_hashes(files: &[Published], bundle: &str) -> String {
    let prefix = format!("embed/{bundle}_");
    let parts = files.iter().filter(|file| {
        file.path.starts_with(&prefix)
            && file.path.ends_with(".wasm")
            && !file.path.contains("_bg-")
    });
    let parts: Vec<String> = parts
        .map(|file| {
            let name = file.path.trim_start_matches("embed/");
            format!("{name:?}: {:?}", digest(&file.content))
        })
        .collect();
    format!("const CHUNK_HASHES = {{{}}};", parts.join(", "))
}

/// Moves the translations to a folder whose name has a hash of all of them, and returns that name.
fn hash_translations(files: &mut [Published]) -> String {
    const FOLDER: &str = "embed/lang/";
    let mut hasher = Sha256::new();
    for file in files.iter().filter(|file| file.path.starts_with(FOLDER)) {
        hasher.update(&file.content);
    }
    let folder = format!("lang-{}", short(&BASE64_STANDARD.encode(hasher.finalize())));
    for file in files {
        if let Some(name) = file.path.strip_prefix(FOLDER) {
            file.path = format!("embed/{folder}/{name}");
        }
    }
    folder
}

/// Renames a file by its content. Returns the new name and the integrity hash.
fn rename_by_hash(files: &mut [Published], name: &str) -> Outcome<(String, String)> {
    let file = find(files, name)?;
    let hash = digest(&file.content);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let renamed = format!("{stem}-{}.{extension}", short(&hash));
    file.path = format!("embed/{renamed}");
    Ok((renamed, hash))
}

/// Start of a hash for a file name. The loader computes names in the same way.
fn short(digest: &str) -> String {
    let start = digest.chars().take(8);
    start
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect()
}

/// Integrity hash without its prefix `sha256-` and its padding, which the scripts add: the shortest kind, as every
/// page loads the loader.
fn digest(content: &[u8]) -> String {
    BASE64_STANDARD_NO_PAD.encode(Sha256::digest(content))
}

/// Value of an `integrity` attribute.
fn integrity(digest: &str) -> String {
    format!("sha256-{digest}=")
}

fn fill(text: &str, placeholder: &str, content: &str) -> Outcome<String> {
    if text.matches(placeholder).count() != 1 {
        return Err(format!("expected one occurrence of `{placeholder}`").into());
    }
    Ok(text.replace(placeholder, content))
}

fn find<'files>(files: &'files mut [Published], name: &str) -> Outcome<&'files mut Published> {
    let path = format!("embed/{name}");
    let file = files.iter_mut().find(|file| file.path == path);
    Ok(file.ok_or_else(|| format!("there is no {path}"))?)
}

fn text_of(files: &mut [Published], name: &str) -> Outcome<String> {
    let file = find(files, name)?;
    String::from_utf8(file.content.clone()).attempt(format!("{name} is not UTF-8"))
}

fn set(files: &mut [Published], name: &str, content: impl Into<Vec<u8>>) -> Outcome {
    find(files, name)?.content = content.into();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &str) -> Published {
        Published::new(format!("embed/{name}"), content)
    }

    fn built() -> Vec<Published> {
        let mut files = vec![
            file(
                "embed.js",
                "import { prefetch } from \"./prefetch.js\";\nconst FILES = {};\nconst VERSION = \"0.0.0\";\nexport { FILES, VERSION };\n",
            ),
            file("page-locale.js", "export const locale = 1;\n"),
            file(
                "skeleton.js",
                "import { locale } from \"./page-locale.js\";\nexport class Skeleton {}\n",
            ),
            file(
                "locale.js",
                "export const locale = (name) => `lang/${name}.json`;\n",
            ),
            file("prefetch.js", "export const prefetch = 1;\n"),
            file("traps.js", "export const guarded = (exports) => exports;\n"),
            file("lang/de.json", "{}"),
            file(
                "snippet.html",
                "%version% %loader% %loader integrity% %picker.js% %picker.js integrity% %picker_bg.wasm% %picker_bg.wasm integrity%",
            ),
        ];
        for bundle in ["picker", "staff"] {
            let script = format!(
                "const CHUNK_HASHES = {{}};\nlet wasm, instance = {{}};\nwasm = instance.exports;\nexport const path = \"{bundle}_bg.wasm\", hashes = CHUNK_HASHES;\n"
            );
            files.push(file(&format!("{bundle}.js"), &script));
            files.push(file(&format!("{bundle}_bg.wasm"), bundle));
            files.push(file(&format!("{bundle}_after-1.wasm"), "after"));
        }
        files.extend(
            ["hints.js", "diagnostics.js"].map(|module| file(module, "export const a = 1;")),
        );
        files
    }

    fn content<'files>(files: &'files [Published], start: &str) -> (&'files str, String) {
        let path = format!("embed/{start}");
        let file = files
            .iter()
            .find(|file| file.path.starts_with(&path))
            .unwrap();
        (&file.path, String::from_utf8(file.content.clone()).unwrap())
    }

    fn unchanged(_: &str, script: &str) -> Outcome<String> {
        Ok(script.to_owned())
    }

    #[test]
    fn file_names_depend_on_content_and_are_in_the_loader() {
        let mut files = built();
        finish(&mut files, "1.2.3", unchanged).unwrap();
        let (_, loader) = content(&files, "embed.js");
        assert_eq!(content(&files, "embed-1.2.3.js").1, loader);
        assert!(loader.contains("1.2.3") && !loader.contains("0.0.0"));
        let parts = "const locale = 1;\nconst prefetch = 1;\nclass Skeleton {}\n";
        assert!(
            loader.starts_with(&format!("{parts}const FILES")),
            "{loader}"
        );
        assert!(!files.iter().any(|file| file.path == "embed/skeleton.js"));
        for start in [
            "picker-",
            "staff-",
            "picker_bg-",
            "staff_bg-",
            "hints-",
            "diagnostics-",
        ] {
            let (path, text) = content(&files, start);
            let hash = digest(text.as_bytes());
            assert!(loader.contains(&hash), "{path}: {loader}");
            assert!(path.contains(&short(&hash)), "{path}");
        }
        let (path, script) = content(&files, "picker-");
        let (bundle, _) = content(&files, "picker_bg-");
        assert!(
            script.contains(bundle.trim_start_matches("embed/")),
            "{path}: {script}"
        );
        assert!(script.contains(&digest(b"after")), "{script}");
        let preloads: Value = serde_json::from_str(&content(&files, "preload.json").1).unwrap();
        let names = [path, bundle].map(|path| path.trim_start_matches("embed/"));
        assert_eq!(preloads["picker"], json!(names));
        let integrity = |text: &[u8]| integrity(&digest(text));
        let [script_name, wasm_name] = names;
        let expected = [
            "1.2.3",
            "embed-1.2.3.js",
            &integrity(content(&files, "embed.js").1.as_bytes()),
            script_name,
            &integrity(script.as_bytes()),
            wasm_name,
            &integrity(b"picker"),
        ];
        assert_eq!(content(&files, "snippet.html").1, expected.join(" "));
        let (language, _) = content(&files, "lang-");
        let folder = language
            .trim_start_matches("embed/")
            .trim_end_matches("/de.json");
        assert!(script.contains(folder), "{script}");
        assert!(!files.iter().any(|file| file.path == "embed/locale.js"));

        // A changed file gets another name, and so does a file that mentions it.
        let mut changed = built();
        changed
            .iter_mut()
            .find(|file| file.path == "embed/lang/de.json")
            .unwrap()
            .content = b"{\"a\":1}".to_vec();
        finish(&mut changed, "1.2.3", unchanged).unwrap();
        assert_ne!(content(&changed, "picker-").0, path);
        assert_eq!(content(&changed, "picker_bg-").0, bundle);
    }

    #[test]
    fn loader_without_placeholder_returns_error() {
        let mut files = built();
        files.retain(|file| file.path != "embed/embed.js");
        files.push(file("embed.js", "const FILES = { };"));
        assert!(finish(&mut files, "1.2.3", unchanged).is_err());
    }
}
