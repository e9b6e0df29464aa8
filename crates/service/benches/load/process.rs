//! The measured programs as child processes.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use axum::Router;
use axum::routing::get;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::{Outcome, data};

/// The measured release binary.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_service");

/// Running HTTP server. Dropping it kills the process.
pub(crate) struct Service {
    /// `host:port`.
    pub(crate) address: String,
    child: Child,
}

impl Service {
    /// Starts a build of the service over `directory` on a free port.
    pub(crate) async fn start(
        program: impl AsRef<OsStr>,
        directory: &Path,
        options: &[&str],
    ) -> Outcome<Self> {
        let mut command = Command::new(program);
        command
            .args([
                "--env-file=",
                "serve",
                "--port",
                "0",
                "--demo",
                "--now",
                data::NOW,
                "--rate-limit-off",
            ])
            .arg("--data")
            .arg(directory)
            .args(options)
            // As in production: a log line for each request would dominate the measurement.
            .env("RUST_LOG", "warn");
        Self::wait_for(command).await
    }

    /// Starts this program as the hello server.
    pub(crate) async fn start_hello() -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("--hello");
        Self::wait_for(command).await
    }

    /// Starts a program and waits until it prints its address.
    async fn wait_for(mut command: Command) -> Outcome<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().ok_or("the program has no output")?;
        let mut lines = BufReader::new(stdout).lines();
        while let Some(line) = lines.next_line().await? {
            if let Some(address) = line.strip_prefix("ready http://") {
                return Ok(Self {
                    address: address.trim().to_owned(),
                    child,
                });
            }
        }
        Err("the program ended before it was ready".into())
    }

    /// Process id.
    pub(crate) fn id(&self) -> Outcome<u32> {
        Ok(self.child.id().ok_or("the service has ended")?)
    }

    /// Peak resident memory in KiB. `None` if the system does not report it.
    pub(crate) fn peak_memory_kib(&self) -> Outcome<Option<u64>> {
        let id = self.id()?;
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        Ok(status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.split_whitespace().next())
            .and_then(|value| value.parse().ok()))
    }
}

/// Creates the demo data in `directory`, including the tables and an API key, with a build of the service.
pub(crate) async fn create_demo(program: impl AsRef<OsStr>, directory: &Path) -> Outcome {
    let mut command = Command::new(program);
    command.args(["demo", "--now", data::NOW, "--data"]);
    run(command.arg(directory)).await
}

/// Moves the data of `directory` into the empty PostgreSQL database of `url`.
pub(crate) async fn move_to_postgres(directory: &Path, url: &str) -> Outcome {
    let mut command = Command::new(PROGRAM);
    command.arg("migrate").arg("--from").arg(directory);
    run(command.args(["--to", url])).await
}

/// Runs a command without its output.
async fn run(command: &mut Command) -> Outcome {
    let status = command.stdout(Stdio::null()).status().await?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {status}").into()),
    }
}

/// Serves the hello response until the process is killed.
pub(crate) async fn serve_hello() -> Outcome {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("ready http://{}", listener.local_addr()?);
    let router: Router = Router::new().route("/", get(async || "hello"));
    axum::serve(listener, router).await?;
    Ok(())
}
