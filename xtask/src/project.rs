//! The project on disk, and the compilation of its programs.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// Compilation target for browsers.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Folders of the project.
pub(crate) struct Project {
    /// Root of the workspace.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
}

/// Profile that the service is compiled with.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Speed {
    /// Compiles fast; for tests, and compiled by `cargo test` already.
    Debug,
    /// Runs fast; for users.
    Release,
}

impl Project {
    /// Finds the workspace that this program belongs to.
    pub(crate) fn locate() -> Outcome<Project> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest.parent().unwrap_or(&manifest).to_path_buf();
        let mut project = Project {
            target: root.join("target"),
            root,
        };
        if let Some(target) = project.metadata()?["target_directory"].as_str() {
            project.target = PathBuf::from(target);
        }
        Ok(project)
    }

    /// Returns cargo's metadata of the members of the workspace.
    pub(crate) fn metadata(&self) -> Outcome<Value> {
        let text = step::read(
            self.cargo("metadata")
                .args(["--no-deps", "--format-version", "1"]),
        )?;
        serde_json::from_str(&text).attempt("cargo's metadata is not JSON")
    }

    /// Returns the command `cargo <subcommand>` in the root of the workspace.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.arg(subcommand);
        command
    }

    /// Returns a command in the root of the workspace, with the project's tools first on the path.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("PATH", self.path());
        // A nested cargo would take the variables that `cargo run` sets for a changed environment, and would
        // run some build scripts again.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            let ours = [
                "CARGO_PKG_",
                "CARGO_MANIFEST_",
                "CARGO_BIN_",
                "CARGO_CRATE_",
            ];
            if ours.iter().any(|start| text.starts_with(start)) {
                command.env_remove(&name);
            }
        }
        command
    }

    /// The search path with the project's own tools first.
    fn path(&self) -> OsString {
        let rest = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.tools()).chain(env::split_paths(&rest));
        env::join_paths(folders).unwrap_or(rest)
    }

    /// Folder of programs that the project installed for itself.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join("target/tools/bin")
    }

    /// Folder of the published files.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// Returns the names of the widget's test targets that start with `prefix`, sorted.
    pub(crate) fn tests(&self, prefix: &str) -> Outcome<Vec<String>> {
        let metadata = self.metadata()?;
        let none = Vec::new();
        let mut names: Vec<String> = metadata["packages"]
            .as_array()
            .unwrap_or(&none)
            .iter()
            .filter(|package| package["name"] == "booking-widget")
            .flat_map(|package| package["targets"].as_array().unwrap_or(&none))
            .filter(|target| target["kind"][0] == "test")
            .filter_map(|target| target["name"].as_str())
            .filter(|name| name.starts_with(prefix))
            .map(str::to_owned)
            .collect();
        names.sort();
        Ok(names)
    }

    /// Returns the names of the files of journeys, sorted. They are the modules of one program.
    pub(crate) fn journeys(&self) -> Outcome<Vec<String>> {
        let folder = self.root.join("tests/e2e");
        let files = fs::read_dir(&folder).attempt(format!("cannot read {}", folder.display()))?;
        let mut names: Vec<String> = files
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
            .filter(|name| name != "main")
            .collect();
        names.sort();
        Ok(names)
    }
}

/// Half of the default stack. Constants follow it in memory, and addresses below one megabyte take three bytes
/// instead of four.
const SMALL_STACK: &str = "-C link-arg=-zstack-size=524288";

/// Leaves out panic messages: a tenth of a program.
const WITHOUT_PANIC_MESSAGES: &str =
    " -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=none";

/// Compiler that these switches were tested with. They are unstable, hence `RUSTC_BOOTSTRAP`; any other compiler
/// builds larger files without them.
const TESTED_COMPILER: &str = "rustc 1.95.";

/// Makes a command that compiles for browsers produce small programs.
pub(crate) fn small<'command>(
    project: &Project,
    command: &'command mut Command,
) -> Outcome<&'command mut Command> {
    let mut flags = SMALL_STACK.to_owned();
    if can_be_small(project)? {
        flags.push_str(WITHOUT_PANIC_MESSAGES);
        command.envs([
            ("RUSTC_BOOTSTRAP", "1"),
            ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort"),
            ("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size"),
        ]);
    }
    Ok(command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags))
}

fn can_be_small(project: &Project) -> Outcome<bool> {
    let version = step::read(project.command("rustc").arg("--version"))?;
    Ok(version.starts_with(TESTED_COMPILER) && tools::library_source(project)?)
}

/// Compiles the three programs for browsers and returns their folder.
///
/// In one call, so that their slow link steps run at the same time.
pub(crate) fn wasm(project: &Project) -> Outcome<PathBuf> {
    tools::wasm_target(project)?;
    if !can_be_small(project)? {
        step::say(format!(
            "With {TESTED_COMPILER}x and its component rust-src the files would be smaller"
        ));
    }
    step::timed(
        "Compiling the widget for browsers (some minutes the first time)",
        || {
            let compiling = ["--profile", "wasm", "--target", WASM];
            let mut build = project.cargo("build");
            build.args(compiling).arg("--bins");
            step::run(small(project, &mut build)?)
        },
    )?;
    Ok(project.target.join(WASM).join("wasm"))
}

/// Compiles the service and returns the path of the program.
pub(crate) fn service(project: &Project, speed: Speed) -> Outcome<PathBuf> {
    let (flag, folder) = match speed {
        Speed::Debug => (None, "debug"),
        Speed::Release => (Some("--release"), "release"),
    };
    step::timed(
        "Compiling the service (some minutes the first time)",
        || {
            let mut build = project.cargo("build");
            build
                .args(["--package", "booking-service", "--bin", "service"])
                .args(flag);
            step::run(&mut build)
        },
    )?;
    let program = project
        .target
        .join(folder)
        .join(format!("service{}", env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    Err(format!("cargo built no {}", program.display()).into())
}

/// Returns the version of a package in `Cargo.lock`.
pub(crate) fn locked_version(project: &Project, package: &str) -> Outcome<String> {
    let path = project.root.join("Cargo.lock");
    let lock = fs::read_to_string(&path).attempt(format!("cannot read {}", path.display()))?;
    version_in(&lock, package)
        .map(str::to_owned)
        .ok_or_else(|| format!("Cargo.lock has no package {package}").into())
}

fn version_in<'lock>(lock: &'lock str, package: &str) -> Option<&'lock str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| *line == name)?;
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

/// Returns a path for messages: relative to the root of the workspace if it is inside.
pub(crate) fn shown(project: &Project, path: &Path) -> String {
    path.strip_prefix(&project.root)
        .unwrap_or(path)
        .display()
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_version_is_that_of_the_package_with_the_exact_name() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.50\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
