//! Failing webhooks do not delay others, and are switched off.

use std::time::{Duration, Instant};

use booking_service::messages::webhooks::events::Trigger;
use booking_service::messages::webhooks::http_client::Reach;
use booking_service::messages::webhooks::retries_and_limits::{
    MAX_GIVEN_UP, MIN_FAILING_MS, RETRY_DELAYS_MS, TIMEOUT,
};
use booking_service::process::maintenance;
use booking_service::process::worker::Worker;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::webhooks::deliveries::{
    Receiver, booking_without_deliveries, enqueue_event, make_attempts, outbox, subscribe, worker,
};

#[tokio::test]
async fn dead_receivers_of_one_owner_do_not_delay_other_owners() {
    let service = Service::start().await;
    let dead = Receiver::start(&[0; 1000]).await;
    let alive = Receiver::start(&[]).await;
    // More than there are worker slots; each dead receiver blocks one for ten seconds.
    for number in 0..100 {
        service
            .sql(&format!(
                "INSERT INTO webhooks (id, user_id, subscriber_url, triggers, active, version, created_ms)
                 VALUES ('dead-{number}', {OTHER_HOST}, '{}', '[\"BOOKING_PAID\"]', 1, '2021-10-20', 0)",
                dead.url(&number.to_string())
            ))
            .await;
    }
    let mut booking_ids = Vec::new();
    for hour in 7..15 {
        let id =
            booking_without_deliveries(&service, &format!("2027-03-29T{hour:02}:00:00Z")).await;
        service
            .sql(&format!(
                "UPDATE booking_hosts SET user_id = {OTHER_HOST} WHERE booking_id = {id}"
            ))
            .await;
        booking_ids.push(id);
    }
    let own = booking_without_deliveries(&service, "2027-03-30T07:00:00Z").await;
    subscribe(&service, &alive.url("alive"), json!({})).await;
    for id in booking_ids {
        enqueue_event(&service, Trigger::BookingPaid, id).await;
    }
    assert_eq!(service.count("webhook_deliveries").await, 800);

    let (stop, stopped) = oneshot::channel::<()>();
    let running = Worker::new(service.app.clone(), Reach::Everywhere, TIMEOUT).unwrap();
    let running = tokio::spawn(async move {
        let stop = async {
            let _ = stopped.await;
        };
        running.run(stop).await;
    });
    // Maximum number of worker slots of one owner.
    dead.wait_for(4).await;
    let began = Instant::now();
    enqueue_event(&service, Trigger::BookingPaid, own).await;
    alive.wait_for(1).await;
    let delay = began.elapsed();
    println!("delivered beside 100 dead receivers in {delay:?}");
    assert!(delay < Duration::from_secs(1), "{delay:?}");
    assert_eq!(dead.received().len(), 4);
    stop.send(()).unwrap();
    timeout(Duration::from_secs(20), running)
        .await
        .unwrap()
        .unwrap();
}

/// The webhook as its owner sees it.
async fn read_webhook(service: &Service, id: &str) -> Value {
    let target = format!("/v2/webhooks/{id}");
    let response = service.get_as(&target, service.bearer_of(HOST).await).await;
    response.data().clone()
}

/// Leaves one attempt to the waiting deliveries.
async fn leave_last_attempt(service: &Service) {
    let attempts = RETRY_DELAYS_MS.len();
    service
        .sql(&format!(
            "UPDATE webhook_deliveries SET attempts = {attempts} WHERE status = 'waiting'"
        ))
        .await;
}

/// Makes `count` deliveries fail permanently.
async fn fail_deliveries(service: &Service, booking_id: i64, count: i64) {
    for _ in 0..count {
        enqueue_event(service, Trigger::BookingPaid, booking_id).await;
        leave_last_attempt(service).await;
        assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    }
}

#[tokio::test]
async fn webhook_failing_for_days_is_switched_off() {
    let service = Service::start().await;
    let always: Vec<u16> = vec![500; 200];
    let receiver = Receiver::start(&always).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    let days = MIN_FAILING_MS / 60_000;

    // Many failures in a short time count as an outage.
    fail_deliveries(&service, id, MAX_GIVEN_UP + 5).await;
    assert_eq!(read_webhook(&service, &webhook).await["active"], true);
    assert_eq!(
        read_webhook(&service, &webhook).await["lastProblem"],
        "answered 500"
    );
    service.app.clock.advance_minutes(days - 1);
    fail_deliveries(&service, id, 1).await;
    assert_eq!(read_webhook(&service, &webhook).await["active"], true);

    // A successful delivery resets the count.
    receiver.respond_next(200);
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    assert_eq!(
        read_webhook(&service, &webhook).await["lastProblem"],
        Value::Null
    );
    service.app.clock.advance_minutes(1);
    fail_deliveries(&service, id, MAX_GIVEN_UP - 1).await;
    service.app.clock.advance_minutes(days);
    assert_eq!(read_webhook(&service, &webhook).await["active"], true);
    enqueue_event(&service, Trigger::BookingCancelled, id).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    leave_last_attempt(&service).await;
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let off = read_webhook(&service, &webhook).await;
    assert_eq!(
        (&off["active"], &off["lastProblem"]),
        (&json!(false), &json!("answered 500"))
    );
    // The next message is dropped, and no more deliveries are queued.
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    maintenance::round(&service.app).await.unwrap();
    assert!(
        outbox(&service)
            .await
            .iter()
            .all(|(status, ..)| status != "waiting")
    );

    let target = format!("/v2/webhooks/{webhook}");
    let bearer = service.bearer_of(HOST).await;
    let on = service
        .request("PATCH", &target, &bearer, json!({"active": true}))
        .await;
    assert_eq!(on.data()["active"], true);
    assert_eq!(on.data()["lastProblem"], Value::Null);
    assert_eq!(read_webhook(&service, &webhook).await, *on.data());
    fail_deliveries(&service, id, 1).await;
    assert_eq!(read_webhook(&service, &webhook).await["active"], true);
}

