//! Scripts as they are sent: without comments and spaces, with short names.

use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_minifier::{CompressOptions, MangleOptions, Minifier, MinifierOptions};
use oxc_parser::Parser;
use oxc_span::SourceType;

use crate::step::Outcome;

/// The module `script` made small. `name` tells which it is, if it is none.
pub(crate) fn minified(name: &str, script: &str) -> Outcome<String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, script, SourceType::mjs()).parse();
    if let Some(error) = parsed.diagnostics.first() {
        return Err(format!("{name} is no script: {error}").into());
    }
    let mut program = parsed.program;
    let made = Minifier::new(MinifierOptions {
        mangle: Some(MangleOptions::default()),
        compress: Some(CompressOptions::smallest()),
        ..MinifierOptions::default()
    })
    .minify(&allocator, &mut program);
    let code = Codegen::new()
        .with_options(CodegenOptions::minify())
        .with_scoping(made.scoping)
        .with_private_member_mappings(made.class_private_mappings)
        .build(&program)
        .code;
    // A text that goes on in the next line is written as it stood there.
    Ok(code.replace("\\\n", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_know_a_module_by_stays_and_the_rest_becomes_short() {
        let script = "// Why.\nconst aLongName = 1;\nclass Kept { #hidden = aLongName; told() { return \
                      this.#hidden ?? document.title; } }\nexport { Kept };\n";
        let short = minified("kept.js", script).unwrap();
        assert!(
            short.contains("Kept") && short.contains("told") && short.contains("document.title")
        );
        assert!(!short.contains("Why") && !short.contains("aLongName"));
        assert!(short.len() < script.len() * 2 / 3, "{short}");
        let long = minified("long.js", "export const text = `one \\\ntwo`;").unwrap();
        assert!(long.contains("`one two`"), "{long}");
        assert!(minified("none.js", "const = 1;").is_err());
    }
}
