//! Cuts the picker in two: what shows the first free times, and what comes after a time is picked.
//!
//! The program is compiled whole, with the linker's notes on who uses what. Functions marked
//! `wasm_split` are the only doors to the second half: everything that is reached through them alone
//! moves there. The halves share memory, stack and table of functions, so that a call from one to
//! the other is a call through the table.

use std::convert::Infallible;
use std::fs;
use std::path::{Path, PathBuf};

use wasm_encoder::reencode::{Error, Reencode};
use wasmparser::{CustomSectionReader, Parser};

use crate::step::{Attempt, Outcome};

/// What the first half is told to import, and what [`joined`] puts in its place.
const LINK: &str = "./after.js";

/// What fetches the second half.
const LOADER: &str = include_str!("halves/after.js");

/// Where the two halves of a program were put.
pub(crate) struct Halves {
    /// Goes on to `wasm-bindgen`, as a whole program would.
    pub(crate) first: PathBuf,
    /// Ready to be published.
    pub(crate) second: Vec<u8>,
}

/// Cuts `program`, which was linked with `--emit-relocs`.
pub(crate) fn cut(program: &[u8], into: &Path) -> Outcome<Halves> {
    let first = into.join("first.wasm");
    let mut options = wasm_split_cli_support::Options::new(program);
    options.output_dir = into;
    options.main_out_path = &first;
    options.link_name = LINK;
    let made =
        wasm_split_cli_support::transform(options).attempt("cannot cut the program in two")?;
    let [second] = made.split_modules.as_slice() else {
        let count = made.split_modules.len();
        return Err(format!("the program has {count} parts to load later, not one").into());
    };
    let second = fs::read(second).attempt("the second half is missing")?;
    Ok(Halves {
        first,
        second: compact(&second)?,
    })
}

/// Writes numbers as short as they are, which the linker did not, and leaves out names.
fn compact(module: &[u8]) -> Outcome<Vec<u8>> {
    let mut compact = wasm_encoder::Module::new();
    Compact
        .parse_core_module(&mut compact, Parser::new(0), module)
        .attempt("the second half cannot be read")?;
    Ok(compact.finish())
}

struct Compact;

impl Reencode for Compact {
    type Error = Infallible;

    fn parse_custom_section(
        &mut self,
        _module: &mut wasm_encoder::Module,
        _section: CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }
}

/// The script of the first half with the loader of the second, which is called `second`, written
/// into it: a file of its own would have to arrive before the first half starts.
pub(crate) fn joined(script: &str, second: &str) -> Outcome<String> {
    let import = format!("import * as import1 from \"{LINK}\"");
    let (before, after) = script
        .split_once(&import)
        .ok_or("the picker's script does not import the loader of its second half")?;
    let (_, loader) = LOADER.split_once('\n').unwrap_or_default();
    let loader = loader.replace("SECOND", second);
    Ok(format!("{before}{loader}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loader_takes_the_place_of_its_import() {
        let script = "import * as import1 from \"./after.js\"\nlet wasm;";
        let joined = joined(script, "after-1.wasm").unwrap();
        assert!(joined.contains("const import1"), "{joined}");
        assert!(joined.contains("after-1.wasm"), "{joined}");
        assert!(joined.ends_with("let wasm;"), "{joined}");
        assert!(!joined.contains("import *"), "{joined}");
        assert!(super::joined("let wasm;", "after-1.wasm").is_err());
    }
}
