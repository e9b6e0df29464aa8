//! Packages of the operating system.

use std::io::IsTerminal;
use std::process::Command;

use super::tools;
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

/// Installs packages with Debian's package manager. `name` is that of the program in messages.
pub(crate) fn install(project: &Project, name: &str, packages: &[&str]) -> Outcome {
    let install_command = format!("apt-get install {}", packages.join(" "));
    let unavailable = |reason: &str| {
        format!("{name} is missing and {reason}; on Debian install it with `{install_command}`")
    };
    if tools::on_path("apt-get").is_none() {
        return Err(unavailable("this machine has no apt-get").into());
    }
    let Some(prefix) = root_prefix() else {
        return Err(unavailable("installing it needs root or sudo").into());
    };
    let apt = |arguments: &[&str]| {
        let mut words = prefix.iter().copied().chain(["apt-get"]);
        let mut command = project.command(words.next().unwrap_or("apt-get"));
        command.args(words).args(arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    process::timed(
        format!("Installing {name} ({})", packages.join(", ")),
        || {
            // The install below may still succeed with stale package lists.
            if let Err(error) = process::run(&mut apt(&["update", "-q"])) {
                println!("    {error}; continuing with the existing package lists");
            }
            let options = ["install", "-q", "-y", "--no-install-recommends"];
            process::run(apt(&options).args(packages))
                .attempt(unavailable("apt-get could not install it"))
        },
    )
}

/// Words that run a command as root when put before it: none for root, sudo if it is installed.
fn root_prefix() -> Option<&'static [&'static str]> {
    if is_root() {
        return Some(&[]);
    }
    tools::on_path("sudo")?;
    // Without a terminal a password prompt would hang.
    if std::io::stdin().is_terminal() {
        Some(&["sudo"])
    } else {
        Some(&["sudo", "-n"])
    }
}

/// Returns true if this process runs as root.
pub(crate) fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| String::from_utf8_lossy(&id.stdout).trim() == "0")
}
