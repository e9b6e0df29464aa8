//! An SMTP server with faults (`smtp_server.py`) as a child process, and what it received.

mod locked_packages;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Folder of the scripts.
const SUPPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support");

/// A running server; it ends with this value.
pub struct MailServer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: tempfile::TempDir,
    pub port: u16,
}

/// Counts of a server since its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stats {
    pub connections: u64,
    pub messages: u64,
    pub commands: u64,
    /// Random drops: before the final dot, after it, and after it with the message stored.
    pub dropped: [u64; 3],
}

impl MailServer {
    /// Starts a server without faults. `options` are those of `smtp_server.py`.
    pub fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(python())
            .arg(Path::new(SUPPORT).join("smtp_server.py"))
            .arg(folder.path())
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let line = read_line(&mut output);
        let port = line.strip_prefix("ready ").expect("the server starts");
        Self {
            child,
            input,
            port: port.parse().unwrap(),
            output,
            folder,
        }
    }

    /// Replaces the faults; see `smtp_server.py`. `json!({})` removes them.
    pub fn set_faults(&mut self, faults: &Value) {
        assert_eq!(self.ask(faults), "ok");
    }

    /// Answers at a stage (`CONNECT`, `EHLO`, `AUTH`, `MAIL`, `RCPT`, `DATA`, `DOT`) with `reply`.
    pub fn set_reply(&mut self, stage: &str, reply: &str) {
        self.set_faults(&json!({"replies": {stage: reply}}));
    }

    pub fn stats(&mut self) -> Stats {
        let counts: Value = serde_json::from_str(&self.ask(&json!({"stats": true}))).unwrap();
        let count = |name: &str| counts[name].as_u64().unwrap();
        Stats {
            connections: count("connections"),
            messages: count("messages"),
            commands: count("commands"),
            dropped: ["before-dot", "after-dot", "stored"]
                .map(|drop| counts["dropped"][drop].as_u64().unwrap()),
        }
    }

    /// URL without encryption.
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}?starttls=none", self.port)
    }

    /// File with the certificate of the server's authority.
    pub fn ca_file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// Received messages as `mail_tool.py` reads them.
    pub fn messages(&self) -> Vec<Value> {
        self.read(None)
    }

    /// Received messages, with signatures verified with the keys in a folder of [`make_keys`].
    pub fn signed_messages(&self, keys: &Path) -> Vec<Value> {
        self.read(Some(keys))
    }

    /// Received messages as they came.
    pub fn raw_messages(&self) -> Vec<Vec<u8>> {
        let mut numbers: Vec<u32> = self.numbers().collect();
        numbers.sort_unstable();
        let file = |number| self.folder.path().join(format!("{number}.eml"));
        numbers
            .into_iter()
            .map(|number: u32| fs::read(file(number)).unwrap())
            .collect()
    }

    /// Number of received messages.
    pub fn count(&self) -> usize {
        self.numbers().count()
    }

    /// True if a message to this address was received.
    pub fn has_message_to(&self, email: &str) -> bool {
        self.numbers().any(|number| {
            let envelope = fs::read_to_string(self.folder.path().join(format!("{number}.json")));
            envelope.is_ok_and(|envelope| envelope.contains(email))
        })
    }

    fn numbers(&self) -> impl Iterator<Item = u32> {
        fs::read_dir(self.folder.path())
            .unwrap()
            .filter_map(|entry| {
                let name = entry.unwrap().file_name().into_string().unwrap();
                name.strip_suffix(".json")?.parse().ok()
            })
    }

    /// Replaces a received message, counted from 1.
    pub fn replace_message(&self, number: u32, bytes: &[u8]) {
        fs::write(self.folder.path().join(format!("{number}.eml")), bytes).unwrap();
    }

    /// Ends the server: its port refuses connections then.
    pub fn stop(mut self) -> u16 {
        self.end();
        self.port
    }

    fn read(&self, keys: Option<&Path>) -> Vec<Value> {
        let mut command = tool();
        command.arg("read").arg(self.folder.path()).args(keys);
        let output = command.stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "messages cannot be read");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn ask(&mut self, command: &Value) -> String {
        writeln!(self.input, "{command}").unwrap();
        read_line(&mut self.output)
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Makes `rsa.pem`, `rsa1.pem`, `ed25519.pem` and `small.pem` in a folder.
pub fn make_keys(folder: &Path) {
    let status = tool().arg("keys").arg(folder).status().unwrap();
    assert!(status.success());
}

/// Local times that Python's `zoneinfo` computes: year, month, day, hour, minute and offset in minutes.
pub fn local_times(instants: &[(&str, &str)]) -> Vec<[i64; 6]> {
    let mut child = tool()
        .arg("local")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    write!(input, "{}", json!(instants)).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn tool() -> Command {
    let mut command = Command::new(python());
    // The package `tzdata`: the system's zones can be older.
    command.env("PYTHONTZPATH", "");
    command.arg(Path::new(SUPPORT).join("mail_tool.py"));
    command
}

fn read_line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

/// Python with the packages of the scripts, which are installed if they are missing.
fn python() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    let requirements = Path::new(SUPPORT).join("mail_requirements.txt");
    let programs = locked_packages::python(&tools, "mail-python", &requirements);
    programs.unwrap().join("python")
}
