//! The project's folders, its cargo commands and metadata.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;
use serde_json::Value;

use crate::process::{self, Attempt, Outcome};

/// Compilation target for browsers.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

/// Folders of the project.
pub(crate) struct Project {
    /// Root of the workspace.
    pub(crate) root: PathBuf,
    /// Cargo's target folder.
    pub(crate) target: PathBuf,
    /// Set if commands run with low priority.
    is_background: bool,
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
            is_background: false,
        };
        let metadata = project.metadata(&["--no-deps"])?;
        if let Some(target) = metadata["target_directory"].as_str() {
            project.target = PathBuf::from(target);
        }
        Ok(project)
    }

    /// Returns the same project with commands that leave the processor to others.
    pub(crate) fn in_background(&self) -> Project {
        Project {
            root: self.root.clone(),
            target: self.target.clone(),
            is_background: true,
        }
    }

    /// Returns the command `cargo <subcommand>` in the root of the workspace.
    pub(crate) fn cargo(&self, subcommand: &str) -> Command {
        let mut command = self.command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.arg(subcommand);
        // The versions that were tested. Tools are installed in an exact version, but not with the versions of their own
        // lock files: mirrors of the registry may lack some of those.
        if !matches!(subcommand, "fmt" | "install") {
            command.arg("--locked");
        }
        command
    }

    /// Returns what `cargo metadata` prints with these arguments.
    pub(crate) fn metadata(&self, arguments: &[&str]) -> Outcome<Value> {
        let mut metadata = self.cargo("metadata");
        metadata.args(["--format-version", "1"]).args(arguments);
        let metadata = process::read(&mut metadata)?;
        serde_json::from_str(&metadata).attempt("cargo's metadata is not JSON")
    }

    /// Returns a command in the root of the workspace, with the project's tools first on the path.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = if self.is_background && cfg!(unix) {
            let mut command = Command::new("nice");
            command.args(["-n", "19"]).arg(program);
            command
        } else {
            Command::new(program)
        };
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

    /// Returns the names of the files of component tests, sorted. Each is a program.
    pub(crate) fn component_tests(&self) -> Outcome<Vec<String>> {
        let mut names = self.rust_files("tests")?;
        names.retain(|name| name.starts_with("browser_"));
        Ok(names)
    }

    /// Returns the names of the files of journeys, sorted. They are the modules of one program.
    pub(crate) fn journeys(&self) -> Outcome<Vec<String>> {
        let mut names = self.rust_files("tests/e2e")?;
        names.retain(|name| name != "main");
        Ok(names)
    }

    /// Returns the names of the Rust files of a folder, without extension, sorted.
    fn rust_files(&self, folder: &str) -> Outcome<Vec<String>> {
        let files = fs::read_dir(self.root.join(folder))?;
        let mut names: Vec<String> = files
            .flatten()
            .filter_map(|file| file.file_name().into_string().ok())
            .filter_map(|name| name.strip_suffix(".rs").map(str::to_owned))
            .collect();
        names.sort();
        Ok(names)
    }

    /// Returns the path of a program that cargo built with a profile.
    pub(crate) fn built(&self, profile: &str, program: &str) -> PathBuf {
        let program = format!("{program}{}", env::consts::EXE_SUFFIX);
        self.target.join(profile).join(program)
    }

    /// Returns the version of a package in `Cargo.lock`.
    pub(crate) fn locked_version(&self, package: &str) -> Outcome<String> {
        let lock = fs::read_to_string(self.root.join("Cargo.lock"))?;
        let version = version_in(&lock, package).map(str::to_owned);
        Ok(version.ok_or_else(|| format!("Cargo.lock has no package {package}"))?)
    }

    /// Returns a path for messages: relative to the root of the workspace if it is inside.
    pub(crate) fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root)
            .unwrap_or(path)
            .display()
            .to_string()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locked_version_of_exact_name_is_found() {
        let lock = "[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.50\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        assert_eq!(version_in(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(version_in(lock, "wasm"), None);
    }
}
