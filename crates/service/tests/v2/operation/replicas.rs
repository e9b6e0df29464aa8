//! Several replicas with one PostgreSQL database: `cargo xtask test --only postgres`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::Method;
use booking_service::cli::database::data_directory;
use booking_service::clock::Clock;
use booking_service::domain::demo::ORGANIZATION_ID;
use booking_service::messages::webhooks::events::Trigger;
use booking_service::process::worker::Worker;
use booking_service::settings::Settings;
use booking_service::store::Subject;
use booking_service::store::messages::claims::{self, Queue};
use booking_service::store::messages::mail;
use booking_service::store::postgres_schema;
use booking_store_engine::leadership::Leadership;
use booking_store_engine::lease::Lease;
use booking_store_engine::schema::SchemaState;
use booking_store_engine::sql;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection};
use tokio::sync::{Barrier, oneshot};
use tokio::time::{sleep, timeout};

use crate::common::{HOST, NOW, OTHER_HOST, Service, TestDatabase, TestResponse, booking};
use crate::operation::metrics::scrape;
use crate::webhooks::deliveries::{
    Receiver, booking_without_deliveries, enqueue_event, outbox, subscribe, worker,
};

const REPLICAS: usize = 3;

/// Starts another replica of the service.
async fn replica(service: &Service) -> Service {
    let app = service.reopen(service.app.clock.clone()).await;
    Service::over(app, &service.credentials)
}

/// Starts three replicas. The first must be dropped last.
async fn replicas() -> Vec<Arc<Service>> {
    let first = Service::start().await;
    assert!(first.database.is_some(), "PostgreSQL");
    let others = [replica(&first).await, replica(&first).await];
    let mut all: Vec<Arc<Service>> = others.into_iter().map(Arc::new).collect();
    all.push(Arc::new(first));
    all
}

/// Sends requests to the replicas in turns, all at once.
async fn post_concurrently(
    replicas: &[Arc<Service>],
    requests: Vec<(Vec<(String, String)>, Value)>,
) -> Vec<TestResponse> {
    let barrier = Arc::new(Barrier::new(requests.len()));
    let mut clients = Vec::new();
    for (number, (headers, body)) in requests.into_iter().enumerate() {
        let service = replicas[number % replicas.len()].clone();
        let barrier = barrier.clone();
        clients.push(tokio::spawn(async move {
            barrier.wait().await;
            service
                .call(Method::POST, "/v2/bookings", &headers, Some(body))
                .await
        }));
    }
    let mut responses = Vec::new();
    for client in clients {
        responses.push(client.await.unwrap());
    }
    responses
}

