//! A leader that makes no progress, and whose connections stay open: another replica sends the messages.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::database_link::DatabaseLink;
use crate::mail_server::MailServer;
use crate::ports::Port;
use crate::postgres::TestDatabase;
use crate::process::{Process, run, serve_command};
use crate::proxy::wait_until;
use crate::webhook_receiver::Receiver;
use crate::zone_files::ZoneFiles;

/// Time in which another replica has to send the message of a booking.
const TAKEOVER_LIMIT: Duration = Duration::from_secs(15);

/// Database, mail server and subscriber of the replicas of a test.
struct Installation {
    directory: TempDir,
    database: TestDatabase,
    mail: MailServer,
    receiver: Receiver,
    runtime: tokio::runtime::Runtime,
}

struct Replica {
    process: Process,
    /// End of its name.
    port: Port,
}

impl Installation {
    fn new() -> Self {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        Self {
            database: runtime.block_on(TestDatabase::create(None)).unwrap(),
            directory: tempfile::tempdir().unwrap(),
            mail: MailServer::start(&[]),
            receiver: Receiver::start(),
            runtime,
        }
    }

    fn data(&self) -> std::path::PathBuf {
        self.directory.path().join("data")
    }

    fn start(&self, options: &[&str]) -> Replica {
        self.start_with(&self.database.url, options)
    }

    fn start_with(&self, database_url: &str, options: &[&str]) -> Replica {
        let port = Port::reserve();
        let mut command = serve_command(&self.data());
        command.args(["--demo", "--test-mode", "--now", "2027-03-01T08:00:00Z"]);
        command.args(["--rate-limit-off", "--database-url", database_url]);
        command.args(["--smtp-url", &self.mail.url(), "--port", &port.to_string()]);
        command.args(["--mail-from", "Desk <desk@example.org>"]);
        command.args(options);
        let log = self.directory.path().join(format!("{port}.log"));
        Replica {
            process: Process::spawn(command, Some(log)),
            port,
        }
    }

    /// Subscribes the receiver to bookings.
    fn subscribe(&self, replica: &Replica) {
        let demo = std::fs::read(self.data().join("demo.json")).unwrap();
        let demo: Value = serde_json::from_slice(&demo).unwrap();
        let key = demo["apiKey"].as_str().unwrap();
        let webhook = json!({
            "subscriberUrl": self.receiver.url(), "triggers": ["BOOKING_CREATED"], "active": true,
        });
        let (status, made) = replica.process.call(
            "POST",
            "/v2/organizations/1/webhooks",
            &format!("authorization: Bearer {key}\r\n"),
            &webhook.to_string(),
        );
        assert_eq!(status, 201, "{made}");
    }

    fn number(&self, query: &str) -> i64 {
        self.runtime.block_on(async {
            use sqlx::Connection as _;
            let mut db = sqlx::PgConnection::connect(&self.database.url)
                .await
                .unwrap();
            let number = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
                .fetch_one(&mut db)
                .await
                .unwrap();
            db.close().await.unwrap();
            number
        })
    }

    fn execute(&self, statements: &'static str) {
        self.runtime.block_on(async {
            use sqlx::Connection as _;
            let mut db = sqlx::PgConnection::connect(&self.database.url)
                .await
                .unwrap();
            sqlx::raw_sql(statements).execute(&mut db).await.unwrap();
            db.close().await.unwrap();
        });
    }

    fn leads(&self, replica: &Replica) -> bool {
        let query = format!(
            "SELECT count(*) FROM leader_lease l JOIN replicas r ON r.id = l.replica_id WHERE r.name LIKE '%:{}'",
            replica.port
        );
        self.number(&query) == 1
    }

    /// Waits until nothing is to be sent.
    fn wait_for_rest(&self) {
        wait_until("all messages are sent", || {
            self.number(
                "SELECT (SELECT count(*) FROM mail_messages WHERE status = 'waiting')
                     + (SELECT count(*) FROM webhook_deliveries WHERE status = 'waiting')
                     + (SELECT count(*) FROM mail_events WHERE expanded = 0)",
            ) == 0
        });
    }

    /// True if the booking's messages to its attendee and to the subscriber have arrived.
    fn is_announced(&self, booking: &Booking) -> bool {
        self.mail.has_message_to(&booking.email)
            && (self.receiver.received().iter()).any(|message| message.uid == booking.uid)
    }

    /// Waits for a booking's messages and returns the time since it was made.
    fn announcement(&self, booking: &Booking) -> Duration {
        wait_until("the messages of a booking have arrived", || {
            self.is_announced(booking)
        });
        booking.at.elapsed()
    }

