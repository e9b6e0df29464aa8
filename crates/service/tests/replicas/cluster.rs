//! Replicas behind a proxy, over one database.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, RwLock};

use serde_json::Value;

use crate::fixture;
use crate::ports::Port;
use crate::process::{Process, serve_command};
use crate::proxy::Proxy;

const REPLICAS: usize = 3;

/// A replica that leads, by the lease in the database.
const LEADER: &str = "SELECT r.name FROM leader_lease l JOIN replicas r ON r.id = l.replica_id WHERE l.expires_ms > 0";

/// Running replicas; they end with this value.
pub struct Cluster {
    pub proxy: Proxy,
    replicas: Vec<RwLock<Process>>,
    /// Held during a start: the test program must not pass on what it opens meanwhile.
    starts: Mutex<()>,
    ports: Vec<Port>,
    data: PathBuf,
    logs: PathBuf,
    /// Options of the database.
    database: Vec<String>,
}

impl Cluster {
    /// Starts replicas whose clocks begin at 2027-03-01T08:00Z, with the demo's data in the database of `database_url`.
    pub fn start(directory: &Path, database_url: &str) -> Self {
        Self::start_with(directory, REPLICAS, &["--database-url", database_url])
    }

    /// Starts a number of replicas with other options of the database.
    pub fn start_with(directory: &Path, count: usize, database: &[&str]) -> Self {
        let database: Vec<String> = database.iter().map(|option| (*option).to_owned()).collect();
        let (data, logs) = (directory.join("data"), directory.join("logs"));
        std::fs::create_dir(&logs).unwrap();
        let ports: Vec<Port> = (0..count).map(|_| Port::reserve()).collect();
        // In turn: the first one makes the tables and the demo data.
        let replicas = (0..).zip(&ports).map(|(index, port)| {
            let command = command(&data, &database, port);
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
            database,
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
        self.kill_during(index, || ());
    }

    /// Kills a replica, and starts it again after `work`.
    pub fn kill_during(&self, index: usize, work: impl FnOnce()) {
        let mut replica = self.replicas[index].write().unwrap();
        replica.kill();
        work();
        let command = command(&self.data, &self.database, &self.ports[index]);
        // The log of the killed one is of no use.
        let log = self.logs.join(format!("{index}.log"));
        let _start = self.starts.lock().unwrap();
        *replica = Process::spawn(command, Some(log));
    }

    /// Returns the replica that leads, by the database of this address.
    pub fn leader(&self, database_url: &str) -> Option<usize> {
        let name = fixture::value(database_url, LEADER)?;
        let (_, port) = name.rsplit_once(':')?;
        (self.ports.iter()).position(|own| own.to_string() == port)
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

fn command(data: &Path, database: &[String], port: &Port) -> Command {
    let mut command = serve_command(data);
    command.args(["--demo", "--test-mode", "--now", "2027-03-01T08:00:00Z"]);
    command.args(["--rate-limit-off", "--trust-proxy=1", "--port"]);
    command.arg(port.to_string()).args(database);
    command
}
