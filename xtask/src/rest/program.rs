//! What a program consists of.

use std::collections::{BTreeMap, BTreeSet};

use wasm_encoder::{ExportKind, Module};
use wasmparser::{
    ElementItems, ElementKind, ExternalKind, FunctionBody, Operator, Parser, Payload, TypeRef,
};

use crate::names;

/// What has to be known of a program before it can be written anew.
#[derive(Default)]
pub(super) struct Program<'program> {
    /// How many functions it takes from outside.
    pub(super) taken: u32,
    /// The type of each function.
    pub(super) types: Vec<u32>,
    /// Parameters of each type.
    pub(super) parameters: Vec<u32>,
    pub(super) bodies: Vec<FunctionBody<'program>>,
    pub(super) names: BTreeMap<u32, String>,
    /// Its memory at the beginning.
    pub(super) pages: u64,
    /// The table of functions, and how many places it has.
    pub(super) table: u32,
    pub(super) places: u32,
    /// The places that functions have in the table.
    pub(super) placed: Vec<(u32, u32)>,
    /// What it exports: kind, number and name.
    pub(super) exports: Vec<(ExternalKind, u32, &'program str)>,
    /// Its memories, tables and globals.
    pub(super) shared: Vec<Shared>,
}

/// What both files use, and the first exports.
pub(super) struct Shared {
    pub(super) kind: TypeRef,
    pub(super) number: u32,
    /// By which the first exports it.
    pub(super) name: String,
    /// Whether the first does so anyway.
    pub(super) is_exported: bool,
}

pub(super) fn export_kind(kind: &TypeRef) -> ExportKind {
    match kind {
        TypeRef::Func(_) | TypeRef::FuncExact(_) => ExportKind::Func,
        TypeRef::Table(_) => ExportKind::Table,
        TypeRef::Memory(_) => ExportKind::Memory,
        TypeRef::Global(_) => ExportKind::Global,
        TypeRef::Tag(_) => ExportKind::Tag,
    }
}

impl<'program> Program<'program> {
    pub(super) fn parse(program: &'program [u8]) -> wasmparser::Result<Self> {
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
                        let memory = memory?;
                        parsed.pages = memory.initial;
                        parsed.share(TypeRef::Memory(memory));
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
    pub(super) fn name(&self, module: &mut Module, numbers: &BTreeMap<u32, u32>) {
        let numbered = numbers
            .iter()
            .map(|(known, number)| (*number, self.names.get(known)));
        let names: BTreeMap<u32, &str> = numbered
            .filter_map(|(number, name)| Some((number, name?.as_str())))
            .collect();
        module.section(&names::section(&names));
    }

    /// The numbers of its own functions.
    pub(super) fn own(&self) -> impl Iterator<Item = u32> + use<> {
        self.taken..self.types.len() as u32
    }

    pub(super) fn body(&self, number: u32) -> Option<&FunctionBody<'program>> {
        self.bodies.get(number.checked_sub(self.taken)? as usize)
    }

    pub(super) fn type_of(&self, number: u32) -> u32 {
        self.types.get(number as usize).copied().unwrap_or_default()
    }

    /// Which functions `number` calls by their numbers.
    pub(super) fn called(&self, number: u32) -> wasmparser::Result<BTreeSet<u32>> {
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
