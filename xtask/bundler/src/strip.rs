//! Removes the custom sections of a chunk, which only tools read.
//!
//! `wasm-bindgen` does so with the main module, but never sees the chunks.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasmparser::{CustomSectionReader, Parser};

/// Returns the chunk without custom sections, such as names. Indices are encoded again, as the linker pads
/// them to five bytes.
pub(crate) fn stripped(chunk: &[u8]) -> Result<Vec<u8>, String> {
    let mut module = wasm_encoder::Module::new();
    Strip
        .parse_core_module(&mut module, Parser::new(0), chunk)
        .map_err(|error| format!("the chunk cannot be read: {error}"))?;
    Ok(module.finish())
}

struct Strip;

impl Reencode for Strip {
    type Error = Infallible;

    fn parse_custom_section(
        &mut self,
        _module: &mut wasm_encoder::Module,
        _section: CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn custom_section_is_removed() {
        let empty = b"\0asm\x01\0\0\0";
        let with_section = [empty.as_slice(), b"\0\x03\x02ab"].concat();
        assert_eq!(stripped(&with_section).unwrap(), empty);
        assert!(stripped(b"\0asm").is_err());
    }
}
