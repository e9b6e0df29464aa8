//! Which functions and crates the bytes of the programs come from.
//!
//! What is measured is what is published, function by function: the linker's notes still say what each
//! one is called, and the same steps as for `dist` lead to the same code.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use wasm_encoder::CodeSection;
use wasm_encoder::reencode::{Error, Reencode, RoundtripReencoder};
use wasmparser::{Parser, Payload};

use crate::build::{self, Project};
use crate::compact::{compact, taken_functions};
use crate::dist::{self, PROGRAMS};
use crate::names::{self, with_names};
use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// So many functions, and so many crates, are named of each file.
const NAMED: usize = 20;

/// What a file of a program consists of, in bytes as they are published.
struct Content {
    /// Of each function, the largest first.
    functions: Vec<Function>,
    /// Constants.
    data: usize,
    /// The whole, compressed.
    brotli: usize,
}

struct Function {
    name: String,
    bytes: Vec<u8>,
}

/// What a crate adds to a file.
struct Share {
    name: String,
    functions: usize,
    bytes: usize,
    /// By how much the compressed code would be smaller without.
    brotli: usize,
}

/// Prints the largest functions and crates of each file, and writes all of them as JSON.
pub(crate) fn run(project: &Project) -> Outcome {
    let compiled = build::wasm(project)?;
    let folder = project.target.join("xtask/profile");
    let mut told = BTreeMap::new();
    for name in PROGRAMS.into_iter().chain(["app"]) {
        let program = read(&compiled.join(format!("{name}.wasm")))?;
        let files = match name {
            "app" => vec![(name.to_owned(), whole(project, &program, &folder)?)],
            _ => in_files(project, &program, &folder.join(name), name)?,
        };
        for (title, file) in files {
            let content = Content::of(&file)?;
            let shares = content.shares()?;
            content.print(&title, &shares);
            told.insert(title, content.to_json(&shares));
        }
    }
    let report = project.root.join("target/profile.json");
    dist::write(&report, format!("{:#}\n", json!(told)).as_bytes())
}

/// The app's program, which is published as one.
fn whole(project: &Project, program: &[u8], folder: &Path) -> Outcome<Vec<u8>> {
    let named = folder.join("app.wasm");
    dist::write(
        &named,
        &with_names(program).attempt("the app cannot be read")?,
    )?;
    let mut command = project.command(tools::wasm_bindgen(project)?);
    command.args(["--target", "web", "--no-typescript", "--no-demangle"]);
    command.args(["--out-name", "app", "--out-dir"]);
    step::run(command.arg(folder).arg(&named))?;
    read(&folder.join("app_bg.wasm"))
}

/// The files of the program of an element, and what they are.
fn in_files(
    project: &Project,
    program: &[u8],
    folder: &Path,
    name: &str,
) -> Outcome<Vec<(String, Vec<u8>)>> {
    let bound = dist::bound(project, program, folder, name)?;
    let mut files = vec![(name.to_owned(), bound.first)];
    for (part, path) in &bound.parts {
        files.push((format!("{name}, later: {part}"), read(path)?));
    }
    Ok(files)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).attempt(format!("cannot read {}", path.display()))
}

impl Content {
    fn of(program: &[u8]) -> Outcome<Self> {
        let mut content = Self::parse(program).attempt("a part cannot be read")?;
        content
            .functions
            .sort_by_key(|function| std::cmp::Reverse(function.bytes.len()));
        content.brotli = dist::brotli(&compact(program)?)?.len();
        Ok(content)
    }

    fn parse(program: &[u8]) -> Result<Self, Error<Infallible>> {
        let (mut taken, mut data) = (0_u32, 0);
        let mut names = BTreeMap::new();
        let mut bodies = Vec::new();
        for payload in Parser::new(0).parse_all(program) {
            match payload? {
                Payload::ImportSection(section) => taken = taken_functions(section)?,
                Payload::CodeSectionEntry(body) => {
                    let mut code = CodeSection::new();
                    // Written anew, each number is as short as it is in what is published.
                    RoundtripReencoder.parse_function_body(&mut code, body)?;
                    let mut bytes = Vec::new();
                    wasm_encoder::Section::append_to(&code, &mut bytes);
                    bodies.push(bytes);
                }
                Payload::DataSection(section) => {
                    data = (section.range().end - section.range().start) as usize
                }
                Payload::CustomSection(section) => names::add(&mut names, &section)?,
                _ => {}
            }
        }
        let functions = (taken..).zip(bodies);
        let functions = functions.map(|(index, bytes)| Function {
            name: names.get(&index).cloned().unwrap_or_else(|| "?".to_owned()),
            bytes,
        });
        Ok(Self {
            functions: functions.collect(),
            data,
            brotli: 0,
        })
    }

