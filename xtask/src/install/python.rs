//! Python packages for tests, in virtual environments under `target/tools`.

use std::path::PathBuf;
use std::process::Command;

use fs_err as fs;

use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Requirements of the mail server for tests, from the root of the project. The tests look for it in
/// `target/tools/mail-python` (`tests/support/mail_server.rs`).
const MAIL_SERVER: &str = "crates/service/tests/support/mail_requirements.txt";

/// Ensures that the mail server for tests is installed.
pub(crate) fn mail_server(project: &Project) -> Outcome {
    packages(project, "mail-python", MAIL_SERVER).map(|_| ())
}

/// Ensures that the packages of a requirements file are installed in a virtual environment, and returns the folder of its
/// programs.
pub(crate) fn packages(project: &Project, name: &str, requirements: &str) -> Outcome<PathBuf> {
    let requirements = project.root.join(requirements);
    let packages = fs::read_to_string(&requirements)?;
    let folder = project.root.join("target/tools").join(name);
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|found| found == packages) {
        return Ok(programs);
    }
    process::timed(format!("Installing {name} into target/tools"), || {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(&folder);
        process::run(&mut venv)
            .attempt("Python's venv is missing (Debian: `apt install python3-venv`)")?;
        let mut pip = Command::new(programs.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--require-hashes"]);
        pip.args(["--disable-pip-version-check", "--requirement"]);
        process::run(pip.arg(&requirements)).attempt(format!("cannot install {name}"))
    })?;
    fs::write(&installed, packages)?;
    Ok(programs)
}
