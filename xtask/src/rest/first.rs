//! Writes the first file.

use std::collections::BTreeMap;
use std::convert::Infallible;

use wasm_encoder::reencode::{self, Error, Reencode};
use wasm_encoder::{
    CodeSection, ElementSection, ExportSection, Function, FunctionSection, ImportSection,
    Instruction, Module, TableSection, TypeSection,
};
use wasmparser::{Parser, TypeRef};

use super::program::{Program, Shared, export_kind};
use super::{Plan, fill, through_table, write_body};

struct First<'plan, 'program> {
    program: &'plan Program<'program>,
    plan: &'plan Plan,
    numbers: BTreeMap<u32, u32>,
    /// Stands where functions of the rest are going to be.
    absent: u32,
    /// Calls the functions that moved and are exported.
    doors: BTreeMap<u32, u32>,
    next_taken: u32,
}

/// What stays of `bytes`, which are `program`.
pub(super) fn write(
    program: &Program<'_>,
    plan: &Plan,
    bytes: &[u8],
) -> Result<Vec<u8>, Error<Infallible>> {
    let own = program.own().filter(|&number| plan.stays(number));
    let numbers = Plan::numbers(&plan.first_takes, own);
    let absent = numbers.len() as u32;
    let doors = plan.exported.iter().copied().zip(absent + 1..).collect();
    let mut first = First {
        program,
        plan,
        numbers,
        absent,
        doors,
        next_taken: 0,
    };
    let mut module = Module::new();
    first.parse_core_module(&mut module, Parser::new(0), bytes)?;
    program.name(&mut module, &first.numbers);
    Ok(module.finish())
}

impl Reencode for First<'_, '_> {
    type Error = Infallible;

    fn function_index(&mut self, number: u32) -> Result<u32, Error<Infallible>> {
        let known = self
            .numbers
            .get(&number)
            .or_else(|| self.doors.get(&number));
        Ok(known.copied().unwrap_or(self.absent))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        reencode::utils::parse_type_section(self, types, section)?;
        // A type that no other function has: whoever calls what is not there yet is stopped.
        types.ty().function([wasm_encoder::ValType::F64; 9], []);
        Ok(())
    }

    fn parse_imports(
        &mut self,
        imports: &mut ImportSection,
        parsed: wasmparser::Imports<'_>,
    ) -> Result<(), Error<Infallible>> {
        if let wasmparser::Imports::Single(_, import) = &parsed
            && matches!(import.ty, TypeRef::Func(_))
        {
            let number = self.next_taken;
            self.next_taken += 1;
            if !self.numbers.contains_key(&number) {
                return Ok(());
            }
        }
        reencode::utils::parse_imports(self, imports, parsed)
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for number in self.program.own().filter(|&number| self.plan.stays(number)) {
            functions.function(self.program.type_of(number));
        }
        functions.function(self.program.parameters.len() as u32);
        for number in self.doors.keys() {
            functions.function(self.program.type_of(*number));
        }
        Ok(())
    }

    fn parse_table_section(
        &mut self,
        tables: &mut TableSection,
        section: wasmparser::TableSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for (number, table) in section.into_iter().enumerate() {
            let mut kind = self.table_type(table?.ty)?;
            if number as u32 == self.program.table {
                let added = self.plan.new_places.len() as u64;
                kind.minimum += added;
                kind.maximum = kind.maximum.map(|maximum| maximum + added);
            }
            tables.table(kind);
        }
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        reencode::utils::parse_export_section(self, exports, section)?;
        for Shared {
            kind,
            number,
            name,
            is_exported,
        } in &self.program.shared
        {
            if !is_exported {
                exports.export(name, export_kind(kind), *number);
            }
        }
        Ok(())
    }

    fn parse_element_section(
        &mut self,
        elements: &mut ElementSection,
        _section: wasmparser::ElementSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        let new = self
            .plan
            .new_places
            .iter()
            .map(|(&number, &place)| (place, number));
        let placed: Vec<(u32, u32)> = self.program.placed.iter().copied().chain(new).collect();
        let mut now = Vec::new();
        for (place, number) in placed {
            let number = match self.plan.stays(number) {
                true => self.function_index(number)?,
                false => self.absent,
            };
            now.push((place, number));
        }
        fill(elements, self.program.table, now);
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        _section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        let (program, plan) = (self.program, self.plan);
        for number in program.own().filter(|&number| plan.stays(number)) {
            let is_here = |called: u32| plan.stays(called);
            code.function(&write_body(self, program, plan, is_here, number)?);
        }
        let mut absent = Function::new([]);
        absent.instruction(&Instruction::Unreachable);
        absent.instruction(&Instruction::End);
        code.function(&absent);
        for &number in self.doors.keys() {
            let mut door = Function::new([]);
            let kind = program.type_of(number) as usize;
            for parameter in 0..program.parameters.get(kind).copied().unwrap_or_default() {
                door.instruction(&Instruction::LocalGet(parameter));
            }
            for instruction in through_table(program, plan, number) {
                door.instruction(&instruction);
            }
            door.instruction(&Instruction::End);
            code.function(&door);
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        _module: &mut Module,
        _section: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        Ok(())
    }
}
