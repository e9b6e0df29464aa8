//! Makes programs remember what they call.

use std::convert::Infallible;

use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{CodeSection, Instruction, MemArg, MemorySection, Module};
use wasmparser::{FunctionBody, Parser};

use super::program::Program;
use crate::step::{Attempt, Outcome};

/// What a page of memory holds.
const PAGE: u64 = 1 << 16;

/// A program that remembers.
pub(super) struct Recorder {
    pub(super) program: Vec<u8>,
    /// What its functions are called, in order.
    pub(super) names: Vec<String>,
    /// Where in its memory it has a byte for each of them, which is 1 once it was called.
    pub(super) place: u64,
}

/// Makes `program` remember in pages of its memory that nothing else uses: what allocates asks for more.
/// (A memory of its own would be cleaner, but not all engines know programs with two.)
pub(super) fn recording(program: &[u8]) -> Outcome<Recorder> {
    let parsed = Program::parse(program).attempt("the program cannot be read")?;
    let name = |number| parsed.names.get(&number).cloned().unwrap_or_default();
    let names: Vec<String> = parsed.own().map(name).collect();
    let place = parsed.pages * PAGE;
    let mut recording = Recording {
        next: place,
        pages: (names.len() as u64).div_ceil(PAGE),
    };
    let mut module = Module::new();
    recording
        .parse_core_module(&mut module, Parser::new(0), program)
        .attempt("the program cannot be written")?;
    Ok(Recorder {
        program: module.finish(),
        names,
        place,
    })
}

struct Recording {
    next: u64,
    pages: u64,
}

impl Reencode for Recording {
    type Error = Infallible;

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Result<(), Error<Infallible>> {
        for memory in section {
            let mut kind = self.memory_type(memory?)?;
            kind.minimum += self.pages;
            kind.maximum = kind.maximum.map(|maximum| maximum + self.pages);
            memories.memory(kind);
        }
        Ok(())
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
            memory_index: 0,
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
