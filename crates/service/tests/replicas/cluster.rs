//! Replicas behind a proxy, over one database.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, RwLock};

use serde_json::Value;

use crate::ports::Port;
use crate::process::{Process, serve_command};
use crate::proxy::Proxy;

const REPLICAS: usize = 3;

/// Running replicas; they end with this value.
pub struct Cluster {
    pub proxy: Proxy,
    replicas: Vec<RwLock<Process>>,
    /// Held during a start: the test program must not pass on what it opens meanwhile.
    starts: Mutex<()>,
    ports: Vec<Port>,
    data: PathBuf,
    logs: PathBuf,
    database_url: String,
}

impl Cluster {
    /// Starts replicas whose clocks begin at 2027-03-01T08:00Z, with the demo's data in the database of `database_url`.
    pub fn start(directory: &Path, database_url: &str) -> Self {
        let (data, logs) = (directory.join("data"), directory.join("logs"));
        std::fs::create_dir(&logs).unwrap();
        let ports: Vec<Port> = (0..REPLICAS).map(|_| Port::reserve()).collect();
        // In turn: the first one makes the tables and the demo data.
        let replicas = (0..).zip(&ports).map(|(index, port)| {
            let command = command(&data, database_url, port);
            let log = logs.join(format!("{index}.log"));
            RwLock::new(Process::spawn(command, Some(log)))
        });
        let replicas = replicas.collect();
        Self {
            proxy: Proxy::start(directory, &ports),
            replicas,
            starts: Mutex::default(),
            ports,
            data,
            logs,
            database_url: database_url.to_owned(),
        }
    }

    pub fn len(&self) -> usize {
        self.replicas.len()
    }

    /// Address of a replica, without the proxy.
    pub fn address(&self, index: usize) -> String {
        self.ports[index].address()
    }

    pub fn id(&self, index: usize) -> u32 {
        self.replicas[index].read().unwrap().id()
    }

    /// Kills a replica and starts it again.
    pub fn kill(&self, index: usize) {
        let mut replica = self.replicas[index].write().unwrap();
        replica.kill();
        let command = command(&self.data, &self.database_url, &self.ports[index]);
        // The log of the killed one is of no use.
        let log = self.logs.join(format!("{index}.log"));
        let _start = self.starts.lock().unwrap();
        *replica = Process::spawn(command, Some(log));
    }

    /// Stops a replica's process for the duration of `work`.
    pub fn pause(&self, index: usize, work: impl FnOnce()) {
        let replica = self.replicas[index].read().unwrap();
        replica.send_signal("-STOP");
        work();
        replica.send_signal("-CONT");
    }

    /// Header with the API key of the organisation's owner.
    pub fn owner(&self) -> String {
        let file = std::fs::read(self.data.join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&file).unwrap();
        let key = demo["apiKey"].as_str().unwrap();
        format!("authorization: Bearer {key}\r\n")
    }

    /// Last warnings and errors of the logs.
    pub fn logs(&self) -> String {
        (0..self.len())
            .map(|index| {
                let log = self.logs.join(format!("{index}.log"));
                let text = std::fs::read_to_string(log).unwrap_or_default();
                let is_warning = |line: &&str| !line.contains(" INFO ");
                let lines: Vec<&str> = text.lines().filter(is_warning).collect();
                let last = lines[lines.len().saturating_sub(30)..].join("\n");
                format!("replica {index}:\n{last}\n")
            })
            .collect()
    }
}

fn command(data: &Path, database_url: &str, port: &Port) -> Command {
    let mut command = serve_command(data);
    command.args(["--demo", "--test-mode", "--now", "2027-03-01T08:00:00Z"]);
    command.args(["--rate-limit-off", "--trust-proxy=1", "--database-url"]);
    command.args([database_url, "--port", &port.to_string()]);
    command
}
