//! A streaming replica of the database server for lists and slots.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

use crate::database_server::{DatabaseServer, Stop};
use crate::fixture::{self, ONE_HOST};
use crate::http::{self, Response};
use crate::process::{Process, serve_command};
use crate::proxy::wait_until;

/// Time in which a replica that is away is noticed.
const OUTAGE: Duration = Duration::from_secs(3);

/// A service with a read replica.
struct Fixture {
    service: Process,
    owner: String,
}

impl Fixture {
    fn start(data: &Path, primary: &str, standby: &str) -> Self {
        let service = Process::spawn(command(data, primary, standby), None);
        let file = std::fs::read(data.join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&file).unwrap();
        let owner = format!(
            "authorization: Bearer {}\r\n",
            demo["apiKey"].as_str().unwrap()
        );
        Self { service, owner }
    }

    fn get(&self, target: &str) -> Response {
        http::get(&self.service.address, target, &self.owner).unwrap()
    }

    fn health(&self) -> String {
        let health = self.get("/readyz");
        assert_eq!(health.status, 200, "{}", health.text);
        health.text.lines().next().unwrap().to_owned()
    }

    fn book(&self, start: &str) -> Response {
        let body = json!({
            "start": start,
            "eventTypeId": ONE_HOST,
            "attendee": {"name": "Zoë", "email": "zoe@example.org", "timeZone": "UTC"},
        });
        http::post(&self.service.address, "/v2/bookings", "", &body).unwrap()
    }

    /// Returns true if the slots have this start.
    fn has_slot(&self, start: &str) -> bool {
        let range = "start=2027-03-02&end=2027-03-02";
        let slots = self.get(&format!("/v2/slots?eventTypeId={ONE_HOST}&{range}"));
        assert_eq!(slots.status, 200, "{}", slots.text);
        slots.text.contains(&start[..16])
    }

    /// Returns true if the list of bookings has this one.
    fn lists(&self, uid: &str) -> bool {
        let list = self.get(&format!("/v2/bookings?eventTypeId={ONE_HOST}&take=250"));
        assert_eq!(list.status, 200, "{}", list.text);
        list.text.contains(uid)
    }

    /// Books a slot while the replica is paused, and checks that lists and slots do not show it, which proves that
    /// they are the replica's. Returns the uid.
    fn check_use(&self, standby: &str, start: &str) -> String {
        wait_until("the replica is used", || self.health() == "ready");
        pause(standby);
        let made = self.book(start);
        assert_eq!(made.status, 201, "{}", made.text);
        let uid = made.body["data"]["uid"].as_str().unwrap().to_owned();
        assert!(self.has_slot(start), "slots of the primary");
        assert!(!self.lists(&uid), "list of the primary");
        uid
    }
}

fn command(data: &Path, primary: &str, standby: &str) -> Command {
    let mut command = serve_command(data);
    command.args(["--demo", "--test-mode", "--now", "2027-03-01T08:00:00Z"]);
    command.args(["--rate-limit-off", "--port", "0", "--database-url", primary]);
    command.args(["--read-database-url", standby]);
    command
}

/// Returns the first value of a query as text.
fn query(url: &str, query: &str) -> String {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut db = PgConnection::connect(url).await.unwrap();
        let value = sqlx::query_scalar(AssertSqlSafe(query))
            .fetch_one(&mut db)
            .await
            .unwrap();
        db.close().await.unwrap();
        value
    })
}

fn pause(standby: &str) {
    fixture::run(standby, "SELECT pg_wal_replay_pause()");
    wait_until("the replica is paused", || {
        query(standby, "SELECT pg_get_wal_replay_pause_state()") == "paused"
    });
}

