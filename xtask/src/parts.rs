//! Cuts programs in parts: what shows the first free times or the list, and what comes after that.
//!
//! A program is compiled whole, with the linker's notes on who uses what. Its functions marked
//! `wasm_split` are the only doors to the parts that they name: everything that is reached through
//! the doors of one part alone moves there, and what several parts share moves to a file that each
//! of them brings. The parts have memory, stack and table of functions in common, so that a call
//! from one to another is a call through the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::step::{Attempt, Outcome};

/// What the first part is told to import, and what [`joined`] puts in its place.
const LINK: &str = "./parts.js";

/// What fetches the others.
const LOADER: &str = include_str!("parts/loader.js");

/// Parts that are all of an element: where there is one, they are fetched together with the first.
const ELEMENTS: [(&str, &str); 1] = [("roles", "booking-roles")];

/// Where the parts of a program were put.
pub(crate) struct Parts {
    /// Goes on to `wasm-bindgen`, as a whole program would.
    pub(crate) first: PathBuf,
    /// The files of the others by name.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// The names of the files that each part needs.
    pub(crate) needs: BTreeMap<String, Vec<String>>,
}

/// Cuts `program`, which was linked with `--emit-relocs`.
pub(crate) fn split(program: &[u8], into: &Path) -> Outcome<Parts> {
    let first = into.join("first.wasm");
    let mut options = wasm_split_cli_support::Options::new(program);
    options.output_dir = into;
    options.main_out_path = &first;
    options.link_name = LINK;
    let made =
        wasm_split_cli_support::transform(options).attempt("cannot cut the program in parts")?;
    let mut files = BTreeMap::new();
    let mut needs = BTreeMap::new();
    for (part, stems) in made.prefetch_map {
        let names: Vec<String> = stems.iter().map(|stem| name_of(stem)).collect();
        for (stem, name) in stems.iter().zip(&names) {
            files.insert(name.clone(), into.join(stem).with_extension("wasm"));
        }
        needs.insert(part, names);
    }
    if needs.is_empty() {
        return Err("the program has no parts to load later".into());
    }
    Ok(Parts {
        first,
        files,
        needs,
    })
}

/// The name of a part's own file is the part's; those that parts share are numbered.
fn name_of(stem: &str) -> String {
    match stem.strip_prefix("split_") {
        Some(part) => part.to_owned(),
        None => stem.replace("chunk_", "shared"),
    }
}

/// The script of the first part with the loader of the others written into it: a file of its own
/// would have to arrive before the first part starts. `files` are those that each part needs.
pub(crate) fn joined(script: &str, files: &BTreeMap<String, Vec<String>>) -> Outcome<String> {
    // One for each part, and all of the same.
    let mut imports = Vec::new();
    let mut rest_of_script = String::new();
    for line in script.lines() {
        match line
            .strip_suffix(&format!(" from \"{LINK}\""))
            .and_then(|import| import.strip_prefix("import * as "))
        {
            Some(name) => imports.push(name),
            None => {
                rest_of_script.push_str(line);
                rest_of_script.push('\n');
            }
        }
    }
    let (Some(first), others) = (imports.first(), imports.iter().skip(1)) else {
        return Err("the script does not import the loader of the later parts".into());
    };
    let mut joined = format!("{LOADER}const {first} = {{\n");
    for (part, files) in files {
        joined.push_str(&format!("__wasm_split_load_{part}: load({files:?}),\n"));
    }
    joined.push_str("};\n");
    for other in others {
        joined.push_str(&format!("const {other} = {first};\n"));
    }
    for (part, element) in ELEMENTS {
        if let Some(files) = files.get(part) {
            // What fails is told when the part is asked for.
            joined.push_str(&format!(
                "if (document.querySelector(\"{element}\")) \
                 {files:?}.forEach((file) => fetchPart(file).catch(() => {{}}));\n"
            ));
        }
    }
    Ok(joined + &rest_of_script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_takes_the_place_of_its_import() {
        let script = "import * as import1 from \"./parts.js\"\n\
                      import * as import2 from \"./parts.js\"\n\
                      let wasm;\nexport { __wbg_init as default };\n";
        let files = |part: &str, files: &[&str]| {
            let files = files.iter().map(|&file| file.to_owned()).collect();
            (part.to_owned(), files)
        };
        let after = files("after", &["after-1.wasm"]);
        let picker = BTreeMap::from([after.clone()]);
        let script_of = |files| joined(script, files).unwrap();
        let joined_script = script_of(&picker);
        assert!(joined_script.contains("__wasm_split_load_after: load([\"after-1.wasm\"]),"));
        assert!(joined_script.contains("const import2 = import1;"));
        let end = "let wasm;\nexport { __wbg_init as default };\n";
        assert!(joined_script.ends_with(end), "{joined_script}");
        assert!(!joined_script.contains("import *"), "{joined_script}");
        assert!(!joined_script.contains("querySelector"), "{joined_script}");
        let roles = files("roles", &["shared1-2.wasm", "roles-3.wasm"]);
        let joined_script = script_of(&BTreeMap::from([after, roles]));
        assert!(joined_script.contains("querySelector(\"booking-roles\")"));
        assert!(joined_script.contains("[\"shared1-2.wasm\", \"roles-3.wasm\"].forEach("));
        assert!(joined("let wasm;", &picker).is_err());
    }

    #[test]
    fn files_are_called_after_their_parts() {
        assert_eq!(name_of("split_after"), "after");
        assert_eq!(name_of("chunk_1"), "shared1");
    }
}
