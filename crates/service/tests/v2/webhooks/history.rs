//! Deliveries as the owner of a webhook lists and resends them.

use axum::http::Method;
use booking_service::messages::webhooks::events::Trigger;
use booking_service::store::messages::delivery_history;
use booking_wire::DeliveryStatus;
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse};
use crate::webhooks::deliveries::{
    ATTEMPTS, Receiver, booking_without_deliveries, enqueue_event, make_attempts, subscribe, worker,
};
use crate::webhooks::limits::plan;

const START: &str = "2027-03-29T07:00:00Z";

async fn call(service: &Service, method: Method, target: &str) -> TestResponse {
    let bearer = service.bearer_of(HOST).await;
    service.call(method, target, &[bearer], None).await
}

/// Deliveries of a webhook of `HOST`.
async fn list(service: &Service, webhook: &str, query: &str) -> Vec<Value> {
    let target = format!("/v2/webhooks/{webhook}/deliveries{query}");
    let listed = call(service, Method::GET, &target).await;
    listed.data().as_array().unwrap().clone()
}

async fn resend(service: &Service, webhook: &str, delivery: &Value) -> TestResponse {
    let id = delivery["id"].as_str().unwrap();
    let target = format!("/v2/webhooks/{webhook}/deliveries/{id}/resend");
    call(service, Method::POST, &target).await
}

fn triggers(deliveries: &[Value]) -> Vec<&str> {
    deliveries
        .iter()
        .map(|delivery| delivery["triggerEvent"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn deliveries_are_listed_newest_first_without_payload() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[200, 500, 404]).await;
    let first = booking_without_deliveries(&service, START).await;
    let second = booking_without_deliveries(&service, "2027-03-29T08:00:00Z").await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    subscribe(&service, &receiver.url("other"), json!({"active": false})).await;
    assert_eq!(list(&service, &webhook, "").await, Vec::<Value>::new());
    for (trigger, booking) in [
        (Trigger::BookingCreated, first),
        (Trigger::BookingPaid, second),
        (Trigger::BookingCancelled, second),
    ] {
        enqueue_event(&service, trigger, booking).await;
        worker(&service.app).round().await.unwrap();
        service.app.clock.advance_minutes(1);
    }
    let received = receiver.received();
    let id = |at: usize| received[at].header("webhook-id");
    // The last event waits for the one before.
    assert_eq!(received.len(), 3);
    assert_eq!(id(1), id(2));
    let listed = list(&service, &webhook, "").await;
    assert_eq!(
        listed[1..],
        [
            json!({
                "id": id(1),
                "triggerEvent": "BOOKING_PAID",
                "status": "waiting",
                "attempts": 2,
                "createdAt": "2027-03-01T08:01:00.000Z",
                "nextAttemptAt": "2027-03-01T08:07:00.000Z",
                "lastStatus": 404,
                "lastProblem": "answered 404",
            }),
            json!({
                "id": id(0),
                "triggerEvent": "BOOKING_CREATED",
                "status": "delivered",
                "attempts": 1,
                "createdAt": "2027-03-01T08:00:00.000Z",
                "lastStatus": 200,
                "deliveredAt": "2027-03-01T08:00:00.000Z",
            }),
        ]
    );
    let mut newest = listed[0].clone();
    assert!(newest["id"].take().as_str().unwrap().starts_with("msg_"));
    let expected = json!({
        "id": null,
        "triggerEvent": "BOOKING_CANCELLED",
        "status": "waiting",
        "attempts": 0,
        "createdAt": "2027-03-01T08:02:00.000Z",
    });
    assert_eq!(newest, expected);

    for (query, expected) in [
        ("?take=1", &listed[..1]),
        ("?skip=1&take=1", &listed[1..2]),
        ("?skip=3", &[]),
        ("?status=waiting", &listed[..2]),
        ("?status=waiting&skip=1", &listed[1..2]),
        ("?status=delivered", &listed[2..]),
        ("?status=failed", &[]),
    ] {
        assert_eq!(list(&service, &webhook, query).await, expected, "{query}");
    }
    for query in ["?status=lost", "?status=", "?take=0", "?skip=-1"] {
        let target = format!("/v2/webhooks/{webhook}/deliveries{query}");
        let invalid = call(&service, Method::GET, &target).await;
        invalid.assert_error(400, "BadRequestException");
    }
}

#[tokio::test]
async fn failed_and_waiting_messages_are_resent_at_once() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; ATTEMPTS + 1]).await;
    let booking = booking_without_deliveries(&service, START).await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, booking).await;
    make_attempts(&service, ATTEMPTS).await;
    let failed = list(&service, &webhook, "?status=failed").await.remove(0);
    assert_eq!(failed["attempts"], ATTEMPTS);

    let now = service.app.clock.now().to_string();
    let mut expected = failed.clone();
    expected["status"] = json!("waiting");
    expected["attempts"] = json!(0);
    expected["nextAttemptAt"] = json!(now);
    let resent = resend(&service, &webhook, &failed).await;
    assert_eq!((resent.status, resent.data()), (200, &expected));
    assert_eq!(list(&service, &webhook, "").await, [expected.clone()]);

    // It fails again, and its retries begin anew.
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let waiting = list(&service, &webhook, "").await.remove(0);
    assert_eq!(
        (&waiting["status"], &waiting["attempts"]),
        (&json!("waiting"), &json!(1))
    );
    assert_ne!(waiting["nextAttemptAt"], json!(now));
    let resent = resend(&service, &webhook, &waiting).await;
    assert_eq!(resent.data(), &expected);
    assert_eq!(worker(&service.app).round().await.unwrap(), 1);
    let delivered = list(&service, &webhook, "").await.remove(0);
    assert_eq!(delivered["status"], "delivered");
    let received = receiver.received();
    assert_eq!(received.len(), ATTEMPTS + 2);
    for request in &received {
        assert_eq!(request.header("webhook-id"), failed["id"]);
        assert_eq!(request.body, received[0].body);
    }

    let refused = resend(&service, &webhook, &delivered).await;
    let message = refused.assert_error(409, "ConflictException");
    assert!(message.contains("was delivered"), "{message}");
    assert_eq!(worker(&service.app).round().await.unwrap(), 0);
}

