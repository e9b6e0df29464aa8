//! Packs the npm package and installs it into a test project that bundles it. Needs Node.

use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;

use crate::install::tools;
use crate::process::{self, Outcome};
use crate::project::Project;

/// Minimum major version of Node for the bundlers.
const MIN_NODE: u32 = 20;

/// Returns the reason why the package tests cannot run on this machine, if any.
pub(crate) fn lacks(project: &Project) -> Option<String> {
    let missing = ["node", "npm"]
        .into_iter()
        .find(|program| !tools::is_available(&mut project.command(program)));
    if let Some(program) = missing {
        return Some(format!("`{program}` is not installed"));
    }
    let version = process::read(project.command("node").arg("--version")).unwrap_or_default();
    let is_old = major_version(&version).is_none_or(|major| major < MIN_NODE);
    is_old.then(|| format!("node >= {MIN_NODE} is required, found {}", version.trim()))
}

/// Parses the major version from `v20.20.2`.
fn major_version(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Folder of the bundled pages.
pub(crate) fn pages(project: &Project) -> PathBuf {
    folder(project).join("pages")
}

fn folder(project: &Project) -> PathBuf {
    project.target.join("package")
}

/// Folders of apps with dependencies of their own, inside the test project.
const APPS: [&str; 2] = ["next14", "next15"];

/// Packs `dist/embed`, installs it into a test project and its apps, and returns the command that bundles and tests it.
pub(crate) fn ready(project: &Project) -> Outcome<Command> {
    let folder = folder(project);
    copy_all(&project.root.join("tests/package"), &folder)?;
    // Pages of an earlier run would hide a bundle that fails.
    if pages(project).is_dir() {
        fs::remove_dir_all(pages(project))?;
    }

    let mut npm = project.command("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(&folder);
    let packed = process::read(npm.current_dir(project.dist().join("embed")))?;
    let packed = packed.lines().last().unwrap_or_default().trim();
    let packed = folder.join(packed);
    install(project, &folder, &packed)?;
    for app in APPS {
        install(project, &folder.join(app), &packed)?;
    }

    let mut node = project.command("node");
    node.arg("check.mjs").current_dir(&folder);
    node.env("BOOKING_ROOT", &project.root);
    Ok(node)
}

fn copy_all(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let copy = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_all(&entry.path(), &copy)?;
        } else {
            fs::copy(entry.path(), copy)?;
        }
    }
    Ok(())
}

/// Installs the dependencies of a folder, if they have changed, and the packed package.
fn install(project: &Project, folder: &Path, packed: &Path) -> Outcome {
    let lock = fs::read_to_string(folder.join("package-lock.json"))?;
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).ok() != Some(lock.clone()) {
        process::say("Installing the dependencies of the package tests");
        let mut npm = project.command("npm");
        npm.args(["ci", "--ignore-scripts", "--no-progress"]);
        process::run(npm.current_dir(folder))?;
        fs::write(&stamp, lock)?;
    }
    let installed = folder.join("node_modules/booking-widget");
    if installed.is_dir() {
        fs::remove_dir_all(&installed)?;
    }
    fs::create_dir_all(&installed)?;
    let mut tar = project.command("tar");
    tar.arg("-xzf").arg(packed).arg("-C").arg(&installed);
    process::run(tar.arg("--strip-components=1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn node_version_is_parsed() {
        assert_eq!(major_version("v20.20.2\n"), Some(20));
        assert_eq!(major_version("20"), None);
        assert_eq!(major_version("vx"), None);
    }
}
