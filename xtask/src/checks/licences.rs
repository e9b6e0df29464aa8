//! Licences of the dependencies. `cargo-deny` checks them, too, but is compiled for minutes; this needs the metadata only.

use std::collections::BTreeSet;

use spdx::{Expression, ParseMode};

use crate::process::{self, Outcome};
use crate::project::{Project, WASM};

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

/// Checks the licences of all dependencies, for this machine and for browsers.
pub(crate) fn check(project: &Project) -> Outcome {
    let version = process::read(project.command("rustc").arg("-vV"))?;
    let host = version
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap_or(WASM);
    let mut rejected = BTreeSet::new();
    let mut count = 0;
    for platform in [host, WASM] {
        let metadata = project.metadata(&["--filter-platform", platform])?;
        for package in metadata["packages"].as_array().into_iter().flatten() {
            count += 1;
            let licence = package["license"].as_str().unwrap_or("none given");
            if !is_accepted(licence) {
                let name = package["name"].as_str().unwrap_or("?");
                rejected.insert(format!("{name} ({licence})"));
            }
        }
    }
    if rejected.is_empty() {
        println!("    {count} packages for {host} and {WASM}, all under accepted licences");
        return Ok(());
    }
    let rejected = Vec::from_iter(rejected).join(", ");
    Err(format!("packages whose licences are not accepted: {rejected}").into())
}

/// Returns true if accepted licences satisfy the SPDX expression. Exceptions (`WITH`) only grant more.
fn is_accepted(expression: &str) -> bool {
    // Old manifests write `MIT/Apache-2.0` for "or".
    Expression::parse_mode(expression, ParseMode::LAX).is_ok_and(|expression| {
        expression.evaluate(|requirement| {
            let id = requirement.license.id();
            id.is_some_and(|id| ACCEPTED_LICENCES.contains(&id.name))
        })
    })
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