#[tokio::test]
async fn resent_message_is_sent_before_later_ones_of_its_booking() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; ATTEMPTS + 1]).await;
    let booking = booking_without_deliveries(&service, START).await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    for trigger in [
        Trigger::BookingCreated,
        Trigger::BookingPaid,
        Trigger::BookingCancelled,
    ] {
        enqueue_event(&service, trigger, booking).await;
    }
    make_attempts(&service, ATTEMPTS).await;
    let listed = list(&service, &webhook, "").await;
    let is_due = |listed: &[Value]| -> Vec<bool> {
        let due = listed.iter().map(|one| one.get("nextAttemptAt").is_some());
        due.collect()
    };
    assert_eq!(
        triggers(&listed),
        ["BOOKING_CANCELLED", "BOOKING_PAID", "BOOKING_CREATED"]
    );
    assert_eq!(is_due(&listed), [false, true, false]);
    // A message that waits for an earlier one keeps waiting.
    let blocked = resend(&service, &webhook, &listed[0]).await;
    assert_eq!(blocked.data(), &listed[0]);
    resend(&service, &webhook, &listed[2]).await.data();
    let listed = list(&service, &webhook, "?status=waiting").await;
    assert_eq!(is_due(&listed), [false, false, true]);

    let before = receiver.received().len();
    assert_eq!(worker(&service.app).round().await.unwrap(), 3);
    let sent: Vec<Value> = receiver
        .received()
        .split_off(before)
        .iter()
        .map(|received| received.json()["triggerEvent"].clone())
        .collect();
    assert_eq!(
        sent,
        ["BOOKING_CREATED", "BOOKING_PAID", "BOOKING_CANCELLED"]
    );
    assert_eq!(service.count("webhook_events").await, 0);
}

#[tokio::test]
async fn messages_of_inactive_webhook_are_listed_and_not_resent() {
    let service = Service::start().await;
    let receiver = Receiver::start(&[500; ATTEMPTS]).await;
    let booking = booking_without_deliveries(&service, START).await;
    let webhook = subscribe(&service, &receiver.url("hook"), json!({})).await;
    enqueue_event(&service, Trigger::BookingCreated, booking).await;
    make_attempts(&service, ATTEMPTS).await;
    let one = format!("/v2/webhooks/{webhook}");
    let bearer = service.bearer_of(HOST).await;
    for active in [false, true] {
        let change = json!({"active": active});
        service.request("PATCH", &one, &bearer, change).await.data();
        let failed = list(&service, &webhook, "").await.remove(0);
        let resent = resend(&service, &webhook, &failed).await;
        match active {
            true => assert_eq!(resent.data()["status"], "waiting"),
            false => {
                let message = resent.assert_error(409, "ConflictException");
                assert!(message.contains("not active"), "{message}");
                assert_eq!(failed["status"], "failed");
            }
        }
    }
}

