//! Import cycles between the modules of a crate, and between the folders they are in.
//!
//! Reads the sources as tokens: `use` trees and paths that begin with `crate`, `self`, `super` or a child
//! module, also inside macros; test code is ignored. `cargo-modules` finds such cycles too, but depends on
//! rust-analyzer: compiling it takes longer than all other checks together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fs_err as fs;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::process::Outcome;

/// Crates that count as modules, because only some layers may use them.
const FRAMEWORKS: [&str; 3] = ["axum", "booking_store_engine", "sqlx"];

/// Path of a module from the crate root; empty for the root.
pub(crate) type Module = Vec<String>;

/// Import graph: the modules that each module imports from.
pub(crate) type Imports = BTreeMap<Module, BTreeSet<Module>>;

/// Returns an error with an import cycle of the crate whose sources are in `folder`, if there is one.
pub(crate) fn check(folder: &Path) -> Outcome {
    let imports = imports(folder)?;
    for graph in graphs(&imports) {
        if let Some(cycle) = find_cycle(&graph) {
            let names: Vec<String> = cycle.iter().map(|module| module.join("::")).collect();
            let names = names.join(" -> ");
            return Err(format!("import cycle in {}: {names}", folder.display()).into());
        }
    }
    println!("    {} modules in {}", imports.len(), folder.display());
    Ok(())
}

/// Reads the imports of each module in `folder`. The crates in [`FRAMEWORKS`] count as modules.
pub(crate) fn imports(folder: &Path) -> Outcome<Imports> {
    let mut files = BTreeMap::new();
    read_folder(folder, &Module::new(), &mut files)?;
    // A folder is a module, too, even if it has no file of its own: `mod ui { mod dom; }` in `lib.rs`.
    let ancestors = |module: &Module| {
        (0..=module.len())
            .map(|end| module[..end].to_vec())
            .collect::<Vec<_>>()
    };
    let modules: BTreeSet<Module> = files.keys().flat_map(ancestors).collect();
    let mut imports = Imports::new();
    for (module, source) in &files {
        let tokens: TokenStream = source
            .parse()
            .map_err(|error| format!("cannot parse {}: {error}", module.join("::")))?;
        let mut found = BTreeSet::new();
        Scanner { modules: &modules }.scan(tokens, module, &mut found);
        found.remove(module);
        imports.insert(module.clone(), found);
    }
    Ok(imports)
}

/// Reads the sources of a folder into `files`.
fn read_folder(folder: &Path, parent: &Module, files: &mut BTreeMap<Module, String>) -> Outcome {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.unwrap_or_default().to_owned();
        // Test code.
        if name == "tests" {
            continue;
        }
        let mut module = parent.clone();
        if path.is_dir() {
            module.push(name);
            read_folder(&path, &module, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            if !(parent.is_empty() && (name == "lib" || name == "main")) {
                module.push(name);
            }
            // `main.rs` and `lib.rs` of one crate are merged into the root module.
            files
                .entry(module)
                .or_default()
                .push_str(&fs::read_to_string(&path)?);
        }
    }
    Ok(())
}

/// Finds the modules that a file imports from.
struct Scanner<'a> {
    modules: &'a BTreeSet<Module>,
}

