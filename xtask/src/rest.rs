//! Cuts off what no first view calls, into a file of its own that follows the first.
//!
//! `parts.rs` follows doors that are written in the code. A third of the functions that remain are of no use
//! until somebody touches the view or something fails, and no door could be put in front of them without
//! tearing the code apart. So they are counted instead: [`recording`](recording::recording) gives a program that remembers which of
//! its functions were called, `cargo xtask rest` walks through all journeys with it, and those that no
//! view needed before it was touched are listed by name. [`cut`] moves what is listed.
//!
//! Both files share memory, tables and globals, and call each other through the table of functions. Until
//! the second has come, its places in that table hold a function that ends the program: `rest.js` sees to
//! it that this goes unnoticed. A function that is not listed, for example because it is new, stays in the
//! first file: a list that is out of date costs bytes and nothing else.

mod first;
mod program;
pub(crate) mod record;
mod recording;
mod second;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use sha2::{Digest, Sha256};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{ConstExpr, ElementSection, Elements, Function, Instruction};
use wasmparser::{ExternalKind, Operator};

use crate::step::{Attempt, Outcome};
use program::Program;

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
struct List(BTreeSet<String>);

impl List {
    /// Reads one that was written; what follows `#` is for people.
    fn read(text: &str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Self(lines.map(str::to_owned).collect())
    }

    /// Of functions with these names.
    fn of<'name>(names: impl Iterator<Item = &'name str>) -> Self {
        Self(names.map(mark).collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains(&mark(name))
    }

    fn marks(&self) -> impl Iterator<Item = &str> {
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

/// Cuts the program called `name` in two, as its list says.
pub(crate) fn cut_as_listed(program: &[u8], name: &str) -> Outcome<Cut> {
    cut(program, &List::read(listed(name)))
}

/// Moves the functions of `program` that are in `list` to a file of their own. The program has the names
/// of its functions, and so do both files.
fn cut(program: &[u8], list: &List) -> Outcome<Cut> {
    let parsed = Program::parse(program).attempt("the program cannot be read")?;
    let plan = Plan::of(&parsed, list).attempt("the functions cannot be read")?;
    let first =
        first::write(&parsed, &plan, program).attempt("the first part cannot be written")?;
    let rest = second::write(&parsed, &plan, program).attempt("the rest cannot be written")?;
    for file in [&first, &rest] {
        let checked = wasmparser::Validator::new().validate_all(file);
        checked.attempt("a file of the program is not valid")?;
    }
    Ok(Cut { first, rest })
}

/// Whether a function with this name moves. What scripts call when something fails, or when nobody has an
/// object any more, may be needed at any time.
fn moves(name: &str, list: &List) -> bool {
    !name.starts_with("__") && list.has(name)
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
            .filter(|number| {
                program
                    .names
                    .get(number)
                    .is_some_and(|name| moves(name, list))
            })
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