    fn code(&self) -> usize {
        self.functions
            .iter()
            .map(|function| function.bytes.len())
            .sum()
    }

    fn shares(&self) -> Outcome<Vec<Share>> {
        let packed = |without: Option<&str>| -> Outcome<usize> {
            let kept = self.functions.iter();
            let kept = kept.filter(|function| Some(crate_of(&function.name)) != without);
            let kept: Vec<u8> = kept.flat_map(|function| function.bytes.clone()).collect();
            Ok(dist::brotli(&kept)?.len())
        };
        let mut sums = BTreeMap::new();
        for function in &self.functions {
            let sum: &mut (usize, usize) = sums.entry(crate_of(&function.name)).or_default();
            *sum = (sum.0 + 1, sum.1 + function.bytes.len());
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by_key(|(_, (_, bytes))| std::cmp::Reverse(*bytes));
        let all = packed(None)?;
        let shares = sums.into_iter().take(NAMED);
        shares
            .map(|(name, (functions, bytes))| {
                let brotli = all.saturating_sub(packed(Some(name))?);
                let name = name.to_owned();
                Ok(Share {
                    name,
                    functions,
                    bytes,
                    brotli,
                })
            })
            .collect()
    }

    fn print(&self, title: &str, shares: &[Share]) {
        println!(
            "\n{title}: {} functions, {} bytes of code, {} of constants; {} brotli in all",
            self.functions.len(),
            self.code(),
            self.data,
            self.brotli
        );
        println!(
            "{:>8} {:>6} {:>5} {:>9}  crate",
            "bytes", "%", "count", "brotli"
        );
        let percent = |bytes: usize| 100.0 * bytes as f64 / self.code().max(1) as f64;
        for share in shares {
            println!(
                "{:>8} {:>6.1} {:>5} {:>9}  {}",
                share.bytes,
                percent(share.bytes),
                share.functions,
                share.brotli,
                share.name
            );
        }
        println!("{:>8} {:>6}  function", "bytes", "%");
        for Function { name, bytes } in self.functions.iter().take(NAMED) {
            println!("{:>8} {:>6.1}  {name}", bytes.len(), percent(bytes.len()));
        }
    }

    fn to_json(&self, shares: &[Share]) -> Value {
        let crates = shares.iter().map(|share| {
            json!({
                "crate": share.name, "functions": share.functions,
                "bytes": share.bytes, "brotli": share.brotli,
            })
        });
        let functions = self.functions.iter();
        let functions = functions
            .map(|Function { name, bytes }| json!({ "function": name, "bytes": bytes.len() }));
        json!({
            "code": self.code(),
            "data": self.data,
            "brotli": self.brotli,
            "crates": crates.collect::<Vec<_>>(),
            "functions": functions.collect::<Vec<_>>(),
        })
    }
}

/// The crate that a function, or the type that it belongs to, is from.
fn crate_of(name: &str) -> &str {
    let start = name.find(|sign: char| sign.is_alphanumeric() || sign == '_');
    let rest = start.and_then(|start| name.get(start..)).unwrap_or(name);
    let rest = rest
        .strip_prefix("dyn ")
        .or(rest.strip_prefix("mut "))
        .unwrap_or(rest);
    let end = rest.find("::").unwrap_or(rest.len());
    let path = rest.get(..end).unwrap_or(rest);
    // Of `<str>::parse`, and of the like.
    path.split('>').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_belongs_to_the_crate_that_its_path_begins_with() {
        for (name, expected) in [
            ("core::fmt::write", "core"),
            ("<booking_widget::dom::Html>::add::<&str>", "booking_widget"),
            (
                "<&mut serde_json::de::Deserializer<R> as serde::Deserializer>::x",
                "serde_json",
            ),
            ("<(dyn core::any::Any)>::is", "core"),
            ("<str>::parse::<i64>", "str"),
            ("memcpy", "memcpy"),
        ] {
            assert_eq!(crate_of(name), expected, "{name}");
        }
    }
}
