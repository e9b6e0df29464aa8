//! The package in the hands of those who use it: packed, installed, bundled. Needs Node.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::build::Project;
use crate::step::{self, Attempt, Outcome};
use crate::tools;

/// The oldest Node that the bundlers run on.
const NODE: u32 = 20;

/// Why nothing of this can run on this machine, if it cannot.
pub(crate) fn lacks(project: &Project) -> Option<String> {
    let missing = ["node", "npm"]
        .into_iter()
        .find(|program| !tools::answers(&mut project.command(program)));
    if let Some(program) = missing {
        return Some(format!("there is no `{program}` on this machine"));
    }
    let version = step::read(project.command("node").arg("--version")).unwrap_or_default();
    let is_old = major(&version).is_none_or(|major| major < NODE);
    is_old.then(|| format!("node is {}, and it takes {NODE}", version.trim()))
}

/// `v20.20.2` as 20.
fn major(version: &str) -> Option<u32> {
    version.strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Where the pages are that were bundled.
pub(crate) fn pages(project: &Project) -> PathBuf {
    folder(project).join("pages")
}

fn folder(project: &Project) -> PathBuf {
    project.target.join("package")
}

/// Packs `dist/embed`, installs it beside what uses it, and gives the command that checks and bundles.
pub(crate) fn ready(project: &Project) -> Outcome<Command> {
    let folder = folder(project);
    fs::create_dir_all(&folder).attempt(format!("cannot make {}", folder.display()))?;
    let from = project.root.join("tests/package");
    for entry in fs::read_dir(&from).attempt(format!("cannot read {}", from.display()))? {
        let entry = entry.attempt(format!("cannot read {}", from.display()))?;
        let to = folder.join(entry.file_name());
        fs::copy(entry.path(), &to).attempt(format!("cannot write {}", to.display()))?;
    }
    // Nothing of an earlier run is looked at.
    if pages(project).is_dir() {
        fs::remove_dir_all(pages(project)).attempt("cannot empty target/package/pages")?;
    }

    let lock = fs::read_to_string(folder.join("package-lock.json")).attempt("no lock file")?;
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).ok() != Some(lock.clone()) {
        step::say("Installing what the package is tried with");
        let mut npm = project.command("npm");
        npm.args(["ci", "--ignore-scripts", "--no-progress"]);
        step::run(npm.current_dir(&folder))?;
        fs::write(&stamp, lock).attempt("cannot note what is installed")?;
    }

    let mut npm = project.command("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(&folder);
    let packed = step::read(npm.current_dir(project.dist().join("embed")))?;
    let packed = packed.lines().last().unwrap_or_default().trim();
    let installed = folder.join("node_modules/booking-widget");
    if installed.is_dir() {
        fs::remove_dir_all(&installed).attempt("cannot remove the package of before")?;
    }
    fs::create_dir_all(&installed).attempt("cannot install the package")?;
    let mut tar = project.command("tar");
    tar.arg("-xzf")
        .arg(folder.join(packed))
        .arg("-C")
        .arg(&installed);
    step::run(tar.arg("--strip-components=1"))?;

    let mut node = project.command("node");
    node.arg("check.mjs").current_dir(&folder);
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20"), None);
        assert_eq!(major("vx"), None);
    }
}
