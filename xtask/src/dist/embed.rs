//! Files for customers' pages: names with a hash of the content, so that browsers cache them for good, and a
//! loader with these names and the integrity hashes.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::files::Published;
use crate::process::{Attempt, Outcome};

/// Path of the loader, the only file whose content changes under its name.
const LOADER: &str = "embed/embed.js";

/// Programs, and the scripts that become part of the script of each.
const PROGRAMS: [(&str, &[&str]); 2] = [
    ("picker", &["recovery.js", "locale.js", "prefetch.js"]),
    ("staff", &["recovery.js", "locale.js"]),
];

/// Makes V8 compile all functions of a script at once, while the program is on its way, instead of each at its
/// first call.
const CALLED_AT_ONCE: &str = "//# allFunctionsCalledOnLoad\n";

/// Scripts that keep their names: the loader, and the script of the demo page. The loader fetches all others
/// when a page needs them.
const NAMED: [&str; 2] = ["embed.js", "demo.js"];

/// Turns the built and written files below `embed/` into the published ones. `minified` minifies a script.
pub(crate) fn finish(
    files: &mut Vec<Published>,
    version: &str,
    minified: impl Fn(&str, &str) -> Outcome<String>,
) -> Outcome {
    let mut known = Vec::new();
    let languages = name_languages(files);
    for (program, additions) in PROGRAMS {
        let wasm = format!("{program}_bg.wasm");
        let (wasm, check) = rename(files, &wasm)?;
        known.push((format!("{program}_bg.wasm"), check));
        let script = format!("{program}.js");
        let mut text = text_of(files, &script)?;
        for addition in additions {
            text.push_str(&text_of(files, addition)?);
        }
        let text = filled(&text, EXPORTS, "wasm = guarded(instance.exports);")?
            .replace(&format!("{program}_bg.wasm"), &wasm)
            .replace("`lang/", &format!("`{languages}/"))
            .replace(CHECKS, &checks(files, program));
        set(
            files,
            &script,
            CALLED_AT_ONCE.to_owned() + &minified(&script, &text)?,
        )?;
        let (_, check) = rename(files, &script)?;
        known.push((script, check));
    }
    // They are part of other scripts now.
    files.retain(|file| {
        !PROGRAMS.iter().any(|(_, parts)| {
            let name = file.path.trim_start_matches("embed/");
            parts.contains(&name)
        })
    });
    for module in modules(files) {
        let text = minified(&module, &text_of(files, &module)?)?;
        set(files, &module, text)?;
        let (_, check) = rename(files, &module)?;
        known.push((module, check));
    }

    let loader = text_of(files, "embed.js")?;
    let known: Vec<String> = known
        .iter()
        .map(|(name, check)| format!("{name:?}: {check:?}"))
        .collect();
    let loader = filled(
        &loader,
        "const FILES = {};",
        &format!("const FILES = {{{}}};", known.join(", ")),
    )?;
    let version_line = format!("const VERSION = {version:?};");
    let loader = filled(&loader, "const VERSION = \"0.0.0\";", &version_line)?;
    let loader = minified("embed.js", &loader)?.into_bytes();
    // For pages that pin the version.
    files.push(Published {
        path: LOADER.replace(".js", &format!("-{version}.js")),
        content: loader.clone(),
    });
    set(files, "embed.js", loader)
}

/// Returns the scripts that the loader fetches when a page needs them.
fn modules(files: &[Published]) -> Vec<String> {
    let names = files
        .iter()
        .filter_map(|file| file.path.strip_prefix("embed/"));
    let scripts = names.filter(|name| name.ends_with(".js") && !NAMED.contains(name));
    let modules = scripts.filter(|name| {
        !PROGRAMS
            .iter()
            .any(|(program, _)| name.starts_with(program))
    });
    modules.map(str::to_owned).collect()
}

/// Line of a program's script that receives the exports of the program.
const EXPORTS: &str = "wasm = instance.exports;";

/// Line of a program's script for the integrity hashes of its chunks.
const CHECKS: &str = "const CHECKS = {};";

