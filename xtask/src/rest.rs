//! Cuts off what no first view calls, into a file of its own that follows the first.
//!
//! `parts.rs` follows doors that are written in the code. Half of the functions that remain are of no use
//! until somebody touches the view or something fails, and no door could be put in front of them without
//! tearing the code apart. So they are counted instead: [`recording`] gives a program that remembers which of
//! its functions were called, `cargo xtask rest` walks through all journeys with it, and those that no
//! view needed before it was touched are listed by name. [`cut`] moves what is listed.
//!
//! Both files share memory, tables and globals, and call each other through the table of functions. Until
//! the second has come, its places in that table hold a function that ends the program: `rest.js` sees to
//! it that this goes unnoticed. A function that is not listed, for example because it is new, stays in the
//! first file: a list that is out of date costs bytes and nothing else.

pub(crate) mod record;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use sha2::{Digest, Sha256};
use wasm_encoder::reencode::{self, Error, Reencode};
use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, ImportSection, Instruction, MemArg, MemorySection, MemoryType,
    Module, TableSection, TypeSection,
};
use wasmparser::{
    ElementItems, ElementKind, ExternalKind, FunctionBody, Operator, Parser, Payload, TypeRef,
};

use crate::names;
use crate::step::{Attempt, Outcome};

/// What fetches the second file.
const SCRIPT: &str = include_str!("rest/rest.js");

/// What later files call the first.
const FIRST: &str = "__wasm_split";

/// The functions of a program that no first view calls, as they are listed.
pub(crate) fn listed(program: &str) -> &'static str {
    match program {
        "picker" => include_str!("rest/picker.txt"),
        "staff" => include_str!("rest/staff.txt"),
        _ => "",
    }
}

/// What fetches the second file, which is called `file`.
pub(crate) fn script(file: &str) -> String {
    SCRIPT.replace("const REST = \"\";", &format!("const REST = {file:?};"))
}

/// A program in two files.
pub(crate) struct Cut {
    pub(crate) first: Vec<u8>,
    pub(crate) rest: Vec<u8>,
}

/// The names of functions, as short as they can be told apart.
pub(crate) struct List(BTreeSet<String>);

