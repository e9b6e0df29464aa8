//! Installs packages of Python or Node for tests, as a file locks their versions. Tests of `booking-mail` and `cargo xtask
//! fuzz` use this file, too.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the folder of the programs of Python's environment `name` in `tools`, which is `target/tools` of the workspace. It is
/// installed if it lacks the packages of a requirements file.
pub(crate) fn python(tools: &Path, name: &str, requirements: &Path) -> Result<PathBuf, String> {
    let folder = tools.join(name);
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    install(&folder, requirements, || {
        let mut venv = Command::new("python3");
        run(
            venv.args(["-m", "venv", "--clear"]).arg(&folder),
            "Python's venv is missing (Debian: `apt install python3-venv`)",
        )?;
        let mut pip = Command::new(programs.join("python"));
        pip.args(["-m", "pip", "install", "--quiet", "--require-hashes"]);
        pip.args(["--disable-pip-version-check", "--requirement"]);
        run(pip.arg(requirements), "pip cannot install the packages")
    })?;
    Ok(programs)
}

/// Installs into a folder unless that was done with the same list of packages.
pub(crate) fn install(
    folder: &Path,
    list: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let text = |error| format!("{}: {error}", folder.display());
    let wanted =
        fs::read_to_string(list).map_err(|error| format!("{}: {error}", list.display()))?;
    let stamp = folder.join("installed.txt");
    let is_installed = || fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted);
    if is_installed() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(text)?;
    // Tests run at the same time.
    let lock = File::create(folder.with_extension("lock")).map_err(text)?;
    lock.lock().map_err(text)?;
    if !is_installed() {
        println!("Installing {}", folder.display());
        install()?;
        fs::write(&stamp, wanted).map_err(text)?;
    }
    Ok(())
}

/// Runs a command. `problem` says what its failure means.
pub(crate) fn run(command: &mut Command, problem: &str) -> Result<(), String> {
    let status = command.status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{problem}: {command:?}: {status}")),
        Err(error) => Err(format!("{problem}: {command:?}: {error}")),
    }
}
