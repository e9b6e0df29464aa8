//! The modules and the script of a compiled program.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

use crate::split;
use crate::strip::stripped;

/// Writes a program as a main module and chunks, and the script that loads them, to the folder `into`.
pub(crate) fn chunks(program: &Path, into: &Path) -> Result<(), String> {
    let name = name_of(program);
    let program = read(program)?;
    let split = split::split(&program, &into.with_extension("parts"))?;
    generate(read(&split.main)?, into, &name)?;
    let mut contents = BTreeMap::new();
    for (chunk, path) in &split.files {
        contents.insert(chunk, stripped(&read(path)?)?);
    }
    // The hash of the program is in their names, as they fit no other: a page that was opened before an update
    // must not load a chunk of the new program. Their own contents are in it, as browsers cache them for good.
    let mut hasher = DefaultHasher::new();
    let hashed: Vec<&[u8]> = std::iter::once(&program)
        .chain(contents.values())
        .map(Vec::as_slice)
        .collect();
    hashed.hash(&mut hasher);
    let version = format!("{:016x}", hasher.finish());
    let file_of = |chunk: &String| format!("{name}_{chunk}-{version}.wasm");
    for (chunk, content) in &contents {
        write(&into.join(file_of(chunk)), content)?;
    }
    let files_of = |chunks: &Vec<String>| chunks.iter().map(file_of).collect();
    let needs = split.needs.iter();
    let needs = needs.map(|(chunk, files)| (chunk.clone(), files_of(files)));
    let path = into.join(format!("{name}.js"));
    let script =
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    write(
        &path,
        split::with_loader(&script, &needs.collect())?.as_bytes(),
    )
}

/// Runs `wasm-bindgen`.
fn generate(program: Vec<u8>, into: &Path, name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    bindgen
        .input_bytes(name, program)
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .omit_default_module_path(false)
        // Chunks use them.
        .keep_lld_exports(true);
    let generated = bindgen.web(true).and_then(|bindgen| bindgen.generate(into));
    generated.map_err(|error| format!("cannot make the script of {name}: {error}"))
}

fn name_of(program: &Path) -> String {
    program
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    fs::write(path, content).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
