//! Writes the second file.

use std::collections::BTreeMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{
    CodeSection, ElementSection, EntityType, FunctionSection, ImportSection, Module, TypeSection,
};
use wasmparser::{Parser, Payload, TypeRef};

use super::program::{Program, Shared};
use super::{FIRST, Plan, fill, write_body};

struct Rest {
    numbers: BTreeMap<u32, u32>,
}

/// What moves of `bytes`, which are `program`.
pub(super) fn write(
    program: &Program<'_>,
    plan: &Plan,
    bytes: &[u8],
) -> Result<Vec<u8>, Error<Infallible>> {
    let numbers = Plan::numbers(&plan.rest_takes, plan.moved.iter().copied());
    let mut rest = Rest { numbers };
    let mut types = TypeSection::new();
    let mut imports = ImportSection::new();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::TypeSection(section) => rest.parse_type_section(&mut types, section)?,
            Payload::ImportSection(section) => {
                let functions = section.into_imports().filter_map(|import| match import {
                    Ok(import) => matches!(import.ty, TypeRef::Func(_)).then_some(Ok(import)),
                    Err(error) => Some(Err(error)),
                });
                for (number, import) in (0..).zip(functions) {
                    let import = import?;
                    if plan.rest_takes.contains(&number) {
                        imports.import(import.module, import.name, rest.entity_type(import.ty)?);
                    }
                }
            }
            _ => {}
        }
    }
    for Shared { kind, name, .. } in &program.shared {
        let kind = match rest.entity_type(*kind)? {
            // It has grown, and may have been told to be no larger.
            EntityType::Table(table) => EntityType::Table(wasm_encoder::TableType {
                maximum: None,
                ..table
            }),
            kind => kind,
        };
        imports.import(FIRST, name, kind);
    }
    let mut functions = FunctionSection::new();
    let mut code = CodeSection::new();
    for &number in &plan.moved {
        functions.function(program.type_of(number));
        let is_here = |called: u32| called < program.taken || plan.moved.contains(&called);
        code.function(&write_body(&mut rest, program, plan, is_here, number)?);
    }
    let new = plan
        .new_places
        .iter()
        .map(|(&number, &place)| (place, number));
    let placed = program.placed.iter().copied().chain(new);
    let placed = placed.filter(|(_, number)| plan.moved.contains(number));
    let placed = placed.map(|(place, number)| Ok((place, rest.function_index(number)?)));
    let mut elements = ElementSection::new();
    fill(
        &mut elements,
        program.table,
        placed.collect::<Result<_, Error<Infallible>>>()?,
    );
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions);
    module.section(&elements).section(&code);
    program.name(&mut module, &rest.numbers);
    Ok(module.finish())
}

impl Reencode for Rest {
    type Error = Infallible;

    fn function_index(&mut self, number: u32) -> Result<u32, Error<Infallible>> {
        Ok(self.numbers.get(&number).copied().unwrap_or(number))
    }
}
