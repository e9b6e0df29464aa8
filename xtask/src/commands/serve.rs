//! Builds everything and runs the service with demo data.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use crate::build::{self, Project, Speed};
use crate::dist;
use crate::step::{self, Attempt, Outcome};

/// Builds everything and replaces this process by the service, which prints a line when it is ready.
pub(crate) fn run(project: &Project, port: u16, data: Option<PathBuf>) -> Outcome<ExitCode> {
    // Checked before and after the build, which takes minutes.
    check_port(port)?;
    dist::make(project)?;
    let service = build::service(project, Speed::Release)?;
    check_port(port)?;

    let data = data.unwrap_or_else(|| project.root.join("target/demo"));
    let dist = project.dist();
    step::say(format!(
        "Starting the service with demo data in {} (Ctrl-C stops it)",
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
    replace_process(&mut command)
}

/// Returns an error with a free port if `port` is in use.
fn check_port(port: u16) -> Outcome {
    match TcpListener::bind(("127.0.0.1", port)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr());
            let free = free.map_or(8081, |free| free.port());
            Err(format!(
                "port {port} is taken by another program (perhaps an earlier `cargo xtask serve`): \
                 stop that one, or use another port: `cargo xtask serve --port {free}`"
            )
            .into())
        }
        Err(error) => Err(format!("port {port} cannot be used: {error}").into()),
    }
}

/// Replaces this process by the command, so that signals reach the service.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> Outcome<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).attempt("cannot start the service")
}

#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> Outcome<ExitCode> {
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
    fn port_in_use_returns_error_with_alternative() {
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