impl List {
    /// Reads one that was written; what follows `#` is for people.
    pub(crate) fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(lines.map(str::to_owned).collect())
    }

    /// Of functions with these names.
    pub(crate) fn of<'name>(names: impl Iterator<Item = &'name str>) -> Self {
        Self(names.map(mark).collect())
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(&mark(name))
    }

    pub(crate) fn marks(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// Twelve digits for a name that may fill a page.
fn mark(name: &str) -> String {
    let digest = Sha256::digest(name.as_bytes());
    digest
        .iter()
        .take(6)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// What has to be known of a program before it can be written anew.
#[derive(Default)]
struct Program<'program> {
    /// How many functions it takes from outside.
    taken: u32,
    /// The type of each function.
    types: Vec<u32>,
    /// Parameters of each type.
    parameters: Vec<u32>,
    bodies: Vec<FunctionBody<'program>>,
    names: BTreeMap<u32, String>,
    /// The table of functions, and how many places it has.
    table: u32,
    places: u32,
    /// The places that functions have in the table.
    placed: Vec<(u32, u32)>,
    /// What it exports: kind, number and name.
    exports: Vec<(ExternalKind, u32, &'program str)>,
    /// Its memories, tables and globals.
    shared: Vec<Shared>,
}

/// What both files use, and the first exports.
struct Shared {
    kind: TypeRef,
    number: u32,
    /// By which the first exports it.
    name: String,
    /// Whether the first does so anyway.
    is_exported: bool,
}

fn export_kind(kind: &TypeRef) -> ExportKind {
    match kind {
        TypeRef::Func(_) | TypeRef::FuncExact(_) => ExportKind::Func,
        TypeRef::Table(_) => ExportKind::Table,
        TypeRef::Memory(_) => ExportKind::Memory,
        TypeRef::Global(_) => ExportKind::Global,
        TypeRef::Tag(_) => ExportKind::Tag,
    }
}

impl<'program> Program<'program> {
    fn parse(program: &'program [u8]) -> wasmparser::Result<Self> {
        let mut parsed = Self::default();
        for payload in Parser::new(0).parse_all(program) {
            match payload? {
                Payload::TypeSection(section) => {
                    for group in section {
                        for kind in group?.into_types() {
                            let parameters = match kind.composite_type.inner {
                                wasmparser::CompositeInnerType::Func(kind) => kind.params().len(),
                                _ => 0,
                            };
                            parsed.parameters.push(parameters as u32);
                        }
                    }
                }
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        match import?.ty {
                            TypeRef::Func(kind) => {
                                parsed.types.push(kind);
                                parsed.taken += 1;
                            }
                            kind => parsed.share(kind),
                        }
                    }
                }
                Payload::FunctionSection(section) => {
                    for kind in section {
                        parsed.types.push(kind?);
                    }
                }
                Payload::TableSection(section) => {
                    for (number, table) in section.into_iter().enumerate() {
                        let table = table?.ty;
                        if table.element_type == wasmparser::RefType::FUNCREF {
                            (parsed.table, parsed.places) = (number as u32, table.initial as u32);
                        }
                        parsed.share(TypeRef::Table(table));
                    }
                }
                Payload::MemorySection(section) => {
                    for memory in section {
                        parsed.share(TypeRef::Memory(memory?));
                    }
                }
                Payload::GlobalSection(section) => {
                    for global in section {
                        parsed.share(TypeRef::Global(global?.ty));
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        let export = export?;
                        parsed
                            .exports
                            .push((export.kind, export.index, export.name));
                    }
                }
                Payload::ElementSection(section) => {
                    for element in section {
                        let element = element?;
                        let ElementKind::Active { offset_expr, .. } = element.kind else {
                            continue;
                        };
                        let Operator::I32Const { value } =
                            offset_expr.get_operators_reader().read()?
                        else {
                            continue;
                        };
                        if let ElementItems::Functions(functions) = element.items {
                            for (place, function) in (value as u32..).zip(functions) {
                                parsed.placed.push((place, function?));
                            }
                        }
                    }
                }
                Payload::CodeSectionEntry(body) => parsed.bodies.push(body),
                Payload::CustomSection(section) => names::add(&mut parsed.names, &section)?,
                _ => {}
            }
        }
        for (place, shared) in parsed.shared.iter_mut().enumerate() {
            let exported = parsed.exports.iter().find(|(kind, number, _)| {
                *number == shared.number && export_kind(&shared.kind) == ExportKind::from(*kind)
            });
            shared.is_exported = exported.is_some();
            shared.name =
                exported.map_or_else(|| format!("shared{place}"), |export| export.2.to_owned());
        }
        Ok(parsed)
    }

    fn share(&mut self, kind: TypeRef) {
        let others = self.shared.iter();
        let same = others.filter(|other| export_kind(&other.kind) == export_kind(&kind));
        let number = same.count() as u32;
        self.shared.push(Shared {
            kind,
            number,
            name: String::new(),
            is_exported: false,
        });
    }

    /// Gives functions their names in a file that numbers them anew.
    fn name(&self, module: &mut Module, numbers: &BTreeMap<u32, u32>) {
        let numbered = numbers
            .iter()
            .map(|(known, number)| (*number, self.names.get(known)));
        let names: BTreeMap<u32, &str> = numbered
            .filter_map(|(number, name)| Some((number, name?.as_str())))
            .collect();
        module.section(&names::section(&names));
    }

    /// The numbers of its own functions.
    fn own(&self) -> impl Iterator<Item = u32> + use<> {
        self.taken..self.types.len() as u32
    }

    fn body(&self, number: u32) -> Option<&FunctionBody<'program>> {
        self.bodies.get(number.checked_sub(self.taken)? as usize)
    }

    fn type_of(&self, number: u32) -> u32 {
        self.types.get(number as usize).copied().unwrap_or_default()
    }

    /// Which functions `number` calls by their numbers.
    fn called(&self, number: u32) -> wasmparser::Result<BTreeSet<u32>> {
        let mut called = BTreeSet::new();
        if let Some(body) = self.body(number) {
            for operator in body.get_operators_reader()? {
                if let Operator::Call { function_index } | Operator::RefFunc { function_index } =
                    operator?
                {
                    called.insert(function_index);
                }
            }
        }
        Ok(called)
    }
}

