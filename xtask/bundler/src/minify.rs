//! Minifies JavaScript modules.

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_minifier::{CompressOptions, MangleOptions, Minifier, MinifierOptions};
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Returns the minified module. `name` is for the error message.
pub(crate) fn minified(name: &str, script: &str) -> Result<String, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, script, SourceType::mjs()).parse();
    if let Some(error) = parsed.diagnostics.first() {
        return Err(format!("cannot parse {name}: {error}"));
    }
    let mut program = parsed.program;
    let result = Minifier::new(MinifierOptions {
        mangle: Some(MangleOptions::default()),
        compress: Some(CompressOptions::smallest()),
        ..MinifierOptions::default()
    })
    .minify(&allocator, &mut program);
    let code = Codegen::new()
        .with_options(CodegenOptions::minify())
        .with_scoping(result.scoping)
        .with_private_member_mappings(result.class_private_mappings)
        .build(&program)
        .code;
    // The code generator keeps line continuations of template literals.
    Ok(code.replace("\\\n", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minified_module_is_shorter_and_keeps_exported_names() {
        let script = "// Why.\nconst aLongName = 1;\nclass Kept { #hidden = aLongName; read() { return \
                      this.#hidden ?? document.title; } }\nexport { Kept };\n";
        let short = minified("kept.js", script).unwrap();
        assert!(
            short.contains("Kept") && short.contains("read") && short.contains("document.title")
        );
        assert!(!short.contains("Why") && !short.contains("aLongName"));
        assert!(short.len() < script.len() * 2 / 3, "{short}");
        let long = minified("long.js", "export const text = `one \\\ntwo`;").unwrap();
        assert!(long.contains("`one two`"), "{long}");
        assert!(minified("none.js", "const = 1;").is_err());
    }
}