#[tokio::test]
async fn webhook_that_never_answers_is_switched_off_after_five_days_of_one_booking() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; 100]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    let start = service.app.clock.now().0;
    for _ in 0..10 {
        enqueue_event(&service, Trigger::BookingPaid, id).await;
    }
    // Messages about one booking are given up one after the other.
    while read_webhook(&service, &webhook).await["active"] == true {
        make_attempts(&service, 1).await;
    }
    let off = read_webhook(&service, &webhook).await;
    assert_eq!(off["lastProblem"], "answered 500");
    let days = (service.app.clock.now().0 - start) as f64 / 86_400_000.0;
    assert!((5.0..5.1).contains(&days), "{days}");
    maintenance::round(&service.app).await.unwrap();
    assert_eq!(service.count("webhook_deliveries").await, MAX_GIVEN_UP);
}

#[tokio::test]
async fn failed_attempt_is_shown_until_a_message_is_delivered() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    make_attempts(&service, 1).await;
    let failing = read_webhook(&service, &webhook).await;
    assert_eq!(failing["lastProblem"], "answered 500");
    make_attempts(&service, 1).await;
    let working = read_webhook(&service, &webhook).await;
    assert_eq!(working["lastProblem"], Value::Null);
}

#[tokio::test]
async fn new_url_resets_failures() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500]).await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("old"), json!({})).await;
    fail_deliveries(&service, id, 1).await;
    let target = format!("/v2/webhooks/{webhook}");
    let bearer = service.bearer_of(HOST).await;
    for (change, problem) in [
        (json!({"triggers": ["BOOKING_PAID"]}), json!("answered 500")),
        (json!({"subscriberUrl": receiver.url("new")}), Value::Null),
    ] {
        let changed = service.request("PATCH", &target, &bearer, change).await;
        assert_eq!(changed.data()["lastProblem"], problem);
        assert_eq!(
            read_webhook(&service, &webhook).await["lastProblem"],
            problem
        );
    }
}

#[tokio::test]
async fn private_network_address_is_reported_as_connection_error() {
    let service = Service::start().await;
    let id = booking_without_deliveries(&service, "2027-03-29T07:00:00Z").await;
    let webhook = subscribe(&service, "http://localhost:9/hook", json!({})).await;
    enqueue_event(&service, Trigger::BookingPaid, id).await;
    leave_last_attempt(&service).await;
    let public = Worker::new(service.app.clone(), Reach::Public, TIMEOUT).unwrap();
    assert_eq!(public.round().await.unwrap(), 1);
    let problem = outbox(&service).await.remove(0).4;
    assert_eq!(problem.as_deref(), Some("leads into a private network"));
    assert_eq!(
        read_webhook(&service, &webhook).await["lastProblem"],
        "could not connect"
    );
    let target = format!("/v2/webhooks/{webhook}/deliveries");
    let bearer = service.bearer_of(HOST).await;
    let listed = service.get_as(&target, bearer).await;
    assert_eq!(listed.data()[0]["lastProblem"], "could not connect");
}

#[tokio::test]
async fn reschedule_is_sent_after_messages_of_replaced_booking() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500, 500]).await;
    subscribe(&service, &receiver.url("hook"), json!({})).await;
    let talk = service.event_type("talk", json!({})).await;
    let created = service
        .post("/v2/bookings", booking(talk, "2027-03-29T07:00:00Z"))
        .await;
    let first = created.data()["uid"].clone();
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let mut uids = vec![first];
    for start in ["2027-03-29T08:00:00Z", "2027-03-29T09:00:00Z"] {
        let target = format!(
            "/v2/bookings/{}/reschedule",
            uids.last().unwrap().as_str().unwrap()
        );
        let moved = service.post(&target, json!({"start": start})).await;
        uids.push(moved.data()["uid"].clone());
    }
    let last = uids.last().unwrap().as_str().unwrap();
    let cancelled = service
        .post(
            &format!("/v2/bookings/{last}/cancel"),
            json!({"cancellationReason": "Ill"}),
        )
        .await;
    cancelled.data();
    // All deliveries wait for the first one, which failed.
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);
    service.app.clock.advance_minutes(1);
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    service.app.clock.advance_minutes(5);
    assert_eq!(worker(&service.app).round().await.unwrap(), 4);
    let received: Vec<(Value, Value)> = receiver
        .received()
        .iter()
        .skip(2)
        .map(|received| {
            let message = received.json();
            (
                message["triggerEvent"].clone(),
                message["payload"]["uid"].clone(),
            )
        })
        .collect();
    let expected = [
        ("BOOKING_CREATED", 0),
        ("BOOKING_RESCHEDULED", 1),
        ("BOOKING_RESCHEDULED", 2),
        ("BOOKING_CANCELLED", 2),
    ];
    let expected: Vec<(Value, Value)> = expected
        .iter()
        .map(|(trigger, at): &(&str, usize)| (json!(trigger), uids[*at].clone()))
        .collect();
    assert_eq!(received, expected);
    // No delivery is waiting.
    assert_eq!(service.count("webhook_events").await, 0);
}
