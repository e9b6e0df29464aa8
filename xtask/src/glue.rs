//! The script between a page and its program, made short: `wasm-bindgen` gives each function a name that
//! is unique in the world, and no minifier may change names on both sides.

use std::convert::Infallible;

use wasm_encoder::reencode::{self, Error, Reencode};
use wasm_encoder::{ExportSection, Import, ImportSection, Imports};
use wasmparser::Parser;

use crate::step::{Attempt, Outcome};

/// Gives script and program with short names for what the program takes from the script, and for what browsers
/// call of it.
pub(crate) fn shortened(script: &str, program: &[u8]) -> Outcome<(String, Vec<u8>)> {
    let mut shorten = Shorten::default();
    let mut module = wasm_encoder::Module::new();
    shorten
        .parse_core_module(&mut module, Parser::new(0), program)
        .attempt("the program cannot be read")?;
    let mut script = script.to_owned();
    for (index, name) in shorten.names.iter().enumerate() {
        let written = format!("\n        {name}: function(");
        if script.matches(&written).count() != 1 {
            return Err(format!("the script does not say once what `{name}` is").into());
        }
        script = script.replace(&written, &format!("\n{}: function(", short(index)));
    }
    for (index, name) in shorten.callbacks.iter().enumerate() {
        let written = format!("wasm.{name}(");
        if !script.contains(&written) {
            return Err(format!("the script does not call `{name}`").into());
        }
        script = script.replace(&written, &format!("wasm.{}(", callback(index)));
    }
    Ok((script, module.finish()))
}

/// What `wasm-bindgen` calls the part of the script that programs import from.
const GLUE: &str = "_bg.js";

/// What the names of Rust's functions begin with. Those that a program exports by such a name are what
/// browsers call by themselves.
const MANGLED: &str = "_R";

#[derive(Default)]
struct Shorten {
    /// The long names of what the program takes, in the order of the short ones.
    names: Vec<String>,
    /// Those of what browsers call.
    callbacks: Vec<String>,
}

impl Reencode for Shorten {
    type Error = Infallible;

    fn parse_imports(
        &mut self,
        section: &mut ImportSection,
        imports: wasmparser::Imports<'_>,
    ) -> Result<(), Error<Infallible>> {
        match imports {
            wasmparser::Imports::Single(_, import) if import.module.ends_with(GLUE) => {
                let name = short(self.names.len());
                self.names.push(import.name.to_owned());
                section.imports(Imports::Single(Import {
                    module: import.module,
                    name: &name,
                    ty: self.entity_type(import.ty)?,
                }));
                Ok(())
            }
            others => reencode::utils::parse_imports(self, section, others),
        }
    }

    fn parse_export(
        &mut self,
        section: &mut ExportSection,
        export: wasmparser::Export<'_>,
    ) -> Result<(), Error<Infallible>> {
        if !export.name.starts_with(MANGLED) {
            return reencode::utils::parse_export(self, section, export);
        }
        let kind = self.export_kind(export.kind)?;
        let number = self.function_index(export.index)?;
        section.export(&callback(self.callbacks.len()), kind, number);
        self.callbacks.push(export.name.to_owned());
        Ok(())
    }
}

/// The name of something that browsers call: guard.js stands before it.
fn callback(index: usize) -> String {
    format!("callback{index}")
}

fn short(index: usize) -> String {
    format!("i{index}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_imports_gets_a_short_name_on_both_sides() {
        let mut imports = ImportSection::new();
        let memory = wasm_encoder::MemoryType {
            minimum: 1,
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        };
        imports.import("./picker_bg.js", "__wbg_long_4f1b", memory);
        imports.import("elsewhere", "as_it_is", memory);
        let mut exports = ExportSection::new();
        exports.export("_RNvInvoke", wasm_encoder::ExportKind::Func, 0);
        exports.export("mount", wasm_encoder::ExportKind::Memory, 1);
        let mut module = wasm_encoder::Module::new();
        module.section(&imports).section(&exports);
        let program = module.finish();
        let script = "{\n        __wbg_long_4f1b: function(arg0) {}\n}\n\
                      wasm._RNvInvoke(1);wasm.mount()";
        let (script, short) = shortened(script, &program).unwrap();
        assert_eq!(
            script,
            "{\ni0: function(arg0) {}\n}\nwasm.callback0(1);wasm.mount()"
        );
        let has = |name: &str| {
            short
                .windows(name.len())
                .any(|part| part == name.as_bytes())
        };
        assert!(
            has("i0")
                && has("as_it_is")
                && has("callback0")
                && has("mount")
                && !has("__wbg_long_4f1b")
        );
        assert!(shortened("{}", &program).is_err());
    }
}
