//! Builds everything and runs the service with demo data.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;

use clap::Args;

use crate::process::{self, Attempt, Outcome};
use crate::project::Project;
use crate::{dist, native};

/// Command line of `serve`.
#[derive(Args)]
pub(crate) struct Options {
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Folder of the data [default: target/demo]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Compile the service with optimisation, which takes minutes longer
    #[arg(long)]
    release: bool,
}

/// Builds everything and replaces this process by the service, which prints a line when it is ready.
pub(crate) fn run(project: &Project, options: Options) -> Outcome {
    let Options {
        port,
        data,
        release,
    } = options;
    // Checked before and after the build, which takes minutes.
    check_port(port)?;
    let service = if release {
        dist::make(project)?;
        native::optimised_service(project)?
    } else {
        dist::make_with_service(project)?;
        project.built("debug", "service")
    };
    check_port(port)?;

    let data = data.unwrap_or_else(|| project.root.join("target/demo"));
    let dist = project.dist();
    process::say(format!(
        "Starting the service with demo data in {} (Ctrl-C stops it)",
        project.shown(&data)
    ));
    let mut command = Command::new(service);
    // Not the settings of an installation on this machine.
    command.args([
        "--env-file=",
        "serve",
        "--demo",
        "--port",
        &port.to_string(),
    ]);
    command.arg("--data").arg(&data);
    command.arg("--app-dir").arg(dist.join("app"));
    command.arg("--embed-dir").arg(dist.join("embed"));
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
fn replace_process(command: &mut Command) -> Outcome {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).attempt("cannot start the service")
}

#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> Outcome {
    process::run(command)
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
