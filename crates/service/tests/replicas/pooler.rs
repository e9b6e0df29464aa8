//! PgBouncer in transaction mode between the replicas and the database.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use sqlx::postgres::PgConnectOptions;

use crate::cluster::Cluster;
use crate::fixture;
use crate::http;
use crate::ports::Port;
use crate::postgres::TestDatabase;
use crate::process::serve_command;
use crate::proxy::wait_until;
use crate::visitors::Visitors;
use crate::webhook_receiver::Receiver;

const RESTARTS: usize = 2;
const OUTAGE: Duration = Duration::from_millis(700);
const THREADS: u64 = 8;
const DAYS: i64 = 25;

/// A database of every server.
const OTHER_DATABASE: &str = "postgres";

/// Sessions of the pooler, fewer than the connections of the replicas.
const SESSIONS: i64 = 12;

const SESSIONS_IN_USE: &str = "SELECT CAST(count(*) AS TEXT) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'booking-service'";

/// A running PgBouncer; it ends with this value.
struct Pooler {
    child: Child,
    configuration: PathBuf,
    port: Port,
}

impl Pooler {
    /// Starts PgBouncer in front of the server of a database. Debian's default refuses startup parameters and keeps no
    /// prepared statements. Each transaction gets another session than the one before.
    fn start(directory: &Path, database: &TestDatabase) -> Self {
        let options: PgConnectOptions = database.url.parse().unwrap();
        let host = (options.get_socket()).map_or_else(
            || options.get_host().to_owned(),
            |folder| folder.display().to_string(),
        );
        let (name, server_port) = (&database.name, options.get_port());
        let user = options.get_username();
        let port = Port::reserve();
        let configuration = directory.join("pgbouncer.ini");
        let text = format!(
            "[databases]
{name} = host={host} port={server_port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {SESSIONS}
server_round_robin = 1
max_client_conn = 200
"
        );
        std::fs::write(&configuration, text).unwrap();
        let child = spawn(&configuration);
        let pooler = Self {
            child,
            configuration,
            port,
        };
        wait_until("the pooler listens", || {
            std::net::TcpStream::connect(pooler.port.address()).is_ok()
        });
        pooler
    }

    fn url(&self, database: &TestDatabase) -> String {
        format!(
            "postgres://postgres@{}/{}",
            self.port.address(),
            database.name
        )
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn restart(&mut self) {
        self.stop();
        thread::sleep(OUTAGE);
        self.child = spawn(&self.configuration);
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        self.stop();
    }
}

fn spawn(configuration: &Path) -> Child {
    let mut command = Command::new("/usr/sbin/pgbouncer");
    let id = Command::new("id").arg("-u").output().unwrap();
    if id.stdout == b"0\n" {
        command.args(["-u", "postgres"]);
    }
    command
        .arg("-q")
        .arg(configuration)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("PgBouncer is installed: `cargo xtask test --only replicas` does so")
}

#[test]
#[ignore = "needs PostgreSQL"]
fn replicas_behind_pooler_of_transactions_lose_nothing_when_it_restarts() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let database = runtime.block_on(TestDatabase::create(None)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let mut pooler = Pooler::start(directory.path(), &database);
    let url = pooler.url(&database);
    let options = [
        "--database-url",
        &url,
        "--database-direct-url",
        &database.url,
    ];
    let cluster = Cluster::start_with(directory.path(), 2, &options);
    fixture::add(&database.url);
    let other = database.url.replace(&database.name, OTHER_DATABASE);
    let mut refused = serve_command(&directory.path().join("data"));
    refused.args([
        "--port",
        "0",
        "--database-url",
        &url,
        "--database-direct-url",
        &other,
    ]);
    let output = refused.output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && log.contains("of another database"),
        "{log}"
    );
    let owner = cluster.owner();
    let receiver = Receiver::start();
    receiver.subscribe(&cluster.proxy.address, &owner);
    wait_until("a replica leads", || {
        cluster.leader(&database.url).is_some()
    });

    let addresses: Vec<String> = (0..cluster.len())
        .map(|index| cluster.address(index))
        .collect();
    let visitors = Visitors::new(addresses.clone(), fixture::rules(), DAYS, usize::MAX);
    let start = Instant::now();
    visitors.run(THREADS, |visitors| {
        for number in 0..RESTARTS {
            visitors.wait_for_bookings();
            // The other replica shows the edit at once.
            let name = format!("Support {number}");
            let (target, body) = ("/v2/teams/1", json!({"name": name}).to_string());
            let edited = http::send(&addresses[0], "PATCH", target, &owner, &body).unwrap();
            assert_eq!(edited.status, 200, "{}", edited.text);
            let read = http::get(&addresses[1], target, &owner).unwrap();
            assert_eq!(read.body["data"]["name"], name, "{}", read.text);
            pooler.restart();
        }
        visitors.wait_for_bookings();
        let leader = cluster.leader(&database.url).expect("a leader");
        // Started again at once, it could be the first to find the lease free.
        cluster.kill_during(leader, || {
            wait_until("the other replica leads", || {
                cluster.leader(&database.url) == Some(1 - leader)
            });
        });
        visitors.wait_for_bookings();
    });
    let statuses = visitors.statuses();
    println!(
        "{} attempts with {RESTARTS} restarts in {:?}; statuses (0: unknown): {statuses:?}",
        visitors.begun(),
        start.elapsed()
    );
    for address in &addresses {
        wait_until("the replica is ready", || {
            http::get(address, "/readyz", "").is_some_and(|health| health.status == 200)
        });
    }
    let violations = visitors.violations(&owner);
    assert!(violations.is_empty(), "{violations:#?}\n{}", cluster.logs());
    for status in statuses.keys() {
        assert!(
            [0, 200, 201, 400, 409, 422, 503].contains(status),
            "{statuses:?}\n{}",
            cluster.logs()
        );
    }
    let expected = visitors.expected_messages();
    assert!(expected.len() > 50, "only {} messages", expected.len());
    receiver.wait_for(&expected);
    let sessions = fixture::value(&database.url, SESSIONS_IN_USE).unwrap();
    assert!(sessions.parse::<i64>().unwrap() <= SESSIONS, "{sessions}");
}