/// Moves the functions of `program` that are in `list` to a file of their own. The program has the names
/// of its functions, and so do both files.
pub(crate) fn cut(program: &[u8], list: &List) -> Outcome<Cut> {
    let parsed = Program::parse(program).attempt("the program cannot be read")?;
    let plan = Plan::of(&parsed, list).attempt("the functions cannot be read")?;
    let first =
        First::write(&parsed, &plan, program).attempt("the first part cannot be written")?;
    let rest = Rest::write(&parsed, &plan, program).attempt("the rest cannot be written")?;
    Ok(Cut { first, rest })
}

/// What goes where.
struct Plan {
    /// Functions that move.
    moved: BTreeSet<u32>,
    /// Functions of outside that each file takes, by their old numbers.
    first_takes: Vec<u32>,
    rest_takes: Vec<u32>,
    /// Places in the table for functions that the other file calls and that had none.
    new_places: BTreeMap<u32, u32>,
    /// The place of each function that is called from the other file.
    places: BTreeMap<u32, u32>,
    /// Functions that move and are exported.
    exported: Vec<u32>,
}

impl Plan {
    fn of(program: &Program<'_>, list: &List) -> wasmparser::Result<Self> {
        let moved: BTreeSet<u32> = program
            .own()
            .filter(|number| program.names.get(number).is_some_and(|name| list.has(name)))
            .collect();
        let (mut first_calls, mut rest_calls) = (BTreeSet::new(), BTreeSet::new());
        for number in program.own() {
            let calls = if moved.contains(&number) {
                &mut rest_calls
            } else {
                &mut first_calls
            };
            calls.extend(program.called(number)?);
        }
        let functions = |kind: &&(ExternalKind, u32, &str)| kind.0 == ExternalKind::Func;
        let exports = program
            .exports
            .iter()
            .filter(functions)
            .map(|&(_, number, _)| number);
        let exports: BTreeSet<u32> = exports.collect();
        let exported: Vec<u32> = exports.intersection(&moved).copied().collect();
        // Through the table: what the other file has, and what is exported from the first.
        let is_taken = |number: &u32| *number < program.taken;
        let mut across: BTreeSet<u32> = first_calls.intersection(&moved).copied().collect();
        across.extend(
            rest_calls
                .iter()
                .filter(|number| !is_taken(number) && !moved.contains(number)),
        );
        across.extend(&exported);
        let mut places: BTreeMap<u32, u32> = program
            .placed
            .iter()
            .map(|&(place, number)| (number, place))
            .collect();
        let mut new_places = BTreeMap::new();
        let missing: Vec<u32> = across
            .iter()
            .copied()
            .filter(|number| !places.contains_key(number))
            .collect();
        // Those of one file side by side.
        let (last, early): (Vec<u32>, Vec<u32>) = missing
            .into_iter()
            .partition(|number| moved.contains(number));
        for (place, number) in (program.places..).zip(early.into_iter().chain(last)) {
            new_places.insert(number, place);
            places.insert(number, place);
        }
        let placed = program.placed.iter().map(|&(_, number)| number);
        first_calls.extend(placed.filter(is_taken));
        first_calls.extend(exports.iter().filter(|number| is_taken(number)));
        let taken = |calls: BTreeSet<u32>| calls.into_iter().filter(is_taken).collect();
        Ok(Self {
            first_takes: taken(first_calls),
            rest_takes: taken(rest_calls),
            moved,
            new_places,
            places,
            exported,
        })
    }

    fn stays(&self, number: u32) -> bool {
        !self.moved.contains(&number)
    }

    /// The new numbers of functions in a file that takes `taken` and has `own`.
    fn numbers(taken: &[u32], own: impl Iterator<Item = u32>) -> BTreeMap<u32, u32> {
        taken.iter().copied().chain(own).zip(0..).collect()
    }
}