    /// Checks that each booking's messages have arrived once.
    fn check_sent_once(&self, bookings: &[Booking]) {
        let messages = self.mail.messages();
        let headers = (messages.iter()).flat_map(|message| message["headers"].as_array().unwrap());
        let ids: Vec<&Value> = headers
            .filter(|header| header[0] == "Message-ID")
            .map(|header| &header[1])
            .collect();
        assert_eq!(ids.len(), messages.len());
        for booking in bookings {
            let to_attendee = (messages.iter())
                .filter(|message| message["envelope"].to_string().contains(&booking.email));
            assert_eq!(to_attendee.count(), 1, "{}", booking.email);
            let received = self.receiver.received();
            let to_subscriber = received.iter().filter(|message| message.uid == booking.uid);
            assert_eq!(to_subscriber.count(), 1, "{}", booking.uid);
        }
        let different: BTreeSet<String> = ids.iter().map(ToString::to_string).collect();
        assert_eq!(different.len(), ids.len(), "no message has come twice");
    }
}

struct Booking {
    uid: String,
    email: String,
    at: Instant,
}

impl Replica {
    /// Books the next free slot.
    fn book(&self, name: &str) -> Booking {
        let slots = "/v2/slots?eventTypeId=1&start=2027-03-02&end=2027-04-30";
        let (_, free) = self.process.call("GET", slots, "", "");
        let days = free["data"].as_object().unwrap();
        let email = format!("{name}@example.org");
        let body = json!({
            "start": days.values().next().unwrap()[0]["start"],
            "eventTypeId": 1,
            "attendee": {"name": "Zoë", "email": email, "timeZone": "Europe/Rome"},
        });
        let (status, made) = self
            .process
            .call("POST", "/v2/bookings", "", &body.to_string());
        assert_eq!(status, 201, "{made}");
        Booking {
            uid: made["data"]["uid"].as_str().unwrap().to_owned(),
            email,
            at: Instant::now(),
        }
    }

    /// Lines of the readiness, which is given.
    fn readiness(&self) -> Vec<String> {
        let (status, text) = self.process.call_text("/readyz");
        assert_eq!(status, 200, "{text}");
        text.lines().map(str::to_owned).collect()
    }

    fn says(&self, of: &Self, words: &str) -> bool {
        let start = format!(":{} {words}", of.port);
        self.readiness().iter().any(|line| line.contains(&start))
    }