impl Scanner<'_> {
    /// Scans the content of `module`: the file's module or an inline one.
    fn scan(&self, tokens: TokenStream, module: &Module, found: &mut BTreeSet<Module>) {
        let tokens = without_tests(tokens);
        let mut rest = tokens.as_slice();
        loop {
            rest = match rest {
                [] => return,
                // The second form is that of macros: `mod $name`.
                [
                    TokenTree::Ident(word),
                    TokenTree::Ident(name),
                    TokenTree::Group(body),
                    after @ ..,
                ]
                | [
                    TokenTree::Ident(word),
                    TokenTree::Punct(_),
                    TokenTree::Ident(name),
                    TokenTree::Group(body),
                    after @ ..,
                ] if word == "mod" => {
                    let mut inner = module.clone();
                    inner.push(name.to_string());
                    self.scan(body.stream(), &inner, found);
                    after
                }
                [TokenTree::Ident(word), after @ ..] if word == "use" => {
                    let end = after.iter().position(|token| is_punct(token, ';'));
                    let (tree, after) = after.split_at(end.unwrap_or(after.len()));
                    self.scan_use_tree(tree, Vec::new(), module, found);
                    after
                }
                [TokenTree::Ident(_), ..] => {
                    let (path, length) = parse_path(rest);
                    self.add(&path, module, found);
                    &rest[length..]
                }
                [TokenTree::Group(group), after @ ..] => {
                    self.scan(group.stream(), module, found);
                    after
                }
                [_, after @ ..] => after,
            };
        }
    }

    /// Adds the paths of a `use` tree below `prefix`.
    fn scan_use_tree(
        &self,
        tokens: &[TokenTree],
        prefix: Vec<String>,
        module: &Module,
        found: &mut BTreeSet<Module>,
    ) {
        for branch in tokens.split(|token| is_punct(token, ',')) {
            // Trailing comma.
            if branch.is_empty() {
                continue;
            }
            let mut path = prefix.clone();
            let mut is_group = false;
            for token in branch {
                match token {
                    TokenTree::Ident(word) if word == "as" => break,
                    TokenTree::Ident(word) => path.push(word.to_string()),
                    TokenTree::Group(group) => {
                        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                        self.scan_use_tree(&inner, path.clone(), module, found);
                        is_group = true;
                    }
                    _ => {}
                }
            }
            if !is_group {
                self.add(&path, module, found);
            }
        }
    }

    /// Adds the module that `path` refers to, if it is in the crate or a framework.
    fn add(&self, path: &[String], module: &Module, found: &mut BTreeSet<Module>) {
        let Some(first) = path.first() else { return };
        let mut target = match first.as_str() {
            "crate" => Module::new(),
            _ => module.clone(),
        };
        let mut rest = path;
        match first.as_str() {
            "crate" | "self" => rest = &path[1..],
            "super" => {
                while rest.first().is_some_and(|word| word == "super") {
                    target.pop();
                    rest = &rest[1..];
                }
            }
            name => {
                let mut child = module.clone();
                child.push(name.to_owned());
                if !self.modules.contains(&child) {
                    if FRAMEWORKS.contains(&name) {
                        found.insert(vec![name.to_owned()]);
                    }
                    return;
                }
            }
        }
        // Inline modules belong to the module of their file.
        while !self.modules.contains(&target) {
            target.pop();
        }
        for name in rest {
            target.push(name.clone());
            if !self.modules.contains(&target) {
                target.pop();
                break;
            }
        }
        if self.modules.contains(&target) {
            found.insert(target);
        }
    }
}

/// Returns the tokens without the items under `#[cfg(test)]`: each ends with a semicolon or a block.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let mut is_test = false;
    let mut kept = Vec::new();
    for token in tokens {
        let group = match &token {
            TokenTree::Group(group) => Some((group.delimiter(), group.stream())),
            _ => None,
        };
        match group {
            Some((Delimiter::Bracket, attribute))
                if attribute.to_string().replace(' ', "") == "cfg(test)" =>
            {
                is_test = true;
            }
            Some((Delimiter::Brace, _)) if is_test => is_test = false,
            _ if is_test => is_test = !is_punct(&token, ';'),
            _ => kept.push(token),
        }
    }
    kept
}

/// Parses the path at the start of `tokens`. Returns its names and its length in tokens.
fn parse_path(tokens: &[TokenTree]) -> (Vec<String>, usize) {
    let mut names = Vec::new();
    let mut length = 0;
    while let Some(TokenTree::Ident(name)) = tokens.get(length) {
        names.push(name.to_string());
        length += 1;
        match &tokens[length..] {
            [first, second, ..] if is_punct(first, ':') && is_punct(second, ':') => length += 2,
            _ => break,
        }
    }
    // A single identifier is not a path.
    if names.len() < 2 {
        names.clear();
    }
    (names, length)
}

fn is_punct(token: &TokenTree, expected: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected)
}

