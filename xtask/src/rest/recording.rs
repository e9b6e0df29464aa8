//! Makes programs remember what they call.

use std::convert::Infallible;

use wasm_encoder::reencode::{self, Error, Reencode};
use wasm_encoder::{
    CodeSection, ExportKind, ExportSection, Instruction, MemArg, MemorySection, MemoryType, Module,
};
use wasmparser::{FunctionBody, Parser};

use super::program::Program;
use crate::step::{Attempt, Outcome};

/// The same program, which remembers in a memory of its own, exported as `called`, which of its functions
/// were called: a byte for each. Gives their names, too.
pub(super) fn recording(program: &[u8]) -> Outcome<(Vec<u8>, Vec<String>)> {
    let parsed = Program::parse(program).attempt("the program cannot be read")?;
    let name = |number| parsed.names.get(&number).cloned().unwrap_or_default();
    let names = parsed.own().map(name).collect();
    let mut recording = Recording {
        next: 0,
        functions: parsed.bodies.len() as u64,
    };
    let mut module = Module::new();
    recording
        .parse_core_module(&mut module, Parser::new(0), program)
        .attempt("the program cannot be written")?;
    Ok((module.finish(), names))
}

struct Recording {
    next: u64,
    functions: u64,
}

impl Reencode for Recording {
    type Error = Infallible;

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        reencode::utils::parse_memory_section(self, memories, section)?;
        memories.memory(MemoryType {
            minimum: self.functions.div_ceil(1 << 16),
            maximum: None,
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        exports.export("called", ExportKind::Memory, 1);
        reencode::utils::parse_export_section(self, exports, section)
    }

    fn parse_function_body(
        &mut self,
        code: &mut CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error<Infallible>> {
        let mut function = self.new_function_with_parsed_locals(&body)?;
        function.instruction(&Instruction::I32Const(0));
        function.instruction(&Instruction::I32Const(1));
        function.instruction(&Instruction::I32Store8(MemArg {
            offset: self.next,
            align: 0,
            memory_index: 1,
        }));
        self.next += 1;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            function.instruction(&self.instruction(operators.read()?)?);
        }
        code.function(&function);
        Ok(())
    }
}