    fn count_in_log(&self, words: &str) -> usize {
        let log = self.process.log();
        log.lines().filter(|line| line.contains(words)).count()
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn frozen_leader_is_replaced_and_named_and_sends_nothing_afterwards() {
    let installation = Installation::new();
    let leader = installation.start(&[]);
    wait_until("the first one leads", || installation.leads(&leader));
    let others = [installation.start(&[]), installation.start(&[])];
    installation.subscribe(&leader);
    let mut bookings = vec![leader.book("before0"), others[0].book("before1")];
    for booking in &bookings {
        installation.announcement(booking);
    }
    installation.wait_for_rest();

    leader.process.send_signal("-STOP");
    let frozen = Instant::now();
    let booking = others[0].book("during0");
    let mut named = [None; 2];
    wait_until("another replica has sent the messages", || {
        for (other, named) in others.iter().zip(&mut named) {
            if named.is_none() && other.says(&leader, "leads and has made no progress for ") {
                *named = Some(frozen.elapsed());
            }
        }
        installation.is_announced(&booking)
    });
    let announced = booking.at.elapsed();
    println!("frozen leader: named after {named:?}, replaced after {announced:?}");
    assert!(announced < TAKEOVER_LIMIT, "{announced:?}");
    assert!(named.iter().all(Option::is_some), "{named:?}");
    bookings.push(booking);
    for number in 1..4 {
        let booking = others[number % 2].book(&format!("during{number}"));
        let time = installation.announcement(&booking);
        assert!(time < TAKEOVER_LIMIT, "{time:?}");
        bookings.push(booking);
    }
    let check = ["check", "--database-url", &installation.database.url];
    let checked = run(&check);
    assert!(checked.status.success(), "{checked:?}");
    let silent = format!(":{} has not reported for ", leader.port);
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(report.contains(&silent), "{report}");
    // Each learns of the new leader when it next reads the lease.
    wait_until("the others name it as silent", || {
        (others.iter()).all(|other| other.says(&leader, "has not reported for "))
    });

    // It was frozen while messages were due, and others still are when it goes on.
    bookings.push(others[1].book("at-its-return"));
    leader.process.send_signal("-CONT");
    wait_until("the old leader has noticed", || {
        leader.count_in_log("does not lead any more") == 1
    });
    wait_until("nobody names it any more", || {
        others.iter().all(|other| other.readiness().len() == 3)
    });
    assert!(!installation.leads(&leader));
    bookings.push(leader.book("after"));
    for booking in &bookings {
        installation.announcement(booking);
    }
    installation.wait_for_rest();
    thread::sleep(Duration::from_secs(2));
    installation.check_sent_once(&bookings);
    assert!(leader.readiness().len() == 3 && !installation.leads(&leader));
    for other in &others {
        assert_eq!(other.count_in_log("leads and has made no progress"), 1);
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn leader_frozen_during_attempts_sends_nothing_when_it_goes_on() {
    let mut installation = Installation::new();
    // Its messages are on their way for seconds.
    installation.mail.set_faults(&json!({"delay": 0.3}));
    let leader = installation.start(&[]);
    wait_until("the first one leads", || installation.leads(&leader));
    let other = installation.start(&[]);
    installation.subscribe(&leader);
    let mut bookings: Vec<Booking> = (0..12)
        .map(|number| other.book(&format!("in-flight{number}")))
        .collect();
    leader.process.send_signal("-STOP");
    bookings.push(other.book("during"));
    for booking in &bookings {
        let time = installation.announcement(booking);
        assert!(time < 2 * TAKEOVER_LIMIT, "{time:?}");
    }
    installation.wait_for_rest();
    let before = installation.mail.count();
    leader.process.send_signal("-CONT");
    wait_until("the old leader has noticed", || {
        leader.count_in_log("does not lead any more") == 1
    });
    thread::sleep(Duration::from_secs(3));
    println!(
        "{} messages, {} of them after the old leader went on",
        installation.mail.count(),
        installation.mail.count() - before
    );
    assert_eq!(installation.mail.count(), before);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn leader_frozen_in_transaction_of_messages_does_not_delay_bookings() {
    let installation = Installation::new();
    let leader = installation.start(&[]);
    wait_until("the first one leads", || installation.leads(&leader));
    let other = installation.start(&[]);
    installation.subscribe(&leader);
    // The transaction that claims a webhook message, or stores its outcome, takes a second here.
    installation.execute(
        "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';
         CREATE TRIGGER wait BEFORE UPDATE ON webhook_deliveries EXECUTE FUNCTION wait();",
    );
    other.book("before");
    wait_until("the leader is in a transaction", || {
        installation.number(
            "SELECT count(*) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event = 'PgSleep'",
        ) == 1
    });
    leader.process.send_signal("-STOP");
    let frozen = Instant::now();
    other.book("during");
    println!("booked {:?} after the leader froze", frozen.elapsed());
    assert!(frozen.elapsed() < Duration::from_secs(5));
    leader.process.send_signal("-CONT");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn leader_that_vanishes_without_closing_its_connections_is_replaced() {
    let installation = Installation::new();
    let link = DatabaseLink::start(&installation.database.url);
    let first = installation.start(&[]);
    installation.subscribe(&first);
    let vanishing = installation.start_with(&link.url(&installation.database.name), &[]);
    wait_until("the first one leads", || installation.leads(&first));
    let before = Instant::now();
    assert_eq!(first.process.signal("-TERM"), Some(0));
    wait_until("the second one leads", || installation.leads(&vanishing));
    println!("clean stop: replaced after {:?}", before.elapsed());
    let other = installation.start(&[]);
    assert!(!other.says(&vanishing, ""));
    let mut bookings = vec![vanishing.book("before")];
    installation.announcement(&bookings[0]);
    installation.wait_for_rest();

    link.cut();
    let booking = other.book("during");
    let announced = installation.announcement(&booking);
    println!("vanished leader: replaced after {announced:?}");
    assert!(announced < TAKEOVER_LIMIT, "{announced:?}");
    bookings.push(booking);
    // It knows without the database.
    wait_until("the old leader has noticed", || {
        vanishing.count_in_log("does not lead any more") == 1
    });
    link.restore();
    wait_until("nobody names it any more", || other.readiness().len() == 3);
    assert!(installation.leads(&other));
    bookings.push(vanishing.book("after"));
    installation.announcement(&bookings[2]);
    installation.wait_for_rest();
    thread::sleep(Duration::from_secs(2));
    installation.check_sent_once(&bookings);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn killed_leader_is_replaced_within_seconds() {
    let installation = Installation::new();
    let mut leader = installation.start(&[]);
    wait_until("the first one leads", || installation.leads(&leader));
    let other = installation.start(&[]);
    leader.process.kill();
    let killed = Instant::now();
    wait_until("the other one leads", || installation.leads(&other));
    println!("killed leader: replaced after {:?}", killed.elapsed());
    assert!(killed.elapsed() < Duration::from_secs(5));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn replica_with_other_zone_data_is_named_until_it_stops() {
    let installation = Installation::new();
    let first = installation.start(&[]);
    let files = ZoneFiles::new("2098a");
    let newer = installation.start(&["--zone-data", files.path()]);
    let line = &first.readiness()[1];
    let own = line.strip_prefix("time zone data ").unwrap();
    let own = own.split(' ').next().unwrap();
    for (replica, of, versions) in [
        (&first, &newer, ["2098a", own]),
        (&newer, &first, [own, "2098a"]),
    ] {
        let [theirs, its] = versions;
        let words = format!("computes time zones with {theirs}, this one with {its}");
        wait_until("the difference is named", || replica.says(of, &words));
        thread::sleep(Duration::from_secs(1));
        assert_eq!(replica.count_in_log(&words), 1);
    }
    let checked = run(&["check", "--database-url", &installation.database.url]);
    assert!(checked.status.success(), "{checked:?}");
    let report = String::from_utf8(checked.stdout).unwrap();
    assert!(
        report.contains("computes time zones with 2098a"),
        "{report}"
    );
    assert_eq!(newer.process.signal("-TERM"), Some(0));
    assert_eq!(installation.number("SELECT count(*) FROM replicas"), 1);
    wait_until("nobody names it any more", || first.readiness().len() == 3);
}
