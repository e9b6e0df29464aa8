//! Programs that are small enough to be looked at.

use std::collections::BTreeMap;

use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, GlobalSection, GlobalType, ImportSection, Instruction, MemorySection,
    MemoryType, Module, TableSection, TypeSection, ValType,
};
use wasmparser::Operator;

use super::program::Program;
use super::recording::recording;
use super::{Cut, List, cut, fill};
use crate::names;

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
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 2,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
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
    module.section(&tables).section(&memories).section(&globals);
    module.section(&exports);
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
    assert_eq!(
        exported,
        ["door", "exported", "shared0", "shared1", "shared2"]
    );
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
    let recorder = recording(&program()).unwrap();
    assert_eq!(recorder.names, ["door", "early", "late", "exported"]);
    // Behind everything that the program knows of.
    assert_eq!(recorder.place, 2 << 16);
    valid(&recorder.program);
    assert_eq!(Program::parse(&recorder.program).unwrap().pages, 3);
}