#[tokio::test]
async fn delivery_of_another_webhook_or_organization_returns_404() {
    let service = Service::start().await;
    service
        .sql(
            "INSERT INTO organizations (id, name, slug) VALUES (2, 'Other', 'other');
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (2, 101, 'OWNER')",
        )
        .await;
    let body = json!({"subscriberUrl": "https://example.org", "triggers": ["BOOKING_CREATED"], "active": true});
    let owner = vec![service.owner()];
    let other = vec![service.bearer_of(OTHER_HOST).await];
    let mut deliveries = Vec::new();
    for (collection, credentials) in [
        ("/v2/organizations/1/webhooks", &owner),
        ("/v2/organizations/2/webhooks", &other),
        ("/v2/webhooks", &other),
    ] {
        let created = service
            .call(Method::POST, collection, credentials, Some(body.clone()))
            .await;
        let webhook = created.data()["id"].as_str().unwrap().to_owned();
        service
            .sql(&format!(
                "INSERT INTO webhook_deliveries (webhook_id, trigger_name, about, body, content_type, created_ms, status)
                 VALUES ('{webhook}', 'BOOKING_CREATED', 'a', '{{}}', 'application/json', 0, 'failed')"
            ))
            .await;
        let target = format!("{collection}/{webhook}/deliveries");
        let listed = service.call(Method::GET, &target, credentials, None).await;
        let list = listed.data().as_array().unwrap();
        assert_eq!(list.len(), 1, "{collection}");
        let id = list[0]["id"].as_str().unwrap().to_owned();
        deliveries.push((webhook, id));
    }
    let [(first, of_first), (second, of_second), (_, of_person)] = &deliveries[..] else {
        panic!("{deliveries:?}");
    };
    let unknown = of_second.rsplit_once('_').unwrap().0;
    for (target, credentials, status) in [
        // Own webhook, delivery of another one.
        (
            format!("/v2/organizations/2/webhooks/{second}/deliveries/{of_first}"),
            &other,
            404,
        ),
        (
            format!("/v2/organizations/2/webhooks/{second}/deliveries/{of_person}"),
            &other,
            404,
        ),
        (
            format!("/v2/organizations/2/webhooks/{second}/deliveries/{unknown}_999999"),
            &other,
            404,
        ),
        (
            format!("/v2/organizations/2/webhooks/{second}/deliveries/x"),
            &other,
            404,
        ),
        // Webhook of another organization.
        (
            format!("/v2/organizations/2/webhooks/{first}/deliveries/{of_first}"),
            &other,
            404,
        ),
        (
            format!("/v2/organizations/1/webhooks/{first}/deliveries/{of_first}"),
            &other,
            403,
        ),
        (
            format!("/v2/webhooks/{first}/deliveries/{of_first}"),
            &other,
            404,
        ),
        (
            format!("/v2/organizations/2/webhooks/{second}/deliveries/{of_second}"),
            &other,
            200,
        ),
        (
            format!("/v2/organizations/1/webhooks/{first}/deliveries/{of_first}"),
            &owner,
            200,
        ),
    ] {
        let target = format!("{target}/resend");
        let resent = service.call(Method::POST, &target, credentials, None).await;
        assert_eq!(resent.status, status, "{target}: {}", resent.text);
    }
    for (target, status) in [
        (
            format!("/v2/organizations/2/webhooks/{first}/deliveries"),
            404,
        ),
        (
            format!("/v2/organizations/1/webhooks/{first}/deliveries"),
            403,
        ),
        (format!("/v2/webhooks/{first}/deliveries"), 404),
    ] {
        let listed = service.call(Method::GET, &target, &other, None).await;
        assert_eq!(listed.status, status, "{target}: {}", listed.text);
    }
}

#[tokio::test]
async fn list_is_read_by_an_index() {
    let service = Service::start().await;
    for status in DeliveryStatus::ALL.map(Some).into_iter().chain([None]) {
        let statement = delivery_history::list_statement(status);
        let steps = plan(&service, &statement).await;
        let ranges = steps.iter().filter(|step| {
            step.contains("webhook_deliveries_by_status (webhook_id=? AND status=?)")
        });
        let expected = if status.is_some() { 1 } else { 3 };
        assert_eq!(ranges.count(), expected, "{steps:#?}");
        let others = steps
            .iter()
            .filter(|step| step.contains("SCAN webhook_deliveries"));
        assert_eq!(others.count(), 0, "{steps:#?}");
    }
}
