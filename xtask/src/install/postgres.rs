//! A PostgreSQL server for tests and benchmarks, on a local socket only.

use std::path::{Path, PathBuf};
use std::process::Command;

use fs_err as fs;

use super::packages;
use crate::process::{self, Attempt, Outcome};
use crate::project::Project;

const SETTINGS: [&str; 4] = [
    "listen_addresses=",
    "max_connections=400",
    "shared_buffers=256MB",
    "shared_preload_libraries=pg_stat_statements",
];

/// Settings of a server whose data nothing has to survive.
const NOT_DURABLE: [&str; 3] = [
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
];

/// Durability of a server's commits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// As in production, for measurements.
    Full,
    /// For tests.
    None,
}

/// A running server; it ends with this value, and its data with it.
pub(crate) struct Server {
    programs: PathBuf,
    folder: PathBuf,
}

impl Server {
    /// Starts a server with an empty cluster, and installs PostgreSQL if it is missing.
    pub(crate) fn start(project: &Project, durability: Durability) -> Outcome<Server> {
        if programs().is_none() {
            packages::install(project, "PostgreSQL", &["postgresql"])?;
        }
        Server::start_version(programs().ok_or("PostgreSQL is missing")?, durability)
    }

    /// Starts a server with an empty cluster from a folder of PostgreSQL's programs, which the user `postgres` can read.
    pub(crate) fn start_version(programs: PathBuf, durability: Durability) -> Outcome<Server> {
        if !has_server(&programs) {
            return Err(format!("{} has no PostgreSQL server", programs.display()).into());
        }
        // Not in the target folder, which the server's user may not reach.
        let folder = std::env::temp_dir().join(format!("booking-postgres-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let server = Server { programs, folder };
        if packages::is_root() {
            let mut chown = Command::new("chown");
            process::run(chown.arg("postgres").arg(&server.folder))?;
        }
        let mut initdb = server.command("initdb");
        initdb.args([
            "--pgdata=data",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
        ]);
        process::read(initdb.args(["--locale=C.UTF-8", "--no-sync"]))
            .attempt("cannot create a PostgreSQL cluster")?;
        let mut start = server.command("pg_ctl");
        start.args(["start", "--wait", "--pgdata=data", "--log=log"]);
        let sockets = format!("unix_socket_directories={}", server.folder.display());
        let not_durable = match durability {
            Durability::Full => [].iter(),
            Durability::None => NOT_DURABLE.iter(),
        };
        let settings = SETTINGS.iter().chain(not_durable).copied();
        let settings = settings.chain([sockets.as_str()]);
        let options: Vec<String> = settings.map(|setting| format!("-c {setting}")).collect();
        start.arg(format!("--options={}", options.join(" ")));
        process::read(&mut start).attempt("cannot start PostgreSQL")?;
        Ok(server)
    }

    /// Address of the server.
    pub(crate) fn url(&self) -> String {
        format!(
            "postgres://postgres@localhost/?host={}",
            self.folder.display()
        )
    }

    /// Folder of PostgreSQL's programs.
    pub(crate) fn programs(&self) -> &Path {
        &self.programs
    }

    /// One of PostgreSQL's programs. They refuse to run as root.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = if packages::is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(&self.folder);
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let mut stop = self.command("pg_ctl");
        let _ = process::read(stop.args(["stop", "--mode=immediate", "--pgdata=data"]));
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Folder of the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    versions
        .filter_map(|version| {
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            let programs = version.path().join("bin");
            has_server(&programs).then_some((number, programs))
        })
        .max()
        .map(|(_, programs)| programs)
}

fn has_server(programs: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"]
        .iter()
        .all(|program| programs.join(program).is_file())
}
