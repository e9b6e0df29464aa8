//! Static checks: format, lints, documentation, import cycles, layers, licences and advisories.

use std::env;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::Value;

use crate::build::{Project, WASM};
use crate::step::{self, Attempt, Outcome};
use crate::{cycles, layers, tools};

/// SPDX identifiers of the licences that dependencies may have.
const ACCEPTED_LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    // Data licence of the list of certificate authorities (`webpki-roots`).
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Runs all checks, even if one fails.
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
    check("Lints, journeys", &|| lint_end_to_end_tests(project));
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
    check("Licences", &|| check_licences(project));
    check("Advisories", &|| check_advisories(project));

    if failed.is_empty() {
        println!("\nEvery check passed.");
        return Ok(ExitCode::SUCCESS);
    }
    println!("\nFailed: {}.", failed.join(", "));
    Ok(ExitCode::FAILURE)
}

/// Lints the test targets with `test = false`, which `--all-targets` does not include.
fn lint_end_to_end_tests(project: &Project) -> Outcome {
    let mut clippy = project.cargo("clippy");
    clippy.args(["--package", "booking-widget"]);
    clippy.args(["--test", "e2e", "--test", "shots", "--test", "bench"]);
    clippy.args(["--", "-D", "warnings"]);
    step::run(&mut clippy)
}

/// Checks the licences of all dependencies, for this machine and for browsers.
fn check_licences(project: &Project) -> Outcome {
    let version = step::read(project.command("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or(WASM);
    let mut rejected = Vec::new();
    let mut count = 0;
    for platform in [host, WASM] {
        let mut metadata = project.cargo("metadata");
        metadata.args(["--format-version", "1", "--filter-platform", platform]);
        let metadata: Value = serde_json::from_str(&step::read(&mut metadata)?)
            .attempt("cargo's metadata is not JSON")?;
        for package in metadata["packages"].as_array().into_iter().flatten() {
            count += 1;
            let licence = package["license"].as_str().unwrap_or("none given");
            if !is_accepted(licence) {
                rejected.push(format!(
                    "{} ({licence})",
                    package["name"].as_str().unwrap_or("?")
                ));
            }
        }
    }
    rejected.sort();
    rejected.dedup();
    if rejected.is_empty() {
        println!("    {count} packages for {host} and {WASM}, all under accepted licences");
        return Ok(());
    }
    Err(format!(
        "packages whose licences are not accepted: {}",
        rejected.join(", ")
    )
    .into())
}

/// True if accepted licences satisfy the SPDX expression.
fn is_accepted(expression: &str) -> bool {
    // Old manifests write `MIT/Apache-2.0` for "or".
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    parse_or(&mut rest) && rest.is_empty()
}

/// Parses `and OR and OR ..`. True if an alternative is accepted.
fn parse_or(words: &mut &[&str]) -> bool {
    let mut accepted = parse_and(words);
    while let ["OR", rest @ ..] = words {
        *words = rest;
        accepted |= parse_and(words);
    }
    accepted
}

/// Parses `term AND term AND ..`. True if every term is accepted.
fn parse_and(words: &mut &[&str]) -> bool {
    let mut accepted = parse_term(words);
    while let ["AND", rest @ ..] = words {
        *words = rest;
        accepted &= parse_term(words);
    }
    accepted
}

/// Parses a licence or a group. An exception (`WITH`) is ignored, as it only grants more.
fn parse_term(words: &mut &[&str]) -> bool {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let accepted = parse_or(words);
            let [")", rest @ ..] = words else {
                return false;
            };
            *words = rest;
            accepted
        }
        [licence, "WITH", _, rest @ ..] | [licence, rest @ ..] => {
            *words = rest;
            ACCEPTED_LICENCES.contains(licence)
        }
        [] => false,
    }
}

/// Checks for known vulnerabilities, offline; skipped if cargo-deny or its database is missing.
fn check_advisories(project: &Project) -> Outcome {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let has_database = home.is_some_and(|home| {
        home.join("advisory-dbs").is_dir() || home.join("advisory-db").is_dir()
    });
    if !has_database || !tools::is_available(&mut project.command("cargo-deny")) {
        println!(
            "    skipped: cargo-deny or its advisory database is not installed \
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
    fn licence_expression_with_accepted_choice_is_accepted() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "(GPL-3.0 AND MIT) OR ISC",
        ] {
            assert!(is_accepted(expression), "{expression}");
        }
        for expression in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR ISC) AND AGPL-3.0",
            "none given",
            "(MIT",
        ] {
            assert!(!is_accepted(expression), "{expression}");
        }
    }
}
