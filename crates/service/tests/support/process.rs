//! The service binary as a child process.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

pub struct Process {
    child: Child,
    pub address: String,
    pub health_address: Option<String>,
    log: Option<PathBuf>,
}

impl Process {
    /// Starts the service with demo data and a clock that starts at 2027-03-01T08:00Z.
    pub fn start(data: &Path, more: &[&str]) -> Self {
        Self::start_with(data, &[&["--demo"], more].concat(), None)
    }

    /// Starts the service over an existing directory and redirects its log to a file.
    pub fn start_with(data: &Path, more: &[&str], log: Option<PathBuf>) -> Self {
        let mut command = serve_command(data);
        command.args([
            "--port",
            "0",
            "--test-mode",
            "--now",
            "2027-03-01T08:00:00Z",
        ]);
        command.args(more);
        Self::spawn(command, log)
    }

    /// Starts a [`serve_command`] and redirects its log to a file.
    pub fn spawn(mut command: Command, log: Option<PathBuf>) -> Self {
        let stderr = log
            .as_ref()
            .map_or_else(Stdio::null, |path| File::create(path).unwrap().into());
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut health_address = None;
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                let log = log.as_ref().map(std::fs::read_to_string);
                panic!("the service does not start: {log:?}");
            };
            if let Some(address) = line.strip_prefix("ready http://") {
                break address.to_owned();
            }
            health_address = line.strip_prefix("health http://").map(str::to_owned);
        };
        Self {
            child,
            address,
            health_address,
            log,
        }
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Contents of the log.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log.as_ref().unwrap()).unwrap()
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        let limit = Some(Duration::from_secs(20));
        stream.set_read_timeout(limit).unwrap();
        stream
    }

    pub fn call(&self, method: &str, target: &str, headers: &str, body: &str) -> (u16, Value) {
        self.try_call(method, target, headers, body).unwrap()
    }

    /// Sends a GET request and returns status and body text.
    pub fn call_text(&self, target: &str) -> (u16, String) {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        let status = response.split(' ').nth(1).unwrap().parse().unwrap();
        let body = response.split_once("\r\n\r\n").unwrap().1;
        (status, body.to_owned())
    }

    /// Sends a GET request and returns status line and headers.
    pub fn call_head(&self, target: &str) -> String {
        let mut stream = self.connect();
        write!(
            stream,
            "GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).unwrap();
        response.split_once("\r\n\r\n").unwrap().0.to_owned()
    }

    /// Returns status and first line of `/readyz`.
    pub fn readiness(&self) -> (u16, String) {
        let (status, text) = self.call_text("/readyz");
        (status, text.lines().next().unwrap_or_default().to_owned())
    }

    /// Sends a request. Returns `None` if there was no complete response.
    pub fn try_call(
        &self,
        method: &str,
        target: &str,
        headers: &str,
        body: &str,
    ) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             {headers}content-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .ok()?;
        let mut response = String::new();
        stream.read_to_string(&mut response).ok()?;
        let status = response.split(' ').nth(1)?.parse().ok()?;
        let (head, body) = response.split_once("\r\n\r\n")?;
        let declared = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "))?;
        (declared.parse() == Ok(body.len()))
            .then(|| (status, serde_json::from_str(body).unwrap_or_default()))
    }

    pub fn send_signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Kills the process and waits until it has ended.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal and returns the exit code.
    pub fn signal(self, signal: &str) -> Option<i32> {
        self.send_signal(signal);
        self.wait()
    }

    /// Waits for the process to exit and returns the exit code.
    pub fn wait(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The binary, without the settings of an installation on this machine, and without the variable of another program's
/// database.
pub fn service_command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_service"));
    command.arg("--env-file=");
    command.env_remove("DATABASE_URL");
    command
}

/// The command that serves a data directory, without a drain period.
pub fn serve_command(data: &Path) -> Command {
    let mut command = service_command();
    command.args(["serve", "--data"]).arg(data);
    command.env("BOOKING_DRAIN", "0");
    command
}

/// Runs the binary until it exits.
pub fn run(arguments: &[&str]) -> Output {
    service_command().args(arguments).output().unwrap()
}
