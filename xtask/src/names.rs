//! What the functions of a program are called.
//!
//! Published programs have no names. The linker's notes, which say who uses what, have them as well.

use std::borrow::Cow;
use std::collections::BTreeMap;

use wasm_encoder::{CustomSection, NameMap, NameSection};
use wasmparser::{
    BinaryReader, CustomSectionReader, KnownCustom, Linking, Name, Parser, Payload, SymbolInfo,
};

/// A program with the names that the linker's notes give to its functions.
pub(crate) fn with_names(program: &[u8]) -> wasmparser::Result<Vec<u8>> {
    let mut names = BTreeMap::new();
    for payload in Parser::new(0).parse_all(program) {
        let Payload::CustomSection(section) = payload? else {
            continue;
        };
        let KnownCustom::Linking(linking) = section.as_known() else {
            continue;
        };
        for note in linking {
            let Linking::SymbolTable(symbols) = note? else {
                continue;
            };
            for symbol in symbols {
                if let SymbolInfo::Func {
                    index,
                    name: Some(name),
                    ..
                } = symbol?
                {
                    names.insert(index, name);
                }
            }
        }
    }
    let mut named = program.to_vec();
    wasm_encoder::Section::append_to(&section(&names), &mut named);
    Ok(named)
}

/// What gives the functions with these numbers their names.
pub(crate) fn section(names: &BTreeMap<u32, &str>) -> CustomSection<'static> {
    let mut map = NameMap::new();
    for (number, name) in names {
        map.append(*number, name);
    }
    let mut section = NameSection::new();
    section.functions(&map);
    let section = section.as_custom();
    CustomSection {
        name: Cow::Owned(section.name.into_owned()),
        data: Cow::Owned(section.data.into_owned()),
    }
}

/// Adds what a section says of names, as people write them, to what is known by number.
pub(crate) fn add(
    names: &mut BTreeMap<u32, String>,
    section: &CustomSectionReader<'_>,
) -> wasmparser::Result<()> {
    if section.name() != "name" {
        return Ok(());
    }
    let reader = BinaryReader::new(section.data(), section.data_offset());
    for subsection in wasmparser::NameSectionReader::new(reader) {
        if let Name::Function(map) = subsection? {
            for naming in map {
                let naming = naming?;
                names.insert(naming.index, readable(naming.name));
            }
        }
    }
    Ok(())
}

/// A name as people write it, without what changes from build to build.
fn readable(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}
