//! Checks the dependencies for known vulnerabilities.

use crate::install::tools;
use crate::process::{self, Outcome};
use crate::project::Project;

/// Runs cargo-deny, which downloads the database of advisories. Not a part of `check`, which needs no network.
pub(crate) fn run(project: &Project) -> Outcome {
    let deny = tools::cargo_deny(project)?;
    process::run(project.command(deny).args(["check", "advisories"]))
}
