//! Python packages of the mail server for tests: an SMTP server, and tools that read and verify messages.

use std::process::Command;

use fs_err as fs;

use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Requirements file, from the root of the project.
const REQUIREMENTS: &str = "crates/service/tests/support/mail_requirements.txt";

/// Installs the packages into `target/tools` if they are missing. The tests look for them there
/// (`tests/support/mail_server.rs`).
pub(crate) fn ensure(project: &Project) -> Outcome {
    let requirements = project.root.join(REQUIREMENTS);
    let packages = fs::read_to_string(&requirements)?;
    let folder = project.root.join("target/tools/mail-python");
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == packages) {
        return Ok(());
    }
    let programs = if cfg!(windows) { "Scripts" } else { "bin" };
    process::timed(
        "Installing the mail server of the tests into target/tools",
        || {
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv", "--clear"]).arg(&folder);
            process::run(&mut venv).attempt(
                "the mail server needs Python's venv (Debian: `apt install python3-venv`)",
            )?;
            let mut pip = Command::new(folder.join(programs).join("python"));
            pip.args(["-m", "pip", "install", "--quiet"]);
            pip.args(["--disable-pip-version-check", "--requirement"]);
            process::run(pip.arg(&requirements)).attempt("cannot install the mail server")
        },
    )?;
    Ok(fs::write(&installed, packages)?)
}