/// Returns the integrity hashes of the chunks of `program`.
fn checks(files: &[Published], program: &str) -> String {
    let prefix = format!("embed/{program}_");
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
    format!("const CHECKS = {{{}}};", parts.join(", "))
}

/// Moves the translations to a folder whose name has a hash of all of them, and returns that name.
fn name_languages(files: &mut [Published]) -> String {
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
fn rename(files: &mut [Published], name: &str) -> Outcome<(String, String)> {
    let file = find(files, name)?;
    let check = digest(&file.content);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let renamed = format!("{stem}-{}.{extension}", short(&check));
    file.path = format!("embed/{renamed}");
    Ok((renamed, check))
}

/// Start of a hash for a file name. The loader computes names in the same way.
fn short(digest: &str) -> String {
    let start = digest.chars().take(8);
    start
        .map(|sign| {
            if sign.is_ascii_alphanumeric() {
                sign
            } else {
                '_'
            }
        })
        .collect()
}

/// Integrity hash without its prefix `sha256-`: the shortest kind, as every page loads the loader.
fn digest(content: &[u8]) -> String {
    BASE64_STANDARD.encode(Sha256::digest(content))
}

fn filled(text: &str, place: &str, content: &str) -> Outcome<String> {
    if text.matches(place).count() != 1 {
        return Err(format!("there is no single `{place}`").into());
    }
    Ok(text.replace(place, content))
}

fn find<'files>(files: &'files mut [Published], name: &str) -> Outcome<&'files mut Published> {
    let path = format!("embed/{name}");
    let file = files.iter_mut().find(|file| file.path == path);
    Ok(file.ok_or_else(|| format!("there is no {path}"))?)
}

fn text_of(files: &mut [Published], name: &str) -> Outcome<String> {
    let file = find(files, name)?;
    String::from_utf8(file.content.clone()).attempt(format!("{name} is no text"))
}

fn set(files: &mut [Published], name: &str, content: impl Into<Vec<u8>>) -> Outcome {
    find(files, name)?.content = content.into();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &str) -> Published {
        Published {
            path: format!("embed/{name}"),
            content: content.as_bytes().to_vec(),
        }
    }

    fn built() -> Vec<Published> {
        let mut files = vec![
            file(
                "embed.js",
                "const FILES = {};\nconst VERSION = \"0.0.0\";\nexport { FILES, VERSION };\n",
            ),
            file(
                "locale.js",
                "export const speech = (name) => `lang/${name}.json`;\n",
            ),
            file("prefetch.js", "export const early = 1;\n"),
            file(
                "recovery.js",
                "export const guarded = (exports) => exports;\n",
            ),
            file("lang/de.json", "{}"),
        ];
        for program in ["picker", "staff"] {
            let script = format!(
                "const CHECKS = {{}};\nlet wasm, instance = {{}};\nwasm = instance.exports;\nexport const path = \"{program}_bg.wasm\", checks = CHECKS;\n"
            );
            files.push(file(&format!("{program}.js"), &script));
            files.push(file(&format!("{program}_bg.wasm"), program));
            files.push(file(&format!("{program}_after-1.wasm"), "after"));
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
        for start in [
            "picker-",
            "staff-",
            "picker_bg-",
            "staff_bg-",
            "hints-",
            "diagnostics-",
        ] {
            let (path, text) = content(&files, start);
            let check = digest(text.as_bytes());
            assert!(loader.contains(&check), "{path}: {loader}");
            assert!(path.contains(&short(&check)), "{path}");
        }
        let (path, script) = content(&files, "picker-");
        let (program, _) = content(&files, "picker_bg-");
        assert!(
            script.contains(program.trim_start_matches("embed/")),
            "{path}: {script}"
        );
        assert!(script.contains(&digest(b"after")), "{script}");
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
        assert_eq!(content(&changed, "picker_bg-").0, program);
    }

    #[test]
    fn loader_without_placeholder_returns_error() {
        let mut files = built();
        files.retain(|file| file.path != "embed/embed.js");
        files.push(file("embed.js", "const FILES = { };"));
        assert!(finish(&mut files, "1.2.3", unchanged).is_err());
    }
}