fn of_visitor(number: usize, event_type_id: i64, start: &str) -> Value {
    let mut body = booking(event_type_id, start);
    body["attendee"]["email"] = json!(format!("visitor{number}@example.org"));
    body
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn one_of_many_bookings_of_a_slot_over_replicas_succeeds() {
    let replicas = replicas().await;
    let id = replicas[0].event_type("talk", json!({})).await;
    for (round, hour) in (9..13).enumerate() {
        let start = format!("2027-03-02T{hour:02}:00:00Z");
        let requests = (0..60).map(|number| (Vec::new(), of_visitor(number, id, &start)));
        let responses = post_concurrently(&replicas, requests.collect()).await;
        let made = responses.iter().filter(|made| made.status == 201).count();
        let taken = responses.iter().filter(|lost| lost.status == 409).count();
        assert_eq!((made, taken), (1, 59), "round {round}");
        // Each replica has forgotten what it knew about the slots.
        for service in &replicas {
            let slots = service
                .get(&format!(
                    "/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02"
                ))
                .await;
            assert!(!slots.text.contains(&start[..16]), "{}", slots.text);
        }
    }
}

/// Waits until so many connections of the database wait for locks.
async fn wait_for_blocked(service: &Service, expected: i64) {
    let blocked =
        "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let deadline = Instant::now() + Duration::from_secs(15);
    loop {
        let count = service.count(blocked).await;
        if count == expected {
            return;
        }
        assert!(Instant::now() < deadline, "{count} of {expected} wait");
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn booking_waits_for_those_of_its_host_only() {
    let replicas = replicas().await;
    let service = &replicas[2];
    let round_robin = Some("roundRobin");
    let slow = service
        .event_type_of("slow", round_robin, &[HOST], json!({}))
        .await;
    let same_host = service
        .event_type_of("same", round_robin, &[HOST], json!({}))
        .await;
    let both = service
        .event_type_of("both", Some("collective"), &[HOST, OTHER_HOST], json!({}))
        .await;
    let other_host = service
        .event_type_of("other", round_robin, &[OTHER_HOST], json!({}))
        .await;
    // The booking of the slow event type waits for a lock on its row, with its own locks.
    let url = &service.database.as_ref().unwrap().url;
    let mut connection = PgConnection::connect(url).await.unwrap();
    let mut lock = connection.begin().await.unwrap();
    sqlx::query("SELECT id FROM event_types WHERE id = $1 FOR UPDATE")
        .bind(slow)
        .fetch_one(&mut *lock)
        .await
        .unwrap();
    let post = |index: usize, event_type_id: i64, start: &str| {
        let (service, body) = (
            replicas[index].clone(),
            of_visitor(index, event_type_id, start),
        );
        tokio::spawn(async move { service.post("/v2/bookings", body).await })
    };
    let first = post(0, slow, "2027-03-02T10:00:00Z");
    wait_for_blocked(service, 1).await;
    let waiting = [
        post(1, same_host, "2027-03-02T11:00:00Z"),
        post(2, both, "2027-03-02T15:00:00Z"),
    ];
    wait_for_blocked(service, 3).await;
    let side_by_side = post(1, other_host, "2027-03-02T17:00:00Z");
    side_by_side.await.unwrap().data();
    assert!(!first.is_finished() && waiting.iter().all(|post| !post.is_finished()));
    // Edits of the organization wait for its bookings, and its later bookings for them. Other organizations do not.
    let change = {
        let service = replicas[1].clone();
        tokio::spawn(async move {
            let organization = Subject::Organization(ORGANIZATION_ID);
            let mut transaction = service.app.store.begin(&[organization]).await.unwrap();
            sql::query("UPDATE event_types SET hidden = hidden")
                .execute(&mut transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
        })
    };
    wait_for_blocked(service, 4).await;
    let later = post(2, other_host, "2027-03-02T19:00:00Z");
    wait_for_blocked(service, 5).await;
    let elsewhere = Subject::Organization(ORGANIZATION_ID + 1);
    let elsewhere = service.app.store.begin(&[elsewhere]).await.unwrap();
    elsewhere.commit().await.unwrap();
    assert!(!change.is_finished() && !later.is_finished());
    lock.rollback().await.unwrap();
    change.await.unwrap();
    for post in [first, later].into_iter().chain(waiting) {
        post.await.unwrap().data();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn isolation_level_does_not_depend_on_the_database() {
    let service = Service::start().await;
    service
        .sql(
            "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation = serializable',
                current_database()); END $$",
        )
        .await;
    let other = replica(&service).await;
    let level = "pg_settings WHERE name = 'transaction_isolation' AND setting = 'read committed'";
    assert_eq!(other.count(level).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn reads_and_readiness_do_not_wait_for_blocked_writes() {
    let replicas = replicas().await;
    let id = replicas[2].event_type("talk", json!({})).await;
    let organization = Subject::Organization(ORGANIZATION_ID);
    let held = replicas[2].app.store.begin(&[organization]).await.unwrap();
    let blocked: Vec<_> = (0..30)
        .map(|_| {
            let store = replicas[0].app.store.clone();
            tokio::spawn(
                async move { store.begin(&[organization]).await.unwrap().rollback().await },
            )
        })
        .collect();
    wait_for_blocked(&replicas[2], 11).await;
    let slots = format!("/v2/slots?eventTypeId={id}&start=2027-03-02&end=2027-03-02");
    for target in [slots.as_str(), "/readyz"] {
        let response = timeout(Duration::from_secs(5), replicas[0].get(target)).await;
        assert_eq!(response.unwrap().status, 200, "{target}");
    }
    assert!(blocked.iter().all(|begun| !begun.is_finished()));
    held.rollback().await.unwrap();
    for begun in blocked {
        begun.await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn repeated_request_at_another_replica_has_the_same_booking() {
    let replicas = replicas().await;
    let id = replicas[0].event_type("talk", json!({})).await;
    let key = ("idempotency-key".to_owned(), "one-booking".to_owned());
    let body = of_visitor(1, id, "2027-03-02T09:00:00Z");
    let requests = vec![(vec![key], body); 2 * REPLICAS];
    let responses = post_concurrently(&replicas, requests).await;
    let uids: HashSet<&str> = responses
        .iter()
        .map(|response| response.data()["uid"].as_str().unwrap())
        .collect();
    assert_eq!(uids.len(), 1);
    let rows = format!("bookings WHERE event_type_id = {id}");
    assert_eq!(replicas[1].count(&rows).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn one_replica_sends_each_message_once_and_another_takes_over() {
    let replicas = replicas().await;
    let receiver = Receiver::start(&[]).await;
    let service = &replicas[2];
    subscribe(service, &receiver.url("hook"), json!({})).await;
    let id = booking_without_deliveries(service, "2027-03-02T09:00:00Z").await;
    let mut stops = Vec::new();
    let mut workers = Vec::new();
    for service in &replicas {
        let (stop, stopped) = oneshot::channel::<()>();
        let worker = worker(&service.app);
        workers.push(tokio::spawn(async move {
            worker
                .run(async { stopped.await.unwrap_or_default() })
                .await;
        }));
        stops.push(stop);
        // The first one leads.
        sleep(Duration::from_millis(100)).await;
    }
    let mut expected = 0;
    while !stops.is_empty() {
        for trigger in [Trigger::BookingCreated, Trigger::BookingCancelled] {
            for service in &replicas {
                enqueue_event(service, trigger, id).await;
                expected += 1;
            }
        }
        receiver.wait_for(expected).await;
        drop(stops.remove(0));
        workers.remove(0).await.unwrap();
    }
    let received = receiver.received();
    assert_eq!(received.len(), expected, "none was sent twice");
    let names: Vec<String> = received
        .iter()
        .map(|request| request.json()["triggerEvent"].to_string())
        .collect();
    let turn = [
        vec!["\"BOOKING_CREATED\""; REPLICAS],
        vec!["\"BOOKING_CANCELLED\""; REPLICAS],
    ]
    .concat();
    assert_eq!(names, turn.repeat(REPLICAS), "in order");
    let statuses = outbox(service).await;
    assert!(statuses.iter().all(|(status, ..)| status == "delivered"));
}

/// Starts a worker that runs until the returned sender is dropped.
fn start_worker(worker: Worker) -> oneshot::Sender<()> {
    let (stop, stopped) = oneshot::channel::<()>();
    tokio::spawn(async move {
        worker
            .run(async { stopped.await.unwrap_or_default() })
            .await;
    });
    stop
}

/// Starts three replicas, the receiver of a webhook, and a booking to send messages about.
async fn replicas_with_receiver() -> ([Arc<Service>; REPLICAS], Receiver, i64) {
    let replicas: [Arc<Service>; REPLICAS] = replicas().await.try_into().ok().unwrap();
    let receiver = Receiver::start(&[]).await;
    subscribe(&replicas[0], &receiver.url("hook"), json!({})).await;
    let id = booking_without_deliveries(&replicas[0], "2027-03-02T09:00:00Z").await;
    (replicas, receiver, id)
}

/// Enqueues a message and returns the time until it arrives.
async fn delivery_time(service: &Service, booking_id: i64, receiver: &Receiver) -> Duration {
    let before = receiver.received().len();
    let start = Instant::now();
    enqueue_event(service, Trigger::BookingCreated, booking_id).await;
    receiver.wait_for(before + 1).await;
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn write_of_another_replica_wakes_the_leader_before_it_polls() {
    let (replicas, receiver, id) = replicas_with_receiver().await;
    let [leader, other, _] = &replicas;
    let never = Duration::from_secs(600);
    let _leader = start_worker(worker(&leader.app).polling_every(never));
    let listeners = "pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'";
    while leader.count(listeners).await == 0 {
        sleep(Duration::from_millis(10)).await;
    }
    let _other = start_worker(worker(&other.app).polling_every(never));
    let mut times = Vec::new();
    for _ in 0..10 {
        times.push(delivery_time(other, id, &receiver).await);
        // Without what the last write still causes.
        sleep(Duration::from_millis(100)).await;
    }
    times.sort();
    println!("{times:?}");
    assert!(times[times.len() / 2] < Duration::from_secs(2), "{times:?}");

    // The connection that listens is replaced, and what was written meanwhile is found.
    let end = format!("SELECT count(pg_terminate_backend(pid)) FROM {listeners}");
    leader.sql(&end).await;
    delivery_time(other, id, &receiver).await;
    while leader.count(listeners).await == 0 {
        sleep(Duration::from_millis(10)).await;
    }
    sleep(Duration::from_millis(500)).await;
    delivery_time(other, id, &receiver).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn write_without_notification_is_found_by_polling() {
    let (replicas, receiver, id) = replicas_with_receiver().await;
    let [leader, other, _] = &replicas;
    let _leader = start_worker(worker(&leader.app));
    // Without a worker it sends no notifications.
    for _ in 0..3 {
        let time = delivery_time(other, id, &receiver).await;
        // Ten polls, and more on a busy machine.
        assert!(time < Duration::from_secs(20), "{time:?}");
    }
}

/// Waits until this replica leads.
async fn lease_of(leadership: &mut Leadership) -> Lease {
    wait_for_lease(leadership, Leadership::lease).await
}

/// Waits until a replica may send messages.
async fn sending_of(leadership: &mut Leadership) -> Lease {
    wait_for_lease(leadership, Leadership::sending).await
}

async fn wait_for_lease(
    leadership: &mut Leadership,
    read: impl Fn(&Leadership) -> Option<Lease>,
) -> Lease {
    loop {
        if let Some(lease) = read(leadership) {
            return lease;
        }
        timeout(Duration::from_secs(10), leadership.changed())
            .await
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn metrics_name_one_leader_of_replicas_that_all_send() {
    let replicas = replicas().await;
    let _workers: Vec<_> = replicas
        .iter()
        .map(|replica| start_worker(worker(&replica.app)))
        .collect();
    while replicas[0].count("replicas WHERE sends_until_ms > 0").await < 3 {
        sleep(Duration::from_millis(10)).await;
    }
    // Longer than a round of the workers.
    sleep(Duration::from_secs(1)).await;
    let mut leaders = 0;
    for replica in &replicas {
        let text = scrape(replica).await;
        leaders += text
            .lines()
            .filter(|line| *line == "booking_leader 1")
            .count();
    }
    assert_eq!(leaders, 1);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn message_is_claimed_by_one_replica_that_may_send() {
    let (replicas, _receiver, id) = replicas_with_receiver().await;
    let [first, second, _] = &replicas;
    enqueue_event(first, Trigger::BookingCreated, id).await;
    first
        .sql(
            "INSERT INTO mail_events (id, kind, booking_uid, data, expanded, created_ms) VALUES (999, '', 'a', '', 1, 0);
             INSERT INTO mail_messages (id, event_id, kind, booking_uid, order_key, sequence, role, email, message_id,
                 status, due_ms, created_ms)
             VALUES (999, 999, '', 'a', 'a', 0, 'attendee', 'zoe@example.org', 'a', 'waiting', 0, 0)",
        )
        .await;
    let now = first.app.clock.now();
    let delivery = first.count(
        "(SELECT max(id) AS count FROM webhook_deliveries) AS newest, generate_series(1, count)",
    );
    let delivery = delivery.await;
    let claims = async |service: &Service, lease: &Lease| {
        let store = &service.app.store;
        let claim = async |queue, id| claims::claim(store, queue, vec![id], now, lease).await;
        let delivery = claim(Queue::Webhooks, delivery).await.unwrap();
        let message = claim(Queue::Mail, 999).await.unwrap();
        let mut db = store.read().await.unwrap();
        let listed = mail::due_in_turns(&mut db, now, 10, lease).await.unwrap();
        assert!(listed.len() >= message.len());
        [!delivery.is_empty(), !message.is_empty()]
    };
    let sends_until = |replica: &Lease, until: &str| {
        let id = replica.replica_id().unwrap();
        format!("UPDATE replicas SET sends_until_ms = {until} WHERE id = '{id}'")
    };
    let mut leadership = Leadership::start(&first.app.store, Some("first"));
    let mut other = Leadership::start(&second.app.store, Some("second"));
    let one = sending_of(&mut leadership).await;
    let two = sending_of(&mut other).await;
    assert_eq!(claims(first, &one).await, [true; 2]);
    assert_eq!(claims(second, &two).await, [false; 2]);
    // Its own: after an attempt that ended without an outcome.
    assert_eq!(claims(first, &one).await, [true; 2]);

    // The right of the first has ended in the database, which it has not noticed.
    first.sql(&sends_until(&one, "0")).await;
    assert_eq!(claims(second, &two).await, [true; 2]);
    assert_eq!(claims(first, &one).await, [false; 2]);
    assert!(one.is_current());
    // A replica that stops leaves its claims at once, one that is killed with its session.
    other.end().await;
    assert!(!two.is_current());
    let again = sending_of(&mut leadership).await;
    let renewed = sends_until(&again, "9000000000000");
    first.sql(&renewed).await;
    assert_eq!(claims(first, &again).await, [true; 2]);
    let third = Leadership::start(&second.app.store, Some("third"));
    let mut third = third;
    let three = sending_of(&mut third).await;
    assert_eq!(claims(second, &three).await, [false; 2]);
    first
        .sql("UPDATE replicas SET backend_pid = 0 WHERE name = 'first'")
        .await;
    assert_eq!(claims(second, &three).await, [true; 2]);
    leadership.end().await;
    third.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn leader_is_replaced_at_once() {
    let replicas = replicas().await;
    let (first, second) = (&replicas[0], &replicas[1]);
    let mut leadership = Leadership::start(&first.app.store, Some("first"));
    let lease = lease_of(&mut leadership).await;
    first
        .sql("UPDATE leader_lease SET expires_ms = 9000000000000, replica_id = 'other', fencing = fencing + 1")
        .await;
    while leadership.lease().is_some() {
        sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(lease.while_current(async {}).await, None);

    // Leaders that stop are replaced at once, each with a greater number.
    first.sql("UPDATE leader_lease SET expires_ms = 0").await;
    let again = lease_of(&mut leadership).await;
    let mut successor = Leadership::start(&second.app.store, Some("second"));
    let stop = Instant::now();
    leadership.end().await;
    let last = lease_of(&mut successor).await;
    assert!(
        stop.elapsed() < Duration::from_secs(2),
        "{:?}",
        stop.elapsed()
    );
    assert!(lease.fencing() < again.fencing() && again.fencing() < last.fencing());
    // A replica reports itself after it has the lease; the other one has removed its report.
    let reported = async {
        while second.count("replicas").await != 1 {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(Duration::from_secs(2), reported).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs PostgreSQL"]
async fn replicas_that_start_at_once_migrate_an_empty_database_once() {
    let database = TestDatabase::create(None).await.unwrap();
    assert_eq!(
        postgres_schema(&database.url).await.unwrap().state,
        SchemaState::Empty
    );
    let directory = tempfile::tempdir().unwrap();
    let start = async || {
        let clock = Clock::stopped_at(booking_wire::Instant::parse(NOW).unwrap());
        let settings = Settings::default();
        data_directory::open_postgres(&database.url, directory.path(), clock, settings)
            .await
            .map(|app| app.signing_key.keys().fingerprint().to_owned())
            .map_err(|error| error.to_string())
            .unwrap()
    };
    let (first, second, third) = tokio::join!(start(), start(), start());
    let keys = HashSet::from([first, second, third]);
    assert_eq!(keys.len(), 1);
    assert_eq!(
        postgres_schema(&database.url).await.unwrap().state,
        SchemaState::Current
    );

    // A data directory without them gets no other keys.
    let other = tempfile::tempdir().unwrap();
    let clock = Clock::stopped_at(booking_wire::Instant::parse(NOW).unwrap());
    let refused =
        data_directory::open_postgres(&database.url, other.path(), clock, Settings::default())
            .await
            .map(|_| ())
            .unwrap_err()
            .to_string();
    assert!(refused.contains("signing.key is missing"), "{refused}");
}

#[tokio::test]
#[ignore = "needs PostgreSQL"]
async fn wrong_addresses_are_explained() {
    let database = TestDatabase::create(None).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let missing = database.url.replace(&database.name, "no_such_database");
    for (url, expected) in [
        ("mysql://localhost/x", "postgres"),
        ("postgres://127.0.0.1:1/x", "refused"),
        (missing.as_str(), "no_such_database"),
    ] {
        let clock = Clock::stopped_at(booking_wire::Instant::parse(NOW).unwrap());
        let error =
            data_directory::open_postgres(url, directory.path(), clock, Settings::default())
                .await
                .map(|_| ())
                .unwrap_err()
                .to_string();
        assert!(error.to_lowercase().contains(expected), "{url}: {error}");
    }
}