/// What both files have in common: calls across go through the table.
fn write_body<T: Reencode<Error = Infallible>>(
    file: &mut T,
    program: &Program<'_>,
    plan: &Plan,
    is_here: impl Fn(u32) -> bool,
    number: u32,
) -> Result<Function, Error<Infallible>> {
    let Some(body) = program.body(number) else {
        return Ok(Function::new([]));
    };
    let mut function = file.new_function_with_parsed_locals(body)?;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        match operators.read()? {
            Operator::Call { function_index } if !is_here(function_index) => {
                for instruction in through_table(program, plan, function_index) {
                    function.instruction(&instruction);
                }
            }
            operator => {
                function.instruction(&file.instruction(operator)?);
            }
        }
    }
    Ok(function)
}

fn through_table(program: &Program<'_>, plan: &Plan, number: u32) -> [Instruction<'static>; 2] {
    let place = plan.places.get(&number).copied().unwrap_or_default();
    [
        Instruction::I32Const(place as i32),
        Instruction::CallIndirect {
            type_index: program.type_of(number),
            table_index: program.table,
        },
    ]
}

/// Puts functions into the table, those at neighbouring places together.
fn fill(elements: &mut ElementSection, table: u32, mut placed: Vec<(u32, u32)>) {
    placed.sort_unstable();
    let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
    for (place, number) in placed {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as u32 == place => run.push(number),
            _ => runs.push((place, vec![number])),
        }
    }
    for (start, run) in runs {
        elements.active(
            (table != 0).then_some(table),
            &ConstExpr::i32_const(start as i32),
            Elements::Functions(Cow::Owned(run)),
        );
    }
}

/// The first file.
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

