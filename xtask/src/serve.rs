//! From nothing to a running service with demo data.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::build::{self, Project, Speed};
use crate::dist;
use crate::step::{self, Attempt, Outcome};

/// Builds everything and becomes the service, whose last line of output says that it is ready.
pub(crate) fn run(project: &Project, port: u16, data: Option<PathBuf>) -> Outcome<ExitCode> {
    // Asked first: hearing it after a build of some minutes would be a pity.
    check_port(port)?;
    dist::make(project)?;
    let service = build::service(project, Speed::Release)?;
    check_port(port)?;

    let data = data.unwrap_or_else(|| project.root.join("target/demo"));
    let dist = project.dist();
    step::say(format!(
        "Starting the service with demo data in {} (Ctrl-C ends it)",
        build::shown(project, &data)
    ));
    let mut command = Command::new(service);
    command
        .arg("serve")
        .arg("--data")
        .arg(&data)
        .arg("--port")
        .arg(port.to_string());
    command.arg("--demo");
    command
        .arg("--app-dir")
        .arg(dist.join("app"))
        .arg("--embed-dir")
        .arg(dist.join("embed"));
    become_it(&mut command)
}

/// Says so if the port is taken, and what to do.
fn check_port(port: u16) -> Outcome {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr());
            let free = free.map_or(8081, |free| free.port());
            Err(format!(
                "port {port} is taken by another program (perhaps an earlier `cargo xtask serve`): \
                 end that one, or use another port: `cargo xtask serve --port {free}`"
            )
            .into())
        }
        Err(error) => Err(format!("port {port} cannot be used: {error}").into()),
    }
}

/// Replaces this process by the command, so that signals reach the service and nothing is left.
#[cfg(unix)]
fn become_it(command: &mut Command) -> Outcome<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).attempt("cannot start the service")
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> Outcome<ExitCode> {
    let status = command.status().attempt("cannot start the service")?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_named_with_a_remedy() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let message = check_port(port).unwrap_err().to_string();
        assert!(
            message.contains(&format!("port {port} is taken")),
            "{message}"
        );
        assert!(message.contains("--port"), "{message}");
    }
}
