//! A PostgreSQL server that a test stops and starts.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::ports::Port;

/// A server on this machine's network; it ends with this value, and its data with it.
pub struct DatabaseServer {
    programs: PathBuf,
    directory: PathBuf,
    port: Port,
    /// PostgreSQL refuses to run as root.
    is_root: bool,
}

/// Mode of `pg_ctl stop`.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Ends the sessions.
    Fast,
    /// As if the machine lost power.
    Immediate,
}

impl DatabaseServer {
    /// Starts a server whose programs `BOOKING_TEST_POSTGRES_BIN` names, else the newest of Debian's packages.
    pub fn start() -> Self {
        let server = Self::prepare();
        let options = ["--username=postgres", "--auth=trust", "--encoding=UTF8"];
        let mut initdb = server.command("initdb");
        run(initdb
            .arg("--pgdata=data")
            .args(options)
            .args(["--locale=C.UTF-8", "--no-sync"]));
        server.resume();
        server
    }

    /// Starts a streaming replica of this server.
    pub fn standby(&self) -> Self {
        let standby = Self::prepare();
        let mut copy = standby.command("pg_basebackup");
        let port = self.port.to_string();
        copy.args(["--host=127.0.0.1", "--username=postgres", "--port", &port]);
        copy.args(["--pgdata=data", "--write-recovery-conf"]);
        run(copy.args(["--checkpoint=fast", "--no-sync"]));
        standby.resume();
        standby
    }

    /// Makes the directory of a server.
    fn prepare() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let programs = std::env::var_os("BOOKING_TEST_POSTGRES_BIN")
            .map_or_else(newest_programs, PathBuf::from);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("booking-server-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&directory).unwrap();
        let id = Command::new("id").arg("-u").output().unwrap();
        let server = Self {
            programs,
            directory,
            port: Port::reserve(),
            is_root: id.stdout == b"0\n",
        };
        if server.is_root {
            let chown = ["postgres", server.directory.to_str().unwrap()];
            run(Command::new("chown").args(chown));
        }
        server
    }

    /// Starts the server again. Commits are written before they are acknowledged, but not synced to the disk.
    pub fn resume(&self) {
        let options = format!(
            "--options=-c listen_addresses=127.0.0.1 -c port={} -c fsync=off -c max_connections=200 -c unix_socket_directories={}",
            self.port,
            self.directory.display()
        );
        let arguments = ["start", "--wait", "--pgdata=data", "--log=log", &options];
        run(self.command("pg_ctl").args(arguments));
    }

    pub fn stop(&self, mode: Stop) {
        let mode = match mode {
            Stop::Fast => "--mode=fast",
            Stop::Immediate => "--mode=immediate",
        };
        run(self
            .command("pg_ctl")
            .args(["stop", "--wait", "--pgdata=data", mode]));
    }

    /// Address of a database.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if self.is_root {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(&self.directory);
        command
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        let mut stop = self.command("pg_ctl");
        let _ = stop
            .args(["stop", "--mode=immediate", "--pgdata=data"])
            .output();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn run(command: &mut Command) {
    // Not `output`: the server would keep its pipes open.
    let status = command
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{command:?}");
}

fn newest_programs() -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed");
    let number = |version: &Path| version.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions
        .flatten()
        .map(|version| version.path())
        .max_by_key(|path| number(path));
    newest.expect("a version of PostgreSQL").join("bin")
}