impl<'plan, 'program> First<'plan, 'program> {
    fn write(
        program: &'plan Program<'program>,
        plan: &'plan Plan,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Error<Infallible>> {
        let own = program.own().filter(|&number| plan.stays(number));
        let numbers = Plan::numbers(&plan.first_takes, own);
        let absent = numbers.len() as u32;
        let doors = plan.exported.iter().copied().zip(absent + 1..).collect();
        let mut first = Self {
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

/// The second file.
struct Rest {
    numbers: BTreeMap<u32, u32>,
}

impl Rest {
    fn write(
        program: &Program<'_>,
        plan: &Plan,
        bytes: &[u8],
    ) -> Result<Vec<u8>, Error<Infallible>> {
        let numbers = Plan::numbers(&plan.rest_takes, plan.moved.iter().copied());
        let mut rest = Self { numbers };
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
                            imports.import(
                                import.module,
                                import.name,
                                rest.entity_type(import.ty)?,
                            );
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
}

impl Reencode for Rest {
    type Error = Infallible;

    fn function_index(&mut self, number: u32) -> Result<u32, Error<Infallible>> {
        Ok(self.numbers.get(&number).copied().unwrap_or(number))
    }
}

/// The same program, which remembers in a memory of its own, exported as `called`, which of its functions
/// were called: a byte for each. Gives their names, too.
pub(crate) fn recording(program: &[u8]) -> Outcome<(Vec<u8>, Vec<String>)> {
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

#[cfg(test)]
mod tests {
    use wasm_encoder::{GlobalSection, GlobalType, ValType};

    use super::*;

    /// `door` calls `early` and `late`; `late` calls `early`, `late` in the table, and what only it takes
    /// from outside. `exported` is of no use to anybody else.
    fn program() -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        types.ty().function([ValType::I32], [ValType::I32]);
        let mut imports = ImportSection::new();
        imports.import("page", "by_first", EntityType::Function(0));
        imports.import("page", "by_rest", EntityType::Function(0));
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        let mut names = BTreeMap::new();
        let mut exports = ExportSection::new();
        for (number, (name, kind, calls)) in [
            ("door", 0, [0, 3, 4].as_slice()),
            ("early", 0, &[]),
            ("late", 0, &[1, 3, 4]),
            ("exported", 1, &[]),
        ]
        .into_iter()
        .enumerate()
        {
            let number = number as u32 + 2;
            functions.function(kind);
            let mut body = Function::new([]);
            for &called in calls {
                body.instruction(&Instruction::Call(called));
            }
            if kind == 1 {
                body.instruction(&Instruction::GlobalGet(0));
            }
            body.instruction(&Instruction::End);
            code.function(&body);
            names.insert(number, name);
            if ["door", "exported"].contains(&name) {
                exports.export(name, ExportKind::Func, number);
            }
        }
        let mut tables = TableSection::new();
        tables.table(wasm_encoder::TableType {
            element_type: wasm_encoder::RefType::FUNCREF,
            minimum: 3,
            maximum: Some(3),
            table64: false,
            shared: false,
        });
        let mut globals = GlobalSection::new();
        let global = GlobalType {
            val_type: ValType::I32,
            mutable: true,
            shared: false,
        };
        globals.global(global, &ConstExpr::i32_const(7));
        let mut elements = ElementSection::new();
        fill(&mut elements, 0, vec![(1, 2), (2, 4)]);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions);
        module.section(&tables).section(&globals).section(&exports);
        module.section(&elements).section(&code);
        module.section(&names::section(&names));
        module.finish()
    }

    fn cut_in_two() -> Cut {
        cut(
            &program(),
            &List::of(["late", "exported", "gone"].into_iter()),
        )
        .unwrap()
    }

    fn valid(program: &[u8]) -> Program<'_> {
        wasmparser::Validator::new().validate_all(program).unwrap();
        Program::parse(program).unwrap()
    }

    /// The places in the table that a function calls through.
    fn calls_places(program: &Program<'_>, number: u32) -> Vec<i32> {
        let operators = program
            .body(number)
            .unwrap()
            .get_operators_reader()
            .unwrap();
        let mut places = Vec::new();
        let mut last = 0;
        for operator in operators {
            match operator.unwrap() {
                Operator::I32Const { value } => last = value,
                Operator::CallIndirect { .. } => places.push(last),
                _ => {}
            }
        }
        places
    }

    #[test]
    fn what_is_listed_moves_and_is_called_through_the_table() {
        let Cut { first, rest } = cut_in_two();
        let (first, rest) = (valid(&first), valid(&rest));
        // `door`, `early`, what stands for the absent, and a door to `exported`.
        assert_eq!((first.taken, first.bodies.len()), (1, 4));
        assert_eq!((rest.taken, rest.bodies.len()), (1, 2));
        assert_eq!(first.places, 5);
        // `late` had a place. `early` and `exported` have got one.
        assert_eq!(calls_places(&first, 1), [2]);
        assert_eq!(calls_places(&rest, 1), [3]);
        let absent = 3;
        assert_eq!(first.placed, [(1, 1), (2, absent), (3, 2), (4, absent)]);
        assert_eq!(rest.placed, [(2, 1), (4, 2)]);
        assert_ne!(first.type_of(absent), first.type_of(1));
        let exported: Vec<_> = first.exports.iter().map(|&(_, _, name)| name).collect();
        assert_eq!(exported, ["door", "exported", "shared0", "shared1"]);
        assert_eq!(calls_places(&first, 4), [4]);
    }

    #[test]
    fn nothing_moves_that_is_not_listed() {
        let Cut { first, rest } = cut(&program(), &List::read("# none\n")).unwrap();
        assert_eq!(valid(&first).bodies.len(), 5);
        assert_eq!(valid(&rest).bodies.len(), 0);
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let list = List::of(["late"].into_iter());
        let text: Vec<&str> = list.marks().collect();
        let read = List::read(&format!("# told\n{}\n", text.join("\n")));
        assert!(read.has("late") && !read.has("early"));
    }

    #[test]
    fn a_recording_has_a_place_for_each_function() {
        let (recording, names) = recording(&program()).unwrap();
        assert_eq!(names, ["door", "early", "late", "exported"]);
        let parsed = Program::parse(&recording).unwrap();
        assert!(
            parsed
                .exports
                .iter()
                .any(|&(kind, _, name)| { (kind, name) == (ExternalKind::Memory, "called") })
        );
    }
}
