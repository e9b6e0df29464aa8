//! Everything that can be said about the code without running it.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::Value;

use crate::build::{Project, WASM};
use crate::step::{self, Attempt, Outcome};
use crate::{cycles, layers, tools};

/// The licences that this project accepts from what it is built on, as SPDX identifiers.
const ACCEPTED: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // Data that may be passed on with this text: the list of certificate authorities.
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Runs every check, also after one has failed.
pub(crate) fn run(project: &Project) -> Outcome<ExitCode> {
    tools::component(project, "rustfmt", "rustfmt")?;
    tools::component(project, "clippy", "clippy-driver")?;
    tools::wasm_target(project)?;

    let mut failed = Vec::new();
    let mut check = |name: &'static str, work: &dyn Fn() -> Outcome| {
        if let Err(error) = step::timed(name, work) {
            println!("    {error}");
            failed.push(name);
        }
    };
    check("Format", &|| {
        step::run(project.cargo("fmt").args(["--all", "--check"]))
    });
    check("Lints, native", &|| {
        step::run(project.cargo("clippy").args([
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ]))
    });
    check("Lints, journeys", &|| lint_journeys(project));
    check("Lints, browser", &|| {
        let mut clippy = project.cargo("clippy");
        clippy.args(["--package", "booking-widget", "--package", "booking-wire"]);
        clippy.args(["--target", WASM, "--all-targets", "--", "-D", "warnings"]);
        step::run(&mut clippy)
    });
    check("Documentation", &|| {
        let mut doc = project.cargo("doc");
        doc.args(["--workspace", "--no-deps", "--document-private-items"]);
        step::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    check("Import cycles", &|| {
        let crates = ["crates/service/src", "crates/wire/src"];
        let mut folders = crates.into_iter().map(|path| project.root.join(path));
        folders.try_for_each(|folder| cycles::check(&folder))
    });
    check("Layers of the service", &|| {
        layers::check(&project.root.join("crates/service/src"))
    });
    check("Licences", &|| licences(project));
    check("Advisories", &|| advisories(project));

    if failed.is_empty() {
        println!("\nEvery check passed.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nFailed: {}.", failed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// The journeys, the screenshots and the measurements are no part of a plain `cargo test`, so they are named here.
fn lint_journeys(project: &Project) -> Outcome {
    let mut clippy = project.cargo("clippy");
    clippy.args(["--package", "booking-widget"]);
    clippy.args(["--test", "e2e", "--test", "shots", "--test", "bench"]);
    clippy.args(["--", "-D", "warnings"]);
    step::run(&mut clippy)
}

/// Holds the licence of everything that is compiled, here or for browsers, against the list.
fn licences(project: &Project) -> Outcome {
    let version = step::read(project.command("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or(WASM);
    let mut refused = Vec::new();
    let mut count = 0;
    for platform in [host, WASM] {
        let mut metadata = project.cargo("metadata");
        metadata.args(["--format-version", "1", "--filter-platform", platform]);
        let metadata: Value = serde_json::from_str(&step::read(&mut metadata)?)
            .attempt("cargo's metadata is not JSON")?;
        for package in metadata["packages"].as_array().into_iter().flatten() {
            count += 1;
            let licence = package["license"].as_str().unwrap_or("none given");
            if !accepts(licence) {
                refused.push(format!(
                    "{} ({licence})",
                    package["name"].as_str().unwrap_or("?")
                ));
            }
        }
    }
    refused.sort();
    refused.dedup();
    if refused.is_empty() {
        println!("    {count} packages for {host} and {WASM}, all under accepted licences");
        return Ok(());
    }
    Err(format!(
        "not on the list of accepted licences: {}",
        refused.join(", ")
    )
    .into())
}

/// Whether an SPDX expression can be met with accepted licences.
fn accepts(expression: &str) -> bool {
    // Old manifests write `MIT/Apache-2.0` for "or".
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest) && rest.is_empty()
}

/// `both OR both OR ..`
fn either(words: &mut &[&str]) -> bool {
    let mut accepted = both(words);
    while let ["OR", rest @ ..] = words {
        *words = rest;
        accepted |= both(words);
    }
    accepted
}

/// `one AND one AND ..`
fn both(words: &mut &[&str]) -> bool {
    let mut accepted = one(words);
    while let ["AND", rest @ ..] = words {
        *words = rest;
        accepted &= one(words);
    }
    accepted
}

/// A licence, perhaps with an exception (which only ever allows more), or a group.
fn one(words: &mut &[&str]) -> bool {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let accepted = either(words);
            let [")", rest @ ..] = words else {
                return false;
            };
            *words = rest;
            accepted
        }
        [licence, "WITH", _, rest @ ..] | [licence, rest @ ..] => {
            *words = rest;
            ACCEPTED.contains(licence)
        }
        [] => false,
    }
}

/// Asks for known vulnerabilities if that is possible without a network, and says if it is not.
fn advisories(project: &Project) -> Outcome {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let database = home.is_some_and(|home| {
        home.join("advisory-dbs").is_dir() || home.join("advisory-db").is_dir()
    });
    if !database || !tools::answers(&mut project.command("cargo-deny")) {
        println!(
            "    not run: it needs cargo-deny and its database on this machine \
             (`cargo install cargo-deny`, `cargo deny fetch`)"
        );
        return Ok(());
    }
    step::run(
        project
            .cargo("deny")
            .args(["--offline", "check", "advisories"]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_expression_is_accepted_if_some_choice_meets_it() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "(GPL-3.0 AND MIT) OR ISC",
        ] {
            assert!(accepts(expression), "{expression}");
        }
        for expression in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR ISC) AND AGPL-3.0",
            "none given",
            "(MIT",
        ] {
            assert!(!accepts(expression), "{expression}");
        }
    }
}