fn resume(standby: &str) {
    fixture::run(standby, "SELECT pg_wal_replay_resume()");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn lists_and_slots_are_the_replicas_while_it_is_current_and_bookings_the_primarys() {
    let server = DatabaseServer::start();
    fixture::run(&server.url("postgres"), "CREATE DATABASE booking");
    let replica = server.standby();
    let (primary, standby) = (server.url("booking"), replica.url("booking"));
    let directory = tempfile::tempdir().unwrap();
    let fixture = Fixture::start(directory.path(), &primary, &standby);
    fixture::add(&primary);
    let event_type = format!("SELECT count(*)::text FROM event_types WHERE id = {ONE_HOST}");
    wait_until("the replica has the event type", || {
        query(&standby, &event_type) == "1"
    });

    // What is booked is read from the primary, whatever the replica shows.
    let start = "2027-03-02T09:00:00Z";
    let uid = fixture.check_use(&standby, start);
    assert_eq!(fixture.book(start).status, 409);
    assert_eq!(fixture.get(&format!("/v2/bookings/{uid}")).status, 200);
    assert!(fixture.has_slot(start), "slots of the primary");

    // Behind: what was cached of the replica is not valid for the primary.
    wait_until("the replica is behind", || {
        fixture.health() == "ready without the read replica: more than 5 s behind"
    });
    assert!(!fixture.has_slot(start) && fixture.lists(&uid));
    let metrics = fixture.get("/metrics").text;
    assert!(metrics.contains("booking_read_replica_used 0"), "{metrics}");
    assert!(
        !metrics.contains("booking_read_replica_lag_seconds"),
        "{metrics}"
    );
    resume(&standby);

    // Used again; what was cached of the primary is valid for the replica.
    wait_until("the replica is used again", || fixture.health() == "ready");
    assert!(!fixture.has_slot(start) && fixture.lists(&uid));
    let metrics = fixture.get("/metrics").text;
    assert!(metrics.contains("booking_read_replica_used 1"), "{metrics}");
    assert!(
        metrics.contains("\nbooking_read_replica_lag_seconds "),
        "{metrics}"
    );
    let later = "2027-03-02T10:00:00Z";
    fixture.check_use(&standby, later);
    resume(&standby);
    wait_until("the slot is taken", || !fixture.has_slot(later));

    // Away: no request fails.
    for mode in [Stop::Immediate, Stop::Fast] {
        replica.stop(mode);
        let stopped = Instant::now();
        while stopped.elapsed() < OUTAGE {
            let began = Instant::now();
            assert!(!fixture.has_slot(start) && fixture.lists(&uid));
            assert!(began.elapsed() < OUTAGE, "{:?}", began.elapsed());
        }
        assert_eq!(
            fixture.health(),
            "ready without the read replica: unreachable"
        );
        replica.resume();
        wait_until("the replica is used again", || fixture.health() == "ready");
    }
    fixture.check_use(&standby, "2027-03-02T11:00:00Z");
    resume(&standby);

    // It becomes a server of its own.
    wait_until("the replica has caught up", || fixture.health() == "ready");
    fixture::run(&standby, "SELECT pg_promote()");
    wait_until("the replica is no replica", || {
        fixture.health() == "ready without the read replica: not a replica"
    });
    assert!(!fixture.has_slot(start) && fixture.lists(&uid));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn read_replica_of_another_database_is_rejected_and_one_that_is_away_is_not() {
    let server = DatabaseServer::start();
    let other = DatabaseServer::start();
    for server in [&server, &other] {
        fixture::run(&server.url("postgres"), "CREATE DATABASE booking");
    }
    let primary = server.url("booking");
    let directory = tempfile::tempdir().unwrap();
    for (url, expected) in [
        (server.url("postgres"), "is not one of this database"),
        (other.url("booking"), "is not one of this database"),
        (
            "mysql://db.example/booking".to_owned(),
            "begins with `postgres://`",
        ),
    ] {
        let mut command = command(directory.path(), &primary, &url);
        let output = command.stdout(Stdio::null()).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        let last = errors.lines().last().unwrap_or_default();
        assert!(!output.status.success());
        assert!(
            last.starts_with("booking-service: cannot use --read-database-url: "),
            "{errors}"
        );
        assert!(last.contains(expected), "{errors}");
    }
    let mut without = serve_command(directory.path());
    without.args(["--port", "0", "--read-database-url", &primary]);
    let output = without.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && errors.contains("--database-url"),
        "{errors}"
    );

    // The primary itself is not a replica; a start does not fail, because that is so after each failover.
    let fixture = Fixture::start(directory.path(), &primary, &primary);
    assert_eq!(
        fixture.health(),
        "ready without the read replica: not a replica"
    );
    drop(fixture);
    let away = "postgres://postgres@127.0.0.1:1/booking";
    let fixture = Fixture::start(directory.path(), &primary, away);
    fixture::add(&primary);
    assert_eq!(
        fixture.health(),
        "ready without the read replica: unreachable"
    );
    assert!(fixture.has_slot("2027-03-02T09:00:00Z"));
}
