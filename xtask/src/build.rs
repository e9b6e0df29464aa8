//! The project on disk, and compiling its parts.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// The target that browsers run.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Where things are.
pub(crate) struct Project {
    /// The workspace root.
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever it was put.
    pub(crate) target: PathBuf,
}

/// How the service is compiled.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Speed {
    /// Quick to compile: what the tests use, and what `cargo test` has compiled already.
    Debug,
    /// Quick to run: what people use.
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

    /// What cargo knows about the members of the workspace.
    pub(crate) fn metadata(&self) -> Outcome<Value> {
        let text = step::read(
            self.cargo("metadata")
                .args(["--no-deps", "--format-version", "1"]),
        )?;
        serde_json::from_str(&text).attempt("cargo's metadata is not JSON")
    }

    /// `cargo <subcommand>` in the workspace root.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.arg(subcommand);
        command
    }

    /// A command in the workspace root, with the project's tools first on the path.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("PATH", self.path());
        // What `cargo run` tells this program about itself would look to a nested cargo like a
        // changed environment, and some build scripts would run again.
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

    /// Where the project keeps the programs that it installed for itself.
    pub(crate) fn tools(&self) -> PathBuf {
        self.root.join("target/tools/bin")
    }

    /// What people download.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The names of the widget's test targets that start with `prefix`, sorted.
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

    /// The names of the files of journeys, which are the modules of one program, sorted.
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

/// Leaves out the names of functions, which are a fifth of what people would download. (`strip` in
/// the profile would also lose the list of features that `wasm-bindgen` reads.)
const WITHOUT_NAMES: &str = "-C link-arg=--strip-all -C link-arg=--keep-section=target_features";

/// Names functions with the types that they are made for: what `bench --profile` lists, and what `glue.rs`
/// knows functions of Rust by.
const FULL_NAMES: &str = " -C symbol-mangling-version=v0";

/// Half of the usual stack. Constants stand behind it, and below a megabyte their addresses are
/// written in three bytes instead of four.
const SMALL_STACK: &str = " -C link-arg=-zstack-size=524288";

/// Leaves out what a program says before it dies: nobody reads it, and it is a tenth of the rest.
const WITHOUT_LAST_WORDS: &str =
    " -Zunstable-options -Cpanic=immediate-abort -Zlocation-detail=none -Zfmt-debug=none";

/// The compiler that these switches were tried with. They are no part of its stable language, and it
/// has to be told that they are meant; any other compiler builds larger files, the usual way.
const TRIED: &str = "rustc 1.95.";

/// Makes a command that compiles for browsers make as little as it can.
pub(crate) fn small<'command>(
    project: &Project,
    command: &'command mut Command,
) -> Outcome<&'command mut Command> {
    let mut flags = WITHOUT_NAMES.to_owned();
    flags.push_str(FULL_NAMES);
    flags.push_str(SMALL_STACK);
    if can_be_small(project)? {
        flags.push_str(WITHOUT_LAST_WORDS);
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
    Ok(version.starts_with(TRIED) && tools::library_source(project)?)
}

/// Compiles the three programs that browsers run, and gives the folder they are in.
///
/// In one call, so that their slow last steps share the processor's cores; Trunk then finds the app
/// compiled.
pub(crate) fn wasm(project: &Project) -> Outcome<PathBuf> {
    tools::wasm_target(project)?;
    if !can_be_small(project)? {
        step::say(format!(
            "With {TRIED}x and its component rust-src the files would be smaller"
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

/// Compiles the service, and gives the program.
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

/// The version of a package that `Cargo.lock` settles on.
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

/// A path as it is best shown: from the workspace root, if it is inside.
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
    fn the_lock_file_gives_the_version_of_exactly_the_package_asked_for() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.50\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