/// Returns the import graph of all modules, and one graph per folder between its direct children.
fn graphs(imports: &Imports) -> Vec<Imports> {
    let mut folders: BTreeMap<Module, Imports> = BTreeMap::new();
    for (from, targets) in imports {
        for to in targets {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            if common < from.len() && common < to.len() {
                let siblings = folders.entry(from[..common].to_vec()).or_default();
                let edges = siblings.entry(from[..=common].to_vec()).or_default();
                edges.insert(to[..=common].to_vec());
            }
        }
    }
    std::iter::once(imports.clone())
        .chain(folders.into_values())
        .collect()
}

/// Finds a cycle: what is left without the modules that import none of the others. Its first module is repeated at
/// the end.
fn find_cycle(graph: &Imports) -> Option<Vec<Module>> {
    let mut rest = graph.clone();
    let imported = |rest: &Imports, module: &Module| {
        let mut targets = rest.get(module).into_iter().flatten();
        targets.find(|target| rest.contains_key(*target)).cloned()
    };
    while let Some(module) = rest.keys().find(|module| imported(&rest, module).is_none()) {
        rest.remove(&module.clone());
    }
    let mut path = vec![rest.keys().next()?.clone()];
    loop {
        let next = imported(&rest, path.last()?)?;
        let start = path.iter().position(|module| *module == next);
        path.push(next);
        if let Some(start) = start {
            return Some(path.split_off(start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a crate with `files` to a temporary folder and checks it.
    fn check_files(files: &[(&str, &str)]) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, source) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, source).unwrap();
        }
        check(folder.path()).map_err(|error| error.to_string())
    }

    #[test]
    fn cycle_through_use_path_or_macro_is_reported() {
        for back in [
            "use crate::a::A;",
            "use super::{a::{self, A}, c};",
            "fn f() { crate::a::f() }",
            "fn f() { println!(\"{}\", super::a::f()) }",
            "mod inner { use super::super::a::A; }",
            "impl From<crate::a::A> for B {}",
        ] {
            let files = [
                ("lib.rs", "mod a; mod b;"),
                ("a.rs", "use crate::b::B;"),
                ("b.rs", back),
            ];
            let error = check_files(&files).unwrap_err();
            assert!(error.ends_with("a -> b -> a"), "{back}: {error}");
        }
    }

    #[test]
    fn cycle_of_parent_and_child_is_reported() {
        let parent = "mod b; mod c; fn f() { b::g() }";
        let files = [
            ("a.rs", parent),
            ("a/b.rs", "use super::f;"),
            ("a/c.rs", ""),
        ];
        assert!(check_files(&files).unwrap_err().ends_with("a -> a::b -> a"));
        // A sibling imported through `super` is not an import of the parent.
        let files = [
            ("a.rs", parent),
            ("a/b.rs", "use super::{\n    c::C,\n};"),
            ("a/c.rs", ""),
        ];
        assert_eq!(check_files(&files), Ok(()));
    }

    #[test]
    fn cycle_of_modules_declared_inline_is_reported() {
        let files = [
            ("lib.rs", "mod ui { pub mod a; } mod time { pub mod b; }"),
            ("ui/a.rs", "use crate::time::b::B;"),
            ("time/b.rs", "use crate::ui::a::A;"),
        ];
        let error = check_files(&files).unwrap_err();
        assert!(error.ends_with("time::b -> ui::a -> time::b"), "{error}");
    }

    #[test]
    fn cycle_of_folders_without_cycle_of_files_is_reported() {
        let files = [
            ("a.rs", "mod one; mod two;"),
            ("b.rs", "mod one; mod two;"),
            ("a/one.rs", "use crate::b::one::B;"),
            ("a/two.rs", ""),
            ("b/one.rs", ""),
            ("b/two.rs", "use crate::a::two::A;"),
        ];
        assert!(check_files(&files).unwrap_err().ends_with("a -> b -> a"));
    }

    #[test]
    fn imports_of_test_code_and_inline_modules_are_ignored() {
        let files = [
            ("lib.rs", "pub mod a; pub mod b; pub use a::A;"),
            ("a.rs", "use crate::b::B; mod inner { use super::A; }"),
            (
                "b.rs",
                "#[cfg(test)] mod tests { use crate::a::A; } #[cfg(test)] use crate::a::A;",
            ),
        ];
        assert_eq!(check_files(&files), Ok(()));
    }
}
