//! Splits programs into a main module, which shows slots or the list, and chunks that are loaded later.
//!
//! A program is compiled as a whole, with the linker's relocations. Its functions marked `wasm_split` are the
//! only entry points of the chunks that they name: code that is only reachable from the entry points of one
//! chunk moves there, and code that several chunks share moves to a file that each of them loads. All files
//! share memory, stack and function table, so a call from one to another is a call through the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Module that the splitter makes the main module import. [`with_loader`] replaces the import.
const LINK: &str = "./parts.js";

/// Script that fetches the chunks.
const LOADER: &str = include_str!("loader.js");

/// Chunks without which an element shows nothing: on a page with that element they are fetched together with
/// the main module.
const ELEMENTS: [(&str, &str); 2] = [
    ("roles", "booking-roles"),
    (
        "event_types",
        "booking-picker:is([username], [team-id]):not([event-slug], [event-type-id])",
    ),
];

/// Files of a split program.
pub(crate) struct SplitProgram {
    /// The main module: the input of `wasm-bindgen`.
    pub(crate) main: PathBuf,
    /// Files of chunks and shared code, by name.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// Names of the files that each chunk needs.
    pub(crate) needs: BTreeMap<String, Vec<String>>,
}

/// Splits `program`, which was linked with `--emit-relocs`.
pub(crate) fn split(program: &[u8], into: &Path) -> Result<SplitProgram, String> {
    let main = into.join("main.wasm");
    let mut options = wasm_split_cli_support::Options::new(program);
    options.output_dir = into;
    options.main_out_path = &main;
    options.link_name = LINK;
    let split = wasm_split_cli_support::transform(options)
        .map_err(|error| format!("cannot split the program: {error}"))?;
    let mut files = BTreeMap::new();
    let mut needs = BTreeMap::new();
    for (chunk, stems) in split.prefetch_map {
        let names: Vec<String> = stems.iter().map(|stem| name_of(stem)).collect();
        for (stem, name) in stems.iter().zip(&names) {
            files.insert(name.clone(), into.join(stem).with_extension("wasm"));
        }
        needs.insert(chunk, names);
    }
    if needs.is_empty() {
        return Err("the program has no chunks".to_owned());
    }
    Ok(SplitProgram { main, files, needs })
}

/// Returns the name of a file: that of its chunk, or a number for shared code.
fn name_of(stem: &str) -> String {
    match stem.strip_prefix("split_") {
        Some(chunk) => chunk.to_owned(),
        None => stem.replace("chunk_", "shared"),
    }
}

/// Returns the script of the main module with the loader of the chunks in it: as a file of its own, the loader
/// would have to arrive before the program starts. `files` are the file names that each chunk needs.
pub(crate) fn with_loader(
    script: &str,
    files: &BTreeMap<String, Vec<String>>,
) -> Result<String, String> {
    // One for each chunk, all of the same module.
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
        return Err("the script does not import the loader of chunks".to_owned());
    };
    let lists = files.iter();
    let lists: String = lists
        .map(|(chunk, files)| format!("{chunk}: {files:?},\n"))
        .collect();
    let loader = LOADER.replacen(
        "const CHUNKS = {};",
        &format!("const CHUNKS = {{\n{lists}}};"),
        1,
    );
    let mut text = format!("{loader}const {first} = {{\n");
    for chunk in files.keys() {
        text.push_str(&format!(
            "__wasm_split_load_{chunk}: load(CHUNKS.{chunk}),\n"
        ));
    }
    text.push_str("};\n");
    for other in others {
        text.push_str(&format!("const {other} = {first};\n"));
    }
    for (chunk, element) in ELEMENTS {
        if files.contains_key(chunk) {
            text.push_str(&format!(
                "if (document.querySelector(\"{element}\")) prefetchChunk(\"{chunk}\");\n"
            ));
        }
    }
    Ok(text + &rest_of_script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_with_chunks_contains_the_loader_instead_of_its_import() {
        let script = "import * as import1 from \"./parts.js\"\n\
                      import * as import2 from \"./parts.js\"\n\
                      let wasm;\nexport { __wbg_init as default };\n";
        let files = |chunk: &str, files: &[&str]| {
            let files = files.iter().map(|&file| file.to_owned()).collect();
            (chunk.to_owned(), files)
        };
        let after = files("after", &["after-1.wasm"]);
        let picker = BTreeMap::from([after.clone()]);
        let script_of = |files| with_loader(script, files).unwrap();
        let text = script_of(&picker);
        assert!(
            text.contains("const CHUNKS = {\nafter: [\"after-1.wasm\"],\n};"),
            "{text}"
        );
        assert!(text.contains("__wasm_split_load_after: load(CHUNKS.after),"));
        assert!(text.contains("const import2 = import1;"));
        let end = "let wasm;\nexport { __wbg_init as default };\n";
        assert!(text.ends_with(end), "{text}");
        assert!(!text.contains("import *"), "{text}");
        assert!(!text.contains("querySelector"), "{text}");
        let roles = files("roles", &["shared1-2.wasm", "roles-3.wasm"]);
        let text = script_of(&BTreeMap::from([after, roles]));
        assert!(text.contains("roles: [\"shared1-2.wasm\", \"roles-3.wasm\"],"));
        let fetch = "if (document.querySelector(\"booking-roles\")) prefetchChunk(\"roles\");";
        assert!(text.contains(fetch), "{text}");
        assert!(with_loader("let wasm;", &picker).is_err());
    }

    #[test]
    fn file_name_is_the_name_of_its_chunk() {
        assert_eq!(name_of("split_after"), "after");
        assert_eq!(name_of("chunk_1"), "shared1");
    }
}
